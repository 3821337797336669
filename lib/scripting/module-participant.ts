/**
 * Writes along when the payloads of an object are modules for scripts: keeps the list of such objects, and tells every node that
 * scripts are to be loaded anew.
 */

import type { Step } from '../../db/database.js';
import type { ObjectChange, WriteParticipant } from '../objects/write-participant.js';
import type { CatalogStore } from '../stores/catalog-store.js';
import type { ScriptModuleStore } from '../stores/script-module-store.js';
import type { Catalog } from '../types/catalog.js';

/** Keeps the directories of modules in step with their objects. */
export class ModuleParticipant implements WriteParticipant {

    readonly name = 'script modules';
    readonly #modules: ScriptModuleStore;
    readonly #catalogStore: CatalogStore;
    readonly #catalog: Catalog;

    constructor(parts: { modules: ScriptModuleStore; catalogStore: CatalogStore; catalog: Catalog }) {

        this.#modules = parts.modules;
        this.#catalogStore = parts.catalogStore;
        this.#catalog = parts.catalog;
    }

    steps(change: ObjectChange): Step[] {

        const { before, after } = change;
        // The catalog is at least as new as the object that was read before the change.
        const known = before ? this.#catalog.moduleDirectories.get(before.id) : undefined;
        const directory = directoryAfter(change, known);
        if (directory === known) {
            const isSame = known === undefined || before?.elements === after?.elements;
            return isSame ? [] : [this.#catalogStore.bumpStep()];
        }

        const id = after?.id ?? before?.id ?? '';
        return [
            directory === undefined ? this.#modules.removeStep(id) : this.#modules.saveStep(id, directory),
            this.#catalogStore.bumpStep()
        ];
    }
}

/** A version of an object is a record and no place for modules. */
function directoryAfter({ after, processed }: ObjectChange, known: string | undefined): string | undefined {

    if (!after || after.metadata.isVersion) {
        return undefined;
    }

    return processed ? processed.moduleDirectory : known;
}
