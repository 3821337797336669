/** Names of types in a file of TypeScript, made from texts of any kind. */

/** Names that the file uses for others. */
const TAKEN = ['Operations', 'Types', 'JsonValue', 'JsonObject', 'Segment', 'AsyncIterable'];

const MAX_LENGTH = 80;

/** Gives each type a name of its own. */
export class TypeNames {

    readonly #used = new Set(TAKEN);
    /** The last number after each name. */
    readonly #numbers = new Map<string, number>();

    /** Returns a name like a text, with a number if others are like it as well. Letters other than A to Z are left out. */
    nameFor(text: string): string {

        const words = text.split(/[^A-Za-z0-9]+/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
        const joined = words.join('').slice(0, MAX_LENGTH);
        const base = /^[A-Z]/.test(joined) ? joined : `Type${joined}`;
        let number = this.#numbers.get(base) ?? 1;
        let name = number === 1 ? base : `${base}${number}`;
        while (this.#used.has(name)) {
            number += 1;
            name = `${base}${number}`;
        }

        this.#numbers.set(base, number);
        this.#used.add(name);
        return name;
    }
}
