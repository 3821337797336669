/**
 * TypeScript types of JSON schemas of every draft. A schema may come from anyone, so all of it is text that is escaped, and what TypeScript
 * cannot say is left out: a type is never narrower than its schema but for properties that are not declared, which would hide misspelt ones.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';

/** The text of a type. */
export interface Shape {
    readonly text: string;
    /** True if it needs parentheses where another operator follows. */
    readonly isCompound: boolean;
    /** Names outside of every object and array, which must not lead back to this type. */
    readonly direct: readonly string[];
}

/** Returns the name of the type that a reference stands for; null if there is none. */
export type NameOf = (reference: string) => string | null;

/** Where a type is written. */
export interface TypeContext {
    readonly nameOf: NameOf;
    /** Before the lines after the first one. */
    readonly indent?: string;
    /** True for types whose properties and elements are `readonly`. */
    readonly isReadonly?: boolean;
}

const INDENT = '    ';

/** More alternatives than that, in several parts of one schema, would be multiplied. */
const MAX_ALTERNATIVES = 20;

const ANYTHING = plain('JsonValue');
const NOTHING = plain('never');
const ANY_OBJECT = plain('JsonObject');

function plain(text: string, direct: readonly string[] = []): Shape {

    return { text, isCompound: false, direct };
}

/** Returns the type of a schema. */
export function schemaType(schema: JsonValue | undefined, context: TypeContext): Shape {

    if (!isJsonObject(schema)) {
        return schema === false ? NOTHING : ANYTHING;
    }

    const { $ref: reference, enum: values, const: constant } = schema;
    const convert = (part: JsonValue | undefined): Shape => schemaType(part, context);
    const name = typeof reference === 'string' ? context.nameOf(reference) : null;
    const own = constant !== undefined ? literal(constant) : Array.isArray(values) ? union(values.map(literal)) : ownType(schema, context);
    const alternatives = ['anyOf', 'oneOf'].flatMap((keyword) => {

        const branches = partsOf(schema, keyword);
        return branches.length === 0 ? [] : [{ shape: union(branches.map(convert)), count: branches.length }];
    });
    const isMany = alternatives.length > 1 || partsOf(schema, 'allOf').length > 0;
    const others = [
        ...name === null ? [] : [plain(name, [name])],
        ...partsOf(schema, 'allOf').map(convert),
        ...alternatives.filter(({ count }) => !isMany || count <= MAX_ALTERNATIVES).map(({ shape }) => shape)
    ].filter(({ text }) => text !== ANYTHING.text);
    return intersection(own === ANY_OBJECT && others.length > 0 ? others : [own, ...others]);
}

function partsOf(schema: JsonObject, keyword: string): readonly JsonValue[] {

    const parts = schema[keyword];
    return Array.isArray(parts) ? parts : [];
}

/** What `type` and the keywords of objects and arrays say. */
function ownType(schema: JsonObject, context: TypeContext): Shape {

    const { type, properties, required, additionalProperties, patternProperties, items, prefixItems } = schema;
    const isOfObjects = [properties, additionalProperties, patternProperties].some(isJsonObject) || Array.isArray(required);
    const types = type === undefined ? isOfObjects ? ['object'] : items === undefined && prefixItems === undefined ? [] : ['array'] : [type].flat();
    return types.length === 0 ? ANYTHING : union(types.map((each) => typeNamed(each, schema, context)));
}

function typeNamed(type: JsonValue, schema: JsonObject, context: TypeContext): Shape {

    switch (type) {
        case 'string':
        case 'boolean':
        case 'null':
        case 'number':
            return plain(type);
        case 'integer':
            return plain('number');
        case 'array':
            return arrayType(schema, context);
        case 'object':
            return objectType(schema, context);
        default:
            // Drafts up to 3 had schemas here.
            return isJsonObject(type) ? schemaType(type, context) : ANYTHING;
    }
}

/** A list, or a tuple: `prefixItems`, in older drafts an array of `items`. */
function arrayType({ items, prefixItems, additionalItems, minItems }: JsonObject, context: TypeContext): Shape {

    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    const element = ({ text, isCompound }: Shape): string => (isCompound ? `(${text})` : text);
    const list = `${element(schemaType(rest, context))}[]`;
    if (first.length === 0) {
        return prefixed(list, context);
    }

    const least = typeof minItems === 'number' ? minItems : 0;
    const members = first.map((each, i) => `${element(schemaType(each, context))}${i < least ? '' : '?'}`);
    return prefixed(`[${[...members, ...rest === false ? [] : [`...${list}`]].join(', ')}]`, context);
}

