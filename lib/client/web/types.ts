/** Types of requests and responses. Generated from the OpenAPI document by `npm run docs`; do not edit. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** An access control list. Ids of users and groups, or the words public, authenticated, creator and self; without an array the rules of the type apply. */
export interface Acl {
    readonly readers?: readonly string[];
    readonly writers?: readonly string[];
    readonly payloadReaders?: readonly string[];
    readonly methods?: { readonly [name: string]: readonly string[] };
}

/** Metadata of an object. Maintained by the service; times in milliseconds since 1970. */
export interface Metadata {
    readonly createdOn?: number;
    readonly createdBy?: string;
    readonly modifiedOn?: number;
    readonly modifiedBy?: string;
    readonly versionOf?: string;
    readonly publishedBy?: string;
    readonly publishedOn?: number;
    readonly txnId?: number;
    readonly isVersion?: boolean;
    readonly hashes?: JsonObject;
    readonly remoteRepository?: string;
}

/** A payload of an object, without its bytes. */
export interface Payload {
    readonly name: string;
    readonly filename?: string;
    readonly mediaType?: string;
    readonly size: number;
}

/** A digital object in its full form. */
export interface DigitalObject<C = JsonValue> {
    readonly id: string;
    readonly type: string;
    readonly content: C;
    readonly acl?: Acl;
    readonly metadata?: Metadata;
    readonly userMetadata?: JsonObject;
    readonly payloads?: readonly Payload[];
    readonly responseContext?: JsonObject;
}

/** A page of results; `size` is the number of all, or -1. Results are objects in full form, their contents, or ids. */
export interface SearchResults<R = DigitalObject> {
    readonly pageNum: number;
    readonly pageSize: number;
    readonly size: number;
    readonly facets?: readonly JsonObject[];
    readonly results: readonly R[];
}

/** A version of an object, or the object itself (`isTip`). */
export interface Version {
    readonly id: string;
    readonly type: string;
    readonly versionOf?: string;
    readonly publishedBy?: string;
    readonly publishedOn?: number;
    readonly modifiedOn?: number;
    readonly isTip: boolean;
}

/** An object of a batch; with the id of an existing one, that is changed. */
export interface BatchItem<C = JsonValue> {
    readonly id?: string;
    readonly type?: string;
    readonly content?: C;
    readonly acl?: Acl;
    readonly userMetadata?: JsonObject;
    readonly payloads?: readonly JsonObject[];
    readonly payloadsToDelete?: readonly string[];
    /** The versions that may be replaced. */
    readonly ifMatch?: string | number | (readonly (string | number)[]);
    /** The versions that may not. */
    readonly ifNoneMatch?: string | number | (readonly (string | number)[]);
}

/** What became of the items of a batch; `position` is the index of an item. */
export interface BatchResults {
    readonly results: readonly {
        readonly position: number;
        readonly responseCode: number;
        readonly response?: JsonValue;
    }[];
    readonly success: boolean;
}

/** The API key of a caller, and what it permits. */
export interface ApiKeyScope {
    readonly id: string;
    readonly name: string;
    readonly readOnly: boolean;
    readonly operations?: readonly string[];
    readonly types?: readonly string[];
    readonly expiresOn?: number;
}

/** Who is calling. */
export interface Caller {
    readonly active: boolean;
    readonly userId?: string;
    readonly username?: string;
    readonly typesPermittedToCreate?: readonly string[];
    readonly groupIds?: readonly string[];
    readonly apiKey?: ApiKeyScope;
}

/** Parameters of a search. */
export interface SearchParameters {
    /** The query; `*:*` matches all objects. */
    readonly query?: string;
    /** Alternatively, what the content must contain (JSON). */
    readonly queryJson?: JsonValue;
    /** Number of the page, from 0. */
    readonly pageNum?: number;
    /** Size of a page; 0 for the number of results only, without it all results. */
    readonly pageSize?: number;
    /** JSON array of `{"name": …, "reverse": true}`, or `/name DESC,/year`. */
    readonly sortFields?: string;
    /** Only ids. */
    readonly ids?: boolean;
    /** `false`: only the content of each object. */
    readonly full?: boolean;
    /** Array of JSON pointers: only these branches of each result (JSON). */
    readonly filter?: JsonValue;
    /** Array of queries that results must match as well (JSON). */
    readonly filterQueries?: JsonValue;
    /** Array of `{"field": …, "maxBuckets": 10}` (JSON). */
    readonly facets?: JsonValue;
    /** Adds responseContext.score. */
    readonly includeScore?: boolean;
    /** Also finds published versions. */
    readonly includeVersions?: boolean;
    /** An object for type code (JSON). */
    readonly requestContext?: JsonValue;
}
