/**
 * `doip-gateway import FILE` of rows: NDJSON, a JSON array or CSV. Rows become objects by a mapping, and are stored in batches with the rights of the
 * caller; those that are rejected are listed by their lines.
 */

import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { errorOf } from '../client/errors.js';
import { jsonText } from '../json/raw-json.js';
import { Op } from '../doip/operation-ids.js';
import { sequence } from '../doip/segments.js';
import { Status } from '../errors/status.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { demandUrlFor, orUsage, readJsonFile } from './call.js';
import { CommandError, EXIT, rejection, unreadable } from './command-error.js';
import { type CommandOptions, numberOption, typeOption, type Work } from './command.js';
import { demandNew } from './output.js';
import { Progress } from './terminal/progress.js';
import { recordOf } from './remote.js';
import { csvRows } from './rows/csv-rows.js';
import { jsonRows } from './rows/json-rows.js';
import { fieldOf, fieldsOfColumns, type Mapping, mappingOf, objectOfRow } from './rows/mapping.js';
import { type Rejected, Report } from './rows/report.js';
import { FormatError, type Row } from './rows/row.js';
import type { Service } from './service.js';

const FORMATS = ['ndjson', 'json', 'csv'] as const;

type Format = typeof FORMATS[number];

/** Objects and bytes of a batch. */
const BATCH_ITEMS = 100;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Objects that are checked at a time in a dry run. */
const DRY_RUNS = 8;

const PEEK_BYTES = 4096;

/** True for a file that is no export: by an option, by its name, or because it begins with an array. */
export async function isFileOfRows(file: string, options: CommandOptions): Promise<boolean> {

    const { type, id, map, format, delimiter, encoding, from, rejected, 'dry-run': dryRun, url } = options;
    const isNamed = [type, id, map, format, delimiter, encoding, from, rejected, dryRun, url].some((value) => value !== undefined);
    return isNamed || /\.(?:csv|tsv)$/i.test(file) || file !== '-' && await beginsWithArray(file);
}

async function beginsWithArray(file: string): Promise<boolean> {

    const found = await stat(file).catch(() => null);
    if (!found?.isFile()) {
        return false;
    }

    for await (const chunk of createReadStream(file, { end: PEEK_BYTES }) as AsyncIterable<Buffer>) {
        return chunk.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '').trimStart().startsWith('[');
    }

    return false;
}

/** Prepares the import: options, mapping and file are checked before anything is sent. */
export async function prepareRows(file: string, options: CommandOptions): Promise<Work> {

    demandUrlFor(options);
    if (options.replace === true) {
        throw new CommandError('--replace is for the import of an export: rows replace the objects that have their ids', EXIT.usage);
    }

    const { rejected, 'dry-run': isDryRun = false, delimiter, encoding } = options;
    const format = formatOf(file, options);
    const mapping = mappingFrom(options);
    if (format === 'csv' && mapping.type === undefined) {
        throw new CommandError('an import of CSV needs --type, the type of the objects', EXIT.usage);
    }

    const csv = { delimiter: delimiter === 'tab' || delimiter === undefined && /\.tsv$/i.test(file) ? '\t' : delimiter ?? ',', encoding: encoding ?? 'utf-8' };
    orUsage(() => new TextDecoder(csv.encoding));
    if ([...csv.delimiter].length !== 1) {
        throw new CommandError(`--delimiter must be one character or the word tab, not ${csv.delimiter}`, EXIT.usage);
    }

    const from = numberOption('from', options.from) ?? 1;
    const source = await openSource(file);
    await demandNew(rejected ?? '-', false);
    return async (service) => {

        const progress = new Progress(`${isDryRun ? 'dry run' : 'import'} (${service.location})`, source.size);
        const body = progress.of(source.body);
        const importer = new RowImporter(service, { mapping, isTable: format === 'csv', isDryRun, report: await openReport(rejected) });
        await importer.run(format === 'csv' ? csvRows(body, csv) : jsonRows(body, format), from);
        progress.end(importer.summary());
        importer.demandAll();
    };
}

async function openReport(file: string | undefined): Promise<Report> {

    return Report.open(file).catch((error: Error) => {

        throw new CommandError(`${file} cannot be written: ${error.message}`, EXIT.cannotCreate);
    });
}

function formatOf(file: string, { format }: CommandOptions): Format {

    const known = FORMATS.find((each) => each === format);
    if (format !== undefined && !known) {
        throw new CommandError(`--format must be ${FORMATS.join(', ')}, not ${format}`, EXIT.usage);
    }

    return known ?? (/\.(?:csv|tsv)$/i.test(file) ? 'csv' : /\.json$/i.test(file) ? 'json' : 'ndjson');
}

