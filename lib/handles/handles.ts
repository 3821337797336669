/**
 * Composition of the handle modules: records, resolution, registration and the update job.
 */

import type { Database } from '../../db/database.js';
import type { RecordSources } from './handle-records.js';
import type { HandleUpdateParts } from './handle-update-job.js';
import type { WriteParticipant } from '../model/write-participant.js';
import type { DeliveryPace } from './outbox-worker.js';
import type { HandleServerOptions } from './handle-server-client.js';
import { HandleOutboxStore } from '../stores/handle-outbox-store.js';
import { HandleRecords } from './handle-records.js';
import { HandleRegistration } from './handle-registration.js';
import { HandleServer } from './handle-server-client.js';
import { HandleUpdate, checkRecords } from './handle-update-job.js';
import { parseIdentity } from './handle-value.js';
import { HandleResolver } from './handle-resolver.js';

/** Configuration of handles. */
export interface HandleOptions {
    /** Base URL of a user interface, to which `#objects/<id>` is appended; null if there is none. */
    readonly uiBase: string | null;
    /** The handle server with which handles are registered; null or absent for none. */
    readonly server?: HandleServerOptions | null;
    /** Timing of the registration; for tests. */
    readonly pace?: DeliveryPace;
}

/** Dependencies of the handle modules. */
export interface HandleParts extends Omit<HandleUpdateParts, 'updater'>, Omit<RecordSources, 'uiBase' | 'adminIdentity'> {
    readonly db: Database;
    readonly options: HandleOptions;
}

/** The composed handle modules. */
export interface Handles {
    readonly records: HandleRecords;
    readonly resolver: HandleResolver;
    readonly update: HandleUpdate;
    /** Write participant that puts changed handles into the outbox; null without a handle server. */
    readonly participant: WriteParticipant | null;
    /** Handles to be registered; null without a handle server. */
    readonly outbox: Pick<HandleOutboxStore, 'counts'> | null;
    close(): void;
}

/** Composes the modules and registers their jobs. */
export function composeHandles(parts: HandleParts): Handles {

    const { catalog, policy, resolution, options, ownBase, serviceInfo, hook, jobs, db, log } = parts;
    const { uiBase } = options;
    const adminIdentity = parseIdentity(options.server?.identity ?? '');
    const records = new HandleRecords({ catalog, policy, resolution, uiBase, ownBase, serviceInfo, hook, adminIdentity });
    const server = options.server ? new HandleServer(options.server) : null;
    const outbox = server && new HandleOutboxStore(db);
    const registration = server && outbox && new HandleRegistration({ ...parts, records, server, outbox, pace: options.pace ?? {} });
    const update = new HandleUpdate({ ...parts, updater: registration ?? checkRecords({ ...parts, records }) });
    for (const { kind } of registration ? [registration, update] : [update]) {
        jobs.register(kind);
    }

    return {
        records, update, outbox,
        resolver: new HandleResolver({ records, policy, resolution, uiBase, log }),
        participant: registration,
        close: () => server?.close()
    };
}
