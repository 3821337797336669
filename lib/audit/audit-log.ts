/**
 * Reads the audit log, seals it, verifies it, and removes entries that are old enough.
 *
 * Entries are sealed some hundred at a time: a seal has the SHA-256 of its entries and of the seal before. Whoever changes, removes or adds
 * sealed entries would have to compute all later seals again, which shows where a later seal was kept elsewhere, as in the log of the service.
 */

import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { JobKind } from '../jobs/job-kind.js';
import { SERVICE } from '../model/caller.js';
import type { AuditRow, AuditSeal, AuditStore } from '../stores/audit-store.js';
import { AUDIT_ROWS, termOf } from '../stores/audit-store.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import { firstPassing } from '../util/binary-search.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { AuditOutcome } from './audit-entry.js';
import { idOf, toAuditRow } from './audit-entry.js';

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

/** Result of the verification of some seals. */
export interface AuditVerification {
    /** Seals and entries that were verified. */
    readonly seals: number;
    readonly entries: number;
    /** Number of the seal from which to continue; null at the end. */
    readonly next: number | null;
    /** The last seal that is intact; null if there is none. */
    readonly head: Pick<AuditSeal, 'seal' | 'hash'> | null;
    /** What is wrong; null for nothing. */
    readonly problem: string | null;
}

/** Hash before the first seal. */
const NO_HASH = '0'.repeat(64);

/** Clocks of nodes, and the time between an entry and its commit, may differ by this much, in ms. */
const CLOCK_TOLERANCE_MS = 120_000;

/** How long a gap in the ids may be filled by an entry of a transaction that is not committed yet, in ms: later entries are sealed then. */
const GAP_MS = 10_000;

/** Reads of one search, and seals of one verification, before the caller has to continue. */
const READS_PER_SEARCH = 20;
const SEALS_PER_VERIFICATION = 200;

const SEALS_PER_PURGE = 4;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Operation of entries about removed entries, and the id of their object. */
const PURGE = 'audit.purge';
const LOG_ID = 'audit-log';

/** Dependencies. */
export interface AuditLogParts {
    readonly store: AuditStore;
    readonly log: Logger;
    readonly now: () => number;
}

/** The audit log. */
export class AuditLog {

    readonly #parts: AuditLogParts;
    readonly #yielder = new EventLoopYielder();

    constructor(parts: AuditLogParts) {

        this.#parts = parts;
    }

    /** Returns the jobs that seal and remove entries. @param days how long entries are kept */
    jobs(days: number): JobKind[] {

        return [
            { kind: 'audit.seal', repeatMs: MINUTE, run: async ({ signal }) => void await this.seal(signal) },
            { kind: PURGE, repeatMs: 60 * MINUTE, run: ({ signal }) => this.purge(this.#parts.now() - days * DAY, signal) }
        ];
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
            for (const row of rows) {
                if (filter.from !== undefined && row.at < filter.from - CLOCK_TOLERANCE_MS) {
                    return { entries, next: null };
                }

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
            const facts = { seal: (last?.seal ?? 0) + 1, ...range, terms: termsOf(rows), entries: rows.length, sealedOn: now(), previous: last?.hash ?? NO_HASH };
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
            await store.purge(old, toAuditRow({
                at: now(), outcome: 'purged', objectId: LOG_ID, more: { upToSeal: last.seal, hash: last.hash }, caller: SERVICE, origin
            }));
            await this.#yielder.yield();
        }
    }

    /**
     * Verifies some hundred seals with their entries.
     *
     * @param from number of the seal to begin with; 0 for the first
     * @param expected a seal as it was seen before
     */
    async verify(from = 0, expected: Pick<AuditSeal, 'seal' | 'hash'> | null = null): Promise<AuditVerification> {

        const { store } = this.#parts;
        const verified = { seals: 0, entries: 0 };
        const [former] = from > 1 ? await store.seals(from - 1) : [];
        let head: AuditSeal | null = former?.seal === from - 1 ? former : null;
        const end = (problem: string | null, next: number | null = null): AuditVerification =>
            ({ ...verified, next, head: head && { seal: head.seal, hash: head.hash }, problem });
        const lost = from > 1 || !expected ? null : await this.#lossOf(expected);
        if (lost !== null) {
            return end(lost);
        }

        for (let start = from; ;) {
            const seals = await store.seals(head ? head.seal + 1 : start);
            for (const seal of seals) {
                const isOther = expected?.seal === seal.seal && expected.hash !== seal.hash;
                const problem = await this.#problemOf(seal, head) ?? (isOther ? notExpected(seal.seal) : null);
                if (problem && await this.#isGone(seal)) {
                    // Removed because of its age meanwhile, as the next seal tells.
                    [head, start] = [null, seal.seal];
                    break;
                }

                if (problem) {
                    return end(problem);
                }

                head = seal;
                verified.seals += 1;
                verified.entries += seal.entries;
                await this.#yielder.yield();
            }

            if (seals.length === 0) {
                const last = head?.seal ?? 0;
                const isCut = expected !== null && expected.seal > last;
                return end(isCut ? `seal ${expected.seal} is missing: the end of the log was removed` : null);
            }

            if (verified.seals >= SEALS_PER_VERIFICATION && head) {
                return end(null, head.seal + 1);
            }
        }
    }

    /** Returns what is wrong if the log begins after an expected seal; null if it does not, or with the seal that follows it. */
    async #lossOf(expected: Pick<AuditSeal, 'seal' | 'hash'>): Promise<string | null> {

        const [first] = await this.#parts.store.seals(0);
        if (!first || expected.seal >= first.seal || expected.seal === first.seal - 1 && expected.hash === first.previous) {
            return null;
        }

        return expected.seal === first.seal - 1 ? notExpected(expected.seal) :
            `seal ${expected.seal} was removed, because of its age or otherwise: expect one from ${first.seal - 1} on`;
    }

    async #isGone({ seal }: AuditSeal): Promise<boolean> {

        const [found] = await this.#parts.store.seals(seal);
        return found !== undefined && found.seal !== seal;
    }

