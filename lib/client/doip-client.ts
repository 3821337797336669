/** A client with a method for each of the common operations, over either transport. */

import type { DigitalObject } from '../doip/digital-object.js';
import type { DoipResponse, Segment } from '../doip/envelope.js';
import { Op } from '../doip/operation-ids.js';
import { bytesOf, bytesSegment, drain, jsonSegment } from '../doip/segments.js';
import { DoipError } from '../errors/errors.js';
import { Status } from '../errors/status.js';
import { jsonItems } from '../json/stream/item-splitter.js';
import { parseJson } from '../json/strict-parser.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import type { ClientRequest, ClientResponse, Connection } from './connection.js';
import { readJsonBody } from './connection.js';
import type { AnyOperations, CallArguments, Operations } from './operation-types.js';

/** Credentials that are added to each request without any. */
export interface Credentials {
    /** `{username, password}`, `{password}` with a clientId, or `{token}`, each optionally with `asUserId`. */
    readonly authentication?: JsonObject;
    readonly clientId?: string;
}

/** An element to be stored. */
export interface NewElement {
    readonly id: string;
    /** Media type. */
    readonly type?: string;
    readonly filename?: string;
    /** The bytes; absent in an update to leave them as they are. */
    readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
}

/** An object to be created. */
export interface NewObject {
    /** Absent: the service makes an id. */
    readonly id?: string;
    readonly type: string;
    /** `content`, and optionally `acl` and `userMetadata`. */
    readonly attributes: JsonObject;
    readonly elements?: readonly NewElement[];
}

/** Changes of an object. */
export interface ObjectUpdate {
    readonly id: string;
    readonly type?: string;
    /** What is to be replaced of `content`, `acl` and `userMetadata`; `elementsToDelete` names elements. */
    readonly attributes: JsonObject;
    readonly elements?: readonly NewElement[];
    /** Transaction number (`metadata.txnId`) of the version that may be changed; any other is refused with status 105. */
    readonly ifTxnId?: number;
}

/** Options of a search. */
export interface SearchOptions {
    /** 0-based; default 0. */
    readonly pageNum?: number;
    /** Absent or negative: all results. */
    readonly pageSize?: number;
    /** Fields, each with `ASC` or `DESC`, separated by commas. */
    readonly sortFields?: string;
    /** Fields whose values are counted. */
    readonly facets?: readonly { readonly field: string; readonly maxBuckets?: number }[];
    readonly filterQueries?: readonly string[];
}

/** A page of results. */
export interface SearchPage {
    /** Number of all results; -1 if unknown. */
    readonly size: number;
    readonly results: readonly DigitalObject[];
    readonly facets?: JsonValue;
}

/** A range of bytes, both ends inclusive; without a start the last `end` bytes, without an end everything from the start. */
export type ByteRange = { readonly start: number; readonly end?: number } | { readonly end: number };

/** Maximum size of one result of a search, in bytes. */
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

/**
 * Performs operations. All methods but {@link perform} throw a DoipError with the status and message of the service for anything but
 * success, and an Error if the service cannot be reached, breaks off or is not trusted.
 *
 * `O` declares operations for {@link call}, as `doip-gateway types` writes them; without it they are JSON.
 */
export class DoipClient<O extends Operations<O> = AnyOperations> {

    readonly #connection: Connection;
    readonly #credentials: Credentials;

    constructor(connection: Connection, credentials: Credentials = {}) {

        this.#connection = connection;
        this.#credentials = credentials;
    }

    /** Performs any operation, and returns the response whatever its status. The output must be read to its end or closed. */
    async perform(request: ClientRequest): Promise<ClientResponse> {

        return this.#connection.perform({ ...this.#credentials, ...request });
    }

    /** Performs an operation whose output is JSON, such as a method of type code. Undefined: there is no output. */
    async call<I extends keyof O & string>(targetId: string, operationId: I, ...[options]: CallArguments<O[I]>): Promise<O[I]['result']> {

        const { attributes, input } = options as Pick<ClientRequest, 'attributes' | 'input'> | undefined ?? {};
        return this.#json({ targetId, operationId, ...attributes ? { attributes } : {}, ...input === undefined ? {} : { input } });
    }

    /** What the service says about itself: its id, protocols, addresses and public key. */
    async hello(): Promise<DigitalObject> {

        return await this.#json({ targetId: 'service', operationId: Op.hello }) as unknown as DigitalObject;
    }

    /** Ids of the operations that the caller may perform on a target. */
    async listOperations(targetId = 'service'): Promise<string[]> {

        return await this.#json({ targetId, operationId: Op.listOperations }) as string[];
    }

