/**
 * Names by which users log in: compared ignoring case, and `admin` is nobody's but the administrator's.
 */

import { badRequest } from '../../errors/errors.js';
import { ADMIN_ID } from '../../model/caller.js';

/** Bytes of a key column. */
const MAX_BYTES = 255;

/** A name as names are compared. */
export function loginKey(name: string): string {

    return name.normalize('NFC').toLowerCase();
}

/** True for the administrator's name, however it is written. */
export function isAdminName(name: string): boolean {

    return loginKey(name) === ADMIN_ID;
}

/** True for what can be a name at all; others belong to nobody and are not looked up. */
export function isPossibleName(name: string): boolean {

    return name !== '' && name.length <= MAX_BYTES && name.isWellFormed() && Buffer.byteLength(loginKey(name)) <= MAX_BYTES;
}

/** Requires a username that a user object may have. */
export function checkUsername(name: string): void {

    if (isAdminName(name)) {
        throw usernameTaken(name);
    }

    if (!isPossibleName(name)) {
        throw badRequest(`a username may have at most ${MAX_BYTES} bytes and no unpaired surrogates`);
    }
}

/** 400: another user has the name. */
export function usernameTaken(name: string): Error {

    return badRequest(`Username ${name} is not unique.`);
}
