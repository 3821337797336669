/**
 * Parameters of DOIP over HTTP: converts query and form fields to members of the envelope (specification, "Request mapping"). A JSON
 * parameter may be given as a whole (`attributes={"a":1}`), in parts (`attributes.a=1`) or both; parts are merged, and duplicates rejected.
 */

import { badRequest, tooLarge } from '../../../lib/errors/errors.js';
import { SentNumber, setNumberText } from '../../../lib/json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { turnFor } from '../../../lib/util/concurrency/event-loop-yielder.js';
import { getOrAdd } from '../../../lib/util/cache/get-or-add.js';
import { mayBeJson, PARAMETER_VALUES, parseJsonOrText, parseLenientJson } from '../../../lib/json/strict-parser.js';
import { countValues } from '../../../lib/json/value-counter.js';
import { JsonCombination, shortened } from './json-combination.js';
import type { Parameter } from './url.js';

/** Parameters of a request; absent members were not given. */
export interface EnvelopeParameters {
    readonly operationId?: string;
    readonly targetId?: string;
    readonly clientId?: string;
    readonly requestId?: string;
    readonly authentication?: JsonValue;
    readonly attributes: JsonObject;
    /** Original texts of attributes that were parsed as numbers, booleans or null, by name. */
    readonly texts: ReadonlyMap<string, string>;
    readonly input?: JsonValue;
}

const TEXTS = ['operationId', 'targetId', 'clientId', 'requestId'] as const;
const JSONS = ['authentication', 'attributes', 'input'] as const;

type TextName = typeof TEXTS[number];
type JsonName = typeof JSONS[number];

const LONG_NAMES: ReadonlyMap<string, TextName | JsonName> = new Map([
    ...[...TEXTS, ...JSONS].map((name) => [name, name] as const),
    ['o', 'operationId'], ['t', 'targetId'], ['c', 'clientId'], ['r', 'requestId'],
    ['u', 'authentication'], ['a', 'attributes'], ['i', 'input']
]);

/** Credentials that stay text, even if they look like a number. */
const CREDENTIALS: ReadonlySet<string> = new Set(['username', 'password', 'token', 'asUserId']);

/** Maximum number of levels in dotted names, as protection against deep nesting. */
const MAX_DOTS = 32;

/**
 * Merges parameters. Whole values are applied before parts, so that their order is irrelevant.
 *
 * @throws DoipError 400 for a duplicate text parameter or property, a property of a value that is not an object, and malformed JSON; 413 for more
 *   values than one parameter may have, in all of them together
 */
export async function readEnvelopeParameters(parameters: readonly Parameter[]): Promise<EnvelopeParameters> {

    const budget = new ParameterBudget();
    const texts: Partial<Record<TextName, string>> = {};
    const values: Partial<Record<JsonName, JsonValue>> = {};
    const whole = new Map<JsonName, JsonCombination>();
    const parts: Part[] = [];
    for (const [full, value] of parameters) {
        const [base = '', ...path] = full.split('.', MAX_DOTS + 2);
        const name = LONG_NAMES.get(base);
        if (name === undefined) {
            if (!isReserved(base)) {
                parts.push({ name: 'attributes', path: [base, ...path], value, full });
            }
        }
        else if (isTextName(name)) {
            setText(texts, name, value, full, path);
        }
        else if (path.length > 0) {
            parts.push({ name, path, value, full });
        }
        else {
            const due = budget.turn(value);
            if (due) {
                await due;
            }

            const parsed = parseLenientJson(value, { name: `parameter ${name}` });
            budget.spend(value);
            values[name] = getOrAdd(whole, name, () => new JsonCombination(name)).add(parsed);
        }
    }

    const literals = await setParts(values, parts, budget);
    const attributes = values.attributes ?? {};
    if (!isJsonObject(attributes)) {
        throw badRequest('parameter attributes must be a JSON object');
    }

    return Object.assign(texts, values, { attributes, texts: literals });
}

/** A parameter that is a property of a value. */
interface Part {
    readonly name: JsonName;
    readonly path: readonly string[];
    readonly value: string;
    readonly full: string;
}

