/**
 * Parameters of a request from query string, form fields, or the members of a JSON body. Pure functions without hapi. Rules: interface
 * specification, "REST-style interface", and conventions of existing clients (Python booleans, single-quoted JSON, flags without value).
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { parseLenientJson } from '../../../lib/json/strict-parser.js';
import { isJsonObject } from '../../../lib/util/json-types.js';

/** Maximum length of an invalid value in an error message. */
const MAX_SHOWN = 80;

/** Parameters of one request. Unknown parameters are ignored. */
export class Params {

    /** No parameters, as most requests for an object have. */
    static readonly NONE = new Params(new Map());

    readonly #values: ReadonlyMap<string, readonly JsonValue[]>;

    private constructor(values: ReadonlyMap<string, readonly JsonValue[]>) {

        this.#values = values;
    }

    /** From the pairs of a query string or form, in order. */
    static fromPairs(pairs: Iterable<readonly [string, string]>): Params {

        const values = new Map<string, JsonValue[]>();
        for (const [name, value] of pairs) {
            const cached = values.get(name);
            if (cached) {
                cached.push(value);
            }
            else {
                values.set(name, [value]);
            }
        }

        return new Params(values);
    }

    /** From the members of a JSON object; null counts as absent. */
    static fromJson(members: JsonObject): Params {

        const present = Object.entries(members).filter(([, value]) => value !== null);
        return new Params(new Map(present.map(([name, value]) => [name, [value]])));
    }

    /** Appends other parameters; a name in both has several values. */
    and(others: Params): Params {

        const values = new Map(this.#values);
        for (const [name, more] of others.#values) {
            values.set(name, [...(values.get(name) ?? []), ...more]);
        }

        return new Params(values);
    }

    /** Text parameters as pairs of name and value. */
    pairs(): [string, string][] {

        return [...this.#values].flatMap(([name, values]) =>
            values.flatMap((value): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])));
    }

    /** True when the parameter is present, with any value. */
    has(name: string): boolean {

        return this.#values.has(name);
    }

    /** A string; numbers and booleans of a JSON body are converted. */
    text(name: string): string | undefined {

        const value = this.#values.get(name)?.[0];
        return typeof value === 'string' || value === undefined ? value : asText(name, value);
    }

    /** All values of a repeatable parameter, which may be an array in a JSON body. */
    texts(name: string): string[] {

        const values = this.#values.get(name) ?? [];
        return values.flat().map((value) => asText(name, value));
    }

    /** A presence flag: the default when absent, true without a value; otherwise true only for `true` in any case. */
    flag(name: string, absent = false): boolean {

        if (!this.#values.has(name)) {
            return absent;
        }

        const text = this.text(name);
        return text === '' || text?.toLowerCase() === 'true';
    }

    /**
     * A presence flag that only allows `true` and `false`, and equal values when repeated: for flags such as `dryRun`, which must not be
     * misread as off.
     */
    strictFlag(name: string): boolean {

        const values = this.#values.get(name);
        if (!values) {
            return false;
        }

        const texts = values.map((value) => asText(name, value));
        const invalid = texts.find((text) => !/^(?:true|false)?$/i.test(text));
        if (invalid !== undefined) {
            throw badRequest(`parameter ${name} must be true or false, got ${shortened(invalid)}`);
        }

        if (new Set(texts.map((text) => text.toLowerCase() === 'false')).size > 1) {
            throw badRequest(`parameter ${name} is given as true and as false`);
        }

        return this.flag(name);
    }

    /** An integer. Throws 400 for anything else. */
    integer(name: string): number | undefined {

        const text = this.text(name);
        if (text === undefined) {
            return undefined;
        }

        const value = Number(text);
        if (!/^[+-]?[0-9]+$/.test(text) || !Number.isSafeInteger(value)) {
            throw badRequest(`parameter ${name} must be an integer, got ${shortened(text)}`);
        }

        return value;
    }

    /** A JSON value; text is parsed, also with single quotes. */
    json(name: string): JsonValue | undefined {

        const value = this.#values.get(name)?.[0];
        return typeof value === 'string' ? parseParameter(name, value) : value;
    }

    /** A list in the form of a JSON array; any other text is a list of one element. */
    list(name: string): JsonValue[] | undefined {

        const value = this.#values.get(name)?.[0];
        if (typeof value !== 'string') {
            return value === undefined || Array.isArray(value) ? value : [value];
        }

        const parsed = /^\s*\[/.test(value) ? parseParameter(name, value) : value;
        return Array.isArray(parsed) ? parsed : [parsed];
    }

    /** A list of strings in the form of a JSON array, or a single string. */
    textList(name: string): string[] | undefined {

        return this.list(name)?.map((entry) => {

            if (typeof entry !== 'string') {
                throw badRequest(`parameter ${name} must be a JSON array of strings`);
            }

            return entry;
        });
    }

    /** A JSON object. Throws 400 for anything else. */
    object(name: string): JsonObject | undefined {

        const value = this.json(name);
        if (value !== undefined && !isJsonObject(value)) {
            throw badRequest(`parameter ${name} must be a JSON object`);
        }

        return value;
    }

    /** The parameter `requestContext`, which all requests accept, as an attribute. */
    requestContext(): { requestContext?: JsonObject } {

        const text = this.#values.get('requestContext')?.[0];
        if (text === undefined || text === '') {
            return {};
        }

        const value = typeof text === 'string' ? contextOf(text) : text;
        if (!isJsonObject(value)) {
            throw badRequest('Unable to parse requestContext: it must be a JSON object');
        }

        return { requestContext: value };
    }

    /** The first value, unconverted: text from a query string, any JSON from a JSON body. */
    single(name: string): JsonValue | undefined {

        return this.#values.get(name)?.[0];
    }
}

/** Drops undefined members, for attributes that are passed on only if the client gave them. */
export function omitUndefined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {

    const present: JsonObject = {};
    for (const name in members) {
        if (members[name] !== undefined) {
            present[name] = members[name];
        }
    }

    return present;
}

function asText(name: string, value: JsonValue): string {

    if (typeof value === 'object') {
        throw badRequest(`parameter ${name} must be a string`);
    }

    return String(value);
}

function parseParameter(name: string, text: string): JsonValue {

    return parseLenientJson(text, { name: `parameter ${name}` });
}

function contextOf(text: string): JsonValue {

    try {
        return parseLenientJson(text, { name: 'requestContext' });
    }
    catch (cause) {
        throw badRequest(`Unable to parse requestContext: ${(cause as Error).message}`);
    }
}

function shortened(text: string): string {

    return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
