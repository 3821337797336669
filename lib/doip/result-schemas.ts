/**
 * JSON schemas (2020-12) of results that several operations or interfaces share, for descriptions. The schemas of results with a form of
 * their own are beside their operations.
 */

import type { JsonObject } from '../util/json-types.js';

export const TEXT = { type: 'string' };
export const COUNT = { type: 'integer', minimum: 0 };
export const TRUTH = { type: 'boolean' };
export const IDS = { type: 'array', items: TEXT };
/** An object with any members. */
export const OPEN = { type: 'object' };

const limit = { type: ['integer', 'null'], minimum: 0 };

/** A closed object: its members, of which some may be absent. */
export function record(properties: JsonObject, required: readonly string[] = []): JsonObject {

    return { type: 'object', properties, required: [...required], additionalProperties: false };
}

/** A closed object whose members are all there. */
export function whole(properties: JsonObject): JsonObject {

    return record(properties, Object.keys(properties));
}

/** A closed object with fixed values, such as `{"success": true}`. */
export function constant(values: JsonObject): JsonObject {

    return whole(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { const: value }])));
}

export function arrayOf(items: JsonObject): JsonObject {

    return { type: 'array', items };
}

/** Members of a caller in records of logins and sessions. */
const CALLER_MEMBERS = { userId: TEXT, username: TEXT, typesPermittedToCreate: IDS, groupIds: IDS };

const PUBLICATION = { versionOf: TEXT, publishedBy: TEXT, publishedOn: COUNT };

export const ERROR: JsonObject = {
    type: 'object',
    properties: {
        message: { ...TEXT, description: 'one sentence for people' },
        errors: { type: 'array', items: OPEN, description: 'of a validation: each error with its JSON pointer' }
    },
    required: ['message']
};

export const ACL: JsonObject = {
    ...record({ readers: IDS, writers: IDS, payloadReaders: IDS, methods: { type: 'object', additionalProperties: IDS } }),
    description: 'ids of users and groups, or the words public, authenticated, creator and self; without an array the rules of the type apply'
};

export const METADATA: JsonObject = {
    ...record({
        createdOn: COUNT, createdBy: TEXT, modifiedOn: COUNT, modifiedBy: TEXT, ...PUBLICATION, txnId: COUNT, isVersion: TRUTH, hashes: OPEN,
        remoteRepository: TEXT
    }),
    description: 'maintained by the service; times in milliseconds since 1970'
};

/** An object in the DOIP form. */
export const DIGITAL_OBJECT: JsonObject = {
    ...record({
        id: TEXT,
        type: TEXT,
        attributes: record({ content: {}, acl: ACL, userMetadata: OPEN, metadata: METADATA, responseContext: OPEN }, ['content']),
        elements: arrayOf(record({ id: TEXT, length: COUNT, type: TEXT, attributes: record({ filename: TEXT }) }, ['id', 'length', 'attributes'])),
        responseContext: OPEN
    }, ['id', 'type', 'attributes', 'elements']),
    description: 'a digital object'
};

/** Results of a search, by the schema of one of them. Without it they are anything. */
export function searchResults(result?: JsonObject): JsonObject {

    return record({
        pageNum: { type: 'integer' }, pageSize: { type: 'integer' }, size: { type: 'integer', minimum: -1 },
        facets: { type: 'array', items: OPEN }, results: { type: 'array', ...result ? { items: result } : {} }
    }, ['pageNum', 'pageSize', 'size', 'results']);
}

/** Objects that are related to one, by the schema of an object. */
export function relationships(object: JsonObject): JsonObject {

    return record({
        nodes: { type: 'array', items: whole({ id: TEXT, label: TEXT }) },
        edges: { type: 'array', items: whole({ from: TEXT, to: TEXT, style: TEXT, jsonPointer: TEXT }) },
        results: { type: 'object', additionalProperties: object },
        truncated: TRUTH
    }, ['nodes', 'edges', 'results']);
}

/** Labels of objects by their ids. */
export const LABELS: JsonObject = { type: 'object', additionalProperties: whole({ id: TEXT, label: TEXT, type: TEXT }) };

const LIST_OF_RIGHTS = record({
    entries: IDS, source: { enum: ['object', 'type', 'default'] }, sameAs: { const: 'read' },
    isPartial: { const: true, description: 'ids are left out, which the caller may not know' }
}, ['entries', 'source']);

