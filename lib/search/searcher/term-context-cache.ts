/**
 * What searches for words looked up, for those who look for other words in the same fields.
 */

import type { LruCache } from '../../util/cache/lru-cache.js';
import type { CallerScope } from '../matching/visible-docs.js';
import { resolveTermContexts } from './term-contexts.js';
import type { TermContexts, TermTarget } from './term-contexts.js';
import type { LiveSegment } from './live-segment.js';

/** Callers and fields. */
const MAX_ENTRIES = 200;

export class TermContextCache {

    readonly #memory: LruCache;
    readonly #known = new Map<string, TermContexts>();
    #segments: readonly LiveSegment[] = [];
    /** What {@link LruCache.removals} was. */
    #removals = 0;

    /** @param memory of the segments: what is let go of there is not held here */
    constructor(memory: LruCache) {

        this.#memory = memory;
    }

    get(leaf: TermTarget, segments: readonly LiveSegment[], caller: CallerScope): TermContexts {

        this.#renew(segments);
        const key = placesKey(leaf, caller);
        const known = this.#known.get(key);
        if (known) {
            return known;
        }

        const places = resolveTermContexts(leaf, segments, caller);
        if (this.#known.size === MAX_ENTRIES) {
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
export function placesKey({ target }: TermTarget, { key, includeVersions }: Pick<CallerScope, 'key' | 'includeVersions'>): string {

    return `${includeVersions} ${JSON.stringify(target)} ${key}`;
}
