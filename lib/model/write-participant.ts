/**
 * Others who write in the same unit as an object: accounts, type names, references, the search log. Each looks at what
 * changes and adds its steps, so that all of it is stored together or not at all.
 */

import type { Step } from '../../db/database.js';
import type { Caller } from './caller.js';
import type { StoredObject, IndexedForm } from './stored-object.js';
import type { ProcessedContent } from './processed-content.js';

/** A change that is about to be stored. */
export interface ObjectChange {
    /** Null when the object is created. */
    readonly before: StoredObject | null;
    /** Null when it is deleted. */
    readonly after: StoredObject | null;
    /** What validation found in the new content; null when the content was not touched or the object is deleted. */
    readonly processed: ProcessedContent | null;
    /**
     * What is indexed in place of parts of `after`, where the type has something to say about that: with every change of such
     * an object, also when its content was not touched. Null when it is indexed as it is; absent for all other types.
     */
    readonly indexForm?: IndexedForm | null;
    /** Steps that preparing the content led to, such as new hashes of passwords. */
    readonly steps: readonly Step[];
    readonly caller: Caller;
    /** Epoch milliseconds. */
    readonly now: number;
    /** Another object that is deleted in the same unit, before. */
    readonly instead?: ObjectChange;
    /** True for a change that belongs to the upload for which all others have to wait. */
    readonly isBulk?: boolean;
}

/** The reason of an error about an id that this object may not have, while it may have any other one. */
export const ID_RESERVED = 'the id stands for another user or group';

/** Somebody who writes along. */
export interface WriteParticipant {
    /** For the log. */
    readonly name: string;
    /** Steps for the unit. Must not write anything itself; may read. Throws to refuse the change. */
    steps(change: ObjectChange): Promise<readonly Step[]> | readonly Step[];
    /** The error behind a `failed` tag of one of its steps; undefined when the tag is not its own. */
    explain?(failed: string, change: ObjectChange): Error | undefined;
    /** Called after the unit is on disk. Must not throw. */
    committed?(change: ObjectChange): void;
}
