/**
 * Stemming: reduces the forms of a word in one language to a common stem, such as "hous" for "house" and "houses". Stop words have
 * no stem. Stemmers and stop words are those of lunr for English, else of lunr-languages, loaded when a language is first used.
 */

import { createRequire } from 'node:module';
import lunr from 'lunr';
import type { TextLanguage } from '../../model/text-language.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Maximum length of a word with a stem, in UTF-16 units: some stemmers take quadratic time. */
const MAX_STEMMED_LENGTH = 64;

/** Maximum length of a cached word: V8 makes longer matches slices, which keep the whole text in memory. */
const MAX_CACHED_LENGTH = 12;
const MAX_CACHED_WORDS = 20_000;

/** Elided articles and possessives, which the stemmers do not remove. */
const CLITICS: Partial<Record<TextLanguage, RegExp>> = {
    en: /'s$/,
    fr: /^(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'/,
    it: /^(?:[cdlmnstv]|(?:[ad]a|de|ne|su|co|a)ll|(?:da|de|ne|su|a)?gl|un|quest|quell)'/
};

/** A plugin of lunr-languages: adds its language to the given lunr. */
type Plugin = (host: object) => void;

/** Functions added by a plugin. */
interface LanguageFunctions {
    readonly stopWordFilter: lunr.PipelineFunction;
    readonly stemmer: lunr.PipelineFunction;
}

const load = createRequire(__filename);

const stemmers = new Map<TextLanguage, Stemmer>();

/** Returns the stem of a term; null for stop words, and for a term that is too long or has no letters. */
export function stemOf(term: string, language: TextLanguage): string | null {

    return getOrAdd(stemmers, language, () => new Stemmer(language)).stem(term);
}

/** Returns the index term of a stem. */
export function stemTerm(stem: string, language: TextLanguage): string {

    return `${language}\0${stem}`;
}

class Stemmer {

    readonly #pipeline = new lunr.Pipeline();
    readonly #clitic: RegExp | undefined;
    readonly #cache = new Map<string, string | null>();

    constructor(language: TextLanguage) {

        const { stopWordFilter, stemmer } = language === 'en' ? lunr : loadLanguage(language);
        this.#pipeline.add(stopWordFilter, stemmer);
        this.#clitic = CLITICS[language];
    }

    stem(term: string): string | null {

        if (term.length > MAX_STEMMED_LENGTH) {
            return null;
        }

        const cached = this.#cache.get(term);
        if (cached !== undefined) {
            return cached;
        }

        const stem = this.#stem(term);
        if (term.length <= MAX_CACHED_LENGTH) {
            if (this.#cache.size >= MAX_CACHED_WORDS) {
                this.#cache.clear();
            }

            this.#cache.set(term, stem);
        }

        return stem;
    }

    #stem(term: string): string | null {

        // Format characters, such as soft hyphens, confuse stemmers.
        const word = term.normalize('NFC').replaceAll(/\p{Cf}/gu, '').replaceAll('\u2019', '\'');
        const bare = this.#clitic ? word.replace(this.#clitic, '') : word;
        const [stem = ''] = /\p{L}/u.test(bare) ? this.#pipeline.runString(bare) : [];
        return stem === '' ? null : stem;
    }
}

/** Loads a language. Plugins modify the lunr that they are given, so they get an object with the few members that they need. */
function loadLanguage(language: TextLanguage): LanguageFunctions {

    const host: Record<string, unknown> = {
        Pipeline: { registerFunction: () => undefined },
        generateStopWordFilter: lunr.generateStopWordFilter
    };
    for (const file of ['stemmer.support', language]) {
        (load(`lunr-languages/lunr.${file}.js`) as Plugin)(host);
    }

    const { stopWordFilter, stemmer } = host[language] as LanguageFunctions;
    // Registered, because a pipeline warns about functions without a name.
    lunr.Pipeline.registerFunction(stopWordFilter, `doip-gateway:stop-words-${language}`);
    lunr.Pipeline.registerFunction(stemmer, `doip-gateway:stemmer-${language}`);
    return { stopWordFilter, stemmer };
}
