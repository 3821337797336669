/**
 * What a session of the search index is given, and what it finds.
 */

import type { WriteThrottle } from './write-throttle.js';
import type { ChangeLogTailer } from './change-log-tailer.js';
import type { LogOrderer } from './change-log-sequencer.js';
import type { Log } from '../../../db/log.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';
import type { SearchSegmentStore } from '../../stores/search/segment-store.js';
import type { IndexSource } from '../mapping/document-source.js';

export interface SessionParts {
    readonly options: Required<LocalSearchOptions>;
    readonly follower: ChangeLogTailer;
    readonly orderer: LogOrderer;
    readonly backlog: WriteThrottle;
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

export interface LocalSearchOptions extends SearchLimits {
    readonly log: SearchLogStore;
    readonly segments: SearchSegmentStore;
    readonly source: IndexSource;
    readonly logger: Log;
    /** True when other nodes write to the same database. */
    readonly hasOthers: boolean;
    /** Called when the index begins or ceases to answer everything. */
    readonly onState?: (state: 'UP' | 'FAILED') => void;
    /** Changed documents after which the index is stored; default 5000. */
    readonly storeAfter?: number;
    /** How long a search waits for an index that is being opened or built, in milliseconds; default 5000. */
    readonly waitMs?: number;
    /** Milliseconds after which other nodes are told again that this one is there; default an hour. */
    readonly aliveEvery?: number;
}
