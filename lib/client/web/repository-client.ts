/** The client for objects: a method for each task of the REST interface. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { type ByteRange, downloadOf, type PayloadDownload, rangeHeader } from './download.js';
import { RepositoryError } from './errors.js';
import { defined, jsonText } from './json.js';
import { formBody, jsonBody, type NewPayload, type RequestBody, type UploadOptions } from './request-body.js';
import { anything, batch, caller, type Form, listOf, object, pageOf, record, text } from './response-forms.js';
import { jsonOf, pathOf, Transport, type TransportOptions, type WebRequest } from './transport.js';
import type { ProgressListener } from './streams.js';
import type { Acl, BatchItem, BatchResults, Caller, DigitalObject, SearchParameters, SearchResults, Version } from './types.js';

/** An object with the version that was read or written. */
export type Stored<C = JsonValue> = DigitalObject<C> & {
    /** For `ifMatch`; null for types whose code changes objects when they are read. */
    readonly etag: string | null;
};

/** Options of the client. */
export type RepositoryOptions = TransportOptions & Pick<UploadOptions, 'uploads'>;

/** Options that every method has. */
export interface CallOptions {
    /** Ends the request; the method then throws the reason of the signal. */
    readonly signal?: AbortSignal;
}

/** What a change may also set. Members that are absent stay as they are. */
interface Changes extends CallOptions {
    readonly acl?: Acl;
    readonly userMetadata?: JsonObject;
    readonly payloads?: readonly NewPayload[];
    /** True to validate and respond as usual, but to store nothing. */
    readonly dryRun?: boolean;
    /** Reports the bytes of the payloads that were sent; in browsers only when all were. */
    readonly onProgress?: ProgressListener;
}

/** Options of a creation. */
export interface CreateOptions extends Changes {
    /** Default: the service makes an id. */
    readonly id?: string;
    /** The id without the prefix of the service. */
    readonly suffix?: string;
}

/** A change of one version. */
export interface MatchOptions extends CallOptions {
    /** ETag of the version that may be changed; the service rejects a change of any other with status 412. */
    readonly ifMatch?: string | null;
}

/** Options of an update. */
export interface UpdateOptions extends Changes, MatchOptions {
    /** A new type. */
    readonly type?: string;
    readonly payloadsToDelete?: readonly string[];
}

/** Options of a search. */
export interface SearchOptions extends CallOptions {
    /** Results of a page; default 100. */
    readonly pageSize?: number;
    /** Default: the most relevant first. */
    readonly sortFields?: readonly { readonly name: string; readonly reverse?: boolean }[];
    /** Queries that results must match as well. */
    readonly filterQueries?: readonly string[];
    /** JSON pointers: only these branches of each result. */
    readonly filter?: readonly string[];
    readonly includeScore?: boolean;
    readonly includeVersions?: boolean;
}

/** Options of a search for one page. */
export interface SearchPageOptions extends SearchOptions {
    /** From 0, the default. */
    readonly pageNum?: number;
    readonly facets?: readonly { readonly field: string; readonly maxBuckets?: number }[];
}

const NOT_FOUND = 404;
const PAGE_SIZE = 100;
const CHANGED = 412;
/** How often a payload is sent to an object that others change. */
const PUT_ATTEMPTS = 5;
/** A search ends with an error after as many pages in a row without a result. */
const MAX_EMPTY_PAGES = 100;

/**
 * A client for objects over HTTP. It needs nothing but `fetch` and web streams.
 *
 * Every method throws a RepositoryError with the status and message of the service for anything but success, and the reason of its signal when
 * that is aborted. Methods that read return null for what does not exist. Requests are repeated only where that is safe: see RetryOptions.
 *
 * `C` is the type of the content, which is not checked: the service checks it by the schema of its type.
 */
export class RepositoryClient {

    readonly #transport: Transport;
    readonly #uploads: Pick<UploadOptions, 'uploads'>;

    /**
     * @param url URL of the service, `https://…`; nothing is sent yet
     * @throws TypeError for invalid options, and for credentials without TLS unless the service is on this machine
     */
    constructor(url: string, { uploads, ...options }: RepositoryOptions = {}) {

        this.#transport = new Transport(url, options);
        this.#uploads = uploads === undefined ? {} : { uploads };
    }

