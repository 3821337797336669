/** Finds values in the text of JSON. */

import type { Path } from '../../json/pointer.js';

/** Where a value is, 0-based; `to` is exclusive. */
export interface Range {
    readonly from: number;
    readonly to: number;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+)/y;

/** Returns where the value at a path is, or the innermost one on the way to it. The text must be valid JSON. */
export function locate(text: string, path: Path): Range {

    const scanner = new Scanner(text);
    return scanner.find(path) ?? { from: 0, to: Math.min(1, text.length) };
}

class Scanner {

    readonly #text: string;
    #at = 0;
    #found: Range | null = null;

    constructor(text: string) {

        this.#text = text;
    }

    find(path: Path): Range | null {

        this.#value(path);
        return this.#found;
    }

    /** Reads a value; with a path it is on the way to the one that is looked for. */
    #value(path: Path | null): void {

        const start = this.#next();
        const { from } = start;
        const [key, ...rest] = path ?? [];
        const isWanted = path !== null;
        if (start.token === '{' || start.token === '[') {
            const isArray = start.token === '[';
            if (isWanted) {
                // The bracket alone: a message about an object should not mark all of it.
                this.#found = { from, to: from + 1 };
            }

            for (let index = 0; ; ++index) {
                const before = this.#at;
                const first = this.#next();
                if (first.token === '}' || first.token === ']' || first.token === '') {
                    break;
                }

                if (first.token === ',') {
                    --index;
                    continue;
                }

                let name = String(index);
                if (isArray) {
                    this.#at = before;
                }
                else {
                    name = nameOf(first.token);
                    this.#next();
                }

                this.#value(isWanted && key === name ? rest : null);
            }
        }
        else if (isWanted) {
            this.#found = { from, to: from + start.token.length };
        }
    }

    #next(): { readonly token: string; readonly from: number } {

        TOKEN.lastIndex = this.#at;
        const [whole = '', token = ''] = TOKEN.exec(this.#text) ?? [];
        const from = this.#at + whole.length - token.length;
        this.#at += whole.length === 0 ? this.#text.length : whole.length;
        return { token, from };
    }
}

function nameOf(token: string): string {

    try {
        return String(JSON.parse(token));
    }
    catch {
        return token;
    }
}
