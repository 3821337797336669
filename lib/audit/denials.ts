/**
 * Denied requests on their way to the audit log. Nobody waits for these entries, and whoever is denied must not be able to fill the disk: equal
 * ones of a minute are counted in one entry, and so are those of an address, or of all, beyond a number.
 */

import type { Logger } from 'pino';
import type { AuditStore } from '../stores/audit-store.js';
import type { AuditFacts } from './audit-entry.js';
import { idOf, ruleOf, toAuditRow } from './audit-entry.js';

/** Denials are written after this time in ms, and counted for a window in ms. */
const WRITE_AFTER_MS = 1000;
const WINDOW_MS = 60_000;

/** Maximum number of entries of one address, and of all, in a window; beyond them there is one more for the rest. */
export const MAX_OF_ADDRESS = 100;
export const MAX_IN_WINDOW = 300;

/** Denials of one entry. */
interface Counted {
    facts: AuditFacts;
    count: number;
    written: number;
}

/** Options. */
export interface DenialOptions {
    readonly store: Pick<AuditStore, 'append'>;
    readonly log: Logger;
    /** The clock, in epoch ms. */
    readonly now: () => number;
}

/** Collects denials and writes them. */
export class Denials {

    readonly #options: DenialOptions;
    readonly #counted = new Map<string, Counted>();
    readonly #ofAddress = new Map<string, number>();
    #began = 0;
    #timer: NodeJS.Timeout | undefined;
    /** When the timer ends, in ms of `performance.now()`. */
    #due = 0;
    #writing: Promise<void> = Promise.resolve();
    #hasFailed = false;
    #isClosed = false;

    constructor(options: DenialOptions) {

        this.#options = options;
    }

    /** Adds a denial, to be written soon. */
    add(given: AuditFacts): void {

        const facts = withCutIds(given);
        if (this.#counted.size === 0) {
            this.#began = facts.at;
        }

        const counted = this.#counted.get(keyOf(facts));
        if (counted) {
            count(counted, facts);
        }
        else {
            this.#addNew(facts);
            this.#schedule(WRITE_AFTER_MS);
        }
    }

    /** Writes what was added. */
    async flush(): Promise<void> {

        this.#writing = this.#writing.then(() => this.#write());
        await this.#writing;
    }

    /** Writes what was added, and stops. */
    async close(): Promise<void> {

        this.#isClosed = true;
        clearTimeout(this.#timer);
        this.#began = -Infinity;
        await this.flush();
    }

    #addNew(facts: AuditFacts): void {

        const address = facts.origin?.address ?? '';
        const ofAddress = this.#ofAddress.get(address) ?? 0;
        if (this.#counted.size >= MAX_IN_WINDOW) {
            this.#addRest('', { at: facts.at, outcome: 'denied', caller: null, rule: 'many requests were denied, from several addresses' });
        }
        else if (ofAddress >= MAX_OF_ADDRESS) {
            const { at, outcome, origin } = facts;
            const rest = origin && { ...origin, operationId: '*', requestId: null };
            this.#addRest(address, { at, outcome, caller: null, origin: rest, rule: 'many requests from this address were denied' });
        }
        else {
            this.#ofAddress.set(address, ofAddress + 1);
            this.#counted.set(keyOf(facts), { facts, count: 1, written: 0 });
        }
    }

    #addRest(address: string, facts: AuditFacts): void {

        const key = `rest ${address}`;
        const rest = this.#counted.get(key);
        if (rest) {
            count(rest, facts);
        }
        else {
            this.#counted.set(key, { facts, count: 1, written: 0 });
        }
    }

    #schedule(afterMs: number): void {

        const due = performance.now() + afterMs;
        if (this.#isClosed || this.#timer !== undefined && this.#due <= due) {
            return;
        }

        clearTimeout(this.#timer);
        this.#due = due;
        this.#timer = setTimeout(() => {

            this.#timer = undefined;
            void this.flush();
        }, afterMs).unref();
    }

    /** Writes denials when they are new, and how often they were repeated at the end of the window. Tried again later if it fails. */
    async #write(): Promise<void> {

        const { store, log, now } = this.#options;
        const elapsed = now() - this.#began;
        // The clock may have been set back.
        const isOver = elapsed >= WINDOW_MS || elapsed < 0;
        const due = [...this.#counted.values()].filter(({ count, written }) => written === 0 || isOver && count > written)
            .map((counted) => ({ counted, upTo: counted.count }));
        try {
            if (due.length > 0) {
                await store.append(due.map(({ counted: { facts, written }, upTo }) => rowOf(facts, upTo - written)));
            }

            this.#hasFailed = false;
            for (const { counted, upTo } of due) {
                counted.written = upTo;
            }

            if (isOver) {
                this.#endWindow();
            }
        }
        catch (error) {
            if (!this.#hasFailed) {
                this.#hasFailed = true;
                log.error({ event: 'audit.write-failed', err: error, entries: due.length }, 'failed to write denied requests to the audit log');
            }
        }

        if (this.#counted.size > 0) {
            const hasUnwritten = [...this.#counted.values()].some(({ written }) => written === 0);
            this.#schedule(this.#hasFailed || hasUnwritten ? WRITE_AFTER_MS : Math.max(WRITE_AFTER_MS, this.#began + WINDOW_MS - now()));
        }
    }

    /** Begins a window with those that came while the last one was written. */
    #endWindow(): void {

        const later = [...this.#counted].filter(([, { count, written }]) => count > written);
        this.#counted.clear();
        this.#ofAddress.clear();
        this.#began = this.#options.now();
        for (const [key, { facts, count, written }] of later) {
            this.#counted.set(key, { facts, count: count - written, written: 0 });
        }
    }
}

/** Cuts what an attacker may choose, as entries have it: it is held in memory for a minute. */
function withCutIds(facts: AuditFacts): AuditFacts {

    const { objectId = null, origin, rule = null } = facts;
    const cut = origin && { ...origin, operationId: idOf(origin.operationId) ?? '', requestId: idOf(origin.requestId) };
    return { ...facts, objectId: idOf(objectId), rule: rule && ruleOf(rule), origin: cut };
}

function count(counted: Counted, { at }: AuditFacts): void {

    counted.count += 1;
    counted.facts = { ...counted.facts, at };
}

function rowOf(facts: AuditFacts, count: number): ReturnType<typeof toAuditRow> {

    return toAuditRow(count === 1 ? facts : { ...facts, more: { ...facts.more, count } });
}

function keyOf({ caller, objectId, origin, rule }: AuditFacts): string {

    return JSON.stringify([caller?.userId, caller?.actorId, objectId, origin?.operationId, origin?.address, rule]);
}
