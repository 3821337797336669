/** The OpenAPI 3.1 document: the paths of REST, every operation by DOIP over HTTP, and the types. */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { referencesOf } from '../../../lib/json/schema-references.js';
import { implementation } from '../../../lib/util/version.js';
import { Op, WITHOUT_CREDENTIALS } from '../../../lib/doip/operation-ids.js';
import type { PathDescription, QueryParameter } from './paths.js';
import { PATHS } from './paths.js';
import type { MethodOfType } from './methods.js';
import { METHOD_TAG, methodPaths, methodSchemas } from './methods.js';
import {
    asComponent, componentCharacters, componentName, ERROR_RESPONSE, HEADER_PARAMETERS, HEADERS, headersOf, PART_OF_BYTES, partOf, PRECONDITION_FAILED, ref,
    SCHEMAS, TAGGED
} from './schemas.js';

/** An operation; see `describeOperation`. */
interface OperationDescription {
    readonly id: string;
    readonly summary: string;
    readonly target: string;
    readonly methods: readonly string[];
    readonly attributes: JsonObject;
    readonly input?: JsonValue;
    readonly inputRequired?: boolean;
    readonly result?: JsonObject;
    readonly outputs?: readonly string[];
}

/** What the service says about itself; the output of `gateway/Op.Describe`. */
export interface ServiceDescription {
    readonly id: string;
    readonly operations: readonly OperationDescription[];
    /** JSON schemas by the name of their type. */
    readonly types: JsonObject;
    readonly methods: readonly MethodOfType[];
}

const DOIP_TAG = 'DOIP over HTTP';

/** Names of parameters in paths, which may contain slashes. */
const PATH_PARAMETER = /\{(\w+)\}/;

/** Returns the document. `base` is the prefix of all paths. */
export function openApiDocument({ id, operations: described, types, methods }: ServiceDescription, base: string): JsonObject {

    const { operations, schemas } = withComponents(described);
    const tags = [...new Set(PATHS.map(({ tag }) => tag)), DOIP_TAG, METHOD_TAG];
    return {
        openapi: '3.1.0',
        info: {
            title: id,
            version: implementation.version,
            description: `A digital object repository (${implementation.name}). Objects, their types and rights are described in the documentation of the software.`
        },
        servers: [{ url: base === '' ? '/' : base }],
        tags: tags.map((name) => ({ name })),
        security: [{}, { basic: [] }, { bearer: [] }],
        paths: Object.fromEntries([...methodPaths(methods), ...Object.entries(restPaths()), doipPathOfAny(), ...operations.map(doipPath)]),
        components: {
            parameters: HEADER_PARAMETERS,
            headers: HEADERS,
            responses: { NotModified: { description: 'the client has this version', headers: TAGGED.headers }, PreconditionFailed: PRECONDITION_FAILED },
            securitySchemes: { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } },
            schemas: { ...SCHEMAS, ...typeSchemas(types, base), ...methodSchemas(methods, types), ...schemas }
        }
    };
}

function restPaths(): Record<string, JsonObject> {

    const paths: Record<string, JsonObject> = {};
    for (const description of PATHS) {
        paths[description.path] = { ...paths[description.path], [description.method]: restOperation(description) };
    }

    return paths;
}

