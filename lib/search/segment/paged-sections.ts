/**
 * Sections of a stored segment, loaded on demand. Those with random access are read in pages, which are kept in the LRU cache; a
 * range that spans pages is loaded in one piece.
 */

import type { LruCache, CacheRegion } from '../../util/cache/lru-cache.js';
import type { ByteReader, SectionSource } from './section-reader.js';

/** Loads bytes of a section of a stored segment into memory of its own; blocks until they are there. */
export type Fetch = (segment: number, section: string, start: number, end: number) => Uint8Array;

/** Bytes of a page of a stored section. */
export const PAGE_BYTES = 1024 * 1024;

const NOTHING = new Uint8Array(0);

export class PagedSections implements SectionSource {

    readonly resident = 0;
    readonly #name: number;
    readonly #sizes: ReadonlyMap<string, number>;
    readonly #fetch: Fetch;
    readonly #pages: CacheRegion;

    /**
     * @param sizes bytes of each section, by name
     */
    constructor(name: number, sizes: ReadonlyMap<string, number>, { fetch, memory }: { fetch: Fetch; memory: LruCache }) {

        this.#name = name;
        this.#sizes = sizes;
        this.#fetch = fetch;
        this.#pages = memory.region();
    }

    get total(): number {

        return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
    }

    has(name: string): boolean {

        return this.#sizes.has(name);
    }

    size(name: string): number {

        const size = this.#sizes.get(name);
        if (size === undefined) {
            throw new Error(`segment ${this.#name} lacks its section ${name}`);
        }

        return size;
    }

    slice(name: string, start: number, end: number): Uint8Array {

        return start >= end ? NOTHING : this.#fetch(this.#name, name, start, end);
    }

    reader(name: string): ByteReader {

        return new PagedReader(this.size(name), (start, end) => this.#pages.get(`${name} ${start} ${end}`, () => {

            return { value: this.slice(name, start, end), bytes: end - start };
        }));
    }

    release(): void {

        this.#pages.clear();
    }
}

class PagedReader implements ByteReader {

    bytes: Uint8Array = NOTHING;
    readonly #size: number;
    readonly #get: (start: number, end: number) => Uint8Array;
    /** Range of the section that is in {@link bytes}. */
    #start = 0;
    #end = 0;

    constructor(size: number, get: (start: number, end: number) => Uint8Array) {

        this.#size = size;
        this.#get = get;
    }

    open(start: number, end: number): number {

        const last = Math.min(end, this.#size);
        if (start < this.#start || last > this.#end) {
            const page = Math.floor(start / PAGE_BYTES) * PAGE_BYTES;
            const isWithin = last <= page + PAGE_BYTES;
            const [from, to] = isWithin ? [page, Math.min(page + PAGE_BYTES, this.#size)] : [start, last];
            // When this throws, the range that is open stays valid.
            this.bytes = this.#get(from, to);
            [this.#start, this.#end] = [from, to];
        }

        return start - this.#start;
    }

    offsetOf(start: number, length: number): number {

        return start >= this.#start && start + length <= this.#end ? start - this.#start : -1;
    }
}
