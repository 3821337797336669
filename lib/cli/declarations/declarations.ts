/**
 * TypeScript declarations of a service: attributes, input and result of its operations, and the contents of its types, from what
 * `gateway/Op.Describe` answers. What schemas refer to becomes a type with a name of its own.
 */

import { getAt } from '../../json/pointer.js';
import { LocalReferences } from '../../json/schema-references.js';
import { typeNamesOf, typeUri } from '../../types/schema/uri.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { comment, type NameOf, quoted, type Shape, schemaType } from './schema-type.js';
import { TypeNames } from './type-names.js';

/** A schema as a whole, to which references lead. */
interface Document {
    /** What the names of its parts begin with. */
    readonly name: string;
    readonly schema: JsonValue;
    readonly references: LocalReferences;
    /** Base of references to other documents. */
    readonly base: string;
    /** Names of the types of its parts, by pointer. */
    readonly parts: Map<string, string>;
}

/** A type with a name, and the schema that it stands for. */
interface Definition {
    readonly name: string;
    readonly schema: JsonValue | undefined;
    readonly nameOf: NameOf;
}

const INDENT = '    ';
const STEP = `${INDENT}${INDENT}`;

/** Returns the parts of the text, in order. The description is that of any service, so nothing about it is taken for granted. */
export function *declarationsOf({ id, operations, types, methods }: JsonObject): Generator<string, void, undefined> {

    yield `${comment(`Operations and types of ${typeof id === 'string' ? id : 'a service'}. Written by doip-gateway types; changes are lost.`, '')}\n`;
    yield 'import type { JsonObject, JsonValue, Segment } from \'doip-gateway/client\';\n\n';
    const declarations = new Declarations(isJsonObject(types) ? types : {});
    yield '/** Operations by their ids; methods of types by their names. For `connect<Operations>()` of `doip-gateway/client`. */\nexport interface Operations {\n';
    const described = recordsOf(operations);
    for (const operation of described) {
        yield declarations.operation(operation);
    }

    const ids = new Set(described.map((operation) => operation['id']));
    for (const [name, found] of byName(recordsOf(methods))) {
        if (!ids.has(name)) {
            yield declarations.method(name, found);
        }
    }

    yield '}\n\n/** The contents of objects, by the names of their types. */\nexport interface Types {\n';
    yield *declarations.types();
    yield '}\n';
    yield *declarations.definitions();
}

