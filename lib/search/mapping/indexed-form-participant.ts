/**
 * Keeps the form in which an object is indexed in step with the object.
 */

import type { Step } from '../../../db/database.js';
import type { ObjectChange, WriteParticipant } from '../../model/write-participant.js';
import type { IndexFormStore } from '../../stores/search/indexed-form-store.js';

/** Stores forms for indexing with their objects. */
export class IndexedFormParticipant implements WriteParticipant {

    readonly name = 'index form';
    readonly #forms: IndexFormStore;

    constructor(forms: IndexFormStore) {

        this.#forms = forms;
    }

    /** Types that say nothing about indexing cost nothing: a form that such an object once had is of an older state. */
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
