/**
 * Write participant for objects whose payloads are script modules: maintains the list of their directories, and increments the
 * epoch of types so that every node reloads scripts.
 */

import type { Step } from '../../../db/database.js';
import { changedObject, type ObjectChange, type WriteParticipant } from '../../model/write-participant.js';
import type { CatalogStore } from '../../stores/catalog-store.js';
import type { ScriptModuleStore } from '../../stores/script-module-store.js';
import { hasSameModules, type ModuleDirectories, type ModuleRules } from './module-permissions.js';

/** Adds the steps for module directories to writes. */
export class ModuleParticipant implements WriteParticipant {

    readonly #modules: ScriptModuleStore;
    readonly #catalogStore: CatalogStore;
    readonly #rules: ModuleRules;

    constructor(parts: { modules: ScriptModuleStore; catalogStore: CatalogStore; rules: ModuleRules }) {

        this.#modules = parts.modules;
        this.#catalogStore = parts.catalogStore;
        this.#rules = parts.rules;
    }

    steps(change: ObjectChange): Step[] {

        const { before, after } = change;
        const directories = this.#rules.directoriesOf(change);
        this.#rules.checkRight(change, directories);
        if (directories.before === directories.after) {
            const isSame = directories.after === undefined || hasSameModules(before, after);
            return isSame ? [] : [this.#bumpStep(change, directories)];
        }

        const { id } = changedObject(change);
        return [
            directories.after === undefined ? this.#modules.removeStep(id) : this.#modules.saveStep(id, directories.after),
            this.#bumpStep(change, directories)
        ];
    }

    /** New modules are compared with those of a certain epoch: of two changes at a time that add the same one, one must fail. */
    #bumpStep(change: ObjectChange, directories: ModuleDirectories): Step {

        if (!change.addsModules) {
            return this.#catalogStore.bumpStep();
        }

        this.#rules.checkShadowing(change, directories);
        return this.#catalogStore.bumpFromStep(this.#rules.storedEpoch);
    }
}
