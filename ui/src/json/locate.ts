/** Finds values in the text of JSON. */

import { parsePointer } from './pointer.js';

/** Where a value is, 0-based; `to` is exclusive. */
export interface Range {
    readonly from: number;
    readonly to: number;
}

/** A value on the way to one that is looked for. */
interface Wanted {
    readonly members: Map<string, Wanted>;
    /** Where it is, once it was found. */
    range: Range | null;
}

const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+)/y;

/**
 * Returns where the values of JSON pointers are, in their order: of one that does not exist the innermost value on the way to it. The text is read
 * once, and must be valid JSON.
 */
export function locate(text: string, pointers: readonly string[]): readonly Range[] {

    const root: Wanted = { members: new Map(), range: null };
    const chains = pointers.map((pointer) => {

        const chain = [root];
        for (const name of parsePointer(pointer)) {
            const { members } = chain.at(-1) ?? root;
            const member = members.get(name) ?? { members: new Map(), range: null };
            members.set(name, member);
            chain.push(member);
        }

        return chain;
    });
    new Scanner(text).read(root);
    return chains.map((chain) => chain.findLast(({ range }) => range !== null)?.range ?? { from: 0, to: Math.min(1, text.length) });
}

class Scanner {

    readonly #text: string;
    #at = 0;

    constructor(text: string) {

        this.#text = text;
    }

    /** Reads a value, and notes the places of what is wanted of it. */
    read(wanted: Wanted | undefined): void {

        const { token, from } = this.#next();
        const isArray = token === '[';
        const isNested = isArray || token === '{';
        if (wanted) {
            // Of an object or array the bracket alone: a message about it should not mark all of it.
            wanted.range = { from, to: from + (isNested ? 1 : token.length) };
        }

        for (let index = 0; isNested; ++index) {
            const before = this.#at;
            const first = this.#next().token;
            if (first === '}' || first === ']' || first === '') {
                return;
            }

            if (first === ',') {
                --index;
                continue;
            }

            if (isArray) {
                this.#at = before;
            }
            else {
                this.#next();
            }

            this.read(wanted?.members.get(isArray ? String(index) : nameOf(first)));
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
