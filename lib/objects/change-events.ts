/**
 * Events for programs that extend the service: changes of objects by this process, reported after they were stored.
 */

import type { Logger } from 'pino';
import { readableError } from '../util/readable-error.js';
import { changedObject, type ObjectChange, type WriteParticipant } from '../model/write-participant.js';

/** A change that was stored. */
export interface ChangeEvent {
    readonly kind: 'created' | 'updated' | 'deleted';
    readonly id: string;
    /** Type of the object, after an update the new one. */
    readonly type: string;
    /** Transaction numbers after and before the change; null where there is no object. */
    readonly txnId: number | null;
    readonly formerTxnId: number | null;
    /** The object of which it is a version; null for other objects. */
    readonly versionOf: string | null;
    /** Id of the user; null for an anonymous one. Type code and uploads of all objects act as `admin`. */
    readonly userId: string | null;
    /** Epoch ms. */
    readonly at: number;
}

/** Called with each change, in the order in which those of an object were stored; nobody waits for its promise. */
export type ChangeListener = (event: ChangeEvent) => unknown;

/** Reports changes to listeners. An error of one is logged and disturbs nothing else. */
export class ChangeEvents implements WriteParticipant {

    readonly #listeners: readonly ChangeListener[];
    readonly #log: Logger;

    constructor(listeners: readonly ChangeListener[], log: Logger) {

        this.#listeners = listeners;
        this.#log = log;
    }

    steps(): [] {

        return [];
    }

    /** Reports a change in a later turn of the event loop, so that listeners do not delay the response. */
    committed(change: ObjectChange): void {

        const event = eventOf(change);
        setImmediate(() => this.#report(event));
    }

    #report(event: ChangeEvent): void {

        for (const listener of this.#listeners) {
            try {
                void Promise.resolve(listener(event)).catch((error: unknown) => this.#failed(event, error));
            }
            catch (error) {
                this.#failed(event, error);
            }
        }
    }

    #failed({ kind, id }: ChangeEvent, error: unknown): void {

        this.#log.error({ event: 'extension.listener-failed', err: readableError(error), kind, object: id }, 'a listener for changes failed');
    }
}

function eventOf(change: ObjectChange): ChangeEvent {

    const { before, after, caller, now } = change;
    const object = changedObject(change);
    // Listeners share it.
    return Object.freeze({
        kind: !after ? 'deleted' as const : before ? 'updated' as const : 'created' as const,
        id: object.id, type: object.type, txnId: after?.metadata.txnId ?? null, formerTxnId: before?.metadata.txnId ?? null,
        versionOf: object.metadata.versionOf ?? null, userId: caller.userId, at: now
    });
}
