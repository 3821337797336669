/**
 * `doip-gateway put`, `get` and `search`: what is done with objects every day, on the repository of the data folder or on any DOIP service.
 * What they send is an operation as `call` does.
 */

import { jsonItems } from '../json/stream/item-splitter.js';
import { jsonText } from '../json/raw-json.js';
import { parseJson } from '../json/strict-parser.js';
import { Op } from '../doip/operation-ids.js';
import { bytesOf } from '../doip/segments.js';
import { Status } from '../errors/status.js';
import { errorOf } from '../client/errors.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { demandUrlFor, orUsage, prepareCall, readJsonFile } from './call.js';
import { CommandError, EXIT, incomplete, rejection } from './command-error.js';
import { type CommandOptions, numberOption, typeOption, type Work } from './command.js';
import { demandNew, writeOutput } from './output.js';
import { Progress } from './terminal/progress.js';
import { recordOf } from './remote.js';
import type { Service } from './service.js';

/** Maximum size of one result of a search, in bytes. */
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

/** Prepares the creation of an object, or the change of one that exists: its content, and files as elements. */
export async function preparePut([id]: readonly string[], options: CommandOptions): Promise<Work> {

    const { type: _, input, json, ...others } = options;
    const type = typeOption(options);
    if (input !== undefined && json !== undefined) {
        throw new CommandError('--input and --json exclude each other', EXIT.usage);
    }

    const content = json === undefined ? input === undefined ? undefined : readJsonFile(input) : orUsage(parseJson, json);
    const object: JsonObject = { ...id === undefined ? {} : { id }, ...type === undefined ? {} : { type } };
    if (id === undefined && (type === undefined || content === undefined)) {
        throw new CommandError('a new object needs --type, and its content by --json or --input', EXIT.usage);
    }

    const creation = await prepareCall([Op.create, 'service'], { ...others, json: jsonText({ ...object, attributes: { content: content ?? {} } }) }, 'put');
    return async (service) => {

        const stored = id === undefined ? null : await storedObject(service, id);
        if (id !== undefined && stored) {
            // Content that is sent back is that of the version that was read.
            const matched = content === undefined ? stored.txnId : undefined;
            const update = await prepareUpdate({ id, ...object, attributes: { content: content ?? stored.content } }, matched, others);
            return update(service);
        }

        if (type === undefined || content === undefined) {
            throw new CommandError(`object ${id} does not exist: to create it, give --type, and its content by --json or --input`, EXIT.usage);
        }

        await creation(service);
    };
}

async function prepareUpdate(object: JsonObject & { readonly id: string }, txnId: number | undefined, options: CommandOptions): Promise<Work> {

    const attributes = txnId === undefined ? [] : [JSON.stringify({ ifMatch: String(txnId) })];
    return prepareCall([Op.update, object.id], { ...options, json: jsonText(object), attributes }, 'put');
}

/** Reads what an update needs of an object; null if there is none. */
async function storedObject(service: Service, id: string): Promise<{ readonly content: JsonValue; readonly txnId: number | undefined } | null> {

    const reply = await service.perform({ targetId: id, operationId: Op.retrieve });
    if (reply.status === Status.notFound) {
        await errorOf(reply);
        return null;
    }

    await demandSuccess(reply);
    const { attributes } = await recordOf(reply);
    const { content = null, metadata } = isJsonObject(attributes) ? attributes : {};
    const txnId = isJsonObject(metadata) ? metadata['txnId'] : undefined;
    return { content, txnId: typeof txnId === 'number' ? txnId : undefined };
}

/** Prepares the reading of an object, or of one of its elements. */
export async function prepareGet([id = '']: readonly string[], { element = [], ...options }: CommandOptions): Promise<Work> {

    const [name, ...more] = element;
    if (more.length > 0) {
        throw new CommandError('get reads one --element; an --output that ends with / is a folder for all of them', EXIT.usage);
    }

    const isFolder = name === undefined && (options.output?.endsWith('/') ?? false);
    const attributes = name === undefined ? isFolder ? { includeElementData: true } : {} : { element: name };
    return prepareCall([Op.retrieve, id], { ...options, attributes: [JSON.stringify(attributes)] }, 'get');
}

/** Prepares a search, whose results are printed as they arrive, one per line. */
export async function prepareSearch([query = '']: readonly string[], options: CommandOptions): Promise<Work> {

    const { ids = false, sort, limit, output = '-', force = false } = options;
    demandUrlFor(options);
    const pageSize = numberOption('limit', limit);
    await demandNew(output, force);
    const attributes = {
        query, type: ids ? 'id' : 'full', ...sort === undefined ? {} : { sortFields: sort }, ...pageSize === undefined ? {} : { pageNum: 0, pageSize }
    };
    return async (service) => {

        const reply = await service.perform({ targetId: 'service', operationId: Op.search, attributes });
        await demandSuccess(reply);
        const progress = output === '-' ? null : new Progress(`search (${service.location})`, null);
        const lines = new Lines(bytesOf(reply.output));
        await writeOutput(output, progress ? progress.of(lines.text(ids)) : lines.text(ids), force).catch(incomplete);
        progress?.end(`${lines.count} results`);
    };
}

async function demandSuccess(reply: Parameters<typeof errorOf>[0]): Promise<void> {

    if (reply.status !== Status.ok) {
        throw rejection(reply.status, (await errorOf(reply)).message);
    }
}

/** The results of a search as lines of text. */
class Lines {

    readonly #body: AsyncIterable<Uint8Array>;
    /** Results so far. */
    count = 0;

    constructor(body: AsyncIterable<Uint8Array>) {

        this.#body = body;
    }

    /** Ids as they are, objects as JSON. */
    async *text(areIds: boolean): AsyncGenerator<Uint8Array, void, undefined> {

        for await (const { bytes } of jsonItems(this.#body, { format: 'json', maxItemBytes: MAX_RESULT_BYTES })) {
            if (!bytes) {
                throw new CommandError(`a result is longer than ${MAX_RESULT_BYTES} bytes`, EXIT.failed);
            }

            this.count += 1;
            const id = areIds ? parseJson(bytes) : null;
            yield typeof id === 'string' ? Buffer.from(`${id}\n`) : Buffer.concat([bytes, Buffer.from('\n')]);
        }
    }
}
