/**
 * Stores the indexed form of an object together with the object.
 */

import type { Step } from '../../../db/database.js';
import type { ObjectChange, WriteParticipant } from '../../model/write-participant.js';
import type { IndexFormStore } from '../../stores/search/indexed-form-store.js';

/** Participant that stores indexed forms. */
export class IndexedFormParticipant implements WriteParticipant {

    readonly #forms: IndexFormStore;

    constructor(forms: IndexFormStore) {

        this.#forms = forms;
    }

    /** An undefined form costs no step: its type has nothing to do with indexing, and a form stored before belongs to an older state. */
    steps({ before, after, indexForm }: ObjectChange): Step[] {

        if (!after) {
            return before ? [this.#forms.removeStep(before.id)] : [];
        }

        if (indexForm) {
            return [this.#forms.saveStep(after, indexForm)];
        }

        return before && indexForm === null ? [this.#forms.removeStep(before.id)] : [];
    }
}
