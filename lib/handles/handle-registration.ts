/**
 * Keeps a handle server up to date by a transactional outbox: the unit that changes an object also puts its handle into the
 * outbox, and a background job sends the record as it is then. Writes never wait for the handle server.
 */

import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import type { JobKind, RunningJob } from '../jobs/job-kind.js';
import { changedObject, type ObjectChange, type WriteParticipant } from '../model/write-participant.js';
import type { HandleOutboxStore } from '../stores/handle-outbox-store.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';
import type { DeliveryPace } from './outbox-worker.js';
import type { HandleRecords } from './handle-records.js';
import type { HandleServer } from './handle-server-client.js';
import type { RecordUpdater } from './handle-update-job.js';
import { DESIGN_ID } from '../doip/ids.js';
import { HandleDelivery } from './outbox-worker.js';

/** Dependencies of the registration. */
export interface RegistrationParts {
    readonly records: HandleRecords;
    readonly objects: ObjectScan;
    readonly outbox: HandleOutboxStore;
    readonly server: HandleServer;
    /** Loads the current design and types. */
    readonly refresh: () => Promise<unknown>;
    readonly log: Log;
    readonly pace: DeliveryPace;
}

/** Number of handles of an update that are delivered concurrently. */
const BATCH = 200;
const MAX_UPDATE_ID = 2 ** 48 - 1;
/** Interval at which an update polls for the end of its deliveries, in ms: the first, and the maximum, as the handle server may be away for long. */
const POLL_MS = 20;
const MAX_POLL_MS = 500;
/** Each interval is longer by this factor, so that little of the time of a batch is lost. */
const POLL_GROWTH = 1.25;

/** Registers handles with a handle server. */
export class HandleRegistration implements WriteParticipant, RecordUpdater {

    readonly batch = BATCH;
    readonly kind: JobKind;
    readonly #parts: RegistrationParts;
    readonly #delivery: HandleDelivery;

    constructor(parts: RegistrationParts) {

        this.#parts = parts;
        this.#delivery = new HandleDelivery({ ...parts, notify: (handle, signal) => this.#sendRecord(handle, signal) });
        this.kind = { ...this.#delivery.kind, run: (job) => this.#run(job) };
    }

    steps(change: ObjectChange): readonly Step[] {

        const handle = this.#handleIn(change);
        return handle === null ? [] : [this.#parts.outbox.markStep(handle, this.#parts.outbox.now())];
    }

    committed(change: ObjectChange): void {

        if (this.#handleIn(change) !== null) {
            this.#delivery.wake();
        }
    }

    /** Puts handles into the outbox and waits until each is delivered or has failed. */
    async update(ids: readonly string[], signal: AbortSignal): Promise<number> {

        const { outbox, records } = this.#parts;
        if (!records.config.isActive || ids.length === 0) {
            return 0;
        }

        const updateId = randomInt(MAX_UPDATE_ID);
        await outbox.markFor(updateId, ids, outbox.now());
        this.#delivery.wake();
        for (let pause = POLL_MS; await outbox.isAwaited(updateId); pause = Math.min(MAX_POLL_MS, pause * POLL_GROWTH)) {
            await sleep(pause, undefined, { signal });
        }

        return await outbox.release(updateId);
    }

    /** Delivers the outbox. The record of the service comes first, since its address may have changed with the restart. */
    async #run(job: RunningJob): Promise<void> {

        const { outbox, records, refresh } = this.#parts;
        await refresh();
        await outbox.mark(records.serviceId, outbox.now());
        await this.#delivery.kind.run(job);
    }

    /** Returns the handle whose record may have changed; null if none has. The record of the service depends on the design alone. */
    #handleIn(change: ObjectChange): string | null {

        const { before, after } = change;
        const { records } = this.#parts;
        const { id } = changedObject(change);
        if (id === DESIGN_ID) {
            return records.serviceId;
        }

        const hasChanged = records.config.isActive && !(before && after && !records.differ(before, after));
        return hasChanged ? id : null;
    }

    /** Sends the record of a handle as it is now. */
    async #sendRecord(handle: string, signal: AbortSignal): Promise<void> {

        const { records, objects, server, refresh } = this.#parts;
        await refresh();
        if (!records.config.isActive) {
            return;
        }

        if (handle === records.serviceId) {
            await server.put(handle, records.ofService(), signal);
            return;
        }

        const [object] = await objects.byIds([handle]);
        await (object ? server.put(handle, await records.ofPublic(object), signal) : server.delete(handle, signal));
    }
}