function recordsOf(value: JsonValue | undefined): JsonObject[] {

    return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function byName(methods: readonly JsonObject[]): Map<string, JsonObject[]> {

    const found = new Map<string, JsonObject[]>();
    for (const method of methods) {
        if (typeof method['name'] === 'string') {
            getOrAdd(found, method['name'], (): JsonObject[] => []).push(method);
        }
    }

    return found;
}

/** Collects what is referred to. */
class Declarations {

    readonly #names = new TypeNames();
    /** Types by their names. */
    readonly #types: ReadonlyMap<string, Document>;
    readonly #definitions: Definition[] = [];

    constructor(types: JsonObject) {

        this.#types = new Map(Object.entries(types).map(([type, schema]) => {

            const document = this.#document(type, schema, typeUri(type));
            this.#nameOfPart(document, '', schema);
            return [type, document];
        }));
    }

    /** The member of an operation. */
    operation({ id, summary, attributes, input, inputRequired, result, outputs }: JsonObject): string {

        if (typeof id !== 'string') {
            return '';
        }

        const sent = Array.isArray(outputs) ? outputs : ['json'];
        const isAttributed = isJsonObject(attributes) && Array.isArray(attributes['required']) && attributes['required'].length > 0;
        const inputType = input === undefined ? 'undefined' : input === 'segments' ? 'JsonValue | AsyncIterable<Segment>' : this.#inline(`${id} Input`, input);
        const resultType = this.#inline(`${id} Result`, result);
        return member(id, comment(summary, INDENT), [
            `attributes${isAttributed ? '' : '?'}: ${this.#inline(`${id} Attributes`, attributes)}`,
            `input${inputRequired === true ? '' : '?'}: ${inputType}`,
            // The client returns nothing for what is no JSON.
            `result: ${!sent.includes('json') ? 'undefined' : result === undefined || sent.length > 1 ? `${parenthesised(resultType)} | undefined` : resultType}`
        ]);
    }

    /** The member of all methods with a name. */
    method(name: string, found: readonly JsonObject[]): string {

        const typeOfAll = (part: 'params' | 'result'): string =>
            [...new Set(found.map((method) => parenthesised(this.#inline(`${textOf(method['type'])} ${name} ${part}`, method[part]))))].join(' | ');
        const summaries = found.map(({ type, summary }) => `${textOf(type)}${typeof summary === 'string' ? `: ${summary}` : ''}`);
        return member(name, comment(`Method of ${summaries.join('; ')}`, INDENT), [
            'attributes?: JsonObject', `input?: ${typeOfAll('params')}`, `result: ${typeOfAll('result')} | undefined`
        ]);
    }

    /** The members of the types. */
    *types(): Generator<string, void, undefined> {

        for (const [type, document] of this.#types) {
            yield `${INDENT}${quoted(type)}: ${this.#nameOfPart(document, '', document.schema)};\n`;
        }
    }

    /** The types that are referred to, and those that they refer to. A type that is directly itself, or a chain of too many, is any value. */
    *definitions(): Generator<string, void, undefined> {

        const shapes = new Map<string, Shape>();
        // It grows while references are found.
        for (const { name, schema, nameOf } of this.#definitions) {
            shapes.set(name, schemaType(schema, { nameOf }));
        }

        const unresolvable = unresolvableNames(shapes);
        for (const { name, schema } of this.#definitions) {
            const text = unresolvable.has(name) ? 'JsonValue' : shapes.get(name)?.text;
            yield `\n${comment(isJsonObject(schema) ? schema['description'] : undefined, '')}export type ${name} = ${text};\n`;
        }
    }

    /** The type of a schema of an operation. */
    #inline(name: string, schema: JsonValue | undefined): string {

        const document = this.#document(name, schema ?? true, typeUri(''));
        return schemaType(schema, { nameOf: this.#resolver(document), indent: STEP }).text;
    }

    #document(name: string, schema: JsonValue, base: string): Document {

        return { name, schema, base, references: new LocalReferences(isJsonObject(schema) ? schema : {}), parts: new Map() };
    }

    #resolver(document: Document): NameOf {

        return (reference) => {

            const [uri = ''] = reference.split('#', 1);
            const target = uri === '' ? document : typeNamesOf(uri, document.base).map((name) => this.#types.get(name)).find((found) => found !== undefined);
            const pointer = target?.references.pointerOf(`#${reference.slice(uri.length + 1)}`) ?? null;
            return target === undefined || pointer === null ? null : this.#nameOfPart(target, pointer, getAt(target.schema, pointer));
        };
    }

    #nameOfPart(document: Document, pointer: string, schema: JsonValue | undefined): string {

        return getOrAdd(document.parts, pointer, () => {

            const name = this.#names.nameFor(`${document.name} ${pointer.slice(pointer.lastIndexOf('/') + 1)}`);
            this.#definitions.push({ name, schema, nameOf: this.#resolver(document) });
            return name;
        });
    }
}

function textOf(value: JsonValue | undefined): string {

    return typeof value === 'string' ? value : '';
}

function member(name: string, summary: string, lines: readonly string[]): string {

    return `${summary}${INDENT}${quoted(name)}: {\n${lines.map((line) => `${STEP}${line};\n`).join('')}${INDENT}};\n`;
}

function parenthesised(text: string): string {

    return /[|&]/.test(text) ? `(${text})` : text;
}

/** Longest chain of types each of which is directly the next, which the compiler follows by recursion. */
const MAX_CHAIN = 100;

/** Names that the compiler could not resolve: those that lead back to themselves without an object or array between, or to such ones, or too far. */
function unresolvableNames(shapes: ReadonlyMap<string, Shape>): ReadonlySet<string> {

    // What leads to nothing direct is safe, and then what leads to safe names alone; the rest is circular, or leads there.
    const waiting = new Map([...shapes].map(([name, { direct }]) => [name, new Set(direct)]));
    const usedBy = new Map<string, string[]>();
    for (const [name, direct] of waiting) {
        direct.forEach((each) => getOrAdd(usedBy, each, (): string[] => []).push(name));
    }

    const distant = new Set<string>();
    const lengths = new Map<string, number>();
    const safe = [...waiting].filter(([, direct]) => direct.size === 0).map(([name]) => name);
    for (const name of safe) {
        waiting.delete(name);
        const length = (shapes.get(name)?.direct ?? []).reduce((most, each) => Math.max(most, (lengths.get(each) ?? 0) + 1), 0);
        lengths.set(name, length < MAX_CHAIN ? length : 0);
        if (length >= MAX_CHAIN) {
            distant.add(name);
        }

        for (const user of usedBy.get(name) ?? []) {
            const left = waiting.get(user);
            if (left?.delete(name) && left.size === 0) {
                safe.push(user);
            }
        }
    }

    return new Set([...waiting.keys(), ...distant]);
}
