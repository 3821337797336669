/**
 * Header values of the form `value; name=token; name="quoted text"`, as Content-Type and Content-Disposition have them.
 * Lenient where real clients are sloppy, linear in the length of the header.
 */

/** A header value taken apart; names in lower case, values as written (quotes and escapes removed). */
export interface ParameterisedValue {
    /** What stands before the first semicolon, in lower case. */
    readonly value: string;
    readonly parameters: ReadonlyMap<string, string>;
}

/** Takes a header apart. Of a repeated parameter the first one counts; what cannot be read is skipped. */
export function parseParameterised(text: string): ParameterisedValue {

    const semicolon = nextSemicolon(text, 0);
    const value = text.slice(0, semicolon).trim().toLowerCase();
    const parameters = new Map<string, string>();
    // No two neighbours match the same character, or a long header could make this slow
    const pattern = /;[ \t]*([^\s;="]+)[ \t]*=(?:[ \t]*"((?:[^"\\]|\\[^])*)"[ \t]*|([^;"]*))(?=;|$)/y;
    pattern.lastIndex = semicolon;
    while (pattern.lastIndex < text.length) {
        const start = pattern.lastIndex;
        const match = pattern.exec(text);
        if (!match) {
            pattern.lastIndex = nextSemicolon(text, start + 1);
            continue;
        }

        const name = (match[1] ?? '').toLowerCase();
        if (!parameters.has(name)) {
            parameters.set(name, match[2] === undefined ? (match[3] ?? '').trim() : unescapeQuoted(match[2]));
        }
    }

    return { value, parameters };
}

/** Quoted text for a header: printable ASCII only, quotes and backslashes escaped. */
export function quote(text: string): string {

    return `"${text.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&')}"`;
}

/** Removes the escapes of quoted text. Only `\"` and `\\` count: some browsers send bare Windows paths. */
function unescapeQuoted(text: string): string {

    return text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text;
}

function nextSemicolon(text: string, start: number): number {

    const index = text.indexOf(';', start);
    return index < 0 ? text.length : index;
}
