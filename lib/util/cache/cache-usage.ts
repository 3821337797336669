/** Counters of a cache. */
export interface CacheUsage {
    /** Lookups that found a current entry. */
    readonly hits: number;
    readonly misses: number;
    readonly entries: number;
    /** Estimated size; absent for a cache that is limited by its number of entries. */
    readonly bytes?: number;
}
