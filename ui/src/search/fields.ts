/** Fields of types, as searches use them: what is shown of results, what facets, orders and suggestions there are. */

import { isJsonMap, isNumber, type Json, type JsonMap } from '../json/exact-number.js';
import { titleOfName } from '../json/property-title.js';

/** Kinds of fields, by what can be done with their values. */
export type FieldKind = 'choice' | 'boolean' | 'reference' | 'date' | 'time' | 'number' | 'text' | 'long' | 'secret' | 'object';

/** A property of a type, also inside others. */
export interface Field {
    /** Names on the way to it; `_` stands for the items of an array. */
    readonly path: readonly string[];
    /** The name of the field in queries, such as `/authors/_/name`. */
    readonly name: string;
    readonly label: string;
    readonly kind: FieldKind;
    /** Values of a choice: texts and numbers. */
    readonly choices: readonly Json[];
    readonly isPrimary: boolean;
    readonly isPreview: boolean;
    readonly hidesLabel: boolean;
    /** The `handleReference` of a reference. */
    readonly reference?: JsonMap;
}

const MAX_DEPTH = 6;
const MAX_FIELDS = 1000;
/** Parts that are looked at: properties that refer to the schema around them would be exponentially many. */
const MAX_PARTS = 5000;
/** Texts that may be longer are no facets. */
const MAX_FACET_LENGTH = 200;

function objectIn(value: Json | undefined): JsonMap {

    return isJsonMap(value) ? value : {};
}

function listIn(value: Json | undefined): readonly Json[] {

    return Array.isArray(value) ? value as readonly Json[] : [];
}

/** The part of a schema that a local reference names. */
function resolved(schema: Json | undefined, root: JsonMap): JsonMap {

    let current = objectIn(schema);
    for (let step = 0; step < MAX_DEPTH && typeof current['$ref'] === 'string' && current['$ref'].startsWith('#/'); ++step) {
        const names = current['$ref'].slice(2).split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
        const { $ref, ...own } = current;
        current = { ...names.reduce<JsonMap>((each, name) => objectIn(Object.hasOwn(each, name) ? each[name] : undefined), root), ...own };
    }

    return current;
}

/** The fields of a type in the order of its schema. `keyword` is the extension keyword. */
export function fieldsOf(schema: JsonMap | null, keyword: string): readonly Field[] {

    const found: Field[] = [];
    const root = schema ?? {};
    let visited = 0;
    const visit = (part: JsonMap, path: readonly string[], title: string): void => {

        visited += 1;
        if (path.length > MAX_DEPTH || found.length >= MAX_FIELDS || visited > MAX_PARTS) {
            return;
        }

        const items = resolved(part['items'], root);
        const parts = [part, ...listIn(part['allOf']).map((each) => resolved(each, root))];
        const properties = parts.flatMap((each) => Object.entries(objectIn(each['properties'])));
        const extension = objectIn(part[keyword]);
        const { isPrimary, showInPreview, excludeTitle } = objectIn(extension['preview']);
        if (path.length > 0 && path.at(-1) !== '_' && (properties.length === 0 || showInPreview === true)) {
            const isList = Object.keys(items).length > 0;
            const kindOf = isList ? kindOfSchema(items, keyword) : kindOfSchema(part, keyword);
            const whole = isList && kindOf !== 'object' ? [...path, '_'] : path;
            found.push({
                path: whole, name: nameOf(whole), label: title, kind: kindOf, choices: choices(isList ? items : part, keyword),
                isPrimary: isPrimary === true, isPreview: showInPreview === true, hidesLabel: excludeTitle === true,
                ...kindOf === 'reference' ? { reference: objectIn(objectIn(objectIn((isList ? items : part)[keyword])['type'])['handleReference']) } : {}
            });
        }

        properties.forEach(([name, each]) => {

            const inner = resolved(each, root);
            visit(inner, [...path, name], typeof inner['title'] === 'string' && inner['title'] !== '' ? inner['title'] : titleOfName(name));
        });
        if (Object.keys(objectIn(items['properties'])).length > 0) {
            visit(items, [...path, '_'], title);
        }
    };

    visit(resolved(root, root), [], '');
    return found;
}

function choices(schema: JsonMap, keyword: string): readonly Json[] {

    const suggested = objectIn(objectIn(schema[keyword])['type'])['suggestedVocabulary'];
    return [...listIn(schema['enum']), ...listIn(suggested)].filter((each) => typeof each === 'string' || isNumber(each));
}

function kindOfSchema(schema: JsonMap, keyword: string): FieldKind {

    const { type, format, enum: values, maxLength } = schema;
    const extension = objectIn(schema[keyword]);
    const types = Array.isArray(type) ? type : [type];
    if (extension['secureProperty'] === true || format === 'password') {
        return 'secret';
    }

    if ('handleReference' in objectIn(extension['type'])) {
        return 'reference';
    }

    if (Array.isArray(values) || 'suggestedVocabulary' in objectIn(extension['type'])) {
        return 'choice';
    }

    if (types.includes('object') || types.includes('array')) {
        return 'object';
    }

    if (types.includes('boolean')) {
        return 'boolean';
    }

    if (types.includes('integer') || types.includes('number')) {
        return 'number';
    }

    return format === 'date' ? 'date' : format === 'date-time' ? 'time' :
        format === 'textarea' || isNumber(maxLength) && Number(maxLength) > MAX_FACET_LENGTH ? 'long' : 'text';
}

