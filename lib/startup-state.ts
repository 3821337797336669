/**
 * What is up and what is not (specification: GET `/startupStatus`).
 */

import type { JsonObject } from './doip/json.js';

/** State of the service or of one subsystem. */
export type SubsystemState = 'STARTING' | 'UP' | 'FAILED';

/** Everything that has a state, in the order in which it is started. */
export const SUBSYSTEMS = ['storage', 'indexer', 'identity', 'handles', 'jobs'] as const;

export type Subsystem = (typeof SUBSYSTEMS)[number];

/** The states of the subsystems. */
export class StartupState {

    private readonly details = new Map<Subsystem, SubsystemState>();
    private probe: () => Promise<boolean> = () => Promise.resolve(true);

    /** Tells how to find out, within a second or so, whether the storage answers that was up last; never rejects. */
    ask(probe: () => Promise<boolean>): void {

        this.probe = probe;
    }

    /** Notes that a start begins: nothing is up yet. */
    begin(): void {

        for (const subsystem of SUBSYSTEMS) {
            this.details.set(subsystem, 'STARTING');
        }
    }

    /** Notes the state of a subsystem. */
    set(subsystem: Subsystem, state: SubsystemState): void {

        this.details.set(subsystem, state);
    }

    /** Notes that a start has ended before everything was up: what was being started has failed. */
    fail(): void {

        for (const [subsystem, state] of this.details) {
            if (state === 'STARTING') {
                this.details.set(subsystem, 'FAILED');
            }
        }
    }

    /** FAILED when anything failed, UP when everything is up. */
    get state(): SubsystemState {

        return stateOf(this.details);
    }

    /** The record that clients read. */
    record(): JsonObject {

        return recordOf(this.details);
    }

    /** The record after a look at the storage: what does not answer right now has failed, whatever is known of it. */
    async look(): Promise<JsonObject> {

        const isSilent = this.details.get('storage') === 'UP' && !await this.probe();
        return recordOf(isSilent ? new Map(this.details).set('storage', 'FAILED') : this.details);
    }
}

function stateOf(details: ReadonlyMap<Subsystem, SubsystemState>): SubsystemState {

    const states = [...details.values()];
    if (states.includes('FAILED')) {
        return 'FAILED';
    }

    return states.length > 0 && states.every((state) => state === 'UP') ? 'UP' : 'STARTING';
}

function recordOf(details: ReadonlyMap<Subsystem, SubsystemState>): JsonObject {

    return { state: stateOf(details), details: Object.fromEntries(details) };
}
