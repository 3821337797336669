/** Requests that need the password itself instead of a session. */

import { errorOf } from '../../../lib/client/web/errors.js';
import { config } from '../config.js';

/** Name and password, as they were entered. */
export interface NameAndPassword {
    readonly username: string;
    readonly password: string;
}

/** Sends a request with a password. A wrong one must not count as the end of the session. @throws RepositoryError */
export async function sendWithPassword({ username, password }: NameAndPassword, path: string, { method, mediaType, body }: {
    readonly method: string; readonly mediaType: string; readonly body: string;
}): Promise<Response> {

    const credentials = btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
    const response = await fetch(config.base + path, {
        method, body, credentials: 'omit', headers: { 'Content-Type': mediaType, Authorization: `Basic ${credentials}`, 'X-Requested-With': 'doip-gateway' }
    });
    if (!response.ok) {
        throw await errorOf(response, `${method} ${path}`);
    }

    return response;
}

/** Changes the password of a user, also of one who must. @throws RepositoryError */
export async function changePassword(user: NameAndPassword, next: string): Promise<void> {

    await (user.username === 'admin' ?
        sendWithPassword(user, '/adminPassword', { method: 'PUT', mediaType: 'application/json', body: JSON.stringify({ password: next }) }) :
        sendWithPassword(user, '/users/this/password', { method: 'PUT', mediaType: 'text/plain', body: next }));
}
