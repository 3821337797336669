/**
 * Counts the objects and bytes of users and types, and holds them to their quotas. The totals change in the unit of each change, so that
 * concurrent writers on any node cannot exceed a quota together, and what fails counts nothing.
 *
 * Changes by administrators, and those of an upload that replaces all objects or none, are counted but not limited. What lowers a total is
 * always allowed.
 */

import { growingCache } from '../../util/cache/growing-cache.js';
import type { Logger } from 'pino';
import type { Database, Step } from '../../../db/database.js';
import { insufficientStorage } from '../../errors/errors.js';
import { storedText } from '../../json/raw-json.js';
import { writeStored } from '../../json/serializer.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import type { ObjectChange, WriteParticipant } from '../../model/write-participant.js';
import type { SettingStore } from '../../stores/setting-store.js';
import type { Usage, UsageKey, UsageKind, UsageLimits, UsageStore } from '../../stores/usage-store.js';
import type { Quotas } from './quotas.js';

/** Setting that exists while all totals are exact: it is removed by the start of a service without counting. */
const COUNTED = 'usage.counted';
/** What is counted: content, user metadata, access control list, payloads and their names. Totals of anything else are void. */
const YES = 'acl,names';

/** Milliseconds since the last write of a node for which it is taken to run. */
const ACTIVE_MS = 3_600_000;

/** Users and types whose row is known to exist. */
const CACHED_KEYS = 10_000;

/** Totals that are stored in one unit. */
const TOTALS_PER_UNIT = 500;

const FAILURE = 'quota:';

const UNLIMITED: UsageLimits = { objects: null, bytes: null };

const KINDS: readonly UsageKind[] = ['user', 'type'];

/** Total of a user or type, with its quota. */
export interface UsageReport extends Usage {
    readonly limits: UsageLimits;
}

/** Dependencies of counting. */
export interface UsageParts {
    readonly db: Database;
    readonly store: UsageStore;
    readonly settings: SettingStore;
    readonly quotas: Quotas;
    readonly log: Logger;
    /** Returns the names of other nodes that share the database and have written since a time by its clock. */
    readonly otherNodes: (since: number) => Promise<readonly string[]>;
}

/** Counts usage. */
export class UsageCounter implements WriteParticipant {

    readonly #parts: UsageParts;
    readonly #existing = growingCache<string, true>(CACHED_KEYS);

    constructor(parts: UsageParts) {

        this.#parts = parts;
    }

    /** Forgets which rows there are: the database may have lost some. */
    forget(): void {

        this.#existing.clear();
    }

    /** Returns whether the totals are exact, so that each change has to be counted. */
    static async isCounted(settings: Pick<SettingStore, 'get'>): Promise<boolean> {

        return await settings.get(COUNTED) === YES;
    }

    /** Notes that changes are not counted from now on; to be called when a service starts without counting. */
    static async disable({ db, settings, log, otherNodes }: Pick<UsageParts, 'db' | 'settings' | 'log' | 'otherNodes'>): Promise<void> {

        if (await settings.get(COUNTED) === null) {
            return;
        }

        await db.commit({ steps: settings.removeSteps(COUNTED, YES) });
        const nodes = await otherNodes(db.now() - ACTIVE_MS);
        if (nodes.length > 0) {
            log.warn({ event: 'usage.not-counted', nodes }, 'this node does not count usage, which makes the totals and quotas of other nodes wrong');
        }
    }

    /**
     * Counts all objects, unless all changes since the last time were counted. To be called before the first write. The totals are wrong if other
     * nodes write meanwhile, or later without counting.
     */
    async prepare(): Promise<void> {

        const { db, store, settings, log, otherNodes } = this.#parts;
        if (await UsageCounter.isCounted(settings)) {
            return;
        }

        const began = performance.now();
        const totals = new Map<string, UsageKey & { objects: number; bytes: number }>();
        let objects = 0;
        for await (const block of store.ofObjects()) {
            objects += block.length;
            for (const { type, createdBy, bytes } of block) {
                addTo(totals, { kind: 'user', name: createdBy }, { objects: 1, bytes });
                addTo(totals, { kind: 'type', name: type }, { objects: 1, bytes });
            }
        }

        await store.clear();
        const all = [...totals.values()];
        for (let start = 0; start < all.length; start += TOTALS_PER_UNIT) {
            await store.set(all.slice(start, start + TOTALS_PER_UNIT));
        }

        await db.commit({ steps: settings.setSteps(COUNTED, YES) });
        log.info({ event: 'usage.counted', objects, ms: Math.round(performance.now() - began) }, 'usage counted');
        const nodes = await otherNodes(db.now() - ACTIVE_MS);
        if (nodes.length > 0) {
            log.warn({ event: 'usage.other-nodes', nodes }, 'usage was counted although other nodes may write: if any of them ran, stop all, and start one alone');
        }
    }

