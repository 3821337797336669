/**
 * Converts Python's notation of lists and dictionaries, which published clients send in query parameters, to JSON. A single pass without
 * backtracking, as the text is untrusted.
 */

const BACKSLASH = 0x5c;
const SINGLE = 0x27;
const DOUBLE = 0x22;
const LOWER_X = 0x78;

/** The keywords that JSON spells differently. */
const WORD = /\b(?:True|False|None)\b/y;

/** The first characters of keywords. */
const [T, F, N] = [0x54, 0x46, 0x4e];

const WORDS: ReadonlyMap<string, string> = new Map([['True', 'true'], ['False', 'false'], ['None', 'null']]);

/** Converts Python notation to JSON; null for an unterminated string. */
export function jsonFromPython(text: string): string | null {

    let json = '';
    let copied = 0;
    for (let i = 0; i < text.length; ++i) {
        const code = text.charCodeAt(i);
        if (code === SINGLE || code === DOUBLE) {
            const end = stringEnd(text, i + 1, code);
            if (end === -1) {
                return null;
            }

            if (code === SINGLE) {
                json += `${text.slice(copied, i)}"${inDoubleQuotes(text.slice(i + 1, end - 1))}"`;
                copied = end;
            }

            i = end - 1;
        }
        else if (code === T || code === F || code === N) {
            const word = wordAt(text, i);
            if (word !== '') {
                json += `${text.slice(copied, i)}${WORDS.get(word)}`;
                copied = i + word.length;
                i = copied - 1;
            }
        }
    }

    return json + text.slice(copied);
}

function wordAt(text: string, start: number): string {

    WORD.lastIndex = start;
    return WORD.exec(text)?.[0] ?? '';
}

/** Index after the closing quote; -1 without one. */
function stringEnd(text: string, start: number, quote: number): number {

    for (let i = start; i < text.length; ++i) {
        const code = text.charCodeAt(i);
        if (code === quote) {
            return i + 1;
        }

        i += code === BACKSLASH ? 1 : 0;
    }

    return -1;
}

/** Returns the content of a string in single quotes as JSON has it. */
function inDoubleQuotes(inner: string): string {

    let result = '';
    let copied = 0;
    for (let i = 0; i < inner.length; ++i) {
        const code = inner.charCodeAt(i);
        if (code === DOUBLE) {
            result += `${inner.slice(copied, i)}\\`;
            copied = i;
        }
        else if (code === BACKSLASH) {
            const next = inner.charCodeAt(i + 1);
            if (next === SINGLE) {
                result += inner.slice(copied, i);
                copied = i + 1;
            }
            else if (next === LOWER_X && isHex(inner.charCodeAt(i + 2)) && isHex(inner.charCodeAt(i + 3))) {
                result += `${inner.slice(copied, i)}\\u00`;
                copied = i + 2;
            }

            ++i;
        }
    }

    return result + inner.slice(copied);
}

function isHex(code: number): boolean {

    return code >= 0x30 && code <= 0x39 || (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66;
}