/** Sets properties of the values. Returns the texts of attributes that were parsed as numbers, booleans or null, by name. */
async function setParts(
    values: Partial<Record<JsonName, JsonValue>>, parts: readonly Part[], budget: ParameterBudget
): Promise<ReadonlyMap<string, string>> {

    const literals = new Map<string, string>();
    for (const { name, path, value, full } of parts) {
        const [first = ''] = path;
        const due = budget.turn(value);
        if (due) {
            await due;
        }

        const parsed = parseJsonOrText(value, { name: `parameter ${shortened(full)}` });
        if (mayBeJson(value)) {
            budget.spend(value);
        }

        const read = parsed instanceof SentNumber && !isNumber(name, path, parsed) ? value : parsed;
        const isLiteral = path.length === 1 && typeof read !== 'string' && (typeof read !== 'object' || read === null || read instanceof SentNumber);
        const isCredential = isLiteral && name === 'authentication' && CREDENTIALS.has(first);
        values[name] = setPart(values[name], path, isCredential ? value : read, shortened(full));
        if (isLiteral && name === 'attributes') {
            literals.set(first, value);
        }
    }

    return literals;
}

/**
 * Whether a number that JavaScript writes differently is one. The members of an input stay text, as many of them are, such as passwords; what is nested
 * in them is content, whose numbers keep their text. Others stay text unless a double has their value.
 */
function isNumber(name: JsonName, path: readonly string[], number: SentNumber): boolean {

    return name === 'input' ? path.length > 1 : number.isExact;
}

/** Length in characters of parameters that are parsed in one turn of the event loop. */
const TURN_LENGTH = 32 * 1024;

/** What the parameters of a request may cost together. */
class ParameterBudget {

    #values = 0;
    #length = 0;

    /** To be awaited before a parameter is parsed; undefined if there is nothing to wait for. */
    turn({ length }: string): Promise<void> | undefined {

        this.#length += length;
        if (this.#length < TURN_LENGTH) {
            return undefined;
        }

        const sum = this.#length;
        this.#length = length;
        return turnFor(sum);
    }

    /** Counts the values of a parameter. @throws DoipError 413 */
    spend(text: string): void {

        this.#values += countValues(text, PARAMETER_VALUES);
        if (this.#values > PARAMETER_VALUES) {
            throw tooLarge(`the parameters hold more than the allowed ${PARAMETER_VALUES} values`);
        }
    }
}

/** True for names of a single character, all of which are reserved; unknown ones are ignored. */
function isReserved(base: string): boolean {

    return base !== '' && base.length <= 2 && Array.from(base).length === 1;
}

function isTextName(name: TextName | JsonName): name is TextName {

    return (TEXTS as readonly string[]).includes(name);
}

function setText(texts: Partial<Record<TextName, string>>, name: TextName, value: string, full: string, path: readonly string[]): void {

    if (path.length > 0) {
        throw badRequest(`parameter ${shortened(full)} addresses a property, but ${name} is a string`);
    }

    if (texts[name] !== undefined) {
        throw badRequest(`parameter ${name} is given more than once`);
    }

    texts[name] = value;
}

/** Sets the property at a path, creating intermediate objects. */
function setPart(root: JsonValue | undefined, path: readonly string[], value: JsonValue, full: string): JsonObject {

    if (path.length > MAX_DOTS) {
        throw badRequest(`parameter ${full} has more than ${MAX_DOTS} dots`);
    }

    const top = asObject(root ?? {}, full);
    let object = top;
    checkPath(path, full);
    for (const key of path.slice(0, -1)) {
        object = asObject(Object.hasOwn(object, key) ? object[key] as JsonValue : (object[key] = {}), full);
    }

    const last = path.at(-1) ?? '';
    if (Object.hasOwn(object, last)) {
        throw badRequest(`parameter ${full} is given more than once`);
    }

    if (value instanceof SentNumber) {
        object[last] = value.toJSON();
        setNumberText(object, last, value.toString());
    }
    else {
        object[last] = value;
    }

    return top;
}

function asObject(value: JsonValue, full: string): JsonObject {

    if (!isJsonObject(value)) {
        throw badRequest(`parameter ${full} addresses a property of something that is not a JSON object`);
    }

    return value;
}

function checkPath(path: readonly string[], full: string): void {

    if (path.includes('')) {
        throw badRequest(full === '' ? 'a parameter has no name' : `parameter ${full} addresses a property without name`);
    }

    if (path.some((key, i) => key === '__proto__' || key === 'prototype' && path[i - 1] === 'constructor')) {
        throw badRequest(`parameter ${full} has a name that is not allowed`);
    }
}
