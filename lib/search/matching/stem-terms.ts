/**
 * Terms of a dictionary that match a word: the word itself, or in the dictionary of stems its stem in each language of the segment.
 */

import type { TextLanguage } from '../../model/text-language.js';
import { TEXT_LANGUAGES } from '../../model/text-language.js';
import { stemOf, stemTerm } from '../analysis/stemmer.js';
import type { TermQuery } from '../query/query.js';
import { encodeText } from '../segment/byte-buffers.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Returns the numbers of these terms. */
export function termsOf(space: TermDictionary, { term, includesStems = false }: Pick<TermQuery, 'term' | 'includesStems'>): number[] {

    if (space.name !== 'stem') {
        return found(space, term);
    }

    return includesStems ? languagesIn(space).flatMap((language) => {

        const stem = stemOf(term, language);
        return stem === null ? [] : found(space, stemTerm(stem, language));
    }) : [];
}

function found(space: TermDictionary, term: string): number[] {

    const number = space.find(term);
    return number === -1 ? [] : [number];
}

const languageCache = new WeakMap<TermDictionary, readonly TextLanguage[]>();

/** Returns the languages of the stems in a dictionary. */
function languagesIn(space: TermDictionary): readonly TextLanguage[] {

    return getOrAdd(languageCache, space, () => TEXT_LANGUAGES.filter((language) => {

        const first = space.lowerBound(encodeText(stemTerm('', language)));
        return first < space.termCount && space.termText(first).startsWith(stemTerm('', language));
    }));
}
