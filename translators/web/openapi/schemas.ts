/** JSON schemas of what REST sends and takes, as components of the OpenAPI document. */

import type { JsonObject } from '../../../lib/util/json-types.js';
import type { JsonPointer } from '../../../lib/json/pointer.js';
import { formatPointer } from '../../../lib/json/pointer.js';
import { LocalReferences, mapReferences } from '../../../lib/json/schema-references.js';
import {
    ACL, API_KEY_SCOPE, apiKey, apiKeys, arrayOf, batchResults, caller, constant, COUNT, design, ERROR, HANDLE_RECORD, HANDLE_UPDATE, HEALTH, IDS, initData,
    LABELS, LOGIN_PROVIDERS, METADATA, METHOD, OPEN, record, relationships, RIGHTS,
    SCHEMA_CHECK, SCHEMA_TEMPLATES, SERVICE_STATUS, searchResults, SESSION, STARTUP_STATUS, TEXT, TOKEN, TRUTH,
    TYPE_SCHEMAS, USAGE, USER_TOKENS, VERSION, whole
} from '../../../lib/doip/result-schemas.js';

export function ref(name: string): JsonObject {

    return { $ref: `#/components/schemas/${name}` };
}

/** The reference to a part of what another one leads to. */
export function partOf({ $ref }: JsonObject, pointer: JsonPointer): JsonObject {

    return { $ref: `${$ref as string}${fragmentOf(formatPointer(pointer))}` };
}

function fragmentOf(pointer: string): string {

    return encodeURI(pointer).replaceAll('#', '%23');
}

/** Name of a component for a type. */
export function componentName(type: string, prefix = 'type'): string {

    return `${prefix}.${componentCharacters(type)}`;
}

