/**
 * Seals entries of the audit log, and removes those that are old enough.
 *
 * Entries are sealed some hundred at a time: a seal has the SHA-256 of its entries and of the seal before. Whoever changes, removes or adds
 * sealed entries would have to compute all later seals again, which shows where a later seal was kept elsewhere, as in the log of the service.
 */

import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { JobKind } from '../jobs/job-kind.js';
import { SERVICE } from '../model/caller.js';
import type { AuditRow, AuditSeal, AuditStore } from '../stores/audit-store.js';
import { termOf } from '../stores/audit-store.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { toAuditRow } from './audit-entry.js';

/** Hash before the first seal. */
export const NO_HASH = '0'.repeat(64);

/** How long a gap in the ids may be filled by an entry of a transaction that is not committed yet, in ms: later entries are sealed then. */
const GAP_MS = 10_000;

const SEALS_PER_PURGE = 4;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A run removes what was sealed in so many days: nobody can restore what a clock that was ahead for some minutes has removed. */
const DAYS_PER_PURGE = 7;

/** Operation of entries about removed entries, and the id of their object. */
const PURGE = 'audit.purge';
export const LOG_ID = 'audit-log';

/** Dependencies. */
export interface AuditLogParts {
    readonly store: AuditStore;
    readonly log: Logger;
    /** The clock that all nodes share (epoch ms). */
    readonly now: () => number;
    /** That of this machine: entries are removed only if they are old by both. */
    readonly ownNow: () => number;
}

/** Seals and removes entries. */
export class AuditSealer {

    readonly #parts: AuditLogParts;
    readonly #yielder = new EventLoopYielder();

    constructor(parts: AuditLogParts) {

        this.#parts = parts;
    }

    /** Returns the jobs that seal and remove entries. @param days how long entries are kept */
    jobs(days: number): JobKind[] {

        return [
            { kind: 'audit.seal', repeatMs: MINUTE, run: async ({ signal }) => void await this.seal(signal) },
            { kind: PURGE, repeatMs: 60 * MINUTE, run: ({ signal }) => this.#purgeOld(days, signal) }
        ];
    }

    async #purgeOld(days: number, signal: AbortSignal): Promise<void> {

        const { store, now, ownNow } = this.#parts;
        const [first] = await store.seals(0);
        if (first) {
            await this.purge(Math.min(now() - days * DAY, ownNow() - days * DAY, first.sealedOn + DAYS_PER_PURGE * DAY), signal);
        }
    }

    /** Seals all entries. */
    async seal(signal?: AbortSignal): Promise<AuditSeal | null> {

        const { store, log, now } = this.#parts;
        let last = await store.lastSeal();
        const first = last;
        for (;;) {
            signal?.throwIfAborted();
            const covered = await this.#unsealed();
            if (!covered) {
                break;
            }

            const { rows, ...range } = covered;
            const facts = {
                seal: (last?.seal ?? 0) + 1, ...range, terms: termsOf(rows), entries: rows.length, sealedOn: now(), previous: last?.hash ?? NO_HASH
            };
            const next = { ...facts, hash: hashOf(facts, rows) };
            last = await store.seal(next) ? next : await store.lastSeal();
            await this.#yielder.yield();
        }

        if (last && last.seal !== first?.seal) {
            log.info({ event: 'audit.sealed', seal: last.seal, hash: last.hash }, 'audit log sealed');
        }

        return last;
    }

    /** Returns the entries to be sealed next; null if all are. */
    async #unsealed(): Promise<Pick<AuditSeal, 'firstId' | 'lastId' | 'ids'> & { readonly rows: readonly AuditRow[] } | null> {

        const { store } = this.#parts;
        const sealed = await store.sealedUpTo();
        const rows = this.#withoutGap(await store.after(sealed), sealed);
        const lastId = rows.at(-1)?.id;
        if (lastId !== undefined) {
            const firstId = sealed + 1;
            return { rows, firstId, lastId, ids: rows.length === lastId - sealed ? null : rows.map(({ id }) => id) };
        }

        const inGaps = await store.unsealedInGaps();
        return inGaps.length === 0 ? null : { rows: inGaps, firstId: 0, lastId: 0, ids: inGaps.map(({ id }) => id) };
    }

    /** Returns the entries before the first gap of ids that an entry may still fill. */
    #withoutGap(rows: readonly AuditRow[], sealed: number): readonly AuditRow[] {

        const { store, now } = this.#parts;
        const gap = store.mayFillGaps ?
            rows.findIndex(({ id, at }, i) => id !== (rows[i - 1]?.id ?? sealed) + 1 && Math.abs(now() - at) < GAP_MS) : -1;
        return gap === -1 ? rows : rows.slice(0, gap);
    }

    /** Removes entries that were sealed before a time, and records that. The last seal stays. */
    async purge(before: number, signal?: AbortSignal): Promise<void> {

        const { store, now } = this.#parts;
        for (;;) {
            signal?.throwIfAborted();
            const seals = await store.seals(0);
            // From the beginning, also where the clock was set back: what remains must be a chain.
            const recent = seals.findIndex(({ sealedOn }) => sealedOn >= before);
            const old = seals.slice(0, recent === -1 ? -1 : Math.min(recent, seals.length - 1)).slice(0, SEALS_PER_PURGE);
            const last = old.at(-1);
            if (!last) {
                return;
            }

            const origin = { operationId: PURGE, address: '', protocol: 'internal', requestId: null, changes: 0 };
            const isPurged = await store.purge(old, toAuditRow({
                at: now(), outcome: 'purged', objectId: LOG_ID, more: { upToSeal: last.seal, hash: last.hash }, caller: SERVICE, origin
            }));
            if (!isPurged) {
                // Another node has taken over.
                return;
            }

            await this.#yielder.yield();
        }
    }
}

function termsOf(rows: readonly AuditRow[]): Set<number> {

    return new Set(rows.flatMap(({ entry }) => {

        const { user, actor, object } = JSON.parse(entry) as JsonObject;
        return [...[user, actor].filter(isText).map((id) => termOf('user', id)), ...[object].filter(isText).map((id) => termOf('object', id))];
    }));
}

function isText(value: JsonValue | undefined): value is string {

    return typeof value === 'string';
}

/** Returns the hash of a seal with its entries. */
export function hashOf({ seal, firstId, lastId, ids, terms, entries, sealedOn, previous }: Omit<AuditSeal, 'hash'>, rows: readonly AuditRow[]): string {

    const sortedTerms = [...terms].sort((a, b) => a - b);
    const hash = createHash('sha256')
        .update(`${seal} ${firstId} ${lastId} ${ids?.join() ?? ''} ${sortedTerms.join()} ${entries} ${sealedOn} ${previous}\n`);
    for (const { id, entry } of rows) {
        hash.update(`${id} ${entry}\n`);
    }

    return hash.digest('hex');
}