const ANSWER = record({ allowed: TRUTH, by: { ...TEXT, description: 'the entry that admits: a word, an id, or admin' } }, ['allowed']);

/** Who may do what with an object, and by which rule. */
export const RIGHTS: JsonObject = whole({
    id: TEXT, type: TEXT,
    rights: whole({ read: LIST_OF_RIGHTS, readPayloads: LIST_OF_RIGHTS, write: LIST_OF_RIGHTS }),
    methods: { type: 'object', additionalProperties: LIST_OF_RIGHTS },
    otherMethods: LIST_OF_RIGHTS,
    labels: LABELS,
    check: record({
        userId: { type: ['string', 'null'] }, username: { type: ['string', 'null'] }, groupIds: IDS, isActive: TRUTH,
        read: ANSWER, readPayloads: ANSWER, write: ANSWER, methods: { type: 'object', additionalProperties: ANSWER }
    }, ['userId', 'username', 'groupIds', 'isActive', 'read', 'readPayloads', 'write', 'methods'])
});

export const VERSION: JsonObject = record({ id: TEXT, type: TEXT, ...PUBLICATION, modifiedOn: COUNT, isTip: TRUTH }, ['id', 'type', 'isTip']);

/** What became of the items of a batch, by the schema of the response to one; with further members. */
export function batchResults(response: JsonObject, more: JsonObject = {}): JsonObject {

    return record(
        { results: arrayOf(record({ position: COUNT, responseCode: COUNT, response }, ['position', 'responseCode'])), success: TRUTH, ...more },
        ['results', 'success', ...Object.keys(more)]
    );
}

export const TYPE_SCHEMA: JsonObject = { type: ['object', 'boolean'] };

export const TYPE_SCHEMAS: JsonObject = { type: 'object', description: 'JSON schemas by the name of their type', additionalProperties: TYPE_SCHEMA };

/** A page of a check of objects against another schema of their type. */
export const SCHEMA_CHECK: JsonObject = record({
    type: TEXT, total: { ...COUNT, description: 'objects of the type' }, checked: COUNT, invalid: COUNT,
    samples: arrayOf(whole({ id: TEXT, errors: arrayOf(whole({ pointer: TEXT, message: TEXT })) })),
    next: { ...TEXT, description: 'the parameter after of the next page' }
}, ['type', 'total', 'checked', 'invalid', 'samples']);

export const SCHEMA_TEMPLATES: JsonObject = whole({ templates: { type: 'object', additionalProperties: OPEN }, exampleJavaScript: TEXT });

/** The design, by the schema of the schemas of all types. */
export function design(schemas: JsonObject): JsonObject {

    return {
        type: 'object', properties: { schemas, schemaIds: { type: 'object', additionalProperties: TEXT } }, required: ['schemas', 'schemaIds']
    };
}

/** Data for user interfaces, by the schema of the design. */
export function initData(designSchema: JsonObject): JsonObject {

    return record({
        version: whole({ number: TEXT, timestamp: TEXT, implementation: whole({ name: TEXT, version: TEXT, timestamp: TEXT }) }),
        design: designSchema,
        doip: whole({ ipAddress: TEXT, port: COUNT, protocol: TEXT, protocolVersion: TEXT }),
        isActiveSession: TRUTH, active: TRUTH, ...CALLER_MEMBERS
    }, ['version', 'design', 'isActiveSession', 'active', 'typesPermittedToCreate', 'groupIds']);
}

const KEY_SCOPE = { id: TEXT, name: TEXT, readOnly: TRUTH, operations: IDS, types: IDS, expiresOn: COUNT };

/** An API key. With `key` its value, which only the response to its creation has. */
export function apiKey(key?: 'with value' | 'perhaps with value'): JsonObject {

    return record({
        ...key === undefined ? {} : { key: { ...TEXT, description: 'the key itself, only in the response to its creation' } },
        ...KEY_SCOPE, userId: TEXT, createdOn: COUNT, createdBy: TEXT, lastUsedOn: COUNT
    }, [...key === 'with value' ? ['key'] : [], 'id', 'name', 'userId', 'readOnly', 'createdOn', 'createdBy']);
}

/** A page of API keys, by the schema of one. */
export function apiKeys(key: JsonObject): JsonObject {

    return record({ keys: arrayOf(key), next: TEXT }, ['keys']);
}

export const TOKEN: JsonObject = record(
    { access_token: TEXT, token_type: { const: 'Bearer' }, active: { const: true }, ...CALLER_MEMBERS }, ['access_token', 'token_type', 'active']
);

