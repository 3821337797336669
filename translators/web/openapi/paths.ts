/**
 * The paths of REST for the OpenAPI document. A test holds the table against the routes: each route is described, and each description has
 * a route.
 */

import type { JsonObject } from '../../../lib/util/json-types.js';
import { listOf, ref } from './schemas.js';

/** A parameter of a query string. */
export interface QueryParameter {
    readonly name: string;
    readonly description: string;
    readonly schema: JsonObject;
    readonly required?: boolean;
}

/** Bodies or responses by media type; the schema of each. */
type Media = Readonly<Record<string, JsonObject>>;

/** One method of a path. */
export interface PathDescription {
    readonly method: 'get' | 'post' | 'put' | 'delete';
    /** With `{id}` and the like; ids may contain slashes, which clients may send as they are or percent-encoded. */
    readonly path: string;
    /** Path of the route, where it differs. */
    readonly route?: string;
    readonly tag: string;
    readonly summary: string;
    readonly query?: readonly QueryParameter[];
    /**
     * Its response has the entity tag of the version: `checked` where requests may name versions that they demand or do not want.
     * With `demanded` the response has none, but the request may name the version of the object that it is about.
     */
    readonly entityTag?: 'shown' | 'checked' | 'demanded';
    readonly body?: Media;
    /** Of the status 200. */
    readonly response: Media;
    readonly isRedirect?: boolean;
    /** Sends parts of bytes. */
    readonly ranges?: boolean;
    /** `false` where credentials are ignored, `header` where they count in the header Authorization alone. */
    readonly credentials?: boolean | 'header';
}

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };

/** A flag counts as true without a value as well. */
function flag(name: string, description: string): QueryParameter {

    return { name, description, schema: { enum: ['', 'true', 'false'] } };
}

function text(name: string, description: string): QueryParameter {

    return { name, description, schema: TEXT };
}

function required(name: string, description: string): QueryParameter {

    return { name, description, schema: TEXT, required: true };
}

function number(name: string, description: string): QueryParameter {

    return { name, description, schema: WHOLE };
}

/** A value that is written as JSON text. */
function json(name: string, description: string): QueryParameter {

    return { name, description: `${description} (JSON)`, schema: { type: 'string', contentMediaType: 'application/json' } };
}

const jsonOf = (schema: JsonObject): Media => ({ 'application/json': schema });
const OBJECT_OR_CONTENT = jsonOf(ref('Content'));
const SUCCESS = jsonOf(ref('Success'));
const FORM_OR_JSON = (schema: string): Media => ({ 'application/json': ref(schema), 'application/x-www-form-urlencoded': ref(schema) });

const FULL = flag('full', 'the whole object instead of its content');
const PRETTY = flag('pretty', 'formatted JSON');
const CONTEXT = flag('includeResponseContext', 'with full: adds responseContext.permission');
const REQUEST_CONTEXT = json('requestContext', 'an object for type code');
const DRY_RUN = flag('dryRun', 'validate and respond as usual, but store nothing');
const ROLES = flag('full', 'adds typesPermittedToCreate and groupIds');

const OBJECT_BODY: Media = {
    'application/json': ref('Content'),
    'multipart/form-data': {
        type: 'object',
        properties: { content: { description: 'the content (JSON)' }, acl: ref('Acl'), userMetadata: { type: 'object' } },
        additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream', description: 'a payload: any part with a file name' }
    }
};

const SEARCH: readonly QueryParameter[] = [
    text('query', 'the query; `*:*` matches all objects'),
    json('queryJson', 'alternatively, what the content must contain'),
    number('pageNum', 'number of the page, from 0'),
    number('pageSize', 'size of a page; 0 for the number of results only, without it all results'),
    text('sortFields', 'JSON array of `{"name": …, "reverse": true}`, or `/name DESC,/year`'),
    flag('ids', 'only ids'),
    flag('full', '`false`: only the content of each object'),
    json('filter', 'array of JSON pointers: only these branches of each result'),
    json('filterQueries', 'array of queries that results must match as well'),
    json('facets', 'array of `{"field": …, "maxBuckets": 10}`'),
    flag('includeScore', 'adds responseContext.score'),
    flag('includeVersions', 'also finds published versions'),
    REQUEST_CONTEXT
];

