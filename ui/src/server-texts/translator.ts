/** Makes the translation of what the service says from the table of a language. */

import { filled, type Text } from '../i18n/index.js';
import { SENTENCES, WORDS } from './sentences.js';

/** A table: texts by the sentences that they translate, with the same names in braces. */
export interface ServerTexts {
    /** Between the last two of several. */
    readonly or: string;
    /** Translations of {@link WORDS}. */
    readonly words: Readonly<Record<string, string>>;
    readonly sentences: Readonly<Record<keyof typeof SENTENCES, Text>>;
}

/** Longer messages are those of type code. */
const MAX_LENGTH = 5000;

/** Sentences inside of each other. */
const MAX_DEPTH = 5;

/** Returns a function that translates a message. One that is not known stays as it is. */
export function translator({ or, words, sentences }: ServerTexts): (message: string) => string {

    const everyWord = new RegExp(WORDS, 'g');
    const inWords = (text: string): string => text.replace(everyWord, (word) => words[word] ?? word).replaceAll(' or ', or);
    const translate = (message: string, depth: number): string => {

        if (message.length > MAX_LENGTH || depth > MAX_DEPTH) {
            return message;
        }

        for (const [key, pattern] of Object.entries(SENTENCES)) {
            const groups = pattern.exec(message)?.groups;
            if (groups ?? pattern.test(message)) {
                return filled(sentences[key as keyof typeof SENTENCES], Object.fromEntries(Object.entries(groups ?? {}).map(([name, part]) =>
                    [name, name === 'rest' ? translate(part, depth + 1) : name === 'words' || name === 'found' ? inWords(part) : part])));
            }
        }

        return message;
    };

    return (message) => translate(message, 0);
}
