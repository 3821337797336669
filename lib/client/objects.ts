/** What the methods of the client take and return. */

import type { DigitalObject } from '../doip/digital-object.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Bytes, ProgressListener } from './web/streams.js';

/** Options that every method has. */
export interface RequestOptions {
    /** Ends the request, and the connection with it; the method then throws the reason of the signal. */
    readonly signal?: AbortSignal;
}

/** An element to be stored. */
export interface NewElement {
    readonly id: string;
    /** Media type. */
    readonly type?: string;
    readonly filename?: string;
    /** The bytes; absent in an update to leave them as they are. A stream is sent once: its request is not repeated. */
    readonly body?: Bytes;
    /** Bytes of a stream, for progress. */
    readonly size?: number;
}

/** An object to be created. */
export interface NewObject {
    /** Absent: the service makes an id. */
    readonly id?: string;
    readonly type: string;
    /** `content`, and optionally `acl` and `userMetadata`. */
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly elements?: readonly NewElement[];
}

/** Changes of an object. */
export interface ObjectUpdate {
    readonly id: string;
    readonly type?: string;
    /** What is to be replaced of `content`, `acl` and `userMetadata`; `elementsToDelete` names elements. */
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly elements?: readonly NewElement[];
    /** The same as the option `ifMatch`. */
    readonly ifTxnId?: number;
}

/** Options of a creation or an update. */
interface WriteOptions extends RequestOptions {
    /** True to validate and respond as usual, but to store nothing. */
    readonly dryRun?: boolean;
    /** Reports the bytes of the elements that were sent. */
    readonly onProgress?: ProgressListener;
}

/** Options of a creation. */
export interface CreateOptions extends WriteOptions {
    /** The id without the prefix of the service, for an object without `id`. */
    readonly suffix?: string;
}

/** A change of one version. */
export interface MatchOptions extends RequestOptions {
    /**
     * Transaction number (`metadata.txnId`), or the entity tag of REST, of the version that may be changed; the service rejects a change of any
     * other with status 105.
     */
    readonly ifMatch?: string | number | null;
}

/** Options of an update. */
export type UpdateOptions = WriteOptions & MatchOptions;

/** Options of reading an element. */
export interface ElementOptions extends RequestOptions {
    readonly range?: ByteRange;
    /** Reports the bytes that were received. */
    readonly onProgress?: ProgressListener;
}

/** A range of bytes, both ends inclusive; without a start the last `end` bytes, without an end everything from the start. */
export type ByteRange = { readonly start: number; readonly end?: number } | { readonly end: number };

/** Options of a search. */
export interface SearchOptions extends RequestOptions {
    /** 0-based; default 0. */
    readonly pageNum?: number;
    /** Absent or negative: all results. */
    readonly pageSize?: number;
    /** Names of fields, or a text with fields, each with `ASC` or `DESC`, separated by commas. */
    readonly sortFields?: string | readonly { readonly name: string; readonly reverse?: boolean }[];
    /** Fields whose values are counted. */
    readonly facets?: readonly { readonly field: string; readonly maxBuckets?: number }[];
    /** Queries that results must match as well. */
    readonly filterQueries?: readonly string[];
    /** JSON pointers: only these branches of each result. */
    readonly filter?: readonly string[];
    readonly includeScore?: boolean;
    readonly includeVersions?: boolean;
}

/** A page of results. */
export interface SearchPage<C = JsonObject> {
    /** Number of all results; -1 if unknown. */
    readonly size: number;
    readonly results: readonly DigitalObject<C>[];
    readonly facets?: JsonValue;
}

/** An object of a batch; with the id of an existing one, that is changed. */
export interface BatchObject {
    readonly id?: string;
    readonly type?: string;
    /** `content`, and optionally `acl`, `userMetadata` and `elementsToDelete`. */
    readonly attributes?: Readonly<Record<string, unknown>>;
    /** Each with its bytes as `base64Element`. */
    readonly elements?: readonly JsonObject[];
    /** The versions that may be replaced. */
    readonly ifMatch?: string | number | readonly (string | number)[];
    /** The versions that may not. */
    readonly ifNoneMatch?: string | number | readonly (string | number)[];
}
