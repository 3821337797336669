/**
 * Text analysis: word segmentation after Unicode UAX 29, then a pipeline of stages. There are no stop words, no stemming and no
 * folding of accents; objects and queries are analysed alike.
 *
 * Tokens and pipeline are lunr's. Its tokenizer and trimmer are not used, because they damage text that is not English.
 */

import lunr from 'lunr';

/** A term and its position among the words of the text. */
export interface AnalysedWord {
    readonly term: string;
    /** 0-based. */
    readonly position: number;
}

/** Maximum length of a word, in UTF-16 units; longer ones are split. */
const MAX_WORD_LENGTH = 255;

const LETTER = String.raw`[\p{Alphabetic}--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]]`;
const KATAKANA = String.raw`[\p{Script=Katakana}\u30fc]`;
const DIGIT = String.raw`\p{Nd}`;
/** Marks and format characters belong to the character before them. */
const MARK = String.raw`\p{M}\p{Cf}`;
const JOINER = String.raw`\p{Pc}`;
const BETWEEN_LETTERS = String.raw`[:.'\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a]`;
const BETWEEN_DIGITS = String.raw`[,;.'\u037e\u0589\u060c\u060d\u066c\u07f8\u2018\u2019\u2024\u2044\ufe10\ufe14\ufe50\ufe52\ufe54\uff07\uff0c\uff0e\uff1b]`;
const INSIDE = `[${LETTER}${DIGIT}${MARK}${JOINER}]`;

// MARK can match at several places of the expression, but a run of letters never fails after its first one, so nothing backtracks.
// eslint-disable-next-line regexp/no-super-linear-backtracking, regexp/no-super-linear-move
const WORD = new RegExp([
    String.raw`[\p{Script=Han}\p{Script=Hiragana}][${MARK}]*`,
    `(?:${KATAKANA}[${MARK}]*)+`,
    // Emoji, with modifiers and joined ones.
    String.raw`\p{RI}{2}|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)(?:[${MARK}\p{Emoji_Modifier}]|(?<=\u200d)\p{Extended_Pictographic})*`,
    // The lookbehind tries a run of joiners once, from its start, not from each of its characters.
    `(?<!${JOINER})${JOINER}*[${LETTER}${DIGIT}]${INSIDE}*(?:(?:(?<=${LETTER}[${MARK}]*)${BETWEEN_LETTERS}(?=${LETTER})|` +
        `(?<=${DIGIT}[${MARK}]*)${BETWEEN_DIGITS}(?=${DIGIT}))${INSIDE}+)*`
].join('|'), 'gv');

/** A character at which no word continues, and behind which segmentation does not depend on the text before. */
const BREAK = new RegExp(
    String.raw`[\p{Script=Han}\p{Script=Hiragana}]|[^${LETTER}${KATAKANA}${DIGIT}${MARK}${JOINER}${BETWEEN_LETTERS}${BETWEEN_DIGITS}]`, 'gv'
);

/** Approximate length of the chunks in which longer texts are analysed, in UTF-16 units. */
const CHUNK_LENGTH = 64 * 1024;

/** Maximum length given to the regular expression, which fails on some millions of letters without a break; in UTF-16 units. */
const MAX_RUN_LENGTH = 512 * 1024;

const PIPELINE_STAGES: Readonly<Record<string, lunr.PipelineFunction>> = {
    'doip-gateway:lower-case': (token) => token.update((word) => word.toLowerCase())
};

const pipeline = new lunr.Pipeline();
for (const [name, stage] of Object.entries(PIPELINE_STAGES)) {
    lunr.Pipeline.registerFunction(stage, name);
    pipeline.add(stage);
}

/** Cache of terms by word, since most words recur; cleared when full. */
const termCache = new Map<string, string>();
const MAX_CACHED_WORDS = 20_000;

/** Maximum length of a cached word: V8 makes longer matches slices, which keep the whole text in memory. */
const MAX_CACHED_LENGTH = 12;

/** Returns the words of a text, in order. */
export function analyse(text: string): AnalysedWord[] {

    const words: AnalysedWord[] = [];
    let position = 0;
    for (const chunk of text.length <= MAX_RUN_LENGTH ? [text] : chunksOf(text)) {
        const found = chunk.match(WORD) ?? [];
        found.forEach((word) => {

            for (let rest = word; rest !== ''; ++position) {
                const part = cutAt(rest, MAX_WORD_LENGTH);
                rest = rest.slice(part.length);
                words.push({ term: termOf(part), position });
            }
        });
    }

    return words;
}

/** Splits a long text into pieces that have the same words. Of an overlong run without a break only the first word is kept. */
function *chunksOf(text: string): Generator<string, void, undefined> {

    for (let start = 0; start < text.length;) {
        BREAK.lastIndex = start + CHUNK_LENGTH;
        const end = BREAK.exec(text)?.index ?? text.length;
        if (end - start <= MAX_RUN_LENGTH) {
            yield text.slice(start, end);
        }
        else {
            const run = start + runAtEnd(text.slice(start, start + CHUNK_LENGTH));
            yield text.slice(start, run);
            yield text.slice(run, run + MAX_WORD_LENGTH);
        }

        start = end;
    }
}

/** Returns the start of the run with which a piece ends. */
function runAtEnd(chunk: string): number {

    let run = 0;
    for (const { index, 0: found } of chunk.matchAll(BREAK)) {
        run = index + found.length;
    }

    return run;
}

/** Returns the term for a word: what the pipeline makes of it. */
function termOf(word: string): string {

    let term = termCache.get(word);
    if (term === undefined) {
        term = pipeline.runString(word)[0] ?? word;
        if (word.length <= MAX_CACHED_LENGTH) {
            if (termCache.size >= MAX_CACHED_WORDS) {
                termCache.clear();
            }

            termCache.set(word, term);
        }
    }

    return term;
}

/** Returns a whole value as one term. */
export function keywordOf(value: string): string {

    return cutAt(value, MAX_VALUE_LENGTH).toLowerCase();
}

/** Gap between the positions of two texts in the same field, so that no phrase matches across them. */
export const TEXT_GAP = 10_000;

/** Length to which whole values are cut for sorting, facets and lookups, in UTF-16 units. */
export const MAX_VALUE_LENGTH = 1024;

/** Cuts a text to a length in UTF-16 units, leaving no half of a surrogate pair at the end. */
export function cutAt(text: string, length: number): string {

    if (text.length <= length) {
        return text;
    }

    const last = text.charCodeAt(length - 1);
    return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Compares texts for sorting: first without case, then by UTF-16 units. */
export function compareText(a: string, b: string): number {

    const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()];
    if (lowerA !== lowerB) {
        return lowerA < lowerB ? -1 : 1;
    }

    return a < b ? -1 : Number(a > b);
}
