/**
 * Login names: compared ignoring case; `admin` is reserved for the administrator.
 */

import { badRequest } from '../../errors/errors.js';
import { ADMIN_ID } from '../../model/caller.js';

/** Maximum length in bytes, as the key column. */
const MAX_BYTES = 255;

/** Returns the normalised form by which names are compared. */
export function loginKey(name: string): string {

    return name.normalize('NFC').toLowerCase();
}

/** True for the administrator's name in any spelling. */
export function isAdminName(name: string): boolean {

    return loginKey(name) === ADMIN_ID;
}

/** True for a possible name; others are not looked up. */
export function isPossibleName(name: string): boolean {

    return name !== '' && name.length <= MAX_BYTES && name.isWellFormed() && Buffer.byteLength(loginKey(name)) <= MAX_BYTES;
}

/** True for a possible id of a user or group, which is stored as it is. */
export function isPossibleId(id: string): boolean {

    return isPossibleName(id) && Buffer.byteLength(id) <= MAX_BYTES;
}

/** Checks that a user object may have a username. @throws DoipError 400 */
export function checkUsername(name: string): void {

    if (isAdminName(name)) {
        throw usernameConflict(name);
    }

    if (!isPossibleName(name)) {
        throw badRequest(`a username may have at most ${MAX_BYTES} bytes and no unpaired surrogates`);
    }
}

/** 400: another user has the name. */
export function usernameConflict(name: string): Error {

    return badRequest(`Username ${name} is not unique.`);
}
