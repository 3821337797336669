/**
 * Permissions for script modules. Type code runs with the rights of the administrator, so modules are not ordinary content: the
 * right to provide them is `aclModules` in the access rules of a type, empty by default, and no module may shadow one of
 * another object.
 */

import type { Caller } from '../../model/caller.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { ObjectChange } from '../../model/write-participant.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { Catalog } from '../../types/catalog.js';
import { badRequest, conflict } from '../../errors/errors.js';
import { denied, isUnrestrictedAdmin } from '../../model/caller.js';
import { modulePath } from '../program/program-catalog.js';
import { MODULE_ENDINGS } from '../program/module-resolver.js';

/** The parts of a change that modules depend on. */
export type ModuleChange = Pick<ObjectChange, 'before' | 'after' | 'processed' | 'caller'>;

/** Module directories before and after a change; undefined if the object provides no modules. */
export interface ModuleDirectories {
    readonly before: string | undefined;
    readonly after: string | undefined;
}

type ModuleCatalog = Pick<Catalog, 'moduleDirectories' | 'moduleFiles' | 'storedEpoch'>;

/** Module ids below this path belong to types, schemas and the design. */
const SERVICE_MODULES = '/cordra';

/** Checks permissions for modules. */
export class ModuleRules {

    readonly #catalog: ModuleCatalog;
    readonly #policy: Policy;

    constructor({ catalog, policy }: { catalog: ModuleCatalog; policy: Policy }) {

        this.#catalog = catalog;
        this.#policy = policy;
    }

    /** Epoch of the modules that {@link checkShadowing} knows, as the database has it. */
    get storedEpoch(): number {

        return this.#catalog.storedEpoch;
    }

    /** Returns the module directories of an object before and after a change. Versions of an object provide no modules. */
    directoriesOf({ before, after, processed }: ModuleChange): ModuleDirectories {

        // The catalog is at least as recent as the object read before the change.
        const directory = before ? this.#catalog.moduleDirectories.get(before.id) : undefined;
        const isProvider = after !== null && !after.metadata.isVersion;
        return { before: directory, after: isProvider ? processed ? processed.moduleDirectory : directory : undefined };
    }

    /**
     * Checks the right to change modules, and that they shadow no others, unless the object is restored. Returns whether this has to be checked
     * again when they are stored. See {@link checkRight}, {@link checkShadowing}.
     */
    check(change: ModuleChange, isRestored: boolean): boolean {

        const directories = this.directoriesOf(change);
        if (!changesModules(change, directories)) {
            return false;
        }

        this.checkRight(change, directories);
        if (isRestored) {
            return false;
        }

        this.checkShadowing(change, directories);
        return addedPaths(change, directories).length > 0;
    }

    /**
     * Checks that a caller who changes modules may provide them.
     *
     * @throws DoipError 401 or 403
     */
    checkRight(change: ModuleChange, directories: ModuleDirectories): void {

        const { before, after, caller } = change;
        if (caller.isAdmin || !changesModules(change, directories)) {
            return;
        }

        this.#demand(caller, directories.before === undefined ? null : before);
        this.#demand(caller, directories.after === undefined ? null : after);
    }

    /**
     * Checks that new modules do not shadow modules of other objects or of the service. A module in a `node_modules` folder
     * closer to some modules would shadow a module farther up for these; only the administrator may add one there.
     *
     * @throws DoipError 400 for ids of the service, 409 for ids of other objects
     */
    checkShadowing(change: ModuleChange, directories: ModuleDirectories): void {

        const { after, caller } = change;
        const added = addedPaths(change, directories);
        if (after === null || added.length === 0) {
            return;
        }

        const others = this.#modulesOfOthers(after.id);
        const isAdmin = isUnrestrictedAdmin(caller);
        for (const path of added) {
            if (path === SERVICE_MODULES || path.startsWith(`${SERVICE_MODULES}/`)) {
                throw badRequest(`module ${path}: ids below ${SERVICE_MODULES} belong to the service`);
            }

            specifiersOf(path).forEach((name, order) => {

                const same = others.get(name);
                const farther = isAdmin ? [] : namesAbove(name).flatMap((above) => others.get(above) ?? []);
                const other = same && order <= same.order ? same : farther[0];
                if (other) {
                    // Callers other than the administrator may not be allowed to read that object.
                    throw conflict(`module ${path} would take the place of ${isAdmin ? `${other.path} of object ${other.objectId}` : 'that of another object'}`);
                }
            });
        }
    }

    #demand(caller: Caller, object: StoredObject | null): void {

        const decision = object ? this.#policy.canProvideModules(caller, object.type) : null;
        if (decision && !decision.allowed) {
            throw denied(caller, decision.reason);
        }
    }

    /** Returns all names by which modules of other objects are found, with the position of the ending in the resolution order. */
    #modulesOfOthers(id: string): Map<string, { readonly objectId: string; readonly path: string; readonly order: number }> {

        const modules = new Map<string, { objectId: string; path: string; order: number }>();
        for (const { objectId, directory, element } of this.#catalog.moduleFiles) {
            const path = modulePath(directory, element.name);
            specifiersOf(path).forEach((name, order) => {

                const known = modules.get(name);
                if (objectId !== id && name !== '' && (!known || order < known.order)) {
                    modules.set(name, { objectId, path, order });
                }
            });
        }

        return modules;
    }
}

/** Returns the names by which `require` finds a file, in resolution order of the endings; empty if an ending does not match. */
function specifiersOf(path: string): string[] {

    return MODULE_ENDINGS.map((ending) => (path.endsWith(ending) ? path.slice(0, path.length - ending.length) : ''));
}

/** Returns the names that resolution tries after a name for the same specifier: in `node_modules` folders farther up. */
function namesAbove(name: string): string[] {

    return Array.from(name.matchAll(/\/node_modules(?=\/)/g), ({ index }) => {

        const names: string[] = [];
        for (let folder = name.slice(0, index); folder !== '';) {
            folder = folder.slice(0, folder.lastIndexOf('/'));
            names.push(folder + name.slice(index));
        }

        return names;
    }).flat();
}

function pathsOf(object: StoredObject | null, directory: string | undefined): string[] {

    return object && directory !== undefined ? object.elements.map(({ name }) => modulePath(directory, name)) : [];
}

function addedPaths({ before, after }: ModuleChange, directories: ModuleDirectories): string[] {

    const former = new Set(pathsOf(before, directories.before));
    return pathsOf(after, directories.after).filter((path) => !former.has(path));
}

function changesModules({ before, after }: ModuleChange, directories: ModuleDirectories): boolean {

    if (directories.before !== directories.after) {
        return true;
    }

    return directories.after !== undefined && !hasSameModules(before, after);
}

/** True if both have the same bytes under the same names. */
export function hasSameModules(before: StoredObject | null, after: StoredObject | null): boolean {

    const [former, now] = [before?.elements ?? [], after?.elements ?? []];
    return former === now || former.length === now.length && former.every((element, index) => (
        element.name === now[index]?.name && element.blobId === now[index].blobId && element.store === now[index].store
    ));
}
