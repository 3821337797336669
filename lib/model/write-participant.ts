/**
 * Write participants: modules that add steps to the unit of an object (accounts, type names, references, change log), so that
 * all of it is stored atomically.
 */

import type { Step } from '../../db/database.js';
import type { Caller } from './caller.js';
import type { StoredObject, IndexedForm } from './stored-object.js';
import type { ProcessedContent } from './processed-content.js';

/** A change that is about to be stored. */
export interface ObjectChange {
    /** Null if the object is created. */
    readonly before: StoredObject | null;
    /** Null if it is deleted. */
    readonly after: StoredObject | null;
    /** Result of validating the new content; null if the content was not changed or the object is deleted. */
    readonly processed: ProcessedContent | null;
    /**
     * Form in which `after` is indexed, for types whose code determines it: also if the content was not changed. Null if it is
     * indexed as stored; absent for all other types.
     */
    readonly indexForm?: IndexedForm | null;
    /** Steps from preparing the content, such as new password hashes. */
    readonly steps: readonly Step[];
    readonly caller: Caller;
    /** Epoch milliseconds. */
    readonly now: number;
    /** True if it adds script modules that must not shadow others, also when it is stored. */
    readonly addsModules?: boolean;
    /** Another object that is deleted first, in the same unit. */
    readonly instead?: ObjectChange;
    /** Of a change of the upload for which all other changes wait: epoch of types at which its run began. Absent for all others. */
    readonly uploadEpoch?: number;
}

/** Returns the object after a change, or the one that is deleted. */
export function changedObject({ before, after }: Pick<ObjectChange, 'before' | 'after'>): StoredObject {

    const object = after ?? before;
    if (!object) {
        throw new Error('a change has an object before or after it');
    }

    return object;
}

/** Reason of an error about an id that this object cannot have, whereas it may have another one. */
export const ID_RESERVED = 'the id stands for another user or group';

/** A module that takes part in every write. */
export interface WriteParticipant {
    /** Returns steps for the unit. May read, must not write. Throws to reject the change. */
    steps(change: ObjectChange): Promise<readonly Step[]> | readonly Step[];
    /** Throws for a change that is only tried, if one of its steps would fail for the reason of this participant. */
    examine?(change: ObjectChange): Promise<void>;
    /** Returns the error for a `failed` tag of one of its steps; undefined for the tags of others. */
    explain?(failed: string, change: ObjectChange): Error | undefined;
    /** Called after the unit is committed. Must not throw. */
    committed?(change: ObjectChange): void;
}
