/**
 * What searches for words looked up, for those who look for other words in the same fields.
 */

import type { Memory } from '../../util/cache/lru-cache.js';
import type { CallerView } from '../matching/visible-docs.js';
import { wordPlaces } from './term-contexts.js';
import type { WordPlaces, WordTarget } from './term-contexts.js';
import type { LiveSegment } from './live-segment.js';

/** Callers and fields. */
const MOST = 200;

export class KnownPlaces {

    readonly #memory: Memory;
    readonly #known = new Map<string, WordPlaces>();
    #segments: readonly LiveSegment[] = [];
    /** What {@link Memory.removals} was. */
    #removals = 0;

    /** @param memory of the segments: what is let go of there is not held here */
    constructor(memory: Memory) {

        this.#memory = memory;
    }

    get(leaf: WordTarget, segments: readonly LiveSegment[], caller: CallerView): WordPlaces {

        this.#renew(segments);
        const key = placesKey(leaf, caller);
        const known = this.#known.get(key);
        if (known) {
            return known;
        }

        const places = wordPlaces(leaf, segments, caller);
        if (this.#known.size === MOST) {
            this.forget();
        }

        // Making them may have taken the room of others.
        this.#renew(segments);
        this.#known.set(key, places);
        return places;
    }

    /** Lets go of everything; to be called when segments change. */
    forget(): void {

        this.#known.clear();
        this.#segments = [];
    }

    #renew(segments: readonly LiveSegment[]): void {

        const isSame = this.#removals === this.#memory.removals && segments.length === this.#segments.length &&
            segments.every(({ segment, dead }, i) => this.#segments[i]?.segment === segment && this.#segments[i].dead === dead);
        if (!isSame) {
            this.forget();
            this.#segments = segments;
            this.#removals = this.#memory.removals;
        }
    }
}

/** Names what searches for different words have in common. */
export function placesKey({ target }: WordTarget, { key, includeVersions }: Pick<CallerView, 'key' | 'includeVersions'>): string {

    return `${includeVersions} ${JSON.stringify(target)} ${key}`;
}