/** Properties; or where none are declared, a record of what all must be. */
function objectType({ properties, required, additionalProperties, patternProperties }: JsonObject, context: TypeContext): Shape {

    const { indent = '' } = context;
    const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
    const declared = new Map(isJsonObject(properties) ? Object.entries(properties) : []);
    const names = new Set([...declared.keys(), ...needed]);
    const isOpen = isJsonObject(additionalProperties) || isJsonObject(patternProperties);
    if (names.size === 0) {
        const all = isJsonObject(patternProperties) ? true : additionalProperties ?? true;
        return isJsonObject(all) ? plain(`{ ${readonlyIn(context)}[name: string]: ${schemaType(all, context).text} }`) :
            all === false ? plain('{ [name: string]: never }') : ANY_OBJECT;
    }

    const inner = `${indent}${INDENT}`;
    const lines = [...names].map((name) => {

        const schema = declared.get(name);
        const { text } = schemaType(schema, { ...context, indent: inner });
        return `${comment(isJsonObject(schema) ? schema['description'] : undefined, inner)}${inner}${readonlyIn(context)}${memberName(name)}${needed.has(name) ? '' : '?'}: ${text};\n`;
    });
    const object = `{\n${lines.join('')}${indent}}`;
    return isOpen ? { text: `${object} & { [name: string]: unknown }`, isCompound: true, direct: [] } : plain(object);
}

/** A list, whose elements may be read-only. */
function prefixed(list: string, context: TypeContext): Shape {

    const prefix = readonlyIn(context);
    return { text: `${prefix}${list}`, isCompound: prefix !== '', direct: [] };
}

function readonlyIn({ isReadonly = false }: TypeContext): string {

    return isReadonly ? 'readonly ' : '';
}

function union(shapes: readonly Shape[]): Shape {

    const possible = distinct(shapes.filter(({ text }) => text !== NOTHING.text));
    return possible.some(({ text }) => text === ANYTHING.text) ? ANYTHING : joined(possible, ' | ');
}

function intersection(shapes: readonly Shape[]): Shape {

    const narrowing = distinct(shapes.filter(({ text }) => text !== ANYTHING.text));
    return shapes.length > 0 && narrowing.length === 0 ? ANYTHING : joined(narrowing, ' & ');
}

function joined(shapes: readonly Shape[], operator: string): Shape {

    const [only, ...others] = shapes;
    if (!only) {
        return NOTHING;
    }

    return others.length === 0 ? only : {
        text: shapes.map(({ text, isCompound }) => (isCompound ? `(${text})` : text)).join(operator), isCompound: true,
        direct: shapes.flatMap(({ direct }) => direct)
    };
}

function distinct(shapes: readonly Shape[]): Shape[] {

    return [...new Map(shapes.map((shape) => [shape.text, shape])).values()];
}

/** The type of one value. */
function literal(value: JsonValue): Shape {

    if (Array.isArray(value)) {
        return plain(`[${value.map((each) => literal(each).text).join(', ')}]`);
    }

    return plain(isJsonObject(value) ? `{ ${Object.entries(value).map(([name, each]) => `${memberName(name)}: ${literal(each).text}`).join('; ')} }` :
        typeof value === 'string' ? quoted(value) : JSON.stringify(value));
}

/** Returns a text as a string of TypeScript. */
export function quoted(text: string): string {

    // What JSON leaves as it is may end lines, or show another text than there is.
    const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
        character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''));
    return `'${escaped.replaceAll('\'', '\\\'')}'`;
}

function memberName(name: string): string {

    return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** Maximum length of a comment in characters. */
const MAX_COMMENT = 1000;

/** Returns a text as a comment on a line of its own; empty for anything else. */
export function comment(text: JsonValue | undefined, indent: string): string {

    // Characters for the order of writing could show another text than there is.
    const line = typeof text === 'string' ? text.slice(0, MAX_COMMENT).toWellFormed().replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').replaceAll('*/', '*\\/').trim() : '';
    return line === '' ? '' : `${indent}/** ${line} */\n`;
}
