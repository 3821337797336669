/**
 * Requests with a text at each place that the API description names: in the path, in a parameter, in a header, in a body as a whole, or in one of its
 * members. What the description leaves open about bodies, tests add.
 */

import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';

/** A request with a text at some place. */
export type Shape = (text: string) => { readonly path: string; readonly method: string; readonly headers: Record<string, string>; readonly body?: string };

/** A place of the description, with the requests that have a text there. */
export interface Place {
    /** `METHOD PATH: `, and the kind and name of a parameter, or the media type of a body and perhaps the pointer of a member. */
    readonly name: string;
    /** Empty where none is known. */
    readonly shapes: readonly Shape[];
}

/** What a request has beside the text, by `METHOD PATH`. */
export interface Sample {
    /** Values of parameters, of which required ones have a default. */
    readonly values?: Readonly<Record<string, string>>;
    /** Parameters that a request with another one must not have, by the other one. */
    readonly instead?: Readonly<Record<string, string>>;
    /** Members of a body on the outside, and beside the member with the text; by its pointer where it needs others. */
    readonly around?: JsonObject;
    readonly beside?: JsonObject;
    readonly besideOf?: Readonly<Record<string, JsonObject>>;
    /** Members of JSON and fields of a form that are not described, as JSON pointers; `*` stands for an element of a list. */
    readonly members?: readonly string[];
}

interface Parameter {
    readonly $ref?: string;
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly schema?: { readonly const?: string };
}

interface Operation {
    readonly parameters?: readonly Parameter[];
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonObject }>> };
}

interface Document {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: Readonly<Record<string, JsonObject>>;
}

/** Where a request is sent, and with what beside the text. */
interface Target {
    readonly method: string;
    readonly path: string;
    readonly parameters: readonly Parameter[];
    readonly sample: Sample;
    /** True where JSON is expected. */
    readonly hasJson: boolean;
}

const enc = encodeURIComponent;

/** Values of parameters, by their names. */
const VALUES: Readonly<Record<string, string>> = { targetId: 'test/some', objectId: 'test/some', id: 'test/some', handle: 'test/some', type: 'Document', method: 'echo' };

/** Members within members that are looked for. */
const MAX_DEPTH = 4;

export const MULTIPART = 'multipart/form-data; boundary=b';

/** All places of the description. */
export function describedPlaces(description: unknown, samples: Readonly<Record<string, Sample>>): Place[] {

    const document = description as Document;
    return Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).flatMap(([method, operation]) => {

        const line = `${method.toUpperCase()} ${path}`;
        const sample = samples[line] ?? {};
        const parameters = (operation.parameters ?? []).map((each) => resolved(each as unknown as JsonObject, document) as unknown as Parameter);
        const content = operation.requestBody?.content ?? {};
        const target: Target = { method: method.toUpperCase(), path, parameters, sample, hasJson: 'application/json' in content };
        return [
            ...parameters.map((each): Place => ({ name: `${line}: ${each.in} ${each.name}`, shapes: [inParameter(target, each)] })),
            ...Object.entries(content).flatMap(([mediaType, { schema = {} }]) =>
                bodyPlaces(target, { mediaType, schema, sample, document }).map((place): Place => ({ ...place, name: `${line}: ${place.name}` })))
        ];
    }));
}

function resolved(schema: JsonObject, { components }: Document): JsonObject {

    const { $ref } = schema;
    const [, group = '', name = ''] = typeof $ref === 'string' ? /^#\/components\/(\w+)\/([^/]+)$/.exec($ref) ?? [] : [];
    const found = components[group]?.[name];
    return isJsonObject(found) ? found : schema;
}

function inParameter(target: Target, parameter: Parameter): Shape {

    const body = target.hasJson ? { body: '{}' } : {};
    const json: Record<string, string> = target.hasJson ? { 'content-type': 'application/json' } : {};
    return (text) => ({
        method: target.method,
        path: addressOf(target, parameter.in === 'header' ? {} : { [parameter.name]: text }),
        headers: parameter.in === 'header' ? { ...json, [parameter.name]: text } : json,
        ...body
    });
}

/** The path with its parameters: those that are required or have a sample, and those given. */
function addressOf({ path, parameters, sample: { values = {}, instead = {} } }: Target, given: Readonly<Record<string, string>> = {}): string {

    const leftOut = Object.keys(given).map((name) => instead[name]);
    const valueOf = (name: string, parameter?: Parameter): string => given[name] ?? values[name] ?? parameter?.schema?.const ?? VALUES[name] ?? 'x';
    const pairs = parameters.filter((each) => each.in === 'query' && !leftOut.includes(each.name) &&
        (each.required === true || each.name in given || each.name in values));
    const query = pairs.map((each) => `${each.name}=${enc(valueOf(each.name, each))}`).join('&');
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => enc(valueOf(name)));
    return query === '' ? filled : `${filled}?${query}`;
}