/** In the order in which they are shown. */
export const PATHS: readonly PathDescription[] = [
    {
        method: 'get', path: '/objects/{id}', route: '/objects/{name*}', tag: 'Objects', entityTag: 'checked', summary: 'read an object, a part of it, or a payload', ranges: true,
        query: [
            FULL, text('jsonPointer', 'only the value at this JSON pointer'), json('filter', 'array of JSON pointers: only these branches'),
            flag('text', 'the raw text of a string, number or boolean'), PRETTY, CONTEXT,
            text('payload', 'the bytes of the payload of this name'), flag('metadata', 'with payload: its file name and media type'),
            text('disposition', 'with payload: `attachment` makes browsers download it'), REQUEST_CONTEXT
        ],
        response: { 'application/json': {}, 'text/plain': TEXT, 'application/octet-stream': {} }
    },
    {
        method: 'get', path: '/api/objects/{id}', route: '/api/objects/{name*}', tag: 'Objects', entityTag: 'checked', summary: 'the same, for older clients', query: [FULL, PRETTY],
        response: OBJECT_OR_CONTENT
    },
    {
        method: 'post', path: '/objects', route: '/objects/{name*}', tag: 'Objects', entityTag: 'shown', summary: 'create an object; a form with a query is a search',
        query: [
            required('type', 'the type'), text('handle', 'the id'), text('suffix', 'the id without the prefix of the service'), DRY_RUN, FULL, PRETTY, CONTEXT,
            REQUEST_CONTEXT
        ],
        body: OBJECT_BODY, response: OBJECT_OR_CONTENT
    },
    {
        method: 'get', path: '/objects', route: '/objects/{name*}', tag: 'Search', summary: 'find objects', query: SEARCH, response: jsonOf(ref('SearchResults'))
    },
    {
        method: 'put', path: '/objects/{id}', route: '/objects/{name*}', tag: 'Objects', entityTag: 'checked', summary: 'replace the content of an object, or a part of it',
        query: [
            text('type', 'a new type'), text('jsonPointer', 'replace only the value at this JSON pointer'),
            { ...text('payloadToDelete', 'names of payloads to delete'), schema: { type: 'array', items: TEXT } }, DRY_RUN, FULL, PRETTY, CONTEXT, REQUEST_CONTEXT
        ],
        body: OBJECT_BODY, response: OBJECT_OR_CONTENT
    },
    {
        method: 'delete', path: '/objects/{id}', route: '/objects/{name*}', tag: 'Objects', entityTag: 'checked', summary: 'delete an object, a part of its content or a payload',
        query: [text('jsonPointer', 'delete only the value at this JSON pointer'), text('payload', 'delete only this payload'), DRY_RUN, REQUEST_CONTEXT],
        response: jsonOf({ type: 'object', maxProperties: 0 })
    },
    { method: 'get', path: '/search', tag: 'Search', summary: 'find objects', query: SEARCH, response: jsonOf(ref('SearchResults')) },
    {
        method: 'post', path: '/search', tag: 'Search', summary: 'find objects; the parameters are members of the body',
        body: {
            'application/json': { type: 'object', description: 'the parameters of GET' },
            'application/x-www-form-urlencoded': { type: 'object', description: 'the parameters of GET' }
        },
        response: jsonOf(ref('SearchResults'))
    },
    { method: 'get', path: '/acls/{id}', route: '/acls/{name*}', tag: 'Rights', entityTag: 'checked', summary: 'read the access control list of an object', response: jsonOf(ref('Acl')) },
    {
        method: 'put', path: '/acls/{id}', route: '/acls/{name*}', tag: 'Rights', entityTag: 'checked', summary: 'replace the access control list of an object',
        body: jsonOf(ref('Acl')), response: jsonOf(ref('Acl'))
    },
    {
        method: 'post', path: '/acls/{id}', route: '/acls/{name*}', tag: 'Rights', entityTag: 'checked', summary: 'the same as PUT',
        body: jsonOf(ref('Acl')), response: jsonOf(ref('Acl'))
    },
    {
        method: 'get', path: '/rights/{id}', route: '/rights/{name*}', tag: 'Rights', summary: 'who may use an object, and by which rule',
        query: [text('user', 'id of a user to check, or `anonymous`; for writers of the object')], response: jsonOf(ref('Rights'))
    },
    {
        method: 'get', path: '/labels', tag: 'Objects', summary: 'labels of many objects, for people', query: [json('ids', 'array of ids, at most 500')],
        response: jsonOf(ref('Labels'))
    },
    {
        method: 'post', path: '/labels', tag: 'Objects', summary: 'the same, for more ids than an address can hold', query: [json('ids', 'instead of the body')],
        body: jsonOf({ type: ['array', 'object'], items: TEXT, maxItems: 500, properties: { ids: { type: 'array', items: TEXT, maxItems: 500 } } }),
        response: jsonOf(ref('Labels'))
    },
    { method: 'get', path: '/schemas', route: '/schemas/{name*}', tag: 'Types', summary: 'all types with their JSON schemas', response: jsonOf(ref('Schemas')) },
    {
        method: 'get', path: '/schemas/{type}', route: '/schemas/{name*}', tag: 'Types', entityTag: 'checked', summary: 'the JSON schema of a type',
        response: jsonOf({ type: ['object', 'boolean'] })
    },
    {
        method: 'put', path: '/schemas/{type}', route: '/schemas/{name*}', tag: 'Types', entityTag: 'checked', summary: 'create a type, or replace its schema',
        body: jsonOf({ type: ['object', 'boolean'] }), response: SUCCESS
    },
    { method: 'delete', path: '/schemas/{type}', route: '/schemas/{name*}', tag: 'Types', entityTag: 'checked', summary: 'delete a type; its objects are kept', response: SUCCESS },
    {
        method: 'post', path: '/schemaCheck', tag: 'Types', summary: 'which objects of a type would not fit another schema',
        query: [required('type', 'the type'), text('after', 'next of the page before'), number('pageSize', 'maximum number of objects, at most 1000; 200 by default')],
        body: jsonOf({ type: 'object' }), response: jsonOf(ref('SchemaCheck'))
    },
    {
        method: 'post', path: '/rehearsal', tag: 'Types', summary: 'try another definition of the type of an object on it, without storing anything',
        query: [required('objectId', 'the object')], body: jsonOf({ type: 'object' }), response: OBJECT_OR_CONTENT
    },
    { method: 'get', path: '/schemaTemplates', tag: 'Types', summary: 'templates for new types', response: jsonOf(ref('SchemaTemplates')) },
    {
        method: 'get', path: '/versions', tag: 'Versions', summary: 'the versions of an object, the tip last', query: [required('objectId', 'the object or a version')],
        response: jsonOf(listOf('Version'))
    },
    {
        method: 'post', path: '/versions', tag: 'Versions', entityTag: 'demanded', summary: 'publish a version of an object',
        query: [
            required('objectId', 'the object'), text('versionId', 'id of the version; by default a minted one'),
            flag('clonePayloads', 'without a value or false: a version without payloads')
        ],
        response: jsonOf(ref('Version'))
    },
    {
        method: 'get', path: '/relationships/{id}', route: '/relationships/{name*}', tag: 'Relationships', summary: 'objects that an object refers to, and that refer to it',
        query: [flag('outboundOnly', 'only objects that the object refers to')], response: jsonOf(ref('Relationships'))
    },
    {
        method: 'get', path: '/call', tag: 'Methods', summary: 'call a method that allows GET',
        query: [
            text('objectId', 'the object, for a method of an object'), text('type', 'the type, for a static method'), required('method', 'name of the method'),
            json('params', 'the input'), json('attributes', 'an object for context.attributes'), REQUEST_CONTEXT
        ],
        response: { 'application/json': {}, 'application/octet-stream': {} }
    },
    {
        method: 'post', path: '/call', tag: 'Methods', summary: 'call a method of an object or of a type',
        query: [
            text('objectId', 'the object, for a method of an object'), text('type', 'the type, for a static method'), required('method', 'name of the method'),
            json('params', 'the input, when there is no body'), json('attributes', 'an object for context.attributes'), REQUEST_CONTEXT
        ],
        body: { 'application/json': {}, 'application/octet-stream': {} }, response: { 'application/json': {}, 'application/octet-stream': {} }
    },
    {
        method: 'get', path: '/listMethods', tag: 'Methods', summary: 'names of the methods of an object or of a type',
        query: [
            text('objectId', 'methods of this object'), text('type', 'methods of objects of this type'), flag('static', 'with type: static methods'),
            flag('includeCrud', 'adds the operations on objects'), flag('describe', 'descriptions instead of names')
        ],
        response: jsonOf({ type: 'array', items: { anyOf: [TEXT, ref('Method')] } })
    },
    { method: 'post', path: '/auth/token', credentials: false, tag: 'Logins', summary: 'create an access token', query: [ROLES], body: FORM_OR_JSON('TokenRequest'), response: jsonOf(ref('Token')) },
    {
        method: 'post', path: '/auth/introspect', credentials: false, tag: 'Logins', summary: 'the user of an access token', query: [ROLES],
        body: FORM_OR_JSON('TokenInput'), response: jsonOf(ref('Caller'))
    },
    { method: 'post', path: '/auth/revoke', credentials: false, tag: 'Logins', summary: 'revoke an access token', body: FORM_OR_JSON('TokenInput'), response: jsonOf(ref('Inactive')) },
    {
        method: 'get', path: '/auth/keys', tag: 'Logins', summary: 'the API keys of the caller',
        query: [
            text('userId', 'for admin: the keys of this user'), flag('all', 'for admin: the keys of all users'), text('after', 'with all: next of the page before'),
            number('pageSize', 'with all: maximum number of keys, at most 1000')
        ],
        response: jsonOf(ref('ApiKeys'))
    },
    {
        method: 'post', path: '/auth/keys', tag: 'Logins', summary: 'create an API key; the response has its value, once only',
        body: jsonOf(ref('ApiKeyRequest')), response: jsonOf(ref('ApiKey'))
    },
    {
        method: 'delete', path: '/auth/keys/{keyId}', route: '/auth/keys/{name*}', tag: 'Logins', summary: 'revoke an API key', response: SUCCESS
    },
    {
        method: 'get', path: '/auth/tokens', tag: 'Logins', summary: 'the access tokens and legacy sessions of the caller',
        query: [text('userId', 'for admin: those of this user')], response: jsonOf(ref('UserTokens'))
    },
    {
        method: 'delete', path: '/auth/tokens', tag: 'Logins', summary: 'revoke all access tokens and legacy sessions of the caller',
        query: [text('userId', 'for admin: those of this user')], response: SUCCESS
    },
    {
        method: 'delete', path: '/auth/tokens/{tokenId}', route: '/auth/tokens/{name*}', tag: 'Logins', summary: 'revoke an access token or legacy session by its id',
        query: [text('userId', 'for admin: of this user')], response: SUCCESS
    },
    {
        method: 'get', path: '/auth/login', route: '/auth/login/{name*}', credentials: false, tag: 'Logins', summary: 'the login providers for browsers',
        response: jsonOf(ref('LoginProviders'))
    },
    {
        method: 'get', path: '/auth/login/{provider}', route: '/auth/login/{name*}', credentials: false, tag: 'Logins', summary: 'redirect a browser to a login provider',
        query: [
            required('codeChallenge', 'SHA-256 hash of the code verifier of the page, in base64url'),
            text('returnTo', 'path to which the browser returns with a login_code for /auth/token; / by default')
        ],
        response: {}, isRedirect: true
    },
    {
        method: 'get', path: '/auth/callback/{provider}', route: '/auth/callback/{name*}', credentials: false, tag: 'Logins', summary: 'where login providers send browsers back',
        query: [text('state', 'of the login'), text('code', 'of the provider'), text('iss', 'the provider'), text('error', 'why there is no code')],
        response: {}, isRedirect: true
    },
    { method: 'get', path: '/check-credentials', tag: 'Logins', summary: 'the authenticated caller', query: [ROLES], response: jsonOf(ref('Caller')) },
    { method: 'post', path: '/check-credentials', tag: 'Logins', summary: 'the same as GET', query: [ROLES], response: jsonOf(ref('Caller')) },
    {
        method: 'put', path: '/users/this/password', tag: 'Logins', summary: 'change the password of the caller', body: { 'text/plain': TEXT },
        response: SUCCESS
    },
    { method: 'put', path: '/adminPassword', tag: 'Administration', summary: 'set the password of the administrator', body: jsonOf({}), response: SUCCESS },
    {
        method: 'get', path: '/usage', tag: 'Logins', summary: 'how many objects and bytes the caller has, and may have',
        query: [text('user', 'id of another user, for administrators'), text('type', 'name of a type, for administrators')], response: jsonOf(ref('Usage'))
    },
    { method: 'get', path: '/session', tag: 'Logins', summary: 'who is logged in on pages of the service', response: jsonOf(ref('Caller')) },
    {
        method: 'post', path: '/session', credentials: false, tag: 'Logins', summary: 'log in on a page of the service: the access token is in a cookie',
        body: jsonOf(ref('TokenRequest')), response: jsonOf(ref('Caller'))
    },
    { method: 'delete', path: '/session', credentials: false, tag: 'Logins', summary: 'log out on a page of the service', response: jsonOf(ref('Inactive')) },
    {
        method: 'post', path: '/sessions', credentials: 'header', tag: 'Sessions', summary: 'start a session with cookies', query: [ROLES],
        response: jsonOf(ref('Session'))
    },
    {
        method: 'get', path: '/sessions/{session}', route: '/sessions/{name*}', tag: 'Sessions', summary: 'describe a session; `this` is that of the request', query: [ROLES],
        response: jsonOf(ref('Session'))
    },
    {
        method: 'delete', path: '/sessions/{session}', route: '/sessions/{name*}', tag: 'Sessions', summary: 'end a session',
        response: jsonOf(ref('Session'))
    },
    {
        method: 'post', path: '/batchUpload', tag: 'Many objects', summary: 'create or change many objects independently',
        query: [
            { name: 'format', description: 'one object per line', schema: { enum: ['json', 'ndjson'] } }, flag('failFast', 'accept no further items after the first failure'),
            flag('parallel', '`false`: one item after the other')
        ],
        body: { 'application/json': { type: ['array', 'object'], items: ref('BatchItem') }, 'application/x-ndjson': {} },
        response: jsonOf(ref('BatchResults'))
    },
    ...(['post', 'put'] as const).map((method): PathDescription => ({
        method, path: '/uploadObjects', tag: 'Many objects', summary: 'create or replace many objects, all or none',
        query: [flag('deleteCurrentObjects', 'delete all objects first, except the design: what an item does not state is lost, also for an object of the same id')],
        body: { 'application/json': { type: ['array', 'object'], items: ref('BatchItem') }, 'application/x-ndjson': {} }, response: SUCCESS
    })),
    {
        method: 'post', path: '/reindexBatch', tag: 'Administration', summary: 'index objects again',
        query: [text('query', 'index the results of this query'), flag('all', 'index all objects'), flag('lockObjects', '`false`: do not lock the objects')],
        body: jsonOf({ type: ['array', 'null'], items: TEXT }), response: SUCCESS
    },
    {
        method: 'get', path: '/api/handles/{handle}', route: '/api/handles/{name*}', tag: 'Handles', summary: 'resolve a handle to its record',
        query: [
            { ...text('index', 'only values with this index'), schema: { type: 'array', items: WHOLE } },
            { ...text('type', 'only values of this type'), schema: { type: 'array', items: TEXT } }, PRETTY
        ],
        response: jsonOf(ref('HandleRecord'))
    },
    {
        method: 'get', path: '/hdl/{handle}', route: '/hdl/{name*}', tag: 'Handles', summary: 'redirect to the object of a handle',
        query: [text('locatt', '`view:ui`, `view:json` or another view in the record'), flag('noredirect', 'return the record instead')],
        response: { 'text/html': TEXT }, isRedirect: true
    },
    { method: 'post', path: '/updateHandles', tag: 'Handles', summary: 'update all handle records in the background', response: jsonOf({ type: 'object' }) },
    { method: 'get', path: '/updateHandles', tag: 'Handles', summary: 'the progress of the update of all handle records', response: jsonOf(ref('HandleUpdate')) },
    { method: 'get', path: '/design', tag: 'Service', entityTag: 'checked', summary: 'the design with the schemas of all types', response: jsonOf(ref('Design')) },
    { method: 'get', path: '/initData', tag: 'Service', summary: 'version, design and the current login, for user interfaces', response: jsonOf(ref('InitData')) },
    { method: 'get', path: '/startupStatus', credentials: false, tag: 'Service', summary: 'the status of the subsystems; 500 when one has failed', response: jsonOf(ref('StartupStatus')) },
    { method: 'get', path: '/status', tag: 'Administration', summary: 'figures about the running service', response: jsonOf(ref('Status')) },
    { method: 'get', path: '/health/live', credentials: false, tag: 'Service', summary: 'whether the process responds', response: jsonOf(ref('Health')) },
    {
        method: 'get', path: '/health/ready', credentials: false, tag: 'Service', summary: 'whether the service should get requests; otherwise 503',
        query: [text('exclude', 'parts that need not work: `payloads`, `search`, or both with a comma between')], response: jsonOf(ref('Health'))
    },
    { method: 'get', path: '/', route: '', tag: 'Service', summary: 'name, version and links; a page for browsers', response: { 'application/json': ref('FrontPage'), 'text/html': TEXT } },
    { method: 'get', path: '/openapi.json', tag: 'Service', summary: 'this description', response: jsonOf({ type: 'object' }) },
    { method: 'get', path: '/docs', tag: 'Service', summary: 'this description as a page', response: { 'text/html': TEXT } }
];
