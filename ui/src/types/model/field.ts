/**
 * Properties of a JSON schema as fields of a table. A field shows what the table knows; each change is made to the property itself, so that
 * whatever else it has stays.
 */

import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { memberOf, renamed, valueAt, withMember, withoutMember } from '../../json/pointer.js';

/** Kinds of values. `other` is what the table cannot describe. */
export const KINDS = [
    'text', 'longText', 'number', 'integer', 'boolean', 'date', 'dateTime', 'link', 'choice', 'reference', 'generated', 'object', 'other'
] as const;

export type Kind = typeof KINDS[number];

/** What the service can generate. */
export const GENERATED = ['handle', 'creationDate', 'modificationDate', 'createdBy', 'modifiedBy', 'type'] as const;

/** A property, as the table shows it. */
export interface Field {
    readonly name: string;
    readonly kind: Kind;
    /** True for an array of values of the kind. */
    readonly isList: boolean;
    readonly isRequired: boolean;
    readonly isTitle: boolean;
    readonly isPreview: boolean;
    readonly property: Json;
}

/** Schemas of values, by kind. */
const PARTS: Readonly<Record<Kind, JsonMap>> = {
    text: { type: 'string' }, longText: { type: 'string', format: 'textarea' }, number: { type: 'number' }, integer: { type: 'integer' }, boolean: { type: 'boolean' },
    date: { type: 'string', format: 'date' }, dateTime: { type: 'string', format: 'date-time' }, link: { type: 'string', format: 'uri' },
    choice: { type: 'string', enum: [] }, reference: { type: 'string' }, generated: { type: 'string' }, object: { type: 'object', properties: {} }, other: {}
};

/** Keywords that describe the kind of a value: another kind replaces them. All others stay. */
const KIND_KEYWORDS = [
    'type', 'format', 'enum', 'const', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
    'items', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required', 'additionalProperties', 'default', '$ref', 'oneOf', 'anyOf', 'allOf'
];

/** Formats by kind. */
const FORMATS: Readonly<Record<string, Kind>> = {
    'textarea': 'longText', 'markdown': 'longText', 'date': 'date', 'date-time': 'dateTime', 'datetime': 'dateTime', 'uri': 'link', 'url': 'link'
};

/** Names of properties that are annotations of the extension keyword. */
type Flag = 'isPrimary' | 'showInPreview';

/** Reads and changes the properties of object schemas. `keyword` is the extension keyword. */
export class FieldModel {

    readonly #keyword: string;

    constructor(keyword: string) {

        this.#keyword = keyword;
    }

    /** The fields of an object schema, in their order. */
    fieldsOf(schema: Json | undefined): readonly Field[] {

        const properties = memberOf(schema, 'properties');
        const required = memberOf(schema, 'required');
        return Object.entries(isJsonMap(properties) ? properties : {}).map(([name, property]) => ({
            name, property, ...this.kindOf(property), isRequired: Array.isArray(required) && required.includes(name),
            isTitle: this.#flag(property, 'isPrimary'), isPreview: this.#flag(property, 'showInPreview')
        }));
    }

