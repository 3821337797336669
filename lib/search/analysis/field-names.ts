/**
 * Names of fields: those that queries use, and those of the index. One field of a query may stand for several of the index,
 * because words of texts, of numbers and of payloads are kept apart: ranges compare numbers as numbers, and words of payloads are
 * only for those who may read payloads.
 */


/** Put before the name of a field of the index; no name of a property, payload or special field begins so. */
const NUMBER_MARK = '\u0001';
const PAYLOAD_MARK = '\u0000';

/** Properties that are null: they are found by that word, and have no value otherwise. */
const NULL_MARK = '\u0003';

/** Words of texts that have no field of their own, because an object has too many. */
export const REST_FIELD = '\u0002';

/** The default field: every text of an object. In the index it has only lengths, those of payloads left out. */
export const ALL_FIELD = 'internal.all';

/** Before the name of a field: its whole values. Used by filters that facets hand out. */
export const VALUE_PREFIX = 'facet_';

/** Whole values, in lower case. */
const KEYWORD_FIELDS: ReadonlySet<string> = new Set([
    'id', 'type', 'createdBy', 'modifiedBy', 'username', 'users', 'schemaName', 'versionOf', 'isVersion', 'javaScriptModuleName',
    'internal.pointsAt', 'aclRead', 'aclWrite', 'payloadIndexState', 'payload_indexing_exception'
]);

/** Numbers of metadata by their short names. */
const NUMBER_FIELDS: ReadonlyMap<string, FieldTarget> = new Map<string, FieldTarget>([
    ['objcreated', { kind: 'number', column: 'metadata/createdOn', form: 'timestamp' }],
    ['objmodified', { kind: 'number', column: 'metadata/modifiedOn', form: 'timestamp' }],
    ['dtindexed', { kind: 'number', column: 'dtindexed', form: 'timestamp' }],
    ['txnId', { kind: 'number', column: 'metadata/txnId', form: 'decimal' }]
]);

/** Values that are kept once, under the name of metadata. */
const COLUMN_ALIASES: ReadonlyMap<string, string> = new Map([
    ['createdBy', 'metadata/createdBy'],
    ['modifiedBy', 'metadata/modifiedBy'],
    ['versionOf', 'metadata/versionOf'],
    ['isVersion', 'metadata/isVersion'],
    ['objcreated', 'metadata/createdOn'],
    ['objmodified', 'metadata/modifiedOn'],
    ['txnId', 'metadata/txnId']
]);

/** Names of older clients, and what they are today. */
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

/** The field of the index with the words of a property's numbers. */
export function numberField(name: string): string {

    return NUMBER_MARK + name;
}

/** The field of the index that a property which is null has instead of one with its words. */
export function nullField(name: string): string {

    return NULL_MARK + name;
}

export function isNullField(field: string): boolean {

    return field.startsWith(NULL_MARK);
}

export function isNumberField(field: string): boolean {

    return field.startsWith(NUMBER_MARK);
}

/** The field of the index with the words of a payload. */
export function payloadField(payload: string): string {

    return PAYLOAD_MARK + withoutIndices(payload);
}

export function isPayloadField(field: string): boolean {

    return field.startsWith(PAYLOAD_MARK);
}

/** Not before any field of a payload, and before all others. */
export const AFTER_PAYLOAD_FIELDS = NUMBER_MARK;

/** The field that tells about a payload: `elname_<payload>`, `elatt_<payload>_<fact>`. */
export function payloadFactField(payload: string, fact: 'filename' | 'mimetype' | 'internal.size' | null): string {

    const name = payload.replaceAll('%', '%25').replaceAll('_', '%5F');
    return fact === null ? `elname_${name}` : `elatt_${name}_${fact}`;
}

/** What a field of a query stands for. Null is the default field. Any name is a field; an unknown one has no words. */
export function resolveField(given: string | null): FieldTarget {

    if (given === null || given === ALL_FIELD || given === '*') {
        return { kind: 'any' };
    }

    if (given.startsWith(VALUE_PREFIX)) {
        return { kind: 'value', column: resolveColumn(given.slice(VALUE_PREFIX.length)) };
    }

    const name = LEGACY_NAMES.get(given) ?? given;
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

/** The column that a sort field or facet stands for. */
export function resolveColumn(given: string): string {

    const name = LEGACY_NAMES.get(given) ?? given;
    return COLUMN_ALIASES.get(name) ?? name;
}

/** True when the values of a field have no column of their own. */
export function isColumnAlias(name: string): boolean {

    return COLUMN_ALIASES.has(name);
}

/**
 * True for a name under which a type may have values indexed as well: one that is not taken by the service, and that queries
 * take for a field of words.
 */
export function isFreeName(name: string): boolean {

    return name !== '' && name.length <= MAX_NAME_LENGTH && !/^(?:metadata\/|userMetadata\/|objatt_|[\0-\u0003])/.test(name) && resolveField(name).kind === 'text';
}

const MAX_NAME_LENGTH = 255;

function isKeyword(name: string): boolean {

    return KEYWORD_FIELDS.has(name) || name.startsWith('acl/') || name.startsWith('elname_') ||
        name.startsWith('elatt_') && !name.endsWith('_filename');
}

/** Array indices of a JSON pointer count as `_`. */
function withoutIndices(name: string): string {

    return name.startsWith('/') ? name.replaceAll(/\/(?:0|[1-9][0-9]*)(?=\/|$)/g, '/_') : name;
}

/** Which part of the index a field of a query stands for; see {@link resolveField}. */
export type FieldTarget =
    /** Every text of an object. */
    | { readonly kind: 'any' }
    /** Words of some fields of the index. */
    | { readonly kind: 'text'; readonly fields: readonly string[]; /** Where its values are compared as numbers and times. */ readonly column: string }
    /** Whole values, in lower case. */
    | { readonly kind: 'keyword'; readonly field: string }
    /** Numbers that are shown as text in some form. */
    | { readonly kind: 'number'; readonly column: string; readonly form: NumberForm }
    /** Whole values as they are, for filters made of facets. */
    | { readonly kind: 'value'; readonly column: string }
    /** The same word for every object. */
    | { readonly kind: 'constant'; readonly word: string };

/** `timestamp` is `yyyyMMddHHmmssSSS` in UTC. */
export type NumberForm = 'decimal' | 'timestamp';
