/**
 * Usernames of an upload: each may have one owner, among what comes and among what stays.
 */

import type { AccountAnnotations } from '../../model/account-annotations.js';
import type { Directory } from '../../identity/accounts/user-directory.js';
import { checkUsername, loginKey, usernameTaken } from '../../identity/accounts/login-name.js';

/** The usernames of one upload. */
export class UploadNames {

    readonly #directory: Directory;
    readonly #keepsOthers: boolean;
    /** Usernames of the upload as they are compared, and whose they are. */
    readonly #owners = new Map<string, string>();

    constructor(directory: Directory, keepsOthers: boolean) {

        this.#directory = directory;
        this.#keepsOthers = keepsOthers;
    }

    /**
     * Notes the username of an object. A name that another object has is refused also where that object gets another one: which
     * comes first is not certain.
     *
     * @throws DoipError 400 for a name that cannot be, or is taken
     */
    async add(id: string, { username }: AccountAnnotations): Promise<void> {

        const name = username?.value;
        if (typeof name !== 'string' || name === '') {
            return;
        }

        checkUsername(name);
        const key = loginKey(name);
        const owner = this.#owners.get(key);
        const holder = owner ?? (this.#keepsOthers ? await this.#directory.holderOf(name) : null);
        if (holder !== null && holder !== id) {
            throw usernameTaken(name);
        }

        this.#owners.set(key, id);
    }
}
