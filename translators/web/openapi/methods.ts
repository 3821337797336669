/**
 * Methods of types in the OpenAPI document: each name is a path of DOIP over HTTP, for all types that have a method of this name. Names and
 * descriptions come from type code, so they are untrusted; what cannot be a path is left out.
 */

import type { JsonObject } from '../../../lib/util/json-types.js';
import { getOrAdd } from '../../../lib/util/cache/get-or-add.js';
import { asComponent, componentCharacters, componentName, ERROR_RESPONSE, headersOf, ref } from './schemas.js';

/** A method of a type; see `gateway/Op.Describe`. */
export interface MethodOfType {
    readonly type: string;
    readonly kind: 'instance' | 'static' | 'service';
    readonly name: string;
    readonly allowGet: boolean;
    readonly schemaId?: string;
    readonly summary?: string;
    readonly params?: JsonObject | boolean;
    readonly result?: JsonObject | boolean;
}

type Part = 'params' | 'result';

export const METHOD_TAG = 'Methods of types';

/** Segments that clients resolve, and the characters that templates of paths consist of; the rest is percent-encoded. */
const UNUSABLE = /^(?:\.|%2e){1,2}$/i;

/** Returns the paths of methods that are operations. */
export function methodPaths(methods: readonly MethodOfType[]): [path: string, item: JsonObject][] {

    const byName = new Map<string, MethodOfType[]>();
    for (const method of methods.filter(isOperation)) {
        getOrAdd(byName, method.name, (): MethodOfType[] => []).push(method);
    }

    return [...byName].map(([name, found]) => [`/doip/${encoded(name)}`, itemOf(name, found)]);
}

/** Returns the schemas of methods as components, with their references as those of the document. */
export function methodSchemas(methods: readonly MethodOfType[], types: JsonObject): JsonObject {

    const parts = methods.filter(isOperation).flatMap((method) => (['params', 'result'] as const).map((part) => ({ method, part })));
    return Object.fromEntries(parts.flatMap(({ method, part }) => {

        const schema = method[part];
        const name = nameOf(method, part);
        const component = typeof schema === 'object' ? asComponent(schema, name, (reference) => typeComponent(reference, types)) : schema === true ? {} : { not: {} };
        return schema === undefined ? [] : [[name, component]];
    }));
}

/** The reference to the component of a type, by one such as `NAME` or `/cordra/schemas/NAME`; null if there is no such type. */
function typeComponent(reference: string, types: JsonObject): string | null {

    const [uri = ''] = reference.split('#', 1);
    const name = uri.replace(TYPE_PATH, '');
    const found = [name, decoded(name)].flatMap((each) => [each, each.replace(/\.schema\.json$/, '')]).find((each) => Object.hasOwn(types, each));
    return found === undefined ? null : `#/components/schemas/${componentName(found)}`;
}

const TYPE_PATH = /^(?:file:(?:\/\/)?)?\/cordra\/schemas\//;

function decoded(text: string): string {

    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}

/** Static methods of built-in types are called by `/call` alone. */
function isOperation({ kind, name, schemaId }: MethodOfType): boolean {

    return (kind !== 'static' || schemaId !== undefined) && name !== '' && !name.split('/').some((segment) => segment === '' || UNUSABLE.test(segment));
}

function encoded(name: string): string {

    return name.split('/').map((segment) => encodeURIComponent(segment)).join('/');
}

/** Two underscores stand for no character of a name. */
function nameOf({ type, kind, name }: MethodOfType, part: Part): string {

    return `${componentName(type, `${kind}.${part}`)}__${componentCharacters(name)}`;
}

function itemOf(name: string, found: readonly MethodOfType[]): JsonObject {

    const getters = found.filter(({ allowGet }) => allowGet);
    const input = schemaOf(found, 'params');
    return {
        post: {
            operationId: `POST method ${name}`, ...operationOf(name, found),
            requestBody: { required: false, content: { 'application/json': { schema: input }, 'application/octet-stream': {} } }
        },
        ...getters.length === 0 ? {} : { get: { operationId: `GET method ${name}`, ...operationOf(name, getters, [parameterOf(getters)]) } }
    };
}

function operationOf(name: string, found: readonly MethodOfType[], parameters: readonly JsonObject[] = []): JsonObject {

    const [only, ...others] = found;
    const owners = found.map(({ type, kind }) => (kind === 'service' ? 'the service' : type)).join(', ');
    return {
        tags: [METHOD_TAG],
        summary: only?.summary !== undefined && others.length === 0 ? `${only.summary} (${owners})` : `method of ${owners}`,
        ...others.length === 0 ? {} : { description: found.flatMap(({ type, summary }) => (summary === undefined ? [] : [`${type}: ${summary}`])).join('\n') },
        parameters: [targetOf(found), ...parameters, ...headersOf('AsUser')],
        responses: {
            200: {
                description: `what ${name} returns or writes`,
                content: { 'application/json': { schema: schemaOf(found, 'result') }, 'application/octet-stream': {} }
            },
            default: ERROR_RESPONSE
        }
    };
}

function targetOf(found: readonly MethodOfType[]): JsonObject {

    const targets = found.map(({ kind, type, schemaId }) => ({
        text: kind === 'service' ? '`service`' : kind === 'static' ? `${String(schemaId)} for the type ${type}` : `id of an object of type ${type}`,
        fixed: kind === 'service' ? 'service' : schemaId
    }));
    const fixed = targets.flatMap((target) => target.fixed ?? []);
    return {
        name: 'targetId', in: 'query', required: true, schema: fixed.length === targets.length ? { type: 'string', enum: [...new Set(fixed)] } : { type: 'string' },
        description: targets.map(({ text }) => text).join(', or ')
    };
}

function parameterOf(found: readonly MethodOfType[]): JsonObject {

    return { name: 'attributes.params', in: 'query', required: false, description: 'the input', content: { 'application/json': { schema: schemaOf(found, 'params') } } };
}

/** One schema for all; for one without a schema anything is allowed. */
function schemaOf(found: readonly MethodOfType[], part: Part): JsonObject {

    const described = found.filter((method) => method[part] !== undefined);
    const references = described.map((method) => ref(nameOf(method, part)));
    const [first = {}, ...others] = references;
    return described.length < found.length ? {} : others.length === 0 ? first : { anyOf: references };
}
