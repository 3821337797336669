/** LRU caches whose memory grows with their entries. */

import { LRUCache } from 'lru-cache';

/** Returns an LRU cache for a number of entries. With the option `max`, LRUCache allocates memory for all of them at once, which takes time at a start. */
export function growingCache<K extends object | string | number, V extends object | string | number | true>(limit: number): LRUCache<K, V> {

    return new LRUCache<K, V>({ maxSize: limit, sizeCalculation: one });
}

function one(): number {

    return 1;
}
