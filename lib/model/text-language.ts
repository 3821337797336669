/**
 * Languages in which texts can be analysed for searches: those that have a stemmer for words with blanks between them.
 */

export const TEXT_LANGUAGES = ['da', 'de', 'en', 'es', 'fi', 'fr', 'hu', 'it', 'nl', 'no', 'pt', 'ro', 'ru', 'sv', 'tr'] as const;

export type TextLanguage = typeof TEXT_LANGUAGES[number];

/** In place of a language, for a value whose words have no stems. */
export const NO_LANGUAGE = 'none';

/** The language with a name; null for {@link NO_LANGUAGE}, undefined for anything else. */
export function readTextLanguage(name: unknown): TextLanguage | null | undefined {

    return name === NO_LANGUAGE ? null : TEXT_LANGUAGES.find((language) => language === name);
}
