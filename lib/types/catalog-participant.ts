/**
 * Write participant for Schema objects and the design: keeps type names unique, keeps the access rules of types that go for their objects, and
 * increments the epoch of types.
 */

import type { Step } from '../../db/database.js';
import { changedObject, type ObjectChange, type WriteParticipant } from '../model/write-participant.js';
import type { StoredObject } from '../model/stored-object.js';
import type { CatalogStore } from '../stores/catalog-store.js';
import { badRequest } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { isJsonObject, type JsonObject } from '../util/json-types.js';
import { SCHEMA_TYPE } from './built-in-types.js';

const NAME_CONFLICT = 'types:name';

/** Adds the steps for type names and the epoch of types to writes of Schema objects and the design. */
export class CatalogParticipant implements WriteParticipant {

    readonly #store: CatalogStore;
    readonly #computedRules: (type: string) => JsonObject | undefined;

    /** @param computedRules returns the access rules that the code of a type computed */
    constructor(store: CatalogStore, computedRules: (type: string) => JsonObject | undefined) {

        this.#store = store;
        this.#computedRules = computedRules;
    }

    steps(change: ObjectChange): Step[] {

        const { before, after } = change;
        const oldName = typeNameOf(before);
        const newName = typeNameOf(after);
        const { id } = changedObject(change);
        if (oldName === null && newName === null) {
            return id === DESIGN_ID ? [this.#store.bumpStep()] : [];
        }

        // Also a name that stays is claimed: earlier versions lost the rows of some names.
        return [
            ...before && oldName !== null ? this.#store.releaseSteps(before.id) : [],
            ...after && newName !== null ? this.#store.claimSteps(newName, after.id, NAME_CONFLICT) : [],
            ...before && oldName !== null && oldName !== newName ? this.#rulesSteps(before, oldName) : [],
            ...this.#store.changeSteps(id)
        ];
    }

    /** The rules of a former type of this name stay stored while there is a new one, and do not count. */
    #rulesSteps({ content }: StoredObject, name: string): Step[] {

        const rules = this.#computedRules(name) ?? content.authConfig;
        return isJsonObject(rules) ? this.#store.keepRulesSteps(name, rules) : this.#store.forgetRulesSteps(name);
    }

    explain(failed: string, { after }: ObjectChange): Error | undefined {

        return failed === NAME_CONFLICT ? badRequest(`Schema name ${typeNameOf(after)} is not unique.`) : undefined;
    }
}

/** Returns the name of the type that an object defines; null if it defines none, as versions of Schema objects do. */
export function typeNameOf(object: StoredObject | null): string | null {

    const name = object?.type === SCHEMA_TYPE && !object.metadata.isVersion ? object.content.name : null;
    return typeof name === 'string' ? name : null;
}