    /** Returns the total of a user or type, with its quota. */
    async report(key: UsageKey): Promise<UsageReport> {

        const { objects, bytes } = await this.#parts.store.get(key);
        return { objects, bytes, limits: this.#parts.quotas.of(key) };
    }

    steps(change: ObjectChange): Step[] {

        const isLimited = !change.caller.isAdmin && change.uploadEpoch === undefined;
        return differencesOf(change).flatMap(({ key, usage }) => [
            ...this.#existing.has(textOf(key)) ? [] : [this.#parts.store.createStep(key)],
            this.#addStep(key, usage, isLimited)
        ]);
    }

    async examine(change: ObjectChange): Promise<void> {

        if (change.caller.isAdmin || change.uploadEpoch !== undefined) {
            return;
        }

        for (const { key, usage } of differencesOf(change)) {
            const limits = limitsOf(usage, this.#parts.quotas.of(key));
            if (limits.objects === null && limits.bytes === null) {
                continue;
            }

            const { objects, bytes } = await this.#parts.store.get(key);
            if (objects + usage.objects > (limits.objects ?? Infinity) || bytes + usage.bytes > (limits.bytes ?? Infinity)) {
                throw this.#exceeded(key);
            }
        }
    }

    explain(failed: string, change: ObjectChange): Error | undefined {

        const key = failed.startsWith(FAILURE) ? differencesOf(change).find((difference) => failureOf(difference.key) === failed)?.key : undefined;
        return key ? this.#exceeded(key) : undefined;
    }

    #exceeded(key: UsageKey): Error {

        const { objects, bytes } = this.#parts.quotas.of(key);
        const limits = [...objects === null ? [] : [`${objects} objects`], ...bytes === null ? [] : [`${bytes} bytes`]].join(' and ');
        const whose = key.kind === 'user' ? `what ${key.name} has created` : `all objects of the type ${key.name}`;
        return insufficientStorage(`the quota of ${whose} is ${limits}, which this change would exceed: delete something, or ask an administrator for more`,
            { quota: key.kind });
    }

    committed(change: ObjectChange): void {

        const object = change.after ?? change.before;
        if (object) {
            KINDS.forEach((kind) => this.#existing.set(textOf({ kind, name: nameOf(object, kind) }), true));
        }
    }

    #addStep(key: UsageKey, usage: Usage, isLimited: boolean): Step {

        const { store, quotas } = this.#parts;
        const limits = limitsOf(usage, isLimited ? quotas.of(key) : UNLIMITED);
        return limits.objects === null && limits.bytes === null ?
            store.addStep(key, usage) : store.addWithinStep(key, usage, { limits, exceeded: failureOf(key) });
    }
}

/** The limits that matter for what a change adds: what lowers a total is always allowed. */
function limitsOf(usage: Usage, { objects, bytes }: UsageLimits): UsageLimits {

    return { objects: usage.objects > 0 ? objects : null, bytes: usage.bytes > 0 ? bytes : null };
}

/** What a change adds to a total. */
interface Difference {
    readonly key: UsageKey;
    readonly usage: Usage;
}

function differencesOf({ before, after }: ObjectChange): Difference[] {

    const beforeBytes = before ? bytesOf(before, after) : 0;
    const afterBytes = after ? bytesOf(after, before) : 0;
    return KINDS.flatMap((kind) => {

        const [former, current] = [before && nameOf(before, kind), after && nameOf(after, kind)];
        const differences = former === current ?
            [{ name: current, objects: 0, bytes: afterBytes - beforeBytes }] :
            [{ name: former, objects: -1, bytes: -beforeBytes }, { name: current, objects: 1, bytes: afterBytes }];
        return differences.flatMap(({ name, objects, bytes }) =>
            (name === null || objects === 0 && bytes === 0 ? [] : [{ key: { kind, name }, usage: { objects, bytes } }]));
    });
}

function nameOf({ type, metadata: { createdBy } }: StoredObject, kind: UsageKind): string {

    return kind === 'user' ? createdBy : type;
}

/** Bytes of an object. Parts that it shares with its other state count as nothing in both. */
function bytesOf(object: StoredObject, other: StoredObject | null): number {

    const isMoved = other !== null && (other.type !== object.type || other.metadata.createdBy !== object.metadata.createdBy);
    const shared = isMoved ? null : other;
    const content = object.content === shared?.content ? 0 : Buffer.byteLength(storedText(object.content));
    const userMetadata = object.userMetadata === null || object.userMetadata === shared?.userMetadata ? 0 : Buffer.byteLength(writeStored(object.userMetadata));
    const acl = object.acl === null || object.acl === shared?.acl ? 0 : Buffer.byteLength(JSON.stringify(object.acl));
    return content + userMetadata + acl + object.elements.reduce((sum, element) => sum + bytesOfElement(element), 0);
}

/** Bytes of a payload with its names, as many empty ones may have long names. */
function bytesOfElement({ name, filename, mediaType, size }: StoredElement): number {

    return size + Buffer.byteLength(name) + Buffer.byteLength(filename ?? '') + Buffer.byteLength(mediaType ?? '');
}

function addTo(totals: Map<string, UsageKey & { objects: number; bytes: number }>, key: UsageKey, { objects, bytes }: Usage): void {

    const text = textOf(key);
    const total = totals.get(text);
    if (total) {
        total.objects += objects;
        total.bytes += bytes;
    }
    else {
        totals.set(text, { ...key, objects, bytes });
    }
}

function failureOf(key: UsageKey): string {

    return FAILURE + textOf(key);
}

function textOf({ kind, name }: UsageKey): string {

    return `${kind}:${name}`;
}