    async #problemOf(seal: AuditSeal, head: AuditSeal | null): Promise<string | null> {

        const { store } = this.#parts;
        if (head ? seal.seal !== head.seal + 1 : seal.seal > 1 && !await this.#isPurged(seal)) {
            return `seals before ${seal.seal} are missing`;
        }

        if (seal.previous !== (head?.hash ?? (seal.seal === 1 ? NO_HASH : seal.previous))) {
            return `seal ${seal.seal} does not follow the seal before`;
        }

        const { rows, others } = await store.entriesOf(seal);
        const added = others.length === 0 ? undefined : await this.#addedAmong(others);
        if (added !== undefined || rows.length !== seal.entries) {
            return added === undefined ? `seal ${seal.seal} has ${rows.length} entries instead of ${seal.entries}` : `entry ${added} was added after seal ${seal.seal}`;
        }

        if (hashOf(seal, rows) !== seal.hash) {
            return `an entry of seal ${seal.seal}, or the seal, was changed`;
        }

        const wrong = rows.find(({ at, entry }) => (JSON.parse(entry) as JsonObject)['at'] !== at);
        return wrong ? `the time of entry ${wrong.id} was changed` : null;
    }

    /** Returns an entry that no seal covers, though later ones are sealed; undefined if there is none. */
    async #addedAmong(ids: readonly number[]): Promise<number | undefined> {

        const { store } = this.#parts;
        const inGaps = await store.sealedInGaps();
        if (ids.every((id) => inGaps.has(id))) {
            return undefined;
        }

        // One may have become visible since entries were sealed last.
        await this.seal();
        const sealed = await store.sealedInGaps();
        return ids.find((id) => !sealed.has(id));
    }

    /** True if an entry tells that everything before a seal was removed because of its age. */
    async #isPurged({ seal, previous }: AuditSeal): Promise<boolean> {

        for (let before: number | null | undefined; before !== null;) {
            const { entries: [found], next }: AuditPage = await this.find({ objectId: LOG_ID, outcome: 'purged', limit: 1, ...before === undefined ? {} : { before } });
            if (found) {
                return found['upToSeal'] === seal - 1 && found['hash'] === previous;
            }

            before = next;
        }

        return false;
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
        (objectId === undefined || object === objectId) && (operationId === undefined || operation === operationId) && (filter.outcome === undefined || outcome === filter.outcome);
}

function termsOf(rows: readonly AuditRow[]): Set<number> {

    return new Set(rows.flatMap(({ entry }) => {

        const { user, actor, object } = JSON.parse(entry) as JsonObject;
        return [...[user, actor].filter(isText).map((id) => termOf('user', id)), ...[object].filter(isText).map((id) => termOf('object', id))];
    }));
}

function notExpected(seal: number): string {

    return `seal ${seal} is not the expected one: the log was written anew`;
}

function isText(value: JsonValue | undefined): value is string {

    return typeof value === 'string';
}

function hashOf({ seal, firstId, lastId, ids, terms, entries, sealedOn, previous }: Omit<AuditSeal, 'hash'>, rows: readonly AuditRow[]): string {

    const hash = createHash('sha256').update(`${seal} ${firstId} ${lastId} ${ids?.join() ?? ''} ${[...terms].sort((a, b) => a - b).join()} ${entries} ${sealedOn} ${previous}\n`);
    for (const { id, entry } of rows) {
        hash.update(`${id} ${entry}\n`);
    }

    return hash.digest('hex');
}
