/**
 * An object taken apart into words, keywords and values, for the naive search.
 */

import { analyse, cutAt, keywordOf, MAX_VALUE_LENGTH } from '../../lib/search/analysis/analyzer.js';
import { describeFields } from '../../lib/search/mapping/field-mapper.js';
import type { TextLanguage } from '../../lib/model/text-language.js';
import type { IndexDocument } from '../../lib/search/mapping/index-document.js';

export type Value = string | number;

export interface Word {
    readonly term: string;
    readonly position: number;
    readonly language: TextLanguage | null;
}

/** One object, taken apart. */
export interface Parts {
    readonly document: IndexDocument;
    readonly words: Map<string, Word[]>;
    readonly keywords: Map<string, string[]>;
    readonly values: Map<string, Value[]>;
}

export function takeApart(document: IndexDocument, withPayloads: boolean): Parts {

    const parts: Parts = { document, words: new Map(), keywords: new Map(), values: new Map() };
    const add = <T>(map: Map<string, T[]>, field: string, ...values: T[]): void => {

        map.set(field, [...map.get(field) ?? [], ...values]);
    };

    const visible = withPayloads ? document : { ...document, elements: document.elements.map((element) => ({ ...element, text: null })) };
    describeFields(visible, {
        text(field, text, language) {

            const words = analyse(text);
            const start = (parts.words.get(field)?.at(-1)?.position ?? -20_000) + 20_000;
            add(parts.words, field, ...words.map(({ term, position }) => ({ term, position: start + position, language })));
        },
        keyword: (field, value) => add(parts.keywords, field, keywordOf(value)),
        value: (column, value) => add(parts.values, column, typeof value === 'number' ? value : cutAt(value, MAX_VALUE_LENGTH)),
        principal() {}
    });
    return parts;
}

export function valuesOf(parts: Parts, column: string): readonly Value[] {

    return parts.values.get(column) ?? [];
}
