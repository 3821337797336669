/**
 * Looks up what the handle references in content point at: each object must exist and have an allowed type. Also keeps
 * the rows of references in step.
 */

import type { Step } from '../../db/database.js';
import type { ObjectStore } from '../stores/object-store.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { ProcessedContent } from '../types/type-definition.js';
import type { Draft } from './content-pipeline.js';
import type { ObjectChange, WriteParticipant } from './write-participant.js';
import { invalidContent, type ContentFault } from '../doip/error.js';
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
    async check({ references }: ProcessedContent, referrer: Pick<Draft, 'id' | 'type' | 'earlier'>): Promise<void> {

        if (references.length === 0) {
            return;
        }

        let faults = await this.#faults(references, referrer);
        if (faults.length > 0 && referrer.earlier) {
            await referrer.earlier();
            faults = await this.#faults(references, referrer);
        }

        if (faults.length > 0) {
            throw invalidContent(faults);
        }
    }

    async #faults(references: ProcessedContent['references'], { id, type }: Pick<Draft, 'id' | 'type'>): Promise<ContentFault[]> {

        const types = await this.#objects.typesOf([...new Set(references.map((reference) => reference.id))]);
        // An object may refer to itself, also in the moment in which it comes into being.
        types.set(id, type);
        return referenceFaults(references, types);
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
