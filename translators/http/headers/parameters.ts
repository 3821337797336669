/**
 * Parser for header values of the form `value; name=token; name="quoted text"`, as in Content-Type and Content-Disposition. Lenient with
 * the errors of existing clients; linear in the length of the header.
 */

/** A parsed header value; names in lower case, values without quotes and escapes. */
export interface ParameterisedValue {
    /** The value before the first semicolon, in lower case. */
    readonly value: string;
    readonly parameters: ReadonlyMap<string, string>;
}

/** Parses a header value. The first of repeated parameters is used; invalid ones are skipped. */
export function parseParameterised(text: string): ParameterisedValue {

    const semicolon = nextSemicolon(text, 0);
    const value = text.slice(0, semicolon).trim().toLowerCase();
    const parameters = new Map<string, string>();
    // Adjacent quantifiers never match the same character, which avoids backtracking.
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

/** Quotes text for a header: printable ASCII only, with quotes and backslashes escaped. */
export function quote(text: string): string {

    return `"${text.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&')}"`;
}

/** Unescapes quoted text. Only `\"` and `\\` are escapes, since some browsers send unescaped Windows paths. */
function unescapeQuoted(text: string): string {

    return text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text;
}

function nextSemicolon(text: string, start: number): number {

    const index = text.indexOf(';', start);
    return index < 0 ? text.length : index;
}
