/**
 * The audit log: finds entries. Sealing and verification are in files of their own.
 */

import type { JobKind } from '../jobs/job-kind.js';
import type { AuditSeal } from '../stores/audit-store.js';
import { AUDIT_ROWS, termOf } from '../stores/audit-store.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import { firstPassing } from '../util/binary-search.js';
import type { JsonObject } from '../util/json-types.js';
import type { AuditOutcome } from './audit-entry.js';
import { idOf } from './audit-entry.js';
import { type AuditLogParts, AuditSealer, LOG_ID } from './audit-sealer.js';
import { type AuditVerification, AuditVerifier } from './audit-verifier.js';

/** Which entries to find. */
export interface AuditFilter {
    readonly userId?: string | undefined;
    readonly objectId?: string | undefined;
    readonly operationId?: string | undefined;
    readonly outcome?: AuditOutcome | undefined;
    /** Epoch ms, inclusive. */
    readonly from?: number | undefined;
    readonly to?: number | undefined;
    /** Only entries with smaller ids: `next` of the page before. */
    readonly before?: number | undefined;
    readonly limit: number;
}

/** Entries, newest first; `next` is absent when there are no more. A page may have fewer entries than allowed, even none, and a next one. */
export interface AuditPage {
    readonly entries: JsonObject[];
    readonly next: number | null;
}

/** Clocks of nodes, and the time between an entry and its commit, may differ by this much, in ms. */
const CLOCK_TOLERANCE_MS = 120_000;

/** Reads of one search, before the caller has to continue. */
const READS_PER_SEARCH = 20;

/** The audit log. */
export class AuditLog {

    readonly #parts: AuditLogParts;
    readonly #yielder = new EventLoopYielder();
    readonly #sealer: AuditSealer;
    readonly #verifier: AuditVerifier;

    constructor(parts: AuditLogParts) {

        this.#parts = parts;
        this.#sealer = new AuditSealer(parts);
        this.#verifier = new AuditVerifier({ ...parts, sealer: this.#sealer, lastPurge: () => this.#lastPurge() });
    }

    /** Returns the jobs that seal and remove entries. @param days how long entries are kept */
    jobs(days: number): JobKind[] {

        return this.#sealer.jobs(days);
    }

    /** Seals all entries; returns the last seal, null if there is none. */
    seal(signal?: AbortSignal): Promise<AuditSeal | null> {

        return this.#sealer.seal(signal);
    }

    /** Removes entries that were sealed before a time. */
    purge(before: number, signal?: AbortSignal): Promise<void> {

        return this.#sealer.purge(before, signal);
    }

    /** Verifies some hundred seals: see {@link AuditVerifier.verify}. */
    verify(from?: number, expected?: Pick<AuditSeal, 'seal' | 'hash'> | null): Promise<AuditVerification> {

        return this.#verifier.verify(from, expected);
    }

    /** Finds entries, newest first. */
    async find({ limit, before = Number.MAX_SAFE_INTEGER, ...filter }: AuditFilter): Promise<AuditPage> {

        const { store } = this.#parts;
        const [userId, objectId] = [filter.userId, filter.objectId].map((id) => (id === undefined ? undefined : idOf(id) ?? undefined));
        const terms = [...userId === undefined ? [] : [termOf('user', userId)], ...objectId === undefined ? [] : [termOf('object', objectId)]];
        const entries: JsonObject[] = [];
        const inGaps = terms.length === 0 ? [] : [...await store.sealedInGaps()].sort((a, b) => a - b);
        let next = filter.to === undefined ? before : Math.min(before, await this.#idAfter(filter.to + CLOCK_TOLERANCE_MS));
        for (let reads = 0; reads < READS_PER_SEARCH; ++reads) {
            next = terms.length === 0 ? next : await this.#skip(next, terms, inGaps);
            const rows = await store.before(next);
            // Single ones may have been written while the clock was wrong.
            const isEarlier = filter.from !== undefined && rows.every(({ at }) => at < (filter.from ?? 0) - CLOCK_TOLERANCE_MS);
            if (isEarlier) {
                return { entries, next: null };
            }

            for (const row of rows) {
                const entry = JSON.parse(row.entry) as JsonObject;
                next = row.id;
                if (isWanted(entry, { ...filter, userId, objectId })) {
                    entries.push({ id: row.id, ...entry });
                    if (entries.length === limit) {
                        return { entries, next };
                    }
                }
            }

            if (rows.length < AUDIT_ROWS) {
                return { entries, next: null };
            }

            await this.#yielder.yield();
        }

        return { entries, next };
    }

    /**
     * Returns the smallest id so that all seals between it and another one have no entry with these terms.
     *
     * @param inGaps ids of late seals, ascending, of whose terms the seals around them know nothing
     */
    async #skip(before: number, terms: readonly number[], inGaps: readonly number[]): Promise<number> {

        const { store } = this.#parts;
        if (before > await store.sealedUpTo() + 1) {
            return before;
        }

        for (let [next, reads] = [before, 1]; ; ++reads) {
            const seals = await store.sealsBefore(next);
            const match = seals.find(({ terms: contained, firstId, lastId }) => {

                const inGap = inGaps[firstPassing(0, inGaps.length, (i) => (inGaps[i] ?? 0) >= firstId)] ?? Infinity;
                return inGap <= lastId || terms.every((term) => contained.has(term));
            });
            const last = seals.at(-1);
            if (match || !last || reads === READS_PER_SEARCH) {
                return Math.min(next, match ? match.lastId + 1 : last ? last.firstId : 1);
            }

            next = last.firstId;
            await this.#yielder.yield();
        }
    }

    async #lastPurge(): Promise<JsonObject | null> {

        for (let before: number | null | undefined; before !== null;) {
            const page: AuditPage = await this.find({ objectId: LOG_ID, outcome: 'purged', limit: 1, ...before === undefined ? {} : { before } });
            const [found] = page.entries;
            if (found) {
                return found;
            }

            before = page.next;
        }

        return null;
    }

    /** Returns an id above those of all entries until a time, found by bisection. */
    async #idAfter(time: number): Promise<number> {

        const { store } = this.#parts;
        let [low, high] = [1, await store.lastId() + 1];
        while (low < high) {
            const middle = Math.floor((low + high) / 2);
            const found = await store.from(middle);
            if (!found || found.at > time) {
                high = middle;
            }
            else {
                low = found.id + 1;
            }
        }

        return low;
    }
}

function isWanted({ at, user, actor, object, operation, outcome }: JsonObject, filter: Omit<AuditFilter, 'limit' | 'before'>): boolean {

    const { userId, objectId, operationId, from = -Infinity, to = Infinity } = filter;
    return Number(at) >= from && Number(at) <= to && (userId === undefined || user === userId || actor === userId) &&
        (objectId === undefined || object === objectId) && (operationId === undefined || operation === operationId) &&
        (filter.outcome === undefined || outcome === filter.outcome);
}
