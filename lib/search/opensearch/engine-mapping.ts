/** Settings and mapping of an index. The number of fields is constant: see encoding.ts. */

import { FACET_FIELDS } from './encoding.js';
import { FORMAT, longField, TERM_FIELDS, TOP_COLUMNS, WORD_FIELDS } from './engine-document.js';

/** Gap between two texts of a field, more than any slop. */
const TEXT_GAP = 10_000;

/** Maximum number of columns of an object that are sorted by; the engine refuses documents with more. */
const MAX_NESTED = 1_000_000;

/** Terms that are looked up. */
const TERM = { type: 'keyword', doc_values: false } as const;
/** Values that are sorted by or counted. */
const VALUE = { type: 'keyword', index: false } as const;
const COUNTED = { type: 'keyword' } as const;
const WORDS = { type: 'text', analyzer: 'whitespace', position_increment_gap: TEXT_GAP } as const;

/** Returns the body of the request that makes an index. */
export function indexBody(shards: number): object {

    return {
        settings: {
            index: {
                number_of_shards: shards, auto_expand_replicas: '0-1', refresh_interval: '1s', gc_deletes: '1h',
                mapping: { nested_objects: { limit: MAX_NESTED } }
            }
        },
        mappings: {
            dynamic: 'strict', _source: { enabled: false }, _meta: { format: FORMAT, shards },
            properties: {
                id: COUNTED, type: TERM, createdBy: TERM,
                ...fieldsOf(WORD_FIELDS, WORDS),
                ...fieldsOf(WORD_FIELDS.map(longField), TERM),
                ...fieldsOf(TERM_FIELDS, TERM),
                top: { properties: fieldsOf([...TOP_COLUMNS.values()].map((name) => name.slice('top.'.length)), VALUE) },
                facet: { properties: fieldsOf(Array.from({ length: FACET_FIELDS }, (_, i) => `f${i}`), COUNTED) },
                sort: { type: 'nested', properties: { c: TERM, k: VALUE } }
            }
        }
    };
}

function fieldsOf(names: readonly string[], field: object): Record<string, object> {

    return Object.fromEntries(names.map((name) => [name, field]));
}
