/** A client with a method for each of the common operations, over either transport. */

import type { Acl, DigitalObject } from '../doip/digital-object.js';
import { Op } from '../doip/operation-ids.js';
import { DoipError } from '../errors/errors.js';
import { Status } from '../errors/status.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { ClientRequest, ClientResponse, Connection, PerformRequest } from './connection.js';
import { isSegments } from './connection.js';
import { RequestError } from './errors.js';
import type {
    BatchObject, ByteRange, CreateOptions, ElementOptions, MatchOptions, NewElement, NewObject, ObjectUpdate, RequestOptions, SearchOptions, SearchPage,
    UpdateOptions
} from './objects.js';
import type { AnyOperations, CallArguments, Operations } from './operation-types.js';
import { elementsInput, inputOnce, jsonInput } from './request-input.js';
import { type OutgoingRequest, Requester, type RequesterOptions } from './requester.js';
import { resultsOf, searchRequest } from './search-results.js';
import { defined } from './web/json.js';
import { anything, batch, caller, type Form, listOf, object, pageOf, record, text } from './web/response-forms.js';
import { sizeOf } from './web/streams.js';
import type { BatchResults, Caller, Version } from './web/types.js';

/** Options of a client: credentials that are added to each request without any, and repetition. */
export type DoipClientOptions = RequesterOptions;

/**
 * Performs operations. All methods but {@link perform} throw a RequestError, which is a DoipError, with the status and message of the service
 * for anything but success. Without a response all throw a ConnectionError; when their signal is aborted, its reason; and where the bytes of an
 * element cannot be read, the error of their source. Requests are repeated only where that is safe: see RetryOptions.
 *
 * `C` is the type of the content, which is not checked: the service checks it by the schema of its type. `O` declares operations for {@link call},
 * as `doip-gateway types` writes them; without it they are JSON.
 */
export class DoipClient<O extends Operations<O> = AnyOperations> {

    readonly #requests: Requester;

    constructor(connection: Connection, options: DoipClientOptions = {}) {

        this.#requests = new Requester(connection, options);
    }

    /**
     * Performs any operation, and returns the response whatever its status. The output must be read to its end or closed. An input of
     * segments is sent once.
     */
    async perform({ input, ...request }: PerformRequest): Promise<ClientResponse> {

        return this.#requests.perform({ ...request, ...inputOf(input) });
    }

    /** Performs an operation whose output is JSON, such as a method of type code. Undefined: there is no output. */
    async call<I extends keyof O & string>(targetId: string, operationId: I, ...[options]: CallArguments<O[I]>): Promise<O[I]['result']> {

        const { input, ...others } = options as Omit<PerformRequest, 'targetId' | 'operationId'> | undefined ?? {};
        return this.#json({ targetId, operationId, ...others, ...inputOf(input) }, anything);
    }

    /** What the service says about itself: its id, protocols, addresses and public key. */
    async hello(options: RequestOptions = {}): Promise<DigitalObject> {

        return this.#json({ targetId: 'service', operationId: Op.hello, ...options }, object);
    }

    /** Ids of the operations that the caller may perform on a target. */
    async listOperations(targetId = 'service', options: RequestOptions = {}): Promise<string[]> {

        return this.#json({ targetId, operationId: Op.listOperations, ...options }, listOf(text));
    }

    /** Who the service says is calling; with `full`, also their groups and the types of which they may create objects. */
    async caller({ full = false, ...options }: RequestOptions & { full?: boolean } = {}): Promise<Caller> {

        return this.#json({ targetId: 'service', operationId: Op.checkCredentials, attributes: { full }, ...options }, caller);
    }

