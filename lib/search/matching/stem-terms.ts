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
export function termsOf(dictionary: TermDictionary, { term, includesStems = false }: Pick<TermQuery, 'term' | 'includesStems'>): number[] {

    if (dictionary.name !== 'stem') {
        return found(dictionary, term);
    }

    return includesStems ? languagesIn(dictionary).flatMap((language) => {

        const stem = stemOf(term, language);
        return stem === null ? [] : found(dictionary, stemTerm(stem, language));
    }) : [];
}

function found(dictionary: TermDictionary, term: string): number[] {

    const number = dictionary.find(term);
    return number === -1 ? [] : [number];
}

const languageCache = new WeakMap<TermDictionary, readonly TextLanguage[]>();

/** Returns the languages of the stems in a dictionary. */
function languagesIn(dictionary: TermDictionary): readonly TextLanguage[] {

    return getOrAdd(languageCache, dictionary, () => TEXT_LANGUAGES.filter((language) => {

        const first = dictionary.lowerBound(encodeText(stemTerm('', language)));
        return first < dictionary.termCount && dictionary.termText(first).startsWith(stemTerm('', language));
    }));
}
