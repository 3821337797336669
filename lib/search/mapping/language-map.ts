/**
 * Languages of the texts in some content, by the place of a value. Lookups are skipped where the whole content has one language.
 */

import { childPointer } from '../../json/pointer.js';
import type { TextLanguage } from '../../model/text-language.js';
import type { LanguageMark } from './index-document.js';

/** The map as seen from one value. */
export class LanguageMap {

    /** No text has a language. */
    static readonly NONE = new LanguageMap(null, null, '');

    /** Language of the texts in the value, unless a nested value has its own. */
    readonly language: TextLanguage | null;
    /** Languages by JSON pointer; null when no value has its own. */
    readonly #marks: ReadonlyMap<string, TextLanguage | null> | null;
    readonly #pointer: string;

    private constructor(language: TextLanguage | null, marks: ReadonlyMap<string, TextLanguage | null> | null, pointer: string) {

        this.language = language;
        this.#marks = marks;
        this.#pointer = pointer;
    }

    /** Returns the map as seen from the whole content. The first of several marks of a place counts. */
    static of(marks: readonly LanguageMark[] = []): LanguageMap {

        if (marks.length === 0) {
            return LanguageMap.NONE;
        }

        const byPointer = new Map(marks.toReversed().map(({ pointer, language }) => [pointer, language]));
        const root = byPointer.get('') ?? null;
        return new LanguageMap(root, byPointer.size > Number(byPointer.has('')) ? byPointer : null, '');
    }

    /** Returns the map as seen from a member or an element of the value. */
    child(name: string | number): LanguageMap {

        if (!this.#marks) {
            return this;
        }

        const pointer = childPointer(this.#pointer, name);
        const own = this.#marks.get(pointer);
        return new LanguageMap(own === undefined ? this.language : own, this.#marks, pointer);
    }

    /** Returns the language of the texts in a value, by its JSON pointer. */
    at(pointer: string): TextLanguage | null {

        for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
            const own = this.#marks?.get(pointer.slice(0, end));
            if (own !== undefined) {
                return own;
            }
        }

        return this.language;
    }
}
