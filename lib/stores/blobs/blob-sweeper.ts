/**
 * Garbage collector of blobs: removes uploads that were never linked, blobs without links, and bytes without a row, as a crash may
 * leave them. Works in small transactions and skips what this process uses. While an upload of all objects runs on any node, and until one that
 * was interrupted has ended, it keeps blobs that have lost their links: a rollback links those of former objects again.
 */

import type { Knex } from 'knex';
import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { statements } from '../../../db/statements.js';
import type { BlobStore } from './blob-store.js';
import type { BlobPins } from './blob-pins.js';
import { UPLOAD_SETTING } from '../setting-store.js';
import { type ElementStore, type ElementStores, removeAll } from './element-store.js';
import { PayloadTextStore } from './payload-text-store.js';

/** Limits of a sweep. */
export interface SweepOptions {
    /** Milliseconds for which an unlinked blob is kept; longer than the longest download. */
    readonly grace: number;
    /** Milliseconds without a heartbeat after which a staged blob is removed; longer than several heartbeats. */
    readonly stagedTtl: number;
    /** Maximum number of blobs of each kind and store in one sweep. */
    readonly limit: number;
    /** True to free disk space of the database: stores elsewhere are left out. */
    readonly isForSpace?: boolean;
    /** Ends the sweep between two blobs. */
    readonly signal?: AbortSignal;
}

interface Candidate {
    readonly id: number;
    readonly store: string;
}

/** Removal of the blobs of one kind and store. */
interface Purge {
    readonly sql: PurgeStatements;
    readonly cutoff: number;
    readonly store: string;
}

/** A sweep of one store; counts in `result` what it has removed. */
interface StoreSweep {
    readonly name: string;
    readonly store: ElementStore;
    readonly result: Record<'staged' | 'unlinked' | 'orphans', number>;
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

        const result = { staged: 0, unlinked: 0, orphans: 0 };
        for (const [name, store] of [...this.#stores.entries()].filter(([, each]) => options.isForSpace !== true || each.isRemote !== true)) {
            await this.#attempt({ store: name }, () => this.#sweepStore({ name, store, result }, now, options));
        }

        if (result.staged + result.unlinked + result.orphans > 0) {
            this.#log.info({ event: 'blob.swept', ...result }, 'blobs swept');
        }

        return result;
    }

    async #sweepStore({ name, store, result }: StoreSweep, now: number, options: SweepOptions): Promise<void> {

        const { staged, unlinked } = this.#sql;
        if (await store.prepareSweep?.() === false) {
            return;
        }

        result.staged += await this.#purge({ sql: staged, cutoff: now - options.stagedTtl, store: name }, options);
        result.unlinked += await this.#purge({ sql: unlinked, cutoff: now - options.grace, store: name }, options);
        result.orphans += await this.#purgeOrphans(name, store, options);
    }

    /** Removes blobs of a store last used before the cutoff. The row is deleted first, after which the blob cannot be linked. */
    async #purge({ sql, cutoff, store }: Purge, { limit, signal }: SweepOptions): Promise<number> {

        let purged = 0;
        for (const { id } of await sql.find.read<{ id: number }>({ cutoff, limit, store })) {
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
            await removeAll(this.#stores.get(store), id, { hasRow: true });
        }

        return 1;
    }

    /**
     * Removes bytes without a row. Rows are written before bytes, and ids are listed before the rows are read, so none is missed. Each is looked up
     * again, as the number of one may be given to another blob meanwhile, in a database that was restored.
     */
    async #purgeOrphans(name: string, store: ElementStore, { limit, signal }: SweepOptions): Promise<number> {

        let purged = 0;
        let visited = 0;
        while (visited < limit && !signal?.aborted) {
            const after = this.#searched.get(name) ?? 0;
            const ids = await store.list(after, ORPHANS_PER_BATCH);
            for (const id of await this.#unknown(ids)) {
                const hasNewRow = async (): Promise<boolean> => (await this.#unknown([id])).length === 0;
                if (!this.#inUse.isPinned(id) && !this.#inUse.isRead(id) && !await hasNewRow()) {
                    await removeAll(store, id, { hasRow: false, isNeeded: hasNewRow });
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

type PurgeStatements = ReturnType<typeof buildStatements>['unlinked'];

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        staged: {
            isWanted: (inUse: BlobPins, id: number) => inUse.isPinned(id),
            find: build<'cutoff' | 'limit' | 'store'>((knex, bind) => knex('blobs').select('id')
                .where('state', 'staged').where('touched_on', '<=', bind('cutoff')).where('store', bind('store'))
                .orderBy('touched_on').limit(bind('limit'))),
            delete: build<'id' | 'cutoff'>((knex, bind) => knex('blobs').delete()
                .where({ id: bind('id'), state: 'staged' }).where('touched_on', '<=', bind('cutoff')))
        },
        unlinked: {
            isWanted: (inUse: BlobPins, id: number) => inUse.isRead(id),
            find: build<'cutoff' | 'limit' | 'store'>((knex, bind) => withoutUpload(knex('blobs').select('id')
                .where('unlinked_on', '<=', bind('cutoff')).where('store', bind('store')), knex).orderBy('unlinked_on').limit(bind('limit'))),
            delete: build<'id' | 'cutoff'>((knex, bind) => withoutUpload(knex('blobs').delete()
                .where({ id: bind('id'), state: 'linked', links: 0 }).where('unlinked_on', '<=', bind('cutoff')), knex))
        },
        known: build.list<never, 'ids'>((knex, _bind, list) => knex('blobs').select('id').whereIn('id', list('ids')))
    };
}

/** Finds nothing while all objects are uploaded. Times do not tell which blobs that upload has unlinked: any clock may be changed. */
function withoutUpload(query: Knex.QueryBuilder, knex: Knex): Knex.QueryBuilder {

    return query.whereNotExists(knex('settings').where('name', UPLOAD_SETTING).select('name'));
}
