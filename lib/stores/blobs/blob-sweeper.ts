/**
 * Garbage collector of blobs: removes uploads that were never linked, blobs without links, and bytes without a row, as a crash may
 * leave them. Works in small transactions and skips what this process uses.
 */

import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { statements } from '../../../db/statements.js';
import type { BlobStore } from './blob-store.js';
import type { BlobPins } from './blob-pins.js';
import type { ElementStore, ElementStores } from './element-store.js';
import { PayloadTextStore } from './payload-text-store.js';

/** Limits of a sweep. */
export interface SweepOptions {
    /** Milliseconds for which an unlinked blob is kept; longer than the longest download. */
    readonly grace: number;
    /** Milliseconds without a heartbeat after which a staged blob is removed; longer than several heartbeats. */
    readonly stagedTtl: number;
    /** Maximum number of blobs of each kind in one sweep. */
    readonly limit: number;
    /** Ends the sweep between two blobs. */
    readonly signal?: AbortSignal;
}

interface Candidate {
    readonly id: number;
    readonly store: string;
}

/** Number of stored ids that are looked up at once. */
const ORPHANS_PER_BATCH = 256;

/** Tag of a unit whose blob was linked, or had a heartbeat, meanwhile. */
const BLOB_IN_USE = 'blob:wanted';

/** Sweeps the blobs of a {@link BlobStore}. */
export class BlobSweeper {

    readonly #database: Database;
    readonly #stores: ElementStores;
    readonly #inUse: BlobStore['inUse'];
    readonly #log: Log;
    readonly #texts: PayloadTextStore;
    readonly #sql: ReturnType<typeof buildStatements>;
    /** Position of the search for orphans in each store; the next sweep resumes there. */
    readonly #searched = new Map<string, number>();

    constructor(database: Database, stores: ElementStores, { inUse }: BlobStore, log: Log) {

        this.#database = database;
        this.#stores = stores;
        this.#inUse = inUse;
        this.#log = log;
        this.#texts = new PayloadTextStore(database);
        this.#sql = buildStatements(database);
    }

    /** Sweeps once; `now` in epoch ms, by the clock of the {@link BlobStore}. An error of a store is logged, and does not affect the others. */
    async sweep(now: number, options: SweepOptions): Promise<{ staged: number; unlinked: number; orphans: number }> {

        const { staged, unlinked } = this.#sql;
        const result = {
            staged: await this.#purge(staged, now - options.stagedTtl, options),
            unlinked: await this.#purge(unlinked, now - options.grace, options),
            orphans: 0
        };
        for (const [name, store] of this.#stores.entries()) {
            result.orphans += await this.#attempt({ store: name }, () => this.#purgeOrphans(name, store, options)) ?? 0;
        }

        if (result.staged + result.unlinked + result.orphans > 0) {
            this.#log.info({ event: 'blob.swept', ...result }, 'blobs swept');
        }

        return result;
    }

    /** Removes blobs last used before the cutoff. The row is deleted first, after which the blob cannot be linked. */
    async #purge(sql: PurgeStatements, cutoff: number, { limit, signal }: SweepOptions): Promise<number> {

        const stores = [...this.#stores.entries()].map(([name]) => name);
        let purged = 0;
        for (const { id, store } of await sql.find.read<Candidate>({ cutoff, limit, stores })) {
            if (signal?.aborted) {
                break;
            }

            if (!sql.isWanted(this.#inUse, id)) {
                purged += await this.#attempt({ blobId: id }, () => this.#purgeBlob(sql, cutoff, { id, store })) ?? 0;
            }
        }

        return purged;
    }

    async #purgeBlob({ delete: statement, isWanted: isInUse }: PurgeStatements, cutoff: number, { id, store }: Candidate): Promise<number> {

        const result = await this.#database.commit({
            steps: [statement.step({ id, cutoff }, { expect: { rows: 1, otherwise: BLOB_IN_USE } }), this.#texts.removeStep(id)],
            essential: true
        });
        if (!result.ok) {
            return 0;
        }

        // Keeps the bytes for a reader that has started meanwhile; without their row they are found as orphans later.
        if (!isInUse(this.#inUse, id)) {
            await this.#stores.get(store).remove(id);
        }

        return 1;
    }

    /** Removes bytes without a row. Rows are written before bytes, and ids are listed before the rows are read, so none is missed. */
    async #purgeOrphans(name: string, store: ElementStore, { limit, signal }: SweepOptions): Promise<number> {

        let purged = 0;
        let visited = 0;
        while (visited < limit && !signal?.aborted) {
            const after = this.#searched.get(name) ?? 0;
            const ids = await store.list(after, ORPHANS_PER_BATCH);
            for (const id of await this.#unknown(ids)) {
                if (!this.#inUse.isPinned(id) && !this.#inUse.isRead(id)) {
                    await store.remove(id);
                    purged += 1;
                }
            }

            visited += ids.length;
            this.#searched.set(name, ids.length < ORPHANS_PER_BATCH ? 0 : ids.at(-1) ?? 0);
            if (ids.length < ORPHANS_PER_BATCH) {
                break;
            }
        }

        return purged;
    }

    /** Rows of any store count: while a blob is being moved, its bytes are in two. */
    async #unknown(ids: readonly number[]): Promise<number[]> {

        if (ids.length === 0) {
            return [];
        }

        const existing = new Set((await this.#sql.known.read<{ id: number }>({ ids })).map(({ id }) => id));
        return ids.filter((id) => !existing.has(id));
    }

    async #attempt<T>(fields: object, work: () => Promise<T>): Promise<T | undefined> {

        try {
            return await work();
        }
        catch (error) {
            this.#log.error({ event: 'blob.sweep-failed', err: error, ...fields }, 'blob sweep failed');
            return undefined;
        }
    }
}

type PurgeStatements = ReturnType<typeof buildStatements>['staged'];

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        staged: {
            isWanted: (inUse: BlobPins, id: number) => inUse.isPinned(id),
            find: build.list<'cutoff' | 'limit', 'stores'>((knex, bind, list) => knex('blobs').select('id', 'store')
                .where('state', 'staged').where('touched_on', '<=', bind('cutoff')).whereIn('store', list('stores'))
                .orderBy('touched_on').limit(bind('limit'))),
            delete: build<'id' | 'cutoff'>((knex, bind) => knex('blobs').delete()
                .where({ id: bind('id'), state: 'staged' }).where('touched_on', '<=', bind('cutoff')))
        },
        unlinked: {
            isWanted: (inUse: BlobPins, id: number) => inUse.isRead(id),
            find: build.list<'cutoff' | 'limit', 'stores'>((knex, bind, list) => knex('blobs').select('id', 'store')
                .where('unlinked_on', '<=', bind('cutoff')).whereIn('store', list('stores'))
                .orderBy('unlinked_on').limit(bind('limit'))),
            delete: build<'id' | 'cutoff'>((knex, bind) => knex('blobs').delete()
                .where({ id: bind('id'), state: 'linked', links: 0 }).where('unlinked_on', '<=', bind('cutoff')))
        },
        known: build.list<never, 'ids'>((knex, _bind, list) => knex('blobs').select('id').whereIn('id', list('ids')))
    };
}