interface Body {
    readonly mediaType: string;
    readonly schema: JsonObject;
    readonly sample: Sample;
    readonly document: Document;
}

function bodyPlaces(target: Target, body: Body): Place[] {

    const { mediaType, sample: { members = [] } } = body;
    const sent = bodySender(target, CONTENT_TYPES[mediaType] ?? mediaType);
    const described = membersOf(body.schema, body.document);
    const pointers = mediaType === 'multipart/form-data' ? described : [...described, ...members.map((each) => each.slice(1).split('/'))];
    const inMember = (make: (pointer: readonly string[]) => Shape[]): Place[] => pointers.map((each) => ({ name: `${mediaType} /${each.join('/')}`, shapes: make(each) }));
    switch (mediaType) {
        case 'application/json':
            return [
                { name: mediaType, shapes: [sent((text) => text), ...valuesOf.map((valueOf) => sent((text) => JSON.stringify(valueOf(text))))] },
                ...inMember((pointer) => valuesOf.map((valueOf) => sent((text) => JSON.stringify(withMember(pointer, valueOf(text), body.sample)))))
            ];
        case 'application/x-www-form-urlencoded':
            return [
                { name: mediaType, shapes: [sent((text) => text), sent((text) => enc(text))] },
                ...inMember((pointer) => [sent((text) => formOf(withMember(pointer, text, body.sample)))])
            ];
        case 'multipart/form-data':
            return [
                { name: mediaType, shapes: [(text: string) => text, ...partsOf].map(sent) },
                ...inMember(([name = '']) => [sent((text) => part(`form-data; name="${name}"`, text))])
            ];
        case 'multipart/mixed':
            return [{ name: mediaType, shapes: [sent((text) => text), sent((text) => part('attachment', text))] }];
        default:
            return [{ name: mediaType, shapes: PLAIN.has(mediaType) ? [sent((text) => text)] : [] }];
    }
}

/** Media types with the parameter that they need. */
const CONTENT_TYPES: Readonly<Record<string, string>> = { 'multipart/form-data': MULTIPART, 'multipart/mixed': 'multipart/mixed; boundary=b' };

const PLAIN: ReadonlySet<string> = new Set(['text/plain', 'application/octet-stream', 'application/x-ndjson']);

function bodySender(target: Target, mediaType: string): (make: (text: string) => string) => Shape {

    const path = addressOf(target);
    return (make) => {

        return (text) => ({ method: target.method, path, headers: { 'content-type': mediaType }, body: make(text) });
    };
}

/** Names, file names, media types and headers of parts. */
const partsOf: readonly ((text: string) => string)[] = [
    (text) => part(`form-data; name="${quoted(text)}"`, '{}'),
    (text) => part(`form-data; name="file"; filename="${quoted(text)}"`, 'x'),
    (text) => part(`form-data; name="file"; filename*=utf-8''${enc(text)}`, 'x'),
    (text) => part(`form-data; name="file"; filename="a"\r\nContent-Type: ${quoted(text)}`, 'x'),
    (text) => part(`form-data; name="content"\r\n${quoted(text)}: x`, '{}'),
    (text) => part(`form-data; name="content"\r\nX: ${quoted(text)}`, '{}'),
    (text) => part('form-data; name="file"; filename="a"', text)
];

const quoted = (text: string): string => text.replaceAll('"', '%22');
const part = (disposition: string, text: string): string => `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${text}\r\n--b--\r\n`;

/** The members that a schema names, with those of its members; `*` stands for an element of a list. */
function membersOf(schema: JsonObject, document: Document, depth = 0): string[][] {

    const { properties, items } = resolved(schema, document);
    if (depth === MAX_DEPTH) {
        return [];
    }

    const within = (name: string, each: JsonValue): string[][] =>
        [...name === '*' ? [] : [[name]], ...isJsonObject(each) ? membersOf(each, document, depth + 1).map((pointer) => [name, ...pointer]) : []];
    return [
        ...isJsonObject(properties) ? Object.entries(properties).flatMap(([name, each]) => within(name, each)) : [],
        ...isJsonObject(items) ? within('*', items) : []
    ];
}

/** The values that a text becomes: of each kind of JSON that can hold it. */
const valuesOf: readonly ((text: string) => JsonValue)[] = [(text) => text, (text) => [text], (text) => ({ [text]: text })];

function withMember(pointer: readonly string[], value: JsonValue, { around = {}, beside = {}, besideOf = {} }: Sample): JsonValue {

    const others = besideOf[`/${pointer.join('/')}`] ?? beside;
    const first = pointer.findIndex((name) => name !== '*');
    return pointer.reduceRight<JsonValue>((inner, name, at) =>
        (name === '*' ? [inner] : { ...at === first ? around : {}, ...at === pointer.length - 1 ? others : {}, [name]: inner }), value);
}

/** Members that are texts, as fields of a form. */
function formOf(members: JsonValue): string {

    return Object.entries(members as Record<string, string>).map(([name, value]) => `${name}=${enc(value)}`).join('&');
}
