/**
 * What is up and what is not (specification: GET `/startupStatus`). The record has the states and names of the specification;
 * what else operators may want to know stands beside them.
 */

import type { JsonObject } from '../util/json-types.js';

/** State of the service or of one subsystem. */
export type SubsystemState = 'STARTING' | 'UP' | 'FAILED';

/** Everything that has a state, in the order in which it is started. */
export const SUBSYSTEMS = ['storage', 'indexer', 'identity', 'handles', 'jobs'] as const;

export type Subsystem = (typeof SUBSYSTEMS)[number];

/** The subsystems that the specification names. */
const NAMED: readonly Subsystem[] = ['storage', 'indexer'];

/** What is wrong with a storage that was up: it does not answer, has no room, or lacks something; or it has no room to be opened. */
export type StorageTrouble = 'silent' | 'full' | 'damaged' | 'no room to start';

const MESSAGES: Readonly<Record<StorageTrouble, string>> = {
    silent: 'the storage does not answer',
    full: 'the storage is full: what is stored can be read, nothing can be added until there is room',
    'no room to start': 'the storage is full: the service starts when there is room',
    damaged: 'a part of the storage cannot be read: restore it from a backup'
};

/** The states of the subsystems. */
export class StartupState {

    private readonly subsystems = new Map<Subsystem, SubsystemState>();
    private probe: () => Promise<StorageTrouble | null> = () => Promise.resolve(null);
    /** Why the last start has failed, where that is known; until one succeeds. */
    private reason: StorageTrouble | null = null;

    /** Notes that everything is up, and how to find out, within a second or so, what is wrong with the storage; never rejects. */
    succeed(probe: () => Promise<StorageTrouble | null>): void {

        this.probe = probe;
        this.reason = null;
    }

    /** Notes that a start begins: nothing is up yet. */
    begin(): void {

        for (const subsystem of SUBSYSTEMS) {
            this.subsystems.set(subsystem, 'STARTING');
        }
    }

    /** Notes the state of a subsystem. */
    set(subsystem: Subsystem, state: SubsystemState): void {

        this.subsystems.set(subsystem, state);
    }

    /** Notes that a start has ended before everything was up: what was being started has failed. */
    fail(reason: StorageTrouble | null = null): void {

        this.reason = reason;
        for (const [subsystem, state] of this.subsystems) {
            if (state === 'STARTING') {
                this.subsystems.set(subsystem, 'FAILED');
            }
        }
    }

    /** FAILED when anything has failed, and before the storage is up; what else is being started does not keep it from being UP. */
    get state(): 'UP' | 'FAILED' {

        return stateOf(this.subsystems);
    }

    /** The record that clients read. */
    record(): JsonObject {

        return recordOf(this.subsystems);
    }

    /** The record after a look at the storage: what is wrong with it right now counts, whatever was known of it. */
    async look(): Promise<JsonObject> {

        const trouble = this.reason ?? (this.subsystems.get('storage') === 'UP' ? await this.probe() : null);
        return trouble === null ? recordOf(this.subsystems) :
            { ...recordOf(new Map(this.subsystems).set('storage', 'FAILED')), message: MESSAGES[trouble] };
    }
}

function stateOf(subsystems: ReadonlyMap<Subsystem, SubsystemState>): 'UP' | 'FAILED' {

    return subsystems.get('storage') === 'UP' && ![...subsystems.values()].includes('FAILED') ? 'UP' : 'FAILED';
}

function recordOf(subsystems: ReadonlyMap<Subsystem, SubsystemState>): JsonObject {

    const known = [...subsystems].filter(([name, state]) => NAMED.includes(name) && state !== 'STARTING');
    return { state: stateOf(subsystems), details: Object.fromEntries(known), subsystems: Object.fromEntries(subsystems) };
}