    /** URL of the service. */
    get url(): string {

        return this.#transport.url;
    }

    /** Sends any request, with credentials and repeated where that is safe. The body of the response must be read or cancelled. */
    async request(request: WebRequest): Promise<Response> {

        return this.#transport.send(request);
    }

    /** Reads an object. */
    async get<C = JsonValue>(id: string, { signal }: CallOptions = {}): Promise<Stored<C> | null> {

        return orNull(() => this.#stored<C>({ method: 'GET', path: pathOf('/objects', id), query: { full: true }, signal }));
    }

    /** Creates an object and returns it as it is stored. If no response arrives it is not sent again, as it could be created twice. */
    async create<C = JsonValue>(type: string, content: C, options: CreateOptions = {}): Promise<Stored<C>> {

        const { id, suffix, dryRun, signal } = options;
        return this.#stored<C>({
            method: 'POST', path: '/objects', query: { type, handle: id, suffix, dryRun, full: true }, body: await this.#objectBody(content, options), signal
        });
    }

    /** Replaces the content of an object, and returns the object as it is stored. */
    async update<C = JsonValue>(id: string, content: C, options: UpdateOptions = {}): Promise<Stored<C>> {

        const { type, payloadsToDelete, dryRun, signal } = options;
        return this.#stored<C>({
            method: 'PUT', path: pathOf('/objects', id), query: { type, payloadToDelete: payloadsToDelete, dryRun, full: true }, headers: precondition(options),
            body: await this.#objectBody(content, options), signal
        });
    }

    /** Deletes an object. Its published versions stay. */
    async delete(id: string, options: MatchOptions = {}): Promise<void> {

        await this.#json({ method: 'DELETE', path: pathOf('/objects', id), headers: precondition(options), signal: options.signal }, anything);
    }

    /** Reads the bytes of a payload as they arrive. */
    async getPayload(
        id: string, payload: string, { range, onProgress, signal }: CallOptions & { range?: ByteRange; onProgress?: ProgressListener } = {}
    ): Promise<PayloadDownload | null> {

        return orNull(async () => downloadOf(await this.request({
            method: 'GET', path: pathOf('/objects', id), query: { payload }, headers: range ? { Range: rangeHeader(range) } : {}, signal
        }), onProgress));
    }

    /**
     * Adds or replaces a payload, and nothing else of the object. Returns the new version of the object, for `ifMatch`.
     *
     * The service replaces objects, so the content is read and sent again, unless somebody else has changed it meanwhile: then that is repeated,
     * or the error has status 412 if the payload is a stream.
     */
    async putPayload(id: string, payload: NewPayload, options: MatchOptions & Pick<Changes, 'onProgress'> = {}): Promise<string> {

        const { ifMatch, signal, onProgress } = options;
        const path = pathOf('/objects', id);
        for (let attempts = 1; ; ++attempts) {
            const read = await this.request({ method: 'GET', path, signal });
            const etag = read.headers.get('etag');
            const content = await read.text();
            if (etag === null) {
                throw new RepositoryError(`the type of ${id} changes objects when they are read: use update with the content that is stored`, { status: 0 });
            }

            // As text, since numbers of JSON may be longer than those of JavaScript.
            const body = await formBody({ content }, [payload], { ...this.#uploads, ...onProgress ? { onProgress } : {} });
            try {
                const request: WebRequest = { method: 'PUT', path, headers: precondition({ ifMatch: ifMatch ?? etag }), body, signal };
                const written = await this.request(request);
                await jsonOf(written, request, anything);
                return written.headers.get('etag') ?? etag;
            }
            catch (error) {
                if (typeof ifMatch === 'string' || attempts === PUT_ATTEMPTS || !body.isReplayable || !isConflict(error)) {
                    throw error;
                }
            }
        }
    }

    /** Deletes a payload. */
    async deletePayload(id: string, payload: string, options: MatchOptions = {}): Promise<void> {

        await this.#json({ method: 'DELETE', path: pathOf('/objects', id), query: { payload }, headers: precondition(options), signal: options.signal }, anything);
    }

    /**
     * Yields all results of a search, page by page; the next page is requested when it is needed. Objects that are changed meanwhile may be
     * missed or come twice, unless the order (`sortFields`) does not depend on what is changed.
     */
    async *search<C = JsonValue>(query: string, options: SearchOptions = {}): AsyncGenerator<DigitalObject<C>, void, undefined> {

        yield *this.#pages((pageNum, pageSize) => this.searchPage<C>(query, { ...options, pageNum, pageSize }), options);
    }

    /** Yields the ids of all results of a search, page by page. */
    async *searchIds(query: string, options: SearchOptions = {}): AsyncGenerator<string, void, undefined> {

        const parameters = parametersOf(query, options);
        yield *this.#pages((pageNum, pageSize) => this.#search<string>({ ...parameters, pageNum, pageSize, ids: true }, text, options), options);
    }

    /** Returns one page of results, with their number and facets. `pageSize: 0` returns the number and the facets only. */
    async searchPage<C = JsonValue>(query: string, options: SearchPageOptions = {}): Promise<SearchResults<DigitalObject<C>>> {

        const { filter } = options;
        return this.#search<DigitalObject<C>>(parametersOf(query, options), filter ? record : object, options);
    }

    /** Returns the JSON schemas of all types by their names. */
    async types({ signal }: CallOptions = {}): Promise<Readonly<Record<string, JsonValue>>> {

        return this.#json({ method: 'GET', path: '/schemas', signal }, record);
    }

    /** Reads the JSON schema of a type. */
    async getType<S = JsonValue>(name: string, { signal }: CallOptions = {}): Promise<S | null> {

        return orNull(() => this.#json<S>({ method: 'GET', path: pathOf('/schemas', name), signal }, anything));
    }

    /** Creates a type, or replaces its schema. */
    async putType(name: string, schema: object | boolean, { signal }: CallOptions = {}): Promise<void> {

        await this.#json({ method: 'PUT', path: pathOf('/schemas', name), body: jsonBody(schema, 'schema'), signal }, anything);
    }

    /** Deletes a type. Its objects stay. */
    async deleteType(name: string, { signal }: CallOptions = {}): Promise<void> {

        await this.#json({ method: 'DELETE', path: pathOf('/schemas', name), signal }, anything);
    }

    /** Lists the versions of an object, the object itself last. */
    async versions(id: string, { signal }: CallOptions = {}): Promise<readonly Version[]> {

        return this.#json({ method: 'GET', path: '/versions', query: { objectId: id }, signal }, listOf(object));
    }

    /** Publishes a version of an object: a copy under an id of its own, with the payloads unless `clonePayloads` is false. It is not repeated. */
    async publish(
        id: string, { versionId, clonePayloads = true, signal, ...options }: MatchOptions & { versionId?: string; clonePayloads?: boolean } = {}
    ): Promise<Version> {

        const query = { objectId: id, versionId, clonePayloads: String(clonePayloads) };
        return this.#json({ method: 'POST', path: '/versions', query, headers: precondition(options), signal }, object);
    }

    /** Creates or changes many objects, each on its own. The results are in the order of the items. */
    async batch<C = JsonValue>(
        items: readonly BatchItem<C>[], { failFast, parallel, signal }: CallOptions & { failFast?: boolean; parallel?: boolean } = {}
    ): Promise<BatchResults> {

        const { results, success } = await this.#json<BatchResults>({
            method: 'POST', path: '/batchUpload', body: jsonBody(items, 'items'), signal,
            query: { failFast, parallel: parallel === undefined ? undefined : String(parallel) }
        }, batch);
        return { results: [...results].sort((one, other) => one.position - other.position), success };
    }

    /** Reads the access control list of an object, with the version of the object for `ifMatch`. */
    async getAcl(id: string, { signal }: CallOptions = {}): Promise<{ readonly acl: Acl; readonly etag: string | null } | null> {

        return orNull(() => this.#acl({ method: 'GET', path: pathOf('/acls', id), signal }));
    }

    /** Replaces the access control list of an object; `{}` removes it, so that the rules of the type apply. */
    async putAcl(id: string, acl: Acl, options: MatchOptions = {}): Promise<{ readonly acl: Acl; readonly etag: string | null }> {

        return this.#acl({ method: 'PUT', path: pathOf('/acls', id), body: jsonBody(acl, 'acl'), headers: precondition(options), signal: options.signal });
    }

    /** Calls a method of an object, or a static one of a type, and returns its JSON. */
    async call<R = JsonValue>(
        target: { readonly objectId: string } | { readonly type: string }, method: string, { params = null, signal }: CallOptions & { params?: unknown } = {}
    ): Promise<R> {

        return this.#json<R>({ method: 'POST', path: '/call', query: { ...target, method }, body: jsonBody(params, 'params'), signal }, anything);
    }

    /** Who the service says is calling; with `full`, also their groups and the types of which they may create objects. */
    async caller({ full, signal }: CallOptions & { full?: boolean } = {}): Promise<Caller> {

        return this.#json({ method: 'GET', path: '/check-credentials', query: { full }, signal }, caller);
    }

    /** Revokes the access token that was made from the password. A later request makes another one. */
    async logout({ signal }: CallOptions = {}): Promise<void> {

        await this.#transport.logout(signal);
    }

    async *#pages<R>(
        page: (pageNum: number, pageSize: number) => Promise<SearchResults<R>>, { pageSize = PAGE_SIZE }: SearchOptions
    ): AsyncGenerator<R, void, undefined> {

        if (!Number.isInteger(pageSize) || pageSize < 1) {
            throw new TypeError('pageSize must be a number from 1');
        }

        // A page may have fewer results than its size before the last one: those that the caller may no longer read are missing.
        for (let [pageNum, empty] = [0, 0]; ; ++pageNum) {
            const { size, results } = await page(pageNum, pageSize);
            yield *results;
            empty = results.length === 0 ? empty + 1 : 0;
            if (size < 0 ? results.length === 0 : (pageNum + 1) * pageSize >= size) {
                return;
            }

            if (empty === MAX_EMPTY_PAGES) {
                throw new RepositoryError(`POST /search: ${empty} pages in a row have no results, although there should be more`, { status: 200 });
            }
        }
    }

    async #search<R>(parameters: SearchParameters, form: Form, { signal }: CallOptions): Promise<SearchResults<R>> {

        return this.#json({ method: 'POST', path: '/search', body: jsonBody(parameters, 'search'), isRead: true, signal }, pageOf(form));
    }

    async #objectBody(content: unknown, { acl, userMetadata, payloads = [], onProgress }: Changes): Promise<RequestBody> {

        const fields = defined({
            content: jsonText(content, 'content'), acl: acl && jsonText(acl, 'acl'), userMetadata: userMetadata && jsonText(userMetadata, 'userMetadata')
        });
        return payloads.length === 0 && Object.keys(fields).length === 1 ? jsonBody(content, 'content') :
            formBody(fields, payloads, { ...this.#uploads, ...onProgress ? { onProgress } : {} });
    }

    async #stored<C>(request: WebRequest): Promise<Stored<C>> {

        const response = await this.request(request);
        return { ...await jsonOf(response, request, object) as DigitalObject<C>, etag: response.headers.get('etag') };
    }

    async #acl(request: WebRequest): Promise<{ readonly acl: Acl; readonly etag: string | null }> {

        const response = await this.request(request);
        return { acl: await jsonOf(response, request, record) as Acl, etag: response.headers.get('etag') };
    }

    async #json<T = unknown>(request: WebRequest, form: Form): Promise<T> {

        return this.#transport.json<T>(request, form);
    }
}

function precondition({ ifMatch }: MatchOptions): Readonly<Record<string, string>> {

    return typeof ifMatch === 'string' ? { 'If-Match': ifMatch } : {};
}

/** True when the object was not in the version that the request demands, and certainly not changed by it. */
function isConflict(error: unknown): boolean {

    return error instanceof RepositoryError && error.status === CHANGED && !error.mayHaveChanged;
}

function parametersOf(query: string, options: SearchPageOptions): SearchParameters {

    const { pageNum, pageSize = PAGE_SIZE, sortFields, filterQueries, filter, facets, includeScore, includeVersions } = options;
    return defined({
        query, pageNum, pageSize, sortFields: sortFields && JSON.stringify(sortFields), filterQueries: filterQueries && [...filterQueries],
        filter: filter && [...filter], facets: facets?.map((facet): JsonObject => ({ ...facet })), includeScore, includeVersions
    });
}

/** Returns null for what does not exist. */
async function orNull<T>(read: () => Promise<T>): Promise<T | null> {

    try {
        return await read();
    }
    catch (error) {
        if (error instanceof RepositoryError && error.status === NOT_FOUND) {
            return null;
        }

        throw error;
    }
}
