/**
 * Looks up what the handle references in content point at: each object must exist and have an allowed type. Also keeps
 * the rows of references in step.
 */

import type { Step } from '../../db/database.js';
import type { ObjectStore } from '../stores/object-store.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { ProcessedContent } from '../types/type-definition.js';
import type { ObjectChange, WriteParticipant } from './write-participant.js';
import { invalidContent } from '../doip/error.js';
import { referenceFaults } from '../types/references.js';

/** Checks references before a change and stores them with it. */
export class ReferenceChecker implements WriteParticipant {

    readonly name = 'references';
    readonly #objects: ObjectStore;
    readonly #references: ReferenceStore;

    constructor(objects: ObjectStore, references: ReferenceStore) {

        this.#objects = objects;
        this.#references = references;
    }

    /** @throws DoipError 400 with the pointer of a reference to nothing or to the wrong type */
    async check({ references }: ProcessedContent, referrer: { id: string; type: string }): Promise<void> {

        if (references.length === 0) {
            return;
        }

        const types = await this.#objects.typesOf([...new Set(references.map(({ id }) => id))]);
        // An object may refer to itself, also in the moment in which it comes into being.
        types.set(referrer.id, referrer.type);
        const faults = referenceFaults(references, types);
        if (faults.length > 0) {
            throw invalidContent(faults);
        }
    }

    steps({ before, after, processed }: ObjectChange): Step[] {

        if (!after) {
            return before ? this.#references.replaceSteps(before.id, [], false) : [];
        }

        if (!processed) {
            return [];
        }

        const references = processed.references.map(({ pointer, id }) => ({ pointer, toId: id }));
        return this.#references.replaceSteps(after.id, references, before === null);
    }
}
