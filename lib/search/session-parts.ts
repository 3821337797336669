/**
 * What a session of the search index is given, and what it finds.
 */

import type { Backlog } from './backlog.js';
import type { LogFollower } from './log-follower.js';
import type { LogOrderer } from './log-orderer.js';
import type { LocalSearchOptions } from './local-search-index.js';

export interface SessionParts {
    readonly options: Required<LocalSearchOptions>;
    readonly follower: LogFollower;
    readonly orderer: LogOrderer;
    readonly backlog: Backlog;
}

/** What there was of an index: nothing that can be used, one made by other rules, or one that needs nothing but the newest changes. */
export type StoredState = 'none' | 'outdated' | 'stored';

/** What searching may take. */
export interface SearchLimits {
    /** Milliseconds that a search may take; default 10 s. */
    readonly timeout?: number;
    /** Bytes of stored segments, and of what was computed of them, that are kept in memory; default 384 MiB. */
    readonly memory?: number;
}