    /** Reads an object without its bytes; null if it does not exist. */
    async retrieve(id: string): Promise<DigitalObject | null> {

        return orNull(async () => await this.#json({ targetId: id, operationId: Op.retrieve }) as unknown as DigitalObject);
    }

    /** Reads the bytes of an element, or a range of them; null if it does not exist. The bytes must be read to their end, or closed. */
    async retrieveElement(id: string, element: string, range?: ByteRange): Promise<AsyncGenerator<Uint8Array, void, undefined> | null> {

        return orNull(async () => {

            const attributes = { element, ...range ? { range: { ...range } } : {} };
            const { output } = await this.#succeed({ targetId: id, operationId: Op.retrieve, attributes, jsonAsBytes: true });
            return bytesOf(output);
        });
    }

    /** Creates an object with its elements, and returns it as it is stored. */
    async create({ elements = [], ...object }: NewObject): Promise<DigitalObject> {

        return await this.#json({ targetId: 'service', operationId: Op.create, input: objectInput(object, elements) }) as unknown as DigitalObject;
    }

    /** Changes an object, and returns it as it is stored. Elements that are not given stay. */
    async update({ elements = [], ifTxnId, ...object }: ObjectUpdate): Promise<DigitalObject> {

        return await this.#json({
            targetId: object.id, operationId: Op.update, input: objectInput(object, elements),
            ...ifTxnId === undefined ? {} : { attributes: { ifMatch: String(ifTxnId) } }
        }) as unknown as DigitalObject;
    }

    /** Deletes an object. */
    async delete(id: string): Promise<void> {

        await this.#json({ targetId: id, operationId: Op.delete });
    }

    /** Yields all results of a search as they arrive. */
    async *search(query: string, options: Omit<SearchOptions, 'facets'> = {}): AsyncGenerator<DigitalObject, void, undefined> {

        yield *this.#results<DigitalObject>(query, { ...options });
    }

    /** Yields the ids of all results of a search as they arrive. */
    async *searchIds(query: string, options: Omit<SearchOptions, 'facets'> = {}): AsyncGenerator<string, void, undefined> {

        yield *this.#results<string>(query, { ...options, type: 'id' });
    }

    /** Returns one page of results with their number. */
    async searchPage(query: string, options: SearchOptions = {}): Promise<SearchPage> {

        return await this.#json(searchRequest(query, { ...options })) as unknown as SearchPage;
    }

    /** Closes the connections. */
    close(): void {

        this.#connection.close();
    }

    async *#results<T>(query: string, attributes: Readonly<Record<string, unknown>>): AsyncGenerator<T, void, undefined> {

        const { output } = await this.#succeed({ ...searchRequest(query, attributes), jsonAsBytes: true });
        for await (const { bytes, length } of jsonItems(bytesOf(output), { format: 'json', maxItemBytes: MAX_RESULT_BYTES })) {
            if (!bytes) {
                throw new Error(`a result is longer than ${MAX_RESULT_BYTES} bytes: ${length}`);
            }

            yield parseJson(bytes) as T;
        }
    }

    /** Performs a request and returns its output, a JSON value or nothing. */
    async #json(request: ClientRequest): Promise<JsonValue | undefined> {

        const { output } = await this.#succeed(request);
        let value: JsonValue | undefined;
        for await (const segment of output) {
            if (segment.kind === 'json') {
                value ??= segment.value;
            }
            else {
                await drain(segment.body);
            }
        }

        return value;
    }

    async #succeed(request: ClientRequest): Promise<ClientResponse> {

        const response = await this.perform(request);
        if (response.status !== Status.ok) {
            throw await errorOf(response);
        }

        return response;
    }
}

/** The error that a response stands for. Reads the output. */
export async function errorOf({ status, attributes, output }: Pick<DoipResponse, 'status' | 'attributes' | 'output'>): Promise<DoipError> {

    let details: JsonObject = {};
    for await (const segment of output) {
        const value = segment.kind === 'json' ? segment.value : await readJsonBody(segment.body).catch(() => null);
        details = isJsonObject(value) ? value : details;
    }

    const { message = attributes['message'] ?? status, ...others } = details;
    return new DoipError(status, typeof message === 'string' ? message : JSON.stringify(message), { details: others, attributes });
}

/** Returns null for what does not exist. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {

    try {
        return await read();
    }
    catch (error) {
        if (error instanceof DoipError && error.status === Status.notFound) {
            return null;
        }

        throw error;
    }
}

/** The segments of an object: itself, with those elements that it does not list already, and for each element its id and bytes. */
export async function *objectInput(object: Readonly<Record<string, JsonValue>>, elements: readonly NewElement[]): AsyncGenerator<Segment, void, undefined> {

    const listed = Array.isArray(object['elements']) ? object['elements'] : [];
    const ids = new Set(listed.map((each) => (isJsonObject(each) ? each['id'] : undefined)));
    const described = elements.filter(({ id }) => !ids.has(id)).map(({ id, type, filename }) => ({
        id, ...type === undefined ? {} : { type }, ...filename === undefined ? {} : { attributes: { filename } }
    }));
    yield jsonSegment({ ...object, ...elements.length > 0 ? { elements: [...listed, ...described] } : {} });
    for (const { id, body, type, filename } of elements) {
        if (body) {
            const properties = { ...type === undefined ? {} : { mediaType: type }, ...filename === undefined ? {} : { filename } };
            yield jsonSegment({ id });
            yield body instanceof Uint8Array ? bytesSegment(body, properties) : { kind: 'bytes', body, ...properties };
        }
    }
}

function searchRequest(query: string, options: Readonly<Record<string, unknown>>): ClientRequest {

    return { targetId: 'service', operationId: Op.search, attributes: { query, ...options as JsonObject } };
}
