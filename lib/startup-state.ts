/**
 * What is up and what is not (specification: GET `/startupStatus`).
 */

import type { JsonObject } from './doip/json.js';

/** State of the service or of one subsystem. */
export type SubsystemState = 'STARTING' | 'UP' | 'FAILED';

/** The states of the subsystems, in the order in which they were started. */
export class StartupState {

    private readonly details = new Map<string, SubsystemState>();

    /** Notes the state of a subsystem. */
    set(subsystem: string, state: SubsystemState): void {

        this.details.set(subsystem, state);
    }

    /** FAILED when anything failed, UP when everything is up. */
    get state(): SubsystemState {

        const states = [...this.details.values()];
        if (states.includes('FAILED')) {
            return 'FAILED';
        }

        return states.length > 0 && states.every((state) => state === 'UP') ? 'UP' : 'STARTING';
    }

    /** The record that clients read. */
    record(): JsonObject {

        return { state: this.state, details: Object.fromEntries(this.details) };
    }
}