/** The mapping of the options: `--map` is a file, or a field; later ones add to it. */
function mappingFrom(options: CommandOptions): Mapping {

    const { id, map = [] } = options;
    const type = typeOption(options);
    const mappings = map.map((text): Mapping => (text.startsWith('/') && text.includes('=') ? { fields: [orUsage(fieldOf, text)] } : mappingIn(text)));
    const fields = mappings.flatMap((mapping) => mapping.fields ?? []);
    return {
        ...Object.assign({}, ...mappings) as Mapping,
        ...type === undefined ? {} : { type }, ...id === undefined ? {} : { id }, ...fields.length > 0 ? { fields } : {}
    };
}

function mappingIn(file: string): Mapping {

    try {
        return mappingOf(readJsonFile(file));
    }
    catch (error) {
        throw error instanceof TypeError ? new CommandError(`${file}: ${error.message}`, EXIT.data) : error;
    }
}

async function openSource(file: string): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly size: number | null }> {

    if (file === '-') {
        return { body: process.stdin, size: null };
    }

    const found = await stat(file).catch((error: Error) => {

        throw unreadable(file, error);
    });
    if (found.isDirectory()) {
        throw unreadable(file, { code: 'EISDIR', message: '' });
    }

    const handle = await open(file).catch((error: Error) => {

        throw unreadable(file, error);
    });
    return { body: handle.createReadStream({ highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>, size: found.isFile() ? found.size : null };
}

/** How rows are stored. */
interface ImportOptions {
    readonly mapping: Mapping;
    /** True for rows of texts, which are converted. */
    readonly isTable: boolean;
    readonly isDryRun: boolean;
    readonly report: Report;
}

/** An object to store, with its line. */
interface Item {
    readonly line: number;
    readonly object: JsonObject;
    readonly text: string;
}

/** Stores rows in batches. */
class RowImporter {

    readonly #service: Service;
    readonly #options: ImportOptions;
    #schema: JsonValue = {};
    #batch: Item[] = [];
    #bytes = 0;
    #stored = 0;

    constructor(service: Service, options: ImportOptions) {

        this.#service = service;
        this.#options = options;
    }

    /** Stores all rows from a line on. @throws CommandError that says from which line the import can be continued */
    async run(rows: AsyncIterable<Row>, from: number): Promise<void> {

        const { mapping: { type }, isTable, report } = this.#options;
        try {
            this.#schema = isTable && type !== undefined ? await schemaOf(this.#service, type) : {};
            for await (const row of rows) {
                if (row.line >= from) {
                    await this.#add(row);
                }
            }

            await this.#flush();
        }
        catch (error) {
            throw await this.#ended(error);
        }
        finally {
            await report.close();
        }
    }

    summary(): string {

        const { isDryRun, report } = this.#options;
        return `${this.#stored} objects ${isDryRun ? 'are valid' : 'stored'}, ${report.count} rows rejected`;
    }

    /** Throws a CommandError when a row was rejected. */
    demandAll(): void {

        const { count } = this.#options.report;
        if (count > 0) {
            throw new CommandError(`${count} ${count === 1 ? 'row was' : 'rows were'} rejected`, EXIT.data);
        }
    }

    /** Lists a rejected row. @throws CommandError when the file for them cannot be written */
    async #reject(rejected: Rejected): Promise<void> {

        await this.#options.report.add(rejected).catch((error: Error) => {

            throw new CommandError(`the file for rejected rows cannot be written: ${error.message}`, EXIT.cannotCreate);
        });
    }

    async #add(row: Row): Promise<void> {

        const { line } = row;
        if (row.error !== undefined) {
            await this.#reject({ line, message: row.error });
            return;
        }

        const item = await this.#itemOf(line, row.value);
        if (!item) {
            return;
        }

        if (this.#batch.length >= BATCH_ITEMS || this.#bytes + item.text.length > BATCH_BYTES) {
            await this.#flush();
        }

        this.#batch.push(item);
        this.#bytes += item.text.length;
    }

    async #itemOf(line: number, value: JsonValue): Promise<Item | null> {

        const { mapping, isTable } = this.#options;
        if (isJsonObject(value) && value['export'] !== undefined && line === 1) {
            throw new CommandError('the file is an export: it is imported without options, beside the data folder', EXIT.usage);
        }

        try {
            const fields = mapping.fields ?? (isTable ? fieldsOfColumns(value) : undefined);
            const object = objectOfRow(value, { ...mapping, ...fields ? { fields } : {} }, this.#schema);
            return { line, object, text: jsonText(object) };
        }
        catch (error) {
            if (!(error instanceof TypeError)) {
                throw error;
            }

            await this.#reject({ line, message: error.message });
            return null;
        }
    }

    async #flush(): Promise<void> {

        const batch = this.#batch;
        if (batch.length > 0) {
            await (this.#options.isDryRun ? this.#check(batch) : this.#store(batch));
        }

        [this.#batch, this.#bytes] = [[], 0];
    }

    async #store(batch: readonly Item[]): Promise<void> {

        const reply = await this.#service.perform({
            targetId: 'service', operationId: Op.batchUpload,
            input: sequence({ kind: 'bytes', mediaType: 'application/json', body: bodyOf(batch) })
        });
        if (reply.status !== Status.ok) {
            throw rejection(reply.status, (await errorOf(reply)).message);
        }

        const { results } = await recordOf(reply);
        const unknown = new Map(batch.entries());
        for (const result of Array.isArray(results) ? results : []) {
            const { position, responseCode, response } = isJsonObject(result) ? result : {};
            const item = unknown.get(Number(position));
            const { message } = isJsonObject(response) ? response : {};
            if (!item) {
                continue;
            }

            unknown.delete(Number(position));
            if (responseCode === 200) {
                this.#stored += 1;
            }
            else {
                await this.#reject({
                    line: item.line, object: item.object, message: typeof message === 'string' ? message : 'the service rejected it',
                    ...typeof responseCode === 'number' ? { status: responseCode } : {}
                });
            }
        }

        for (const { line, object } of unknown.values()) {
            await this.#reject({ line, object, message: 'the service did not say whether it is stored' });
        }
    }

    /** Validates the objects, some at a time, and stores none of them. */
    async #check(batch: readonly Item[]): Promise<void> {

        for (let start = 0; start < batch.length; start += DRY_RUNS) {
            const items = batch.slice(start, start + DRY_RUNS);
            const messages = await Promise.all(items.map(({ object }) => dryRun(this.#service, object)));
            for (const [index, message] of messages.entries()) {
                const { line = 0, object = {} } = items[index] ?? {};
                await (message === null ? this.#stored += 1 : this.#reject({ line, object, message }));
            }
        }
    }

    /** What the import ends with. Rows that were read before an error of the format are stored. */
    async #ended(error: unknown): Promise<unknown> {

        if (error instanceof FormatError) {
            await this.#flush();
            return new CommandError(`${error.message}; ${this.summary()} before that`, EXIT.data);
        }

        const [{ line } = { line: null }] = this.#batch;
        const isUsual = error instanceof CommandError && error.code !== EXIT.usage && this.#stored > 0 && line !== null && !this.#options.isDryRun;
        return isUsual ? new CommandError(`${error.message}; ${this.summary()} before line ${line}: continue with --from ${line}`, error.code) : error;
    }
}

async function *bodyOf(batch: readonly Item[]): AsyncGenerator<Uint8Array, void, undefined> {

    yield Buffer.from(`[${batch.map(({ text }) => text).join(',')}]`);
}

/** The JSON schema of a type, to convert texts by; empty for a service that does not say. @throws CommandError for a type that does not exist */
async function schemaOf(service: Service, type: string): Promise<JsonValue> {

    const reply = await service.perform({ targetId: 'service', operationId: Op.schemasGet, attributes: { type } });
    if (reply.status === Status.ok) {
        return recordOf(reply);
    }

    const { message } = await errorOf(reply);
    if (reply.status === Status.notFound || reply.status === Status.unauthenticated) {
        throw rejection(reply.status, message);
    }

    return {};
}

/** Validates an object as its creation would, or its change if it exists. Resolves to null, or to what is wrong. */
async function dryRun(service: Service, object: JsonObject): Promise<string | null> {

    const { id, type, attributes, content, acl, userMetadata } = object;
    const digital = {
        ...id === undefined ? {} : { id }, ...type === undefined ? {} : { type }, attributes: attributes ?? {
            ...content === undefined ? {} : { content }, ...acl === undefined ? {} : { acl }, ...userMetadata === undefined ? {} : { userMetadata }
        }
    };
    const attempt = async (operationId: string, targetId: string): Promise<{ readonly status: string; readonly message: string }> => {

        const reply = await service.perform({ targetId, operationId, attributes: { dryRun: true }, input: digital });
        const { message } = reply.status === Status.ok ? (await recordOf(reply), { message: '' }) : await errorOf(reply);
        return { status: reply.status, message };
    };

    const created = await attempt(Op.create, 'service');
    const { status, message } = created.status === Status.conflict && typeof id === 'string' ? await attempt(Op.update, id) : created;
    if (status === Status.unauthenticated) {
        throw rejection(status, message);
    }

    return status === Status.ok ? null : message;
}
