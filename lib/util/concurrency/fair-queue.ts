/**
 * Fair queue: FIFO for each key, round-robin between keys, so that many items of one key delay those of the others by one item.
 */

import { LRUCache } from 'lru-cache';

/** Items of one key. */
interface KeyItems<T> {
    readonly key: string;
    /** Number of its last turn. */
    turn: number;
    readonly items: T[];
}

/** Maximum number of keys whose last turn is remembered. */
const MAX_ENTRIES = 1000;

export class FairQueue<T> {

    readonly #byKey = new Map<string, KeyItems<T>>();
    /** The same entries in the order in which their keys are served. */
    readonly #order: KeyItems<T>[] = [];
    /** Last turns, also of keys without items; null in round-robin order. */
    readonly #lastTurns: LRUCache<string, number> | null;
    #turn = 0;
    #size = 0;

    /** @param newcomersFirst inserts a new key by its last turn, instead of behind all others */
    constructor(newcomersFirst: boolean) {

        this.#lastTurns = newcomersFirst ? new LRUCache({ max: MAX_ENTRIES }) : null;
    }

    get size(): number {

        return this.#size;
    }

    sizeOf(key: string): number {

        return this.#byKey.get(key)?.items.length ?? 0;
    }

    /** Returns the ready key whose turn it is. */
    next(isReady: (key: string) => boolean = () => true): string | undefined {

        return this.#order.find(({ key }) => isReady(key))?.key;
    }

    /** Returns the first item of a key. */
    peek(key: string): T | undefined {

        return this.#byKey.get(key)?.items[0];
    }

    /** Returns all items in the order in which they are served: the first of each key, then the second. */
    inTurns(): T[] {

        const items: T[] = [];
        let left = this.#order.map((entry) => entry.items);
        for (let nth = 0; left.length > 0; ++nth) {
            items.push(...left.map((own) => own[nth] as T));
            left = left.filter((own) => own.length > nth + 1);
        }

        return items;
    }

    /** Returns the key with the most items. */
    longest(): string | undefined {

        return this.#order.reduce<KeyItems<T> | undefined>((one, other) => (other.items.length > (one?.items.length ?? 0) ? other : one), undefined)?.key;
    }

    push(key: string, item: T): void {

        const entry = this.#byKey.get(key) ?? this.#newKey(key);
        entry.items.push(item);
        ++this.#size;
    }

    /** Moves a key behind all others, since it had its turn. */
    recordTurn(key: string): void {

        const turn = ++this.#turn;
        this.#lastTurns?.set(key, turn);
        const entry = this.#byKey.get(key);
        if (entry) {
            entry.turn = turn;
            this.#order.splice(this.#order.indexOf(entry), 1);
            this.#order.push(entry);
        }
    }

    /** Removes the first item of a key. */
    shift(key: string): T | undefined {

        return this.#takeAt(key, 0);
    }

    /** Removes the last item of a key. */
    pop(key: string): T | undefined {

        return this.#takeAt(key, this.sizeOf(key) - 1);
    }

    /** Removes an item from any position. */
    remove(key: string, item: T): void {

        this.#takeAt(key, this.#byKey.get(key)?.items.indexOf(item) ?? -1);
    }

    #newKey(key: string): KeyItems<T> {

        const entry = { key, turn: this.#lastTurns ? this.#lastTurns.peek(key) ?? 0 : ++this.#turn, items: [] };
        this.#byKey.set(key, entry);
        this.#order.splice(this.#order.findLastIndex(({ turn }) => turn <= entry.turn) + 1, 0, entry);
        return entry;
    }

    #takeAt(key: string, index: number): T | undefined {

        const entry = this.#byKey.get(key);
        if (!entry || index < 0) {
            return undefined;
        }

        const [item] = index === 0 ? [entry.items.shift()] : entry.items.splice(index, 1);
        --this.#size;
        if (entry.items.length === 0) {
            this.#byKey.delete(key);
            this.#order.splice(this.#order.indexOf(entry), 1);
        }

        return item;
    }
}
