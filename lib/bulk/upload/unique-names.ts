/** Uniqueness of the usernames in an upload, among its objects and those that remain. */

import type { AccountAnnotations } from '../../model/account-annotations.js';
import type { Directory } from '../../identity/accounts/user-directory.js';
import { checkUsername, loginKey, usernameConflict } from '../../identity/accounts/login-name.js';

/** Usernames of one upload. */
export class UploadNames {

    readonly #directory: Directory;
    readonly #keepsStored: boolean;
    /** Owner by normalised username. */
    readonly #owners = new Map<string, string>();

    constructor(directory: Directory, keepsStored: boolean) {

        this.#directory = directory;
        this.#keepsStored = keepsStored;
    }

    /**
     * Registers the username of an object. The name of another existing object is rejected even when the upload renames that object, since
     * the order of the writes is not defined.
     *
     * @throws DoipError 400 for an invalid or taken name
     */
    async add(id: string, { username }: AccountAnnotations): Promise<void> {

        const name = username?.value;
        if (typeof name !== 'string' || name === '') {
            return;
        }

        checkUsername(name);
        const key = loginKey(name);
        const owner = this.#owners.get(key);
        const holder = owner ?? (this.#keepsStored ? await this.#directory.holderOf(name) : null);
        if (holder !== null && holder !== id) {
            throw usernameConflict(name);
        }

        this.#owners.set(key, id);
    }
}
