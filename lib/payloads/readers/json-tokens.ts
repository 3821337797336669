/** Reads JSON without a value of the whole, which takes many times the memory of the text. */

import { closingQuote } from '../../json/scanner.js';

/** What may come next. */
type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'separator';

/** White space between tokens. */
const BLANKS = /[ \t\n\r]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Returns the names and values of a JSON text one by one: strings without their quotes, and others as they are written, which is told by the second.
 * The nesting is not limited.
 *
 * @throws SyntaxError as soon as the text is no JSON
 */
export function *jsonTokens(text: string): Generator<readonly [token: string, isString: boolean], void, undefined> {

    const open = new Nesting();
    let expected: Expected = 'value';
    for (let i = endOf(BLANKS, text, 0); i < text.length; i = endOf(BLANKS, text, i)) {
        const character = text.charAt(i);
        let end = i + 1;
        if (character === '"') {
            end = closingQuote(text, i) + 1;
            yield [JSON.parse(text.slice(i, end)) as string, true];
            expected = isName(expected) ? 'colon' : afterValue(expected);
        }
        else if (',:[]{}'.includes(character)) {
            expected = afterSign(character, expected, open);
        }
        else {
            end = endOf(LITERAL, text, i);
            check(end > i);
            yield [text.slice(i, end), false];
            expected = afterValue(expected);
        }

        i = end;
    }

    if (expected !== 'separator' || open.depth > 0) {
        throw new SyntaxError('the JSON text has no end');
    }
}

function isName(expected: Expected): boolean {

    return expected === 'name' || expected === 'name or end';
}

function afterValue(expected: Expected): Expected {

    check(expected === 'value' || expected === 'value or end');
    return 'separator';
}

function afterSign(sign: string, expected: Expected, open: Nesting): Expected {

    switch (sign) {
        case '[':
        case '{':
            afterValue(expected);
            open.push(sign === '[');
            return sign === '[' ? 'value or end' : 'name or end';
        case ']':
        case '}':
            check(open.depth > 0 && open.isArray === (sign === ']') && (expected === 'separator' || expected === (sign === ']' ? 'value or end' : 'name or end')));
            open.pop();
            return 'separator';
        case ',':
            check(expected === 'separator' && open.depth > 0);
            return open.isArray ? 'value' : 'name';
        default:
            check(expected === 'colon');
            return 'value';
    }
}

function check(isJson: boolean): void {

    if (!isJson) {
        throw new SyntaxError('the text is no JSON');
    }
}

/** Returns the end of what matches at a place, which may be nothing. */
function endOf(pattern: RegExp, text: string, start: number): number {

    pattern.lastIndex = start;
    return start + (pattern.exec(text)?.[0].length ?? 0);
}

/** The arrays and objects around a place, from the outermost on. */
class Nesting {

    depth = 0;
    #arrays = new Uint8Array(1024);

    /** Whether the innermost one is an array. */
    get isArray(): boolean {

        return this.#arrays[this.depth - 1] === 1;
    }

    push(isArray: boolean): void {

        if (this.depth === this.#arrays.length) {
            const longer = new Uint8Array(this.depth * 2);
            longer.set(this.#arrays);
            this.#arrays = longer;
        }

        this.#arrays[this.depth++] = Number(isArray);
    }

    pop(): void {

        --this.depth;
    }
}
