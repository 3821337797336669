/**
 * Verifies the seals of the audit log with their entries.
 */

import type { AuditSeal, AuditStore } from '../stores/audit-store.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import type { JsonObject } from '../util/json-types.js';
import type { AuditSealer } from './audit-sealer.js';
import { hashOf, NO_HASH } from './audit-sealer.js';

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

/** Dependencies. */
export interface AuditVerifierParts {
    readonly store: AuditStore;
    readonly sealer: Pick<AuditSealer, 'seal'>;
    /** Returns the newest entry about removed entries; null if there is none. */
    readonly lastPurge: () => Promise<JsonObject | null>;
}

/** Seals of one verification, before the caller has to continue. */
const SEALS_PER_VERIFICATION = 200;

/** Verifies the log. */
export class AuditVerifier {

    readonly #parts: AuditVerifierParts;
    readonly #yielder = new EventLoopYielder();

    constructor(parts: AuditVerifierParts) {

        this.#parts = parts;
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

        if (from <= 1) {
            const added = await this.#addedBeforeFirst();
            if (added !== null) {
                return end(added);
            }
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
            return added === undefined ? `seal ${seal.seal} has ${rows.length} entries instead of ${seal.entries}` :
                `entry ${added} was added after seal ${seal.seal}`;
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
        await this.#parts.sealer.seal();
        const sealed = await store.sealedInGaps();
        return ids.find((id) => !sealed.has(id));
    }

    /** Returns what is wrong before the first seal, where nothing is but entries of late seals; null for nothing. */
    async #addedBeforeFirst(): Promise<string | null> {

        const { store } = this.#parts;
        // The seals first: entries that are removed meanwhile, because of their age, are none that were added.
        const [lowest] = await store.seals(Number.MIN_SAFE_INTEGER);
        const first = await store.firstInOrder();
        if (lowest && lowest.seal < 1) {
            return `seal ${lowest.seal} was added`;
        }

        if (!first) {
            return null;
        }

        const inGaps = await store.sealedInGaps();
        for (let rows = await store.before(first.firstId); rows.length > 0; rows = await store.before(rows.at(-1)?.id ?? 0)) {
            const added = rows.find(({ id }) => !inGaps.has(id));
            if (added) {
                return `entry ${added.id} was added before seal ${first.seal}`;
            }

            await this.#yielder.yield();
        }

        return null;
    }

    /** True if an entry tells that everything before a seal was removed because of its age. */
    async #isPurged({ seal, previous }: AuditSeal): Promise<boolean> {

        const purge = await this.#parts.lastPurge();
        return purge?.['upToSeal'] === seal - 1 && purge['hash'] === previous;
    }
}

function notExpected(seal: number): string {

    return `seal ${seal} is not the expected one: the log was written anew`;
}