export const API_KEY_SCOPE: JsonObject = record(KEY_SCOPE, ['id', 'name', 'readOnly']);

/** A caller, by the schema of the scope of an API key. */
export function caller(scope: JsonObject): JsonObject {

    return record({ active: TRUTH, ...CALLER_MEMBERS, apiKey: scope }, ['active']);
}

export const CALLER: JsonObject = caller(API_KEY_SCOPE);

export const SESSION: JsonObject = record({ isActiveSession: TRUTH, ...CALLER_MEMBERS }, ['isActiveSession', 'typesPermittedToCreate']);

export const HANDLE_RECORD: JsonObject = whole({
    responseCode: COUNT, handle: TEXT,
    values: arrayOf(whole({ index: COUNT, type: TEXT, data: whole({ format: TEXT, value: {} }), ttl: COUNT, timestamp: TEXT }))
});

export const HANDLE_UPDATE: JsonObject = whole({ inProgress: TRUTH, total: COUNT, progress: COUNT, startTime: COUNT, exceptionCount: COUNT });

const SUBSYSTEMS = { type: 'object', additionalProperties: { enum: ['STARTING', 'UP', 'FAILED'] } };

export const STARTUP_STATUS: JsonObject = record(
    { state: { enum: ['UP', 'FAILED'] }, details: SUBSYSTEMS, subsystems: SUBSYSTEMS, message: TEXT }, ['state', 'details', 'subsystems']
);

/** Figures about the running service. */
export const SERVICE_STATUS: JsonObject = record({
    version: TEXT, node: TEXT, startedOn: COUNT,
    database: record({ kind: { enum: ['SQLite', 'MySQL'] }, bytes: COUNT, freeBytes: COUNT }, ['kind']),
    payloads: record({ count: COUNT, bytes: COUNT, hasMore: TRUTH }, ['count', 'bytes']),
    sessions: COUNT,
    index: record({
        isUp: TRUTH, documents: COUNT, segments: COUNT, pendingChanges: COUNT, reindexing: whole({ done: COUNT, total: COUNT })
    }, ['isUp', 'pendingChanges']),
    jobs: arrayOf(record({
        id: COUNT, type: TEXT, state: { enum: ['waiting', 'running', 'done', 'failed'] }, createdOn: COUNT, progress: {}, error: TEXT
    }, ['id', 'type', 'state', 'createdOn'])),
    handles: whole({ outbox: COUNT, errors: COUNT }),
    memory: whole({ rssBytes: COUNT, heapBytes: COUNT }),
    eventLoop: record({ p99Ms: { type: 'number', minimum: 0 } })
}, ['version', 'node', 'startedOn', 'database', 'index', 'jobs', 'memory', 'eventLoop']);

export const HEALTH: JsonObject = constant({ status: 'UP' });

const TOTALS = { objects: COUNT, bytes: COUNT, maxObjects: limit, maxBytes: limit };

export const USAGE: JsonObject = record({ user: whole({ id: TEXT, ...TOTALS }), type: whole({ name: TEXT, ...TOTALS }) }, ['user']);

const USER_TOKEN = whole({ id: TEXT, kind: { enum: ['token', 'session'] }, createdOn: COUNT, lastUsedOn: COUNT, expiresOn: COUNT, current: TRUTH });

/** Access tokens and legacy sessions of a user. */
export const USER_TOKENS: JsonObject = whole({ tokens: arrayOf(USER_TOKEN) });

export const LOGIN_PROVIDERS: JsonObject = whole({ providers: arrayOf(whole({ name: TEXT, title: TEXT })) });

/** A method of a type, by what its code says about it. */
const METHOD_MEMBERS = {
    name: TEXT, allowGet: TRUTH, summary: TEXT,
    params: { ...TYPE_SCHEMA, description: 'JSON schema of the input' }, result: { ...TYPE_SCHEMA, description: 'JSON schema of the result' }
};

export const METHOD: JsonObject = record(METHOD_MEMBERS, ['name', 'allowGet']);

/** A method with the type that has it. */
export const METHOD_OF_TYPE: JsonObject = record({
    ...METHOD_MEMBERS, kind: { enum: ['instance', 'static', 'service'] }, type: TEXT,
    schemaId: { ...TEXT, description: 'the object on which a static method is called as an operation' }
}, ['name', 'allowGet', 'kind', 'type']);
