/** JSON schemas of what REST sends and takes, as components of the OpenAPI document. */

import type { JsonObject } from '../../../lib/util/json-types.js';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const ids = { type: 'array', items: text };
const open = { type: 'object' };

/** A closed object: its members, of which some may be absent. */
function record(properties: JsonObject, required: readonly string[] = []): JsonObject {

    return { type: 'object', properties, required: [...required], additionalProperties: false };
}

export function ref(name: string): JsonObject {

    return { $ref: `#/components/schemas/${name}` };
}

/** An array of what another schema describes. */
export function listOf(name: string): JsonObject {

    return { type: 'array', items: ref(name) };
}

const caller = { userId: text, username: text, typesPermittedToCreate: ids, groupIds: ids };
const times = { createdOn: count, createdBy: text, modifiedOn: count, modifiedBy: text };
const limit = { type: ['integer', 'null'], minimum: 0 };
/** Entity tags or transaction numbers. */
const tags = { type: ['string', 'integer', 'array'], items: { type: ['string', 'integer'] } };
const usage = { objects: count, bytes: count, maxObjects: limit, maxBytes: limit };
const publication = { versionOf: text, publishedBy: text, publishedOn: count };

export const SCHEMAS: Readonly<Record<string, JsonObject>> = {
    Error: {
        type: 'object',
        properties: {
            message: { ...text, description: 'one sentence for people' },
            errors: { type: 'array', items: open, description: 'of a validation: each error with its JSON pointer' }
        },
        required: ['message']
    },
    Acl: {
        ...record({ readers: ids, writers: ids, payloadReaders: ids, methods: { type: 'object', additionalProperties: ids } }),
        description: 'ids of users and groups, or the words public, authenticated, creator and self; without an array the rules of the type apply'
    },
    Metadata: {
        ...record({ ...times, ...publication, txnId: count, isVersion: { type: 'boolean' }, hashes: open, remoteRepository: text }),
        description: 'maintained by the service; times in milliseconds since 1970'
    },
    Payload: record({ name: text, filename: text, mediaType: text, size: count }, ['name', 'size']),
    Object: {
        ...record({
            id: text, type: text, content: {}, acl: ref('Acl'), metadata: ref('Metadata'), userMetadata: open, payloads: listOf('Payload'), responseContext: open
        }, ['id', 'type', 'content']),
        description: 'a digital object in its full form'
    },
    Content: { description: 'content of an object, as its type describes it' },
    SearchResults: {
        ...record({
            pageNum: { type: 'integer' }, pageSize: { type: 'integer' }, size: { type: 'integer', minimum: -1 },
            facets: { type: 'array', items: open }, results: { type: 'array' }
        }, ['pageNum', 'pageSize', 'size', 'results']),
        description: 'results are objects in full form, their contents, or ids'
    },
    Schemas: { type: 'object', description: 'JSON schemas by the name of their type', additionalProperties: { type: ['object', 'boolean'] } },
    Version: record({ id: text, type: text, ...publication, modifiedOn: count, isTip: { type: 'boolean' } }, ['id', 'type', 'isTip']),
    Relationships: record({
        nodes: { type: 'array', items: open }, edges: { type: 'array', items: open }, results: { type: 'object', additionalProperties: open },
        truncated: { type: 'boolean' }
    }, ['nodes', 'edges', 'results']),
    Success: { type: 'object', properties: { msg: text, message: text, success: { type: 'boolean' } } },
    BatchItem: {
        type: 'object',
        properties: {
            id: text, type: text, content: {}, acl: ref('Acl'), userMetadata: open, payloads: { type: 'array', items: open }, payloadsToDelete: ids,
            ifMatch: { ...tags, description: 'the versions that may be replaced' }, ifNoneMatch: { ...tags, description: 'the versions that may not' }
        }
    },
    BatchResults: record({
        results: { type: 'array', items: record({ position: count, responseCode: count, response: {} }, ['position', 'responseCode']) }, success: { type: 'boolean' }
    }, ['results', 'success']),
    TokenRequest: {
        type: 'object',
        properties: { grant_type: text, username: text, password: text, assertion: { ...text, description: 'a JWT signed with the key of the user' }, code: text, code_verifier: text }
    },
    Token: record({ access_token: text, token_type: { const: 'Bearer' }, active: { const: true }, ...caller }, ['access_token', 'token_type']),
    TokenInput: { type: 'object', properties: { token: text }, required: ['token'] },
    Caller: record({ active: { type: 'boolean' }, ...caller, apiKey: open }, ['active']),
    ApiKeyRequest: record({
        name: { type: 'string', minLength: 1, maxLength: 100 }, userId: { ...text, description: 'for admin: whose key it will be' },
        operations: { ...ids, description: 'ids of operations; absent for all' }, types: { ...ids, description: 'names of types; absent for all' },
        readOnly: { type: 'boolean' }, expiresOn: { ...count, description: 'milliseconds since 1970' }, expiresInDays: { type: 'integer', minimum: 1 }
    }, ['name']),
    ApiKey: record({
        key: { ...text, description: 'the key itself, only in the response to its creation' }, id: text, name: text, userId: text, operations: ids, types: ids,
        readOnly: { type: 'boolean' }, createdOn: count, createdBy: text, expiresOn: count, lastUsedOn: count
    }, ['id', 'name', 'userId', 'readOnly', 'createdOn', 'createdBy']),
    LoginProviders: record({ providers: { type: 'array', items: record({ name: text, title: text }, ['name', 'title']) } }, ['providers']),
    ApiKeys: record({ keys: listOf('ApiKey'), next: text }, ['keys']),
    Session: record({ isActiveSession: { type: 'boolean' }, ...caller }, ['isActiveSession']),
    Design: { type: 'object', properties: { schemas: ref('Schemas'), schemaIds: { type: 'object', additionalProperties: text } } },
    InitData: { type: 'object', properties: { version: open, design: ref('Design'), isActiveSession: { type: 'boolean' }, ...caller }, required: ['version', 'design'] },
    SchemaTemplates: record({ templates: open, exampleJavaScript: text }, ['templates']),
    HandleRecord: { type: 'object', properties: { responseCode: count, handle: text, values: { type: 'array', items: open } }, required: ['responseCode', 'handle'] },
    HandleUpdate: { type: 'object', properties: { inProgress: { type: 'boolean' }, total: count, progress: count, startTime: count, exceptionCount: count } },
    StartupStatus: { type: 'object', properties: { state: { enum: ['UP', 'FAILED'] }, details: open, subsystems: open, message: text }, required: ['state', 'details'] },
    Usage: record({ user: record({ id: text, ...usage }, ['id']), type: record({ name: text, ...usage }, ['name']) }, ['user']),
    Health: record({ status: { const: 'UP' } }, ['status']),
    FrontPage: record({ name: text, version: text, id: text, links: { type: 'object', additionalProperties: text } }, ['name', 'version', 'links'])
};
