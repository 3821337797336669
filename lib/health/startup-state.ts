/**
 * State of the service and its subsystems (specification: GET `/startupStatus`). The record has the states and names of the specification,
 * and further members for operators.
 */

import type { JsonObject } from '../util/json-types.js';

/** State of the service or of one subsystem. */
export type SubsystemState = 'STARTING' | 'UP' | 'FAILED';

/** Subsystems in the order in which they start. */
export const SUBSYSTEMS = ['storage', 'indexer', 'identity', 'handles', 'jobs'] as const;

export type Subsystem = (typeof SUBSYSTEMS)[number];

/** Subsystems that the specification defines. */
const NAMED: readonly Subsystem[] = ['storage', 'indexer'];

/** Failure of the storage: it does not respond, is full, completes no changes, or is damaged; or there was no disk space to open it. */
export type StorageCondition = 'silent' | 'full' | 'stalled' | 'damaged' | 'no room to start' | 'no payloads' | 'payloads not owned' | 'payloads not set up';

const MESSAGES: Readonly<Record<StorageCondition, string>> = {
    silent: 'the storage does not answer',
    full: 'the storage is full: what is stored can be read, nothing can be added until there is room',
    stalled: 'the storage completes no changes, as when its disk is full: what is stored can be read, nothing can be added until it does',
    'no room to start': 'the storage is full: the service starts when there is room',
    'no payloads': 'the payload store does not answer: payloads can be neither read nor stored',
    'payloads not owned': 'another copy of this repository uses the payload store, or it is no longer that of this one: payloads can be read, and not stored',
    'payloads not set up': 'other nodes have stored payloads in a bucket that this node does not have: set PAYLOAD_STORE as they do, and start it again',
    damaged: 'a part of the storage cannot be read: restore it from a backup'
};

/** Parts without which the service still answers requests that do not need them. */
export const OPTIONAL_PARTS = ['payloads', 'search'] as const;

export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

const OF_PAYLOADS: ReadonlySet<StorageCondition | null> = new Set<StorageCondition>(['no payloads', 'payloads not owned', 'payloads not set up']);

/** Tracks the states of the subsystems. */
export class StartupState {

    readonly #subsystems = new Map<Subsystem, SubsystemState>();
    #probe: () => Promise<StorageCondition | null> = () => Promise.resolve(null);
    #isDraining = false;
    /** Reason of the last failed start, if known; null after a successful one. */
    #reason: StorageCondition | null = null;

    /** Records a successful start. `probe` returns the current failure of the storage within about a second, and never rejects. */
    succeed(probe: () => Promise<StorageCondition | null>): void {

        this.#probe = probe;
        this.#reason = null;
    }

    /** Records the begin of a start: everything is starting. */
    start(): void {

        for (const subsystem of SUBSYSTEMS) {
            this.#subsystems.set(subsystem, 'STARTING');
        }
    }

    /** Records the state of a subsystem. */
    set(subsystem: Subsystem, state: SubsystemState): void {

        this.#subsystems.set(subsystem, state);
    }

    /** Records a failed start: subsystems that were starting have failed. */
    fail(reason: StorageCondition | null = null): void {

        this.#reason = reason;
        for (const [subsystem, state] of this.#subsystems) {
            if (state === 'STARTING') {
                this.#subsystems.set(subsystem, 'FAILED');
            }
        }
    }

    /** FAILED when any subsystem has failed, and before the storage is up; other subsystems that are starting do not matter. */
    get state(): 'UP' | 'FAILED' {

        return stateOf(this.#subsystems);
    }

    /** Records that the service is about to stop. It still serves requests. */
    drain(): void {

        this.#isDraining = true;
    }

    /**
     * Why the service should get no requests now: it stops, starts, or cannot serve; null if it is ready.
     *
     * @param exclude parts that need not work
     */
    async unreadiness(exclude: readonly OptionalPart[] = []): Promise<string | null> {

        if (this.#isDraining) {
            return 'the service is about to stop';
        }

        const condition = await this.#condition();
        const counted = exclude.includes('search') ? new Map(this.#subsystems).set('indexer', 'UP') : this.#subsystems;
        const { state, message, subsystems } = conditionRecord(counted, exclude.includes('payloads') && OF_PAYLOADS.has(condition) ? null : condition);
        const waiting = Object.entries(subsystems as Record<Subsystem, SubsystemState>).filter(([, each]) => each !== 'UP').map(([name]) => name);
        return state === 'FAILED' || waiting.length > 0 ? typeof message === 'string' ? message : `not up: ${waiting.join(', ')}` : null;
    }

    /** The state of each subsystem. */
    get subsystems(): ReadonlyMap<string, SubsystemState> {

        return this.#subsystems;
    }

    /** The record for clients. */
    record(): JsonObject {

        return recordOf(this.#subsystems);
    }

    /** The record after a probe of the storage, whose result takes precedence. */
    async probedRecord(): Promise<JsonObject> {

        return conditionRecord(this.#subsystems, await this.#condition());
    }

    async #condition(): Promise<StorageCondition | null> {

        return this.#reason ?? (this.#subsystems.get('storage') === 'UP' ? await this.#probe() : null);
    }
}

/** A failure of the storage takes precedence. */
function conditionRecord(subsystems: ReadonlyMap<Subsystem, SubsystemState>, condition: StorageCondition | null): JsonObject {

    return condition === null ? recordOf(subsystems) : { ...recordOf(new Map(subsystems).set('storage', 'FAILED')), message: MESSAGES[condition] };
}

function stateOf(subsystems: ReadonlyMap<Subsystem, SubsystemState>): 'UP' | 'FAILED' {

    return subsystems.get('storage') === 'UP' && ![...subsystems.values()].includes('FAILED') ? 'UP' : 'FAILED';
}

function recordOf(subsystems: ReadonlyMap<Subsystem, SubsystemState>): JsonObject {

    const named = [...subsystems].filter(([name, state]) => NAMED.includes(name) && state !== 'STARTING');
    return { state: stateOf(subsystems), details: Object.fromEntries(named), subsystems: Object.fromEntries(subsystems) };
}