    /** Reads an object without its bytes; null if it does not exist. */
    async retrieve<C = JsonObject>(id: string, options: RequestOptions = {}): Promise<DigitalObject<C> | null> {

        return orNull(() => this.#json<DigitalObject<C>>({ targetId: id, operationId: Op.retrieve, ...options }, object));
    }

    /** Reads the bytes of an element, or a range of them; null if it does not exist. The bytes must be read to their end, or closed. */
    async retrieveElement(
        id: string, element: string, options: ElementOptions | ByteRange = {}
    ): Promise<AsyncGenerator<Uint8Array, void, undefined> | null> {

        const { range, onProgress, ...others }: ElementOptions = 'start' in options || 'end' in options ? { range: options } : options;
        return orNull(async () => {

            const attributes = { element, ...range ? { range: { ...range } } : {} };
            return this.#requests.bytes({ targetId: id, operationId: Op.retrieve, attributes, ...others }, onProgress);
        });
    }

    /** Creates an object with its elements, and returns it as it is stored. If no response arrives, it is not sent again: it could be created twice. */
    async create<C = JsonObject>(
        { elements = [], ...described }: NewObject, { dryRun, suffix, onProgress, ...options }: CreateOptions = {}
    ): Promise<DigitalObject<C>> {

        return this.#json({
            targetId: 'service', operationId: Op.create, attributes: defined({ dryRun, suffix }),
            segments: elementsInput(described as JsonObject, elements, onProgress), ...options
        }, object);
    }

    /** Changes an object, and returns it as it is stored. Elements that are not given stay. */
    async update<C = JsonObject>(
        { elements = [], ifTxnId, ...described }: ObjectUpdate, { dryRun, ifMatch = ifTxnId, onProgress, ...options }: UpdateOptions = {}
    ): Promise<DigitalObject<C>> {

        return this.#json({
            targetId: described.id, operationId: Op.update, attributes: { ...defined({ dryRun }), ...precondition(ifMatch) },
            segments: elementsInput(described as JsonObject, elements, onProgress), ...options
        }, object);
    }

    /** Deletes an object. Its published versions stay. */
    async delete(id: string, { ifMatch, ...options }: MatchOptions = {}): Promise<void> {

        await this.#json({ targetId: id, operationId: Op.delete, attributes: precondition(ifMatch), ...options }, anything);
    }

    /**
     * Adds or replaces an element, and nothing else of the object. Returns the object as it is stored.
     *
     * The service replaces objects, so the content is read and sent again, unless somebody else has changed it meanwhile: then that is repeated,
     * or the error has status 105 if the element is a stream. Not for types whose code changes objects when they are read.
     */
    async putElement<C = JsonObject>(id: string, element: NewElement, options: Omit<UpdateOptions, 'dryRun'> = {}): Promise<DigitalObject<C>> {

        const isGiven = (options.ifMatch ?? null) !== null;
        for (let attempts = 1; ; ++attempts) {
            const { attributes: { content, metadata } } = await this.#json<DigitalObject>({
                targetId: id, operationId: Op.retrieve, ...defined({ signal: options.signal })
            }, object);
            try {
                return await this.update<C>({ id, attributes: { content }, elements: [element] }, {
                    ...options, ...isGiven ? {} : { ifMatch: metadata?.txnId ?? null }
                });
            }
            catch (error) {
                if (isGiven || attempts === PUT_ATTEMPTS || isStream(element) || !isConflict(error)) {
                    throw error;
                }
            }
        }
    }

    /** Deletes an element. */
    async deleteElement(id: string, element: string, options: MatchOptions = {}): Promise<void> {

        await this.update({ id, attributes: { elementsToDelete: [element] } }, options);
    }

    /** Yields all results of a search as they arrive, in one response. Only its beginning is requested again when the connection is lost. */
    async *search<C = JsonObject>(query: string, options: Omit<SearchOptions, 'facets'> = {}): AsyncGenerator<DigitalObject<C>, void, undefined> {

        yield *resultsOf<DigitalObject<C>>(this.#requests, searchRequest(query, options));
    }

    /** Yields the ids of all results of a search as they arrive. */
    async *searchIds(query: string, options: Omit<SearchOptions, 'facets'> = {}): AsyncGenerator<string, void, undefined> {

        yield *resultsOf<string>(this.#requests, searchRequest(query, options, { type: 'id' }));
    }

    /** Returns one page of results with their number. */
    async searchPage<C = JsonObject>(query: string, options: SearchOptions = {}): Promise<SearchPage<C>> {

        return this.#json(searchRequest(query, options), pageOf(record));
    }

    /** Returns the JSON schemas of all types by their names. */
    async types(options: RequestOptions = {}): Promise<Readonly<Record<string, JsonValue>>> {

        return this.#json({ targetId: 'service', operationId: Op.schemasList, ...options }, record);
    }

    /** Reads the JSON schema of a type; null if it does not exist. */
    async getType<S = JsonValue>(name: string, options: RequestOptions = {}): Promise<S | null> {

        return orNull(() => this.#json<S>({ targetId: 'service', operationId: Op.schemasGet, attributes: { type: name }, ...options }, anything));
    }

    /** Creates a type, or replaces its schema. */
    async putType(name: string, schema: object, options: RequestOptions = {}): Promise<void> {

        await this.#json({ targetId: 'service', operationId: Op.schemasUpdate, attributes: { type: name }, input: schema as JsonObject, ...options }, anything);
    }

    /** Deletes a type. Its objects stay. */
    async deleteType(name: string, options: RequestOptions = {}): Promise<void> {

        await this.#json({ targetId: 'service', operationId: Op.schemasDelete, attributes: { type: name }, ...options }, anything);
    }

    /** Lists the versions of an object, the object itself last. */
    async versions(id: string, options: RequestOptions = {}): Promise<readonly Version[]> {

        return this.#json({ targetId: id, operationId: Op.versionsGet, ...options }, listOf(object));
    }

    /** Publishes a version of an object: a copy under an id of its own, with the elements unless `clonePayloads` is false. It is not repeated. */
    async publish(
        id: string, { versionId, clonePayloads = true, ifMatch, ...options }: MatchOptions & { versionId?: string; clonePayloads?: boolean } = {}
    ): Promise<Version> {

        const attributes = { ...defined({ versionId, clonePayloads }), ...precondition(ifMatch) };
        return this.#json({ targetId: id, operationId: Op.versionsPublish, attributes, ...options }, object);
    }

    /** Creates or changes many objects, each on its own. The results are in the order of the items. */
    async batch(
        items: readonly BatchObject[], { failFast, parallel, ...options }: RequestOptions & { failFast?: boolean; parallel?: boolean } = {}
    ): Promise<BatchResults> {

        const { results, success } = await this.#json<BatchResults>({
            targetId: 'service', operationId: Op.batchUpload, attributes: defined({ failFast, parallel }), segments: jsonInput(items as JsonValue), ...options
        }, batch);
        return { success, results: [...results].sort((one, other) => one.position - other.position) };
    }

    /** Reads the access control list of an object; null if the object does not exist. */
    async getAcl(id: string, options: RequestOptions = {}): Promise<Acl | null> {

        return orNull(() => this.#json<Acl>({ targetId: id, operationId: Op.aclsGet, ...options }, record));
    }

    /** Replaces the access control list of an object; `{}` removes it, so that the rules of the type apply. */
    async putAcl(id: string, acl: Acl, { ifMatch, ...options }: MatchOptions = {}): Promise<Acl> {

        return this.#json({ targetId: id, operationId: Op.aclsUpdate, attributes: precondition(ifMatch), input: { ...acl }, ...options }, record);
    }

    /** Closes the connections. */
    close(): void {

        this.#requests.close();
    }

    async #json<T>(request: OutgoingRequest, form: Form): Promise<T> {

        return await this.#requests.json(request, form) as T;
    }
}

function inputOf(input: ClientRequest['input']): Pick<OutgoingRequest, 'input' | 'segments'> {

    return input === undefined ? {} : isSegments(input) ? { segments: inputOnce(input) } : { input };
}

/** How often an element is sent to an object that others change. */
const PUT_ATTEMPTS = 5;

function isStream({ body }: NewElement): boolean {

    return body !== undefined && sizeOf(body) === null;
}

/** True when the object was not in the version that the request demands, and certainly not changed by it. */
function isConflict(error: unknown): boolean {

    return error instanceof RequestError && error.status === Status.conflict && !error.mayHaveChanged;
}

/** The attribute `ifMatch` is a tag without quotes. */
function precondition(ifMatch: MatchOptions['ifMatch']): JsonObject {

    return ifMatch === undefined || ifMatch === null ? {} : { ifMatch: String(ifMatch).replace(/^"(.*)"$/s, '$1') };
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
