/**
 * Random choices that can be repeated: the same seed gives the same choices.
 */

/** A source of choices. */
export interface Random {
    /** 0 inclusive to 1 exclusive. */
    next(): number;
    /** Both ends inclusive. */
    integer(min: number, max: number): number;
    chance(probability: number): boolean;
    pick<T>(items: readonly T[]): T;
    /** The bytes with so many random changes: replaced, removed, repeated, swapped or cut off. */
    mutate(bytes: Buffer, changes: number): Buffer;
}

/** Mulberry32. */
export function seeded(seed: number): Random {

    let state = seed >>> 0;
    const next = (): number => {

        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ state >>> 15, state | 1);
        mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
        return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
    };

    const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
    return {
        next, integer,
        chance: (probability) => next() < probability,
        pick: <T>(items: readonly T[]): T => items[integer(0, items.length - 1)] as T,
        mutate(bytes, changes) {

            let changed = bytes;
            for (let i = 0; i < changes; ++i) {
                changed = mutateOnce(changed, integer);
            }

            return changed;
        }
    };
}

function mutateOnce(bytes: Buffer, integer: (min: number, max: number) => number): Buffer {

    const at = integer(0, Math.max(0, bytes.length - 1));
    const length = integer(1, 8);
    const [head, middle, tail] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
    switch (integer(0, 5)) {
        case 0:
            return Buffer.concat([head, tail]);
        case 1:
            return Buffer.concat([head, middle, middle, tail]);
        case 2:
            return Buffer.concat([head, Buffer.from([integer(0, 255)]), bytes.subarray(at + 1)]);
        case 3:
            return Buffer.concat([tail, middle, head]);
        case 4:
            return Buffer.concat([head, Buffer.from('{}[]",:\\\0-/%&='.charAt(integer(0, 14))), bytes.subarray(at)]);
        default:
            return head;
    }
}
