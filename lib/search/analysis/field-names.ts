/**
 * Names of fields, in queries and in the index. One field of a query may stand for several of the index, because terms of texts, of
 * numbers and of payloads are indexed separately: ranges compare numbers as numbers, and terms of payloads are searched only for
 * callers with access to payloads.
 */


/** Prefixes of field names in the index; no name of a property, payload or special field starts with one. */
const NUMBER_MARK = '\u0001';
const PAYLOAD_MARK = '\u0000';

/** Properties that are null: found by the word `null`, and otherwise without a value. */
const NULL_MARK = '\u0003';

/** Field for texts that have none of their own, because the object has too many. */
export const REST_FIELD = '\u0002';

/** The default field: all texts of an object. The index has only its norms, in which payloads do not count. */
export const ALL_FIELD = 'internal.all';

/** Prefix of a field that stands for whole values; used by the filters that facets return. */
export const VALUE_PREFIX = 'facet_';

/** Fields indexed as whole values, in lower case. */
const KEYWORD_FIELDS: ReadonlySet<string> = new Set([
    'id', 'type', 'createdBy', 'modifiedBy', 'username', 'users', 'schemaName', 'versionOf', 'isVersion', 'javaScriptModuleName',
    'internal.pointsAt', 'aclRead', 'aclWrite', 'payloadIndexState', 'payload_indexing_exception'
]);

/** Short names of numeric metadata. */
const NUMBER_FIELDS: ReadonlyMap<string, FieldTarget> = new Map<string, FieldTarget>([
    ['objcreated', { kind: 'number', column: 'metadata/createdOn', form: 'timestamp' }],
    ['objmodified', { kind: 'number', column: 'metadata/modifiedOn', form: 'timestamp' }],
    ['dtindexed', { kind: 'number', column: 'dtindexed', form: 'timestamp' }],
    ['txnId', { kind: 'number', column: 'metadata/txnId', form: 'decimal' }]
]);

/** Fields whose doc values are stored once, under the name of the metadata. */
const COLUMN_ALIASES: ReadonlyMap<string, string> = new Map([
    ['createdBy', 'metadata/createdBy'],
    ['modifiedBy', 'metadata/modifiedBy'],
    ['versionOf', 'metadata/versionOf'],
    ['isVersion', 'metadata/isVersion'],
    ['objcreated', 'metadata/createdOn'],
    ['objmodified', 'metadata/modifiedOn'],
    ['txnId', 'metadata/txnId']
]);

/** Fields with the size of a payload, see {@link payloadPropertyFields}; names of payloads may have line breaks. */
const SIZE_FIELD = /^elatt_.*_internal\.size$/s;

/** Field names of older clients. */
const LEGACY_NAMES: ReadonlyMap<string, string> = new Map([
    ['objatt_type', 'type'],
    ['objatt_aclRead', 'aclRead'],
    ['objatt_createdBy', 'metadata/createdBy'],
    ['objatt_modifiedBy', 'metadata/modifiedBy'],
    ['objatt_isVersion', 'metadata/isVersion'],
    ['objatt_versionOf', 'metadata/versionOf'],
    ['objatt_publishedBy', 'metadata/publishedBy'],
    ['objatt_publishedOn', 'metadata/publishedOn'],
    ['objatt_txnId', 'metadata/txnId'],
    ['objatt_internal.created', 'metadata/createdOn'],
    ['objatt_internal.modified', 'metadata/modifiedOn'],
    ['objatt_hashes', 'metadata/hashes/full']
]);

/** Returns the index field for the terms of a property's numbers. */
export function numberField(name: string): string {

    return NUMBER_MARK + name;
}

/** Returns the index field for a property that is null. */
export function nullField(name: string): string {

    return NULL_MARK + name;
}

/** Returns whether an index field is one of {@link nullField}. */
export function isNullField(field: string): boolean {

    return field.startsWith(NULL_MARK);
}

/** Returns whether an index field is one of {@link numberField}. */
export function isNumberField(field: string): boolean {

    return field.startsWith(NUMBER_MARK);
}

/** Returns the index field for the terms of a payload. */
export function payloadField(payload: string): string {

    return PAYLOAD_MARK + withoutIndices(payload);
}

