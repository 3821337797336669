/**
 * Languages of text analysis for searches: those with a stemmer that separate words by spaces.
 */

/** Codes (ISO 639-1) of the supported languages. */
export const TEXT_LANGUAGES = ['da', 'de', 'en', 'es', 'fi', 'fr', 'hu', 'it', 'nl', 'no', 'pt', 'ro', 'ru', 'sv', 'tr'] as const;

/** Code of a supported language. */
export type TextLanguage = typeof TEXT_LANGUAGES[number];

/** Value in place of a language: no stemming. */
export const NO_LANGUAGE = 'none';

/** Parses the name of a language; null for {@link NO_LANGUAGE}, undefined for anything else. */
export function readTextLanguage(name: unknown): TextLanguage | null | undefined {

    return name === NO_LANGUAGE ? null : TEXT_LANGUAGES.find((language) => language === name);
}
