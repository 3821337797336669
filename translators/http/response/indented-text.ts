/** Indents JSON text without parsing it. */

const BACKSLASH = 0x5c;

/** What ends a stretch of text that stays as it is, besides strings. */
const STRUCTURE = /["{}[\],:]/g;

/**
 * Yields JSON text without blanks in the layout of `JSON.stringify(value, null, 2)`, in parts.
 *
 * @param text JSON without blanks between its tokens
 */
export function *indented(text: string): Generator<string> {

    const structure = new RegExp(STRUCTURE);
    let margin = '\n';
    for (let start = 0; start < text.length;) {
        structure.lastIndex = start;
        const found = structure.exec(text);
        if (!found) {
            yield text.slice(start);
            return;
        }

        const token = found[0];
        const before = text.slice(start, found.index);
        start = found.index + 1;
        if (token === '"') {
            start = stringEnd(text, start);
            yield before + text.slice(found.index, start);
        }
        else if (token === ':') {
            yield `${before}: `;
        }
        else if (token === ',') {
            yield `${before},${margin}`;
        }
        else if (token === '{' || token === '[') {
            const isEmpty = /[}\]]/.test(text.charAt(start));
            margin += isEmpty ? '' : '  ';
            yield isEmpty ? token + text.charAt(start++) : token + margin;
        }
        else {
            margin = margin.slice(0, -2);
            yield before + margin + token;
        }
    }
}

/** Returns the index after the closing quote of the string whose text starts at `start`. */
function stringEnd(text: string, start: number): number {

    for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
        let escapes = 0;
        while (text.charCodeAt(quote - 1 - escapes) === BACKSLASH) {
            ++escapes;
        }

        if (escapes % 2 === 0) {
            return quote + 1;
        }
    }

    return text.length;
}