/** Returns whether an index field is one of {@link payloadField}. */
export function isPayloadField(field: string): boolean {

    return field.startsWith(PAYLOAD_MARK);
}

/** Upper bound of the names of payload fields, and lower bound of all others. */
export const AFTER_PAYLOAD_FIELDS = NUMBER_MARK;

/** Returns the field that tells that an object has a payload. */
export function payloadNameField(payload: string): string {

    return `elname_${payload}`;
}

/**
 * Returns the fields of a property of a payload, `elatt_<payload>_<property>`: one with the name as it is, and where it has `%` or `_`, one in which
 * these are escaped.
 */
export function payloadPropertyFields(payload: string, property: 'filename' | 'mimetype' | 'internal.size'): readonly string[] {

    const escaped = payload.replaceAll('%', '%25').replaceAll('_', '%5F');
    return (escaped === payload ? [payload] : [payload, escaped]).map((name) => `elatt_${name}_${property}`);
}

/** Resolves a field of a query; null is the default field. Every name is a field: an unknown one has no terms. */
export function resolveField(fieldName: string | null): FieldTarget {

    if (fieldName === null || fieldName === ALL_FIELD || fieldName === '*') {
        return { kind: 'any' };
    }

    if (fieldName.startsWith(VALUE_PREFIX)) {
        return { kind: 'value', column: resolveColumn(fieldName.slice(VALUE_PREFIX.length)) };
    }

    const name = LEGACY_NAMES.get(fieldName) ?? fieldName;
    if (name === 'valid') {
        return { kind: 'constant', word: 'true' };
    }

    const number = NUMBER_FIELDS.get(name);
    if (number) {
        return number;
    }

    return isKeyword(name) ? { kind: 'keyword', field: name } :
        { kind: 'text', fields: [name, numberField(name), payloadField(name), nullField(name)], column: name };
}

/** Returns what ranges of a field compare: sizes of payloads are numbers. */
export function rangeTarget(target: FieldTarget): FieldTarget {

    return target.kind === 'keyword' && SIZE_FIELD.test(target.field) ? { kind: 'number', column: target.field, form: 'decimal' } : target;
}

/** Returns the column (doc values) of a sort field or facet. */
export function resolveColumn(fieldName: string): string {

    const name = LEGACY_NAMES.get(fieldName) ?? fieldName;
    return COLUMN_ALIASES.get(name) ?? name;
}

/** Returns whether the doc values of a field are stored under another name. */
export function isColumnAlias(name: string): boolean {

    return COLUMN_ALIASES.has(name);
}

/** Returns whether a type may index values under an additional name: a field of words whose name the service does not use. */
export function isFreeName(name: string): boolean {

    return name !== '' && name.length <= MAX_NAME_LENGTH &&
        !/^(?:metadata\/|userMetadata\/|objatt_|[\0-\u0003])/.test(name) && resolveField(name).kind === 'text';
}

const MAX_NAME_LENGTH = 255;

function isKeyword(name: string): boolean {

    return KEYWORD_FIELDS.has(name) || name.startsWith('acl/') || name.startsWith('elname_') ||
        name.startsWith('elatt_') && !name.endsWith('_filename');
}

/** Replaces array indices in a JSON pointer by `_`. */
function withoutIndices(name: string): string {

    return name.startsWith('/') ? name.replaceAll(/\/(?:0|[1-9][0-9]*)(?=\/|$)/g, '/_') : name;
}

/** Index fields that a field of a query stands for; see {@link resolveField}. */
export type FieldTarget =
    /** All texts of an object. */
    | { readonly kind: 'any' }
    /** Words of some index fields. */
    | { readonly kind: 'text'; readonly fields: readonly string[]; /** Doc values for comparing as numbers and times. */ readonly column: string }
    /** Whole values, in lower case. */
    | { readonly kind: 'keyword'; readonly field: string }
    /** Numbers, written as text in some form. */
    | { readonly kind: 'number'; readonly column: string; readonly form: NumberForm }
    /** Whole values with case, for filters returned by facets. */
    | { readonly kind: 'value'; readonly column: string }
    /** The same word in every object. */
    | { readonly kind: 'constant'; readonly word: string };

/** `timestamp` is `yyyyMMddHHmmssSSS` in UTC. */
export type NumberForm = 'decimal' | 'timestamp';