    /** The kind of values that a property has. */
    kindOf(property: Json): { readonly kind: Kind; readonly isList: boolean } {

        const isArray = memberOf(property, 'type') === 'array';
        const items = memberOf(property, 'items');
        if (!isArray) {
            return { kind: this.#valueKind(property, property), isList: false };
        }

        const kind = this.#valueKind(items ?? {}, property);
        return items === undefined || kind === 'other' || kind === 'generated' ? { kind: 'other', isList: false } : { kind, isList: true };
    }

    /**
     * The property with values of another kind, or as a list, or as none. Where the property had that kind, or `like` has it, what that says about
     * its values stays: choices, fields of objects, types of references.
     */
    withKind(property: Json, kind: Kind, isList: boolean, like: Json = property): Json {

        const annotations = Object.entries(isJsonMap(property) ? property : {}).filter(([name]) => !KIND_KEYWORDS.includes(name) && name !== this.#keyword);
        const { type: _type, ...extension } = this.#extension(property);
        const { part, rule } = this.kindOf(like).kind === kind && kind !== 'other' ? this.#valuesOf(like) : { part: PARTS[kind], rule: newRule(kind) };
        const own = { ...isList ? {} : rule, ...extension };
        return {
            ...isList ? { type: 'array', items: isEmpty(rule) ? part : { ...part, [this.#keyword]: rule } } : part,
            ...Object.fromEntries(annotations), ...isEmpty(own) ? {} : { [this.#keyword]: own }
        };
    }

    /** The schema with another property in place of one. */
    withProperty(schema: Json, name: string, property: Json): Json {

        return withMember(schema, 'properties', withMember(memberOf(schema, 'properties') ?? {}, name, property));
    }

    /** The schema with a property of another name, at its place. */
    rename(schema: Json, from: string, name: string): Json {

        const properties = memberOf(schema, 'properties');
        const required = memberOf(schema, 'required');
        const next = withMember(schema, 'properties', renamed(isJsonMap(properties) ? properties : {}, from, name));
        return Array.isArray(required) ? withMember(next, 'required', required.map((each) => (each === from ? name : each as Json))) : next;
    }

    /** The schema without a property. */
    remove(schema: Json, name: string): Json {

        return withMember(this.require(schema, name, false), 'properties', withoutMember(memberOf(schema, 'properties'), name));
    }

    /** The schema with a property moved up or down by a step. */
    move(schema: Json, name: string, step: -1 | 1): Json {

        const properties = memberOf(schema, 'properties');
        const entries = Object.entries(isJsonMap(properties) ? properties : {});
        const at = entries.findIndex(([each]) => each === name);
        const other = entries[at + step];
        const own = entries[at];
        if (!own || !other) {
            return schema;
        }

        entries[at] = other;
        entries[at + step] = own;
        return withMember(schema, 'properties', Object.fromEntries(entries));
    }

    /** The schema with a property required, or not. Without required properties the keyword is absent: draft 4 permits no empty list. */
    require(schema: Json, name: string, isRequired: boolean): Json {

        const before = memberOf(schema, 'required');
        const others = (Array.isArray(before) ? before as readonly Json[] : []).filter((each) => each !== name);
        const required = isRequired ? [...others, name] : others;
        return required.length === 0 ? withoutMember(schema, 'required') : withMember(schema, 'required', required);
    }

    /** The schema with one property as the title of objects, which no other is then; null for none. */
    withTitle(schema: Json, title: string | null): Json {

        return this.fieldsOf(schema).reduce<Json>((next, { name, property, isTitle }) => {

            const shall = name === title;
            return isTitle === shall ? next : this.withProperty(next, name, this.#withFlag(property, 'isPrimary', shall));
        }, schema);
    }

    /** The property shown in previews, or not. */
    withPreview(property: Json, isShown: boolean): Json {

        return this.#withFlag(property, 'showInPreview', isShown);
    }

    /** The schema of the values: that of the items for a list. */
    valueSchema({ isList, property }: Pick<Field, 'isList' | 'property'>): Json {

        return isList ? memberOf(property, 'items') ?? {} : property;
    }

    /** The property with another keyword of its values; without a value the keyword is removed. */
    withKeyword(field: Pick<Field, 'isList' | 'property'>, keyword: string, value: Json | undefined): Json {

        const target = this.valueSchema(field);
        const next = value === undefined ? withoutMember(target, keyword) : withMember(target, keyword, value);
        return field.isList ? withMember(field.property, 'items', next) : next;
    }

    /** Types that a reference may have; empty for all. */
    referenceTypes(field: Pick<Field, 'isList' | 'property'>): readonly string[] {

        const types = memberOf(valueAt(this.#referenceHolder(field), [this.#keyword, 'type', 'handleReference']), 'types');
        return typeof types === 'string' ? [types] : Array.isArray(types) ? types.filter((each): each is string => typeof each === 'string') : [];
    }

    /** The property with a reference to other types. */
    withReferenceTypes(field: Pick<Field, 'isList' | 'property'>, types: readonly string[]): Json {

        const holder = this.#referenceHolder(field);
        const rule = valueAt(holder, [this.#keyword, 'type', 'handleReference']);
        const reference = types.length === 0 ? withoutMember(rule, 'types') : withMember(rule, 'types', types);
        const type = withMember(valueAt(holder, [this.#keyword, 'type']) ?? {}, 'handleReference', reference);
        const next = withMember(holder, this.#keyword, withMember(memberOf(holder, this.#keyword) ?? {}, 'type', type));
        return field.isList && holder !== field.property ? withMember(field.property, 'items', next) : next;
    }

    /** What the service generates; null for nothing. */
    generated(property: Json): string | null {

        const rule = valueAt(property, [this.#keyword, 'type', 'autoGeneratedField']);
        const name = isJsonMap(rule) ? rule['type'] : rule;
        return typeof name === 'string' ? name : null;
    }

    /** The property with another generated value. */
    withGenerated(property: Json, name: string): Json {

        return withMember(property, this.#keyword, withMember(this.#extension(property), 'type', { autoGeneratedField: name }));
    }

    /** What a property says about its values, and what its extension does. */
    #valuesOf(property: Json): { readonly part: JsonMap; readonly rule: JsonMap } {

        const { type } = this.#extension(property);
        const outer: JsonMap = type === undefined ? {} : { type };
        if (memberOf(property, 'type') === 'array') {
            const items = memberOf(property, 'items') ?? {};
            return { part: withoutMember(items, this.#keyword) as JsonMap, rule: { ...this.#extension(items), ...outer } };
        }

        const keywords = Object.entries(isJsonMap(property) ? property : {}).filter(([name]) => KIND_KEYWORDS.includes(name));
        return { part: Object.fromEntries(keywords), rule: outer };
    }

    /** The rule of a list of references is at the list, or at its items. */
    #referenceHolder({ isList, property }: Pick<Field, 'isList' | 'property'>): Json {

        return isList && valueAt(property, [this.#keyword, 'type', 'handleReference']) === undefined ? memberOf(property, 'items') ?? {} : property;
    }

    #valueKind(schema: Json, property: Json): Kind {

        const type = memberOf(schema, 'type');
        const rules = [schema, property].map((each) => valueAt(each, [this.#keyword, 'type']));
        if (memberOf(schema, '$ref') !== undefined || typeof type !== 'string') {
            return 'other';
        }

        if (type === 'string') {
            const format = memberOf(schema, 'format');
            return rules.some((rule) => memberOf(rule, 'handleReference') !== undefined) ? 'reference' :
                memberOf(rules[0], 'autoGeneratedField') !== undefined ? 'generated' :
                    Array.isArray(memberOf(schema, 'enum')) ? 'choice' :
                        typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] ?? 'text' : 'text';
        }

        return type === 'number' || type === 'integer' || type === 'boolean' || type === 'object' ? type : 'other';
    }

    #extension(property: Json): JsonMap {

        const extension = memberOf(property, this.#keyword);
        return isJsonMap(extension) ? extension : {};
    }

    #flag(property: Json, flag: Flag): boolean {

        return valueAt(property, [this.#keyword, 'preview', flag]) === true;
    }

    /** Flags that are not set are absent, and so is what would be empty without them. */
    #withFlag(property: Json, flag: Flag, isSet: boolean): Json {

        const extension = this.#extension(property);
        const preview = memberOf(extension, 'preview') ?? {};
        if (isSet) {
            return withMember(property, this.#keyword, withMember(extension, 'preview', withMember(preview, flag, true)));
        }

        const smaller = withoutMember(preview, flag);
        const next = isEmpty(smaller) ? withoutMember(extension, 'preview') : withMember(extension, 'preview', smaller);
        return isEmpty(next) ? withoutMember(property, this.#keyword) : withMember(property, this.#keyword, next);
    }
}

/** What the extension of a property says at first. */
function newRule(kind: Kind): JsonMap {

    return kind === 'reference' ? { type: { handleReference: {} } } : kind === 'generated' ? { type: { autoGeneratedField: 'creationDate' } } : {};
}

function isEmpty(value: Json): boolean {

    return isJsonMap(value) && Object.keys(value).length === 0;
}