/** The name of a field: a JSON pointer. */
export function nameOf(path: readonly string[]): string {

    return path.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Properties that name an object where its type does not say which one does. */
const TITLES = ['name', 'title', 'label', 'fullName', 'username', 'term', 'heading'];

/** What is asked for before the types are known. */
export const GUESSED_POINTERS: readonly string[] = TITLES.slice(0, 5).map((name) => `/content/${name}`);

/** What is shown of an object of a type. */
export interface Preview {
    readonly title: Field | null;
    readonly fields: readonly Field[];
}

/** Number of properties that are shown where a type does not say which. */
const GUESSED_FIELDS = 3;

const SHORT: ReadonlySet<FieldKind> = new Set(['choice', 'boolean', 'reference', 'date', 'time', 'number', 'text']);

/** What is shown of objects of a type: what it declares, else its first short properties. */
export function previewOf(fields: readonly Field[]): Preview {

    const title = fields.find(({ isPrimary, kind }) => isPrimary && kind !== 'object') ??
        TITLES.map((wanted) => fields.find(({ path, kind }) => path.length === 1 && path[0] === wanted && kind !== 'object')).find((each) => each !== undefined) ?? null;
    const declared = fields.filter((field) => field.isPreview && field.kind !== 'secret');
    const shown = declared.length > 0 ? declared :
        fields.filter(({ path, kind }) => path.filter((each) => each !== '_').length === 1 && SHORT.has(kind) && path[0] !== 'id').slice(0, GUESSED_FIELDS + 1);
    return { title, fields: shown.filter((field) => field !== title).slice(0, declared.length > 0 ? undefined : GUESSED_FIELDS) };
}

/** Pointers of what a preview needs, in the full form of objects. */
export function pointersOf({ title, fields }: Preview): string[] {

    const all = [...title ? [title] : [], ...fields].map(({ path }) => nameOf(['content', ...path.includes('_') ? path.slice(0, path.indexOf('_')) : path]));
    return [...new Set(all)];
}

/** The values of a content at a path. */
export function valuesAt(content: Json | undefined, path: readonly string[]): readonly Json[] {

    return path.reduce<readonly Json[]>((values, name) => values.flatMap((value) => {

        if (name === '_' && Array.isArray(value)) {
            return value as readonly Json[];
        }

        const found = isJsonMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
        return found === undefined ? [] : [found];
    }), content === undefined ? [] : [content]);
}

/** What names an object: its title, or null. */
export function titleOf(content: Json | undefined, { title }: Preview): string | null {

    const paths = [...title ? [title.path] : [], ...TITLES.map((name) => [name])];
    for (const path of paths) {
        const [value] = valuesAt(content, path);
        if (typeof value === 'string' && value.trim() !== '' || isNumber(value)) {
            return String(value);
        }
    }

    return null;
}

const FACETS: ReadonlySet<FieldKind> = new Set(['choice', 'boolean', 'reference', 'text']);
const RANGES: ReadonlySet<FieldKind> = new Set(['date', 'time', 'number']);
const FACET_ORDER: readonly FieldKind[] = ['choice', 'boolean', 'reference', 'text'];
const MAX_FACETS = 10;
const MAX_RANGES = 6;

/** Fields whose values are counted: choices first, then others that are short. */
export function facetFields(fields: readonly Field[]): readonly Field[] {

    const { title } = previewOf(fields);
    return fields.filter((field) => FACETS.has(field.kind) && field !== title && field.name !== '/id')
        .sort((one, other) => FACET_ORDER.indexOf(one.kind) - FACET_ORDER.indexOf(other.kind)).slice(0, MAX_FACETS);
}

/** Fields that can be limited to a range. */
export function rangeFields(fields: readonly Field[]): readonly Field[] {

    return fields.filter(({ kind }) => RANGES.has(kind)).slice(0, MAX_RANGES);
}

/** Fields by which results can be sorted. */
export function sortableFields(fields: readonly Field[]): readonly Field[] {

    return fields.filter(({ kind, path }) => kind !== 'object' && kind !== 'secret' && !path.includes('_'));
}

/** Texts with more letters tell people nothing in a list of values. */
const MAX_VALUE_LETTERS = 60;
/** Facets with fewer values are short enough to be shown whatever they count. */
const FEW_VALUES = 5;
/** Share of values that one object alone has, from which a field is nearly unique. */
const UNIQUE_SHARE = 0.75;
/** Of a list of values that is not complete, the first ones have to cover this share of the results. */
const LEAST_COVER = 0.2;
const FIRST_VALUES = 6;

/**
 * True for values that divide the results. One that all have divides nothing, and neither do free texts nor values that nearly every object has for
 * itself, such as descriptions and versions. `maxBuckets` is how many were asked for.
 */
export function isUsefulFacet(
    kind: FieldKind | undefined, buckets: readonly { readonly value: string; readonly count: number }[], size: number, maxBuckets: number
): boolean {

    const [first] = buckets;
    if (first === undefined || buckets.length === 1) {
        return first !== undefined && first.count < size;
    }

    if (kind === 'choice' || kind === 'boolean') {
        return true;
    }

    const alone = buckets.filter(({ count }) => count === 1).length;
    const isLong = buckets.length > FEW_VALUES;
    if (alone === buckets.length ? isLong || size > buckets.length : isLong && alone / buckets.length >= UNIQUE_SHARE) {
        return false;
    }

    const covered = buckets.slice(0, FIRST_VALUES).reduce((sum, { count }) => sum + count, 0);
    return kind !== 'text' ||
        buckets.every(({ value }) => value.length <= MAX_VALUE_LETTERS) && (buckets.length < maxBuckets || covered >= size * LEAST_COVER);
}
