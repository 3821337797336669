/**
 * Options of the search index, and the state in which it finds the stored index.
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
    readonly tailer: ChangeLogTailer;
    readonly orderer: LogOrderer;
    readonly throttle: WriteThrottle;
}

/** State of the stored index: none that is usable, one made by older rules, or one that only lacks the newest changes. */
export type StoredState = 'none' | 'outdated' | 'stored';

/** Limits of searches. */
export interface SearchLimits {
    /** Timeout of a search, in milliseconds; default 10 s. */
    readonly timeout?: number;
    /** Budget of the cache for stored segments and what is computed from them, in bytes; default 384 MiB. */
    readonly memory?: number;
}

export interface LocalSearchOptions extends SearchLimits {
    readonly log: SearchLogStore;
    readonly segments: SearchSegmentStore;
    readonly source: IndexSource;
    readonly logger: Log;
    /** True when other nodes write to the same database. */
    readonly isShared: boolean;
    /** Called when the index becomes able, or unable, to answer searches. */
    readonly onState?: (state: 'UP' | 'FAILED') => void;
    /** Called when the log shows that the database has lost commits. */
    readonly onWentBack?: () => void;
    /** Number of changed documents after which the index is stored; default 5000. */
    readonly storeAfter?: number;
    /** Maximum time that a search waits for an index that is being opened or built, in milliseconds; default 5000. */
    readonly waitMs?: number;
    /** Heartbeat interval, in milliseconds; default one hour. */
    readonly aliveEvery?: number;
    /** Unix socket where searches of worker processes arrive; absent or null without them. */
    readonly socketPath?: string | null;
}
