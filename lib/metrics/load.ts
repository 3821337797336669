/** What metrics read of a gateway. */

import type { DatabaseUsage } from '../../db/database.js';
import type { SubsystemState } from '../health/startup-state.js';
import type { IdentityLoad } from '../identity/identity.js';
import type { JobLoad } from '../jobs/job-worker.js';
import type { TextLoad } from '../payloads/text-extractor.js';
import type { ScriptLoad } from '../scripting/pool/script-pool.js';
import type { SearcherUsage } from '../search/runtime/protocol.js';
import type { SearchLoad } from '../search/runtime/search-index.js';
import type { PayloadStoreLoad } from '../stores/s3/open-s3-store.js';
import type { CacheUsage } from '../util/cache/cache-usage.js';

/** Counters of the components, which cost nothing to read. */
export interface GatewayLoad {
    readonly database: DatabaseUsage;
    readonly search: SearchLoad;
    readonly scripts: ScriptLoad;
    readonly texts: TextLoad;
    readonly jobs: readonly JobLoad[];
    readonly identity: IdentityLoad;
    /** The cache of objects. */
    readonly objects: CacheUsage;
    /** The bucket with payloads; null without one. */
    readonly payloadStore: PayloadStoreLoad | null;
    readonly slow: SlowReadings;
}

/** Figures that the database or another thread has to be asked for. */
export interface SlowReadings {
    databaseBytes(): Promise<number>;
    index(): Promise<SearcherUsage>;
    /** Jobs of all nodes. */
    jobs(): Promise<{ readonly due: number; readonly failed: number }>;
    /** Handles to be registered; null without a handle server. */
    outbox(): Promise<{ readonly entries: number; readonly failed: number } | null>;
}

/** The state of a gateway at one moment. */
export interface GatewayState {
    readonly isUp: boolean;
    readonly subsystems: ReadonlyMap<string, SubsystemState>;
    /** Null while the gateway is not started. */
    readonly load: GatewayLoad | null;
}