function restOperation(
    { method, path, tag, summary, query = [], body, response, isRedirect = false, entityTag, ranges = false, credentials = true }: PathDescription
): JsonObject {

    const [, name] = PATH_PARAMETER.exec(path) ?? [];
    const inPath = name === undefined ? [] :
        [{ name, in: 'path', required: true, schema: { type: 'string' }, description: 'slashes may be sent as they are or percent-encoded' }];
    return {
        operationId: `${method}${path.replaceAll(/[^A-Za-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
        tags: [tag],
        summary,
        ...credentials ? {} : { security: [] },
        parameters: [
            ...inPath, ...query.map(queryParameter), ...credentials ? headersOf('AsUser') : [], ...credentials === true ? headersOf('CsrfToken') : [],
            ...preconditionHeaders(entityTag), ...ranges ? headersOf('Range', 'IfRange') : []
        ],
        ...body === undefined ? {} : { requestBody: { content: contentOf(body) } },
        responses: {
            ...Object.keys(response).length === 0 && isRedirect ? {} :
                { 200: { description: summary, ...entityTag && entityTag !== 'demanded' ? TAGGED : {}, content: contentOf(response) } },
            ...ranges ? PART_OF_BYTES : {},
            ...entityTag === 'checked' || entityTag === 'demanded' ? tagResponses(method) : {},
            ...isRedirect ? { 302: { description: 'the address is in the header Location' } } : {},
            default: ERROR_RESPONSE
        }
    };
}

function preconditionHeaders(entityTag: PathDescription['entityTag']): JsonObject[] {

    return entityTag === 'checked' ? headersOf('IfMatch', 'IfNoneMatch') : entityTag === 'demanded' ? headersOf('IfMatch') : [];
}

const NOT_MODIFIED: JsonObject = { 304: { $ref: '#/components/responses/NotModified' } };

/** Responses to preconditions that do not hold. */
function tagResponses(method: string): JsonObject {

    return { ...method === 'get' ? NOT_MODIFIED : {}, 412: { $ref: '#/components/responses/PreconditionFailed' } };
}

function queryParameter({ name, description, schema, required = false }: QueryParameter): JsonObject {

    const isFlag = Array.isArray(schema['enum']) && schema['enum'].includes('');
    return { name, in: 'query', description, required, schema, ...isFlag ? { allowEmptyValue: true } : {} };
}

function contentOf(media: Readonly<Record<string, JsonObject>>): JsonObject {

    return Object.fromEntries(Object.entries(media).map(([mediaType, schema]) => [mediaType, { schema }]));
}

/** Schemas with references to parts of themselves become components; those of attributes stay what they are, with a component for each attribute. */
function withComponents(operations: readonly OperationDescription[]): { operations: OperationDescription[]; schemas: JsonObject } {

    const schemas: Record<string, JsonObject> = {};
    const moved = (schema: JsonObject, { id }: OperationDescription, part: string): JsonObject => {

        if (referencesOf(schema).size === 0) {
            return schema;
        }

        const name = `${part}.${componentCharacters(id)}`;
        schemas[name] = asComponent(schema, name, (reference) => reference);
        return ref(name);
    };

    return {
        operations: operations.map((operation) => {

            const { attributes, input, result } = operation;
            const whole = moved(attributes, operation, 'attributes');
            const { properties = {} } = attributes as { readonly properties?: JsonObject };
            const parts = Object.keys(properties).map((name): [string, JsonObject] => [name, partOf(whole, ['properties', name])]);
            return {
                ...operation,
                ...whole === attributes ? {} : { attributes: { ...attributes, properties: Object.fromEntries(parts) } },
                ...isJsonObject(input) ? { input: moved(input, operation, 'input') } : {},
                ...result === undefined ? {} : { result: moved(result, operation, 'result') }
            };
        }),
        schemas
    };
}

/** The path of all operations, of which a parameter names one. */
function doipPathOfAny(): [path: string, item: JsonObject] {

    const [id, summary] = ['operation', 'an operation, given by the parameter operationId'];
    const named: JsonObject = { name: 'operationId', in: 'query', required: true, schema: { type: 'string' }, description: 'id of the operation' };
    const [, { get, post }] = doipPath({ id, summary, target: 'any', methods: ['GET', 'POST'], attributes: {}, input: 'segments' });
    const withId = (operation: JsonValue | undefined): JsonObject => {

        const { parameters, ...rest } = operation as JsonObject & { readonly parameters: readonly JsonObject[] };
        return { ...rest, parameters: [named, ...parameters] };
    };

    return ['/doip', { post: withId(post), get: withId(get) }];
}

/** The path of an operation, with its attributes as parameters. */
function doipPath(operation: OperationDescription): [path: string, item: JsonObject] {

    const { id, methods } = operation;
    const item: JsonObject = { post: { operationId: `POST ${id}`, ...doipOperation(operation), ...doipBody(operation) } };
    if (methods.includes('GET')) {
        item['get'] = { operationId: `GET ${id}`, ...doipOperation(operation, { ranges: id === Op.retrieve }) };
    }

    return [`/doip/${id}`, item];
}

function doipOperation(operation: OperationDescription, { ranges = false } = {}): JsonObject {

    const { id, summary, target, attributes } = operation;
    const content = doipOutput(operation);
    const isRead = id === Op.retrieve;
    const hasCredentials = !WITHOUT_CREDENTIALS.has(id);
    const isTagged = isRead || isJsonObject(attributes['properties']) && 'ifNoneMatch' in attributes['properties'];
    const properties = isJsonObject(attributes['properties']) ? attributes['properties'] : {};
    const parameters: JsonObject[] = [
        {
            name: 'targetId', in: 'query', required: true, schema: target === 'service' ? { const: 'service' } : { type: 'string' },
            description: target === 'service' ? 'the service' : target === 'object' ? 'id of the object' : 'id of the object, or `service`'
        },
        ...Object.entries(properties).map(([name, schema]): JsonObject => ({
            name: `attributes.${name}`, in: 'query', content: { 'application/json': { schema } }, required: isRequired(attributes, name)
        })),
        ...hasCredentials ? headersOf('AsUser') : [],
        ...ranges ? headersOf('Range', 'IfRange') : []
    ];
    return {
        tags: [DOIP_TAG],
        summary,
        ...hasCredentials ? {} : { security: [] },
        parameters,
        responses: {
            200: {
                description: 'success; the header Doip-Response has the status and the attributes of the response',
                ...isTagged ? TAGGED : {}, ...Object.keys(content).length === 0 ? {} : { content }
            },
            ...ranges ? PART_OF_BYTES : {},
            ...isTagged || 'ifMatch' in properties ? tagResponses(isRead ? 'get' : 'post') : {},
            default: ERROR_RESPONSE
        }
    };
}

/** What an operation sends: of one that declares nothing anything, of one that declares a result alone JSON. */
function doipOutput({ result, outputs = result ? ['json'] : ['json', 'bytes', 'segments'] }: OperationDescription): JsonObject {

    return {
        ...outputs.includes('json') ? { 'application/json': { schema: result ?? {} } } : {},
        ...outputs.includes('bytes') ? { 'application/octet-stream': {} } : {},
        ...outputs.includes('segments') ? { 'multipart/mixed': {} } : {}
    };
}

function doipBody({ input, inputRequired = false }: OperationDescription): JsonObject {

    if (input === undefined) {
        return {};
    }

    const isSequence = input === 'segments';
    const content = { 'application/json': { schema: isJsonObject(input) ? input : {} }, ...isSequence ? { 'application/octet-stream': {}, 'multipart/form-data': {}, 'multipart/mixed': {} } : {} };
    return { requestBody: { required: inputRequired && !isSequence, content } };
}

function isRequired({ required }: JsonObject, name: string): boolean {

    return Array.isArray(required) && required.includes(name);
}

/** Each type as a component. It gets an address of its own, so that references inside of it hold. */
function typeSchemas(types: JsonObject, base: string): JsonObject {

    return Object.fromEntries(Object.entries(types).map(([name, schema]) => {

        const address = `${base}/schemas/${encodeURIComponent(name)}`;
        const component: JsonObject = isJsonObject(schema) ? { $id: address, title: name, ...schema } : { title: name, ...schema === false ? { not: {} } : {} };
        return [componentName(name), component];
    }));
}
