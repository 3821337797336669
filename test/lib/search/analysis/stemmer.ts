/** Stems of words, by language. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import lunr from 'lunr';
import { stemOf, stemTerm } from '../../../../lib/search/analysis/stemmer.js';
import { TEXT_LANGUAGES } from '../../../../lib/model/text-language.js';
import type { TextLanguage } from '../../../../lib/model/text-language.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Forms of a word that have the same stem. */
const SAME: readonly (readonly [language: TextLanguage, forms: readonly string[]])[] = [
    ['en', ['house', 'houses', 'housing', 'house\'s', 'house’s']], ['en', ['poverty']], ['en', ['connect', 'connected', 'connection', 'connections']],
    ['de', ['haus', 'häuser', 'hauses', 'häusern', 'ha\u0308user', 'häu\u00adser']], ['de', ['straße', 'strasse', 'straßen']], ['de', ['buch', 'bücher']],
    ['fr', ['cheval', 'chevaux']], ['fr', ['maison', 'maisons']], ['fr', ['homme', 'hommes', 'l\'homme', 'l’homme', 'd\'hommes']], ['fr', ['jusqu\'homme', 'qu\'homme']],
    ['es', ['niño', 'niños', 'niñas', 'nin\u0303o']], ['es', ['casa', 'casas']],
    ['da', ['huse', 'husene', 'huset']], ['fi', ['talo', 'talossa', 'taloissa']], ['hu', ['ház', 'házak', 'házban']], ['it', ['ragazzo', 'ragazzi', 'ragazza']],
    ['it', ['amico', 'l\'amico', 'dell’amico']], ['nl', ['boek', 'boeken']], ['no', ['hus', 'huset', 'husene']], ['pt', ['casa', 'casas']], ['ro', ['casa', 'casele']],
    ['ru', ['книга', 'книги', 'книгами']], ['sv', ['flicka', 'flickor', 'flickorna']], ['tr', ['ev', 'evler', 'evlerde']]
];

const STOP_WORDS: readonly (readonly [language: TextLanguage, words: readonly string[]])[] = [
    ['en', ['the', 'and', 'of']], ['de', ['die', 'und', 'der']], ['fr', ['les', 'et', 'des', 'qu\'il']], ['es', ['los', 'y', 'de']]
];

describe('the stemmer', () => {

    for (const [language, forms] of SAME) {
        it(`finds one stem for ${forms.join(', ')} in ${language}`, () => {

            const stems = new Set(forms.map((form) => stemOf(form, language)));
            expect(stems.size).to.equal(1);
            expect([...stems][0]).to.be.a.string();
        });
    }

    for (const [language, words] of STOP_WORDS) {
        it(`has no stem for the stop words ${words.join(', ')} in ${language}`, () => {

            expect(words.map((word) => stemOf(word, language))).to.equal(words.map(() => null));
        });
    }

    it('has no stem for numbers, emoji and words of more than 64 letters', () => {

        for (const language of TEXT_LANGUAGES) {
            expect(['2004', '20.5', '😀', '-', 'x'.repeat(65)].map((word) => stemOf(word, language)), language).to.equal([null, null, null, null, null]);
            expect(stemOf('x'.repeat(64), language), language).to.be.a.string();
        }
    });

    it('accepts names of built-in properties as words', () => {

        for (const word of ['constructor', '__proto__', 'tostring', 'hasownproperty']) {
            expect(stemOf(word, 'de'), word).to.be.a.string();
            expect(stemOf(word, 'en'), word).to.be.a.string();
        }
    });

    it('separates the stems of languages', () => {

        expect(stemTerm('haus', 'de')).to.equal('de\0haus');
        expect(stemTerm('haus', 'nl')).not.to.equal(stemTerm('haus', 'de'));
    });

    it('does not change the shared lunr', () => {

        TEXT_LANGUAGES.forEach((language) => stemOf('word', language));

        expect(Object.keys(lunr).filter((name) => (TEXT_LANGUAGES as readonly string[]).includes(name))).to.equal([]);
        expect(Object.keys(lunr).filter((name) => name.endsWith('Support'))).to.equal([]);
    });

    it('takes less than a millisecond for any word', () => {

        for (const language of TEXT_LANGUAGES) {
            for (const syllable of ['a', 'iu', 'lar', 'es', 'ий', 'ssa', 'e\u0301']) {
                const stem = (i: number): string => syllable.repeat(64).slice(0, 64 - i % 40);
                const words = Array.from({ length: 64 }, (_, i) => (stem(i) + String.fromCharCode(97 + i % 26)).slice(0, 64));
                const time = processorTime();
                words.forEach((word) => stemOf(word, language));
                expect(time() / words.length, `${language} ${syllable}`).to.be.below(1);
            }
        }
    });
});
