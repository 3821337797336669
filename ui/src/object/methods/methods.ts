/** Methods of objects and types, their descriptions, and calls. */

import { getJson, repository, textIn } from '../../api/client.js';
import { isJsonMap, type Json } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { plainJson } from '../../json/plain-json.js';

/** A method, and what its type says about it. */
export interface Method {
    readonly name: string;
    readonly allowGet?: boolean;
    readonly summary?: string;
    /** JSON schema of the input, with exact numbers: its defaults are sent. */
    readonly params?: Json;
    readonly result?: Json;
}

/** Of what a method is: an object, or a type. */
export type Target = { readonly objectId: string } | { readonly type: string };

/** An operation of DOIP. */
export interface Operation {
    readonly id: string;
    readonly summary?: string;
}

/** A name, or a description where the service gives one. */
type Listed<T> = string | T;

/** Lists the methods of an object, or the static ones of a type. @throws RepositoryError */
export async function listMethods(target: Target, signal?: AbortSignal): Promise<readonly Method[]> {

    const query = { ...target, static: 'type' in target, describe: true };
    const response = await repository.request({ method: 'GET', path: '/listMethods', query, signal });
    const found = parseJson(await textIn(response)) as unknown as readonly Listed<Method>[];
    return found.map((each) => (typeof each === 'string' ? { name: each } : each));
}

/** Lists the operations that the caller may perform on an object. @throws RepositoryError */
export async function listOperations(id: string, signal?: AbortSignal): Promise<readonly Operation[]> {

    const parameters = { operationId: '0.DOIP/Op.ListOperations', targetId: id, 'attributes.describe': 'true' };
    const found = await getJson<readonly Listed<Operation>[]>('/doip', parameters, signal);
    return found.map((each) => (typeof each === 'string' ? { id: each } : each));
}

/** What a method returned. */
export type Result =
    | { readonly kind: 'none' }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'bytes'; readonly blob: Blob; readonly filename: string };

/** Longer results are offered as a file. */
const MAX_TEXT = 1_000_000;

const TEXT = /^text\/|[/+]json\b/i;
const JSON_TYPE = /[/+]json\b/i;

/** Calls a method. `input` is JSON, or empty. @throws RepositoryError */
export async function callMethod(target: Target, method: string, input: string): Promise<Result> {

    const body = input.trim() === '' ? {} : { body: { mediaType: 'application/json', open: () => input, isReplayable: true } };
    const response = await repository.request({ method: 'POST', path: '/call', query: { ...target, method }, ...body });
    const type = response.headers.get('content-type') ?? '';
    const blob = await response.blob();
    const isText = TEXT.test(type);
    if (blob.size === 0) {
        return { kind: 'none' };
    }

    if (!isText || blob.size > MAX_TEXT) {
        const [, filename = method] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
        return { kind: 'bytes', blob, filename };
    }

    const text = await blob.text();
    return { kind: 'text', text: JSON_TYPE.test(type) ? indented(text) : text };
}

/** JSON in several lines; what is none, although the method says so, as it is: the method has done its work. */
function indented(text: string): string {

    try {
        return writeJson(parseJson(text), 2);
    }
    catch {
        return text;
    }
}

/** An input to begin with, by the schema: its defaults, examples, or empty values of its types. */
export function exampleInput(schema: Json | undefined): string {

    return schema === undefined ? '' : writeJson(exampleOf(schema, 0), 2);
}

const EMPTY: Readonly<Record<string, Json>> = { string: '', number: 0, integer: 0, boolean: false, null: null, array: [] };

function exampleOf(schema: Json, depth: number): Json {

    if (!isJsonMap(schema) || depth > 6) {
        return null;
    }

    const { default: preset, examples, const: constant, enum: values, type, properties } = schema;
    const first = (list: Json | undefined): Json | undefined => (Array.isArray(list) ? (list as readonly Json[])[0] : undefined);
    const given = preset ?? first(examples) ?? constant ?? first(values);
    if (given !== undefined) {
        return given;
    }

    if (isJsonMap(properties)) {
        return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOf(each, depth + 1)]));
    }

    const name = first(type) ?? type;
    return name === 'object' ? {} : typeof name === 'string' ? EMPTY[name] ?? null : null;
}

/** Checks an input. Returns what is wrong; null for nothing. */
export function faultOf(input: string): string | null {

    try {
        if (input.trim() !== '') {
            plainJson(parseJson(input));
        }

        return null;
    }
    catch (error) {
        return error instanceof Error ? error.message : String(error);
    }
}
