/**
 * Converts Python's notation of lists and dictionaries, which published clients send in query parameters, to JSON. A single pass without
 * backtracking, as the text is untrusted.
 */

const BACKSLASH = 0x5c;
const SINGLE = 0x27;
const DOUBLE = 0x22;
const LOWER_X = 0x78;

/** Quotes, and the keywords that JSON spells differently. */
const TOKEN = /['"]|\b(?:True|False|None)\b/g;

const WORDS: ReadonlyMap<string, string> = new Map([['True', 'true'], ['False', 'false'], ['None', 'null']]);

/** Converts Python notation to JSON; null for an unterminated string. */
export function jsonFromPython(text: string): string | null {

    const parts: string[] = [];
    let copied = 0;
    TOKEN.lastIndex = 0;
    for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
        const start = token.index;
        const quote = text.charCodeAt(start);
        const word = WORDS.get(token[0]);
        const end = word === undefined ? stringEnd(text, start + 1, quote) : start + token[0].length;
        if (end === -1) {
            return null;
        }

        if (quote !== DOUBLE) {
            parts.push(text.slice(copied, start), word ?? `"${inDoubleQuotes(text.slice(start + 1, end - 1))}"`);
            copied = end;
        }

        TOKEN.lastIndex = end;
    }

    return parts.join('') + text.slice(copied);
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