/** A name as part of that of a component, distinct for each: other characters than letters, digits, dots and hyphens as `_` and four digits of their code. */
export function componentCharacters(name: string): string {

    return name.replaceAll(/[^A-Za-z0-9.-]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns a schema as a component: many tools know references within the document only, and one dialect.
 *
 * @param other returns the reference in place of one to elsewhere; null for none
 */
export function asComponent(schema: JsonObject, name: string, other: (reference: string) => string | null): JsonObject {

    const local = new LocalReferences(schema);
    return mapReferences(schema, (reference) => {

        const pointer = reference.startsWith('#') ? local.pointerOf(reference) : null;
        return reference.startsWith('#') ? pointer === null ? null : `#/components/schemas/${name}${fragmentOf(pointer)}` : other(reference);
    }, { $schema: () => null });
}

/** An array of what another schema describes. */
export function listOf(name: string): JsonObject {

    return arrayOf(ref(name));
}

/** Headers of responses. */
export const HEADERS: JsonObject = {
    ETag: { description: 'tag of the version in quotes: of an object its transaction number', schema: { type: 'string' } },
    RateLimit: { description: 'what is left of each limit, where there are limits', schema: { type: 'string' } },
    RateLimitPolicy: { description: 'the limits, where there are any', schema: { type: 'string' } },
    RetryAfter: { description: 'seconds after which a request that got 429 or 503 may be sent again', schema: { type: 'integer' } }
};

/** Headers of requests. */
export const HEADER_PARAMETERS = {
    AsUser: headerParameter('As-User', 'for admin: id of the user on whose behalf the request is made'),
    CsrfToken: headerParameter('X-Csrf-Token', 'with the cookie of a legacy session: the value of its cookie `Csrf-token`'),
    IfMatch: headerParameter('If-Match', 'entity tags of the versions that may be read or changed, or `*` for any'),
    IfNoneMatch: headerParameter('If-None-Match', 'entity tags that the client has; for a change those that it must not meet'),
    Range: headerParameter('Range', 'the part of the bytes that is wanted, such as `bytes=0-99`'),
    IfRange: headerParameter('If-Range', 'the entity tag of the version of which the part is wanted; of another one the whole is sent')
} satisfies Record<string, JsonObject>;

function headerParameter(name: string, description: string): JsonObject {

    return { name, in: 'header', description, schema: { type: 'string' } };
}

/** References to headers of requests. */
export function headersOf(...names: (keyof typeof HEADER_PARAMETERS)[]): JsonObject[] {

    return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The headers of a response with an entity tag. */
export const TAGGED = { headers: { ETag: { $ref: '#/components/headers/ETag' } } };

/** The response to a request for a range. */
export const PART_OF_BYTES = { 206: { description: 'the part of the bytes that the header Content-Range names', content: { 'application/octet-stream': {} } } };

const FAILED = { content: { 'application/json': { schema: ref('Error') } } };

/** The response to a precondition that does not hold. */
export const PRECONDITION_FAILED = { description: 'the object has another version', ...FAILED };

/** The response to what fails. */
export const ERROR_RESPONSE = {
    description: 'an error',
    headers: {
        'Retry-After': { $ref: '#/components/headers/RetryAfter' }, 'RateLimit': { $ref: '#/components/headers/RateLimit' },
        'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' }
    },
    ...FAILED
};

/** Entity tags or transaction numbers. */
const tags = { type: ['string', 'integer', 'array'], items: { type: ['string', 'integer'] } };

export const SCHEMAS: Readonly<Record<string, JsonObject>> = {
    Error: ERROR,
    Acl: ACL,
    Metadata: METADATA,
    Payload: record({ name: TEXT, filename: TEXT, mediaType: TEXT, size: COUNT }, ['name', 'size']),
    Object: {
        ...record({
            id: TEXT, type: TEXT, content: {}, acl: ref('Acl'), metadata: ref('Metadata'), userMetadata: OPEN, payloads: listOf('Payload'),
            responseContext: OPEN
        }, ['id', 'type', 'content']),
        description: 'a digital object in its full form'
    },
    Content: { description: 'content of an object, as its type describes it' },
    SearchResults: { ...searchResults(), description: 'results are objects in full form, their contents, or ids' },
    Schemas: TYPE_SCHEMAS,
    Labels: whole({ results: LABELS }),
    Rights: RIGHTS,
    Version: VERSION,
    Relationships: relationships(record({ id: TEXT, type: TEXT, json: {}, createdOn: COUNT, createdBy: TEXT }, ['id', 'type', 'json'])),
    Success: { type: 'object', properties: { msg: TEXT, message: TEXT, success: TRUTH } },
    BatchItem: {
        type: 'object',
        properties: {
            id: TEXT, type: TEXT, content: {}, acl: ref('Acl'), userMetadata: OPEN, payloads: { type: 'array', items: OPEN }, payloadsToDelete: IDS,
            ifMatch: { ...tags, description: 'the versions that may be replaced' }, ifNoneMatch: { ...tags, description: 'the versions that may not' }
        }
    },
    BatchResults: batchResults({}),
    TokenRequest: {
        type: 'object',
        properties: {
            grant_type: TEXT, username: TEXT, password: TEXT, assertion: { ...TEXT, description: 'a JWT signed with the key of the user' },
            code: TEXT, code_verifier: TEXT
        }
    },
    Token: TOKEN,
    TokenInput: { type: 'object', properties: { token: TEXT }, required: ['token'] },
    ApiKeyScope: API_KEY_SCOPE,
    Caller: caller(ref('ApiKeyScope')),
    Inactive: constant({ active: false }),
    ApiKeyRequest: record({
        name: { type: 'string', minLength: 1, maxLength: 100 }, userId: { ...TEXT, description: 'for admin: whose key it will be' },
        operations: { ...IDS, description: 'ids of operations; absent for all' }, types: { ...IDS, description: 'names of types; absent for all' },
        readOnly: TRUTH, expiresOn: { ...COUNT, description: 'milliseconds since 1970' }, expiresInDays: { type: 'integer', minimum: 1 }
    }, ['name']),
    ApiKey: apiKey('perhaps with value'),
    LoginProviders: LOGIN_PROVIDERS,
    ApiKeys: apiKeys(ref('ApiKey')),
    Session: SESSION,
    Design: design(ref('Schemas')),
    InitData: initData(ref('Design')),
    SchemaCheck: SCHEMA_CHECK,
    SchemaTemplates: SCHEMA_TEMPLATES,
    HandleRecord: HANDLE_RECORD,
    HandleUpdate: HANDLE_UPDATE,
    Method: METHOD,
    StartupStatus: STARTUP_STATUS,
    Status: SERVICE_STATUS,
    Usage: USAGE,
    UserTokens: USER_TOKENS,
    Health: HEALTH,
    FrontPage: whole({ name: TEXT, version: TEXT, id: TEXT, links: { type: 'object', additionalProperties: TEXT } })
};
