/**
 * The client of the service: requests of the page's own origin, with the cookie of the session. A request that fails as the session has ended waits
 * for a new login and is repeated, so that nothing is lost. Another 401, which type code may send after it has written, repeats no change.
 */

import { errorOf } from '../../../lib/client/web/errors.js';
import { RepositoryClient, RepositoryError } from '../../../lib/client/web/index.js';
import type { Query, WebRequest } from '../../../lib/client/web/index.js';
import { config } from '../config.js';
import { defineTexts } from '../i18n/index.js';
import { OWN_ORIGIN, takeEarly } from './early.js';
import { objectPath } from './paths.js';

export { objectPath, RepositoryError };

const t = defineTexts({ en: { ended: 'Your session has ended.' }, de: { ended: 'Ihre Sitzung ist beendet.' }, fr: { ended: 'Votre session est terminée.' } });

const UNAUTHENTICATED = 401;

/** Asks for a login; resolves to whether there was one. */
type LoginPrompt = () => Promise<boolean>;

let prompt: LoginPrompt | null = null;

/** Sets who asks for a login when the session has ended. Null while nobody is logged in: then 401 is an error like any other. */
export function setLoginPrompt(ask: LoginPrompt | null): void {

    prompt = ask;
}

/** Asks for another login after the session has ended; false when there is none, or nobody was logged in. */
async function renewLogin(): Promise<boolean> {

    return prompt !== null && await prompt();
}

/** Resolves to whether the cookie is that of the caller whom the page shows. Requests wait for it. */
let isOwn: Promise<boolean> = Promise.resolve(true);

/** Sets whether the cookie is that of the caller. While it is not, nothing is sent: the page behaves as if the session had ended. */
export function setOwnSession(next: Promise<boolean>): void {

    isOwn = next;
}

/** Precedes requests that are not sent by `fetch`. @throws RepositoryError 401 if the cookie is not that of the caller */
export async function demandOwnSession(): Promise<void> {

    if (!await isOwn) {
        throw new RepositoryError(t('ended'), { status: UNAUTHENTICATED, isTokenRejected: true });
    }
}

/** By these headers the service knows that a request is of this page, and that it is to do nothing if the session of the caller has ended. */
export function ownHeaders(): Readonly<Record<string, string>> {

    return prompt === null ? OWN_ORIGIN : { ...OWN_ORIGIN, 'X-Session': 'required' };
}

/** What the service says when it has done nothing, since the session has ended. */
const ENDED = { 'www-authenticate': 'Bearer error="invalid_token"' };

/** Sends a request of the page's own origin. */
export async function send(url: string, init: RequestInit): Promise<Response> {

    const response = await (takeEarly(url, init) ?? sendQuietly(url, init));
    if (response.status !== UNAUTHENTICATED || prompt === null) {
        return response;
    }

    const error = await errorOf(response.clone(), url);
    return await isWorthRepeating(error, init.method) ? sendQuietly(url, init) : response;
}

/**
 * Asks for a login if a request has failed for want of one; resolves to whether the request shall be sent again. A 401 of type code, or of an operation,
 * while the session goes on is an error like any other; and without the word of the service that nothing was done, no change is sent twice.
 */
export async function isWorthRepeating(error: unknown, method = 'GET'): Promise<boolean> {

    if (!(error instanceof RepositoryError) || error.status !== UNAUTHENTICATED || prompt === null) {
        return false;
    }

    if (RepositoryError.failureOf(error).isTokenRejected === true) {
        return renewLogin();
    }

    return !await isStillLoggedIn() && await renewLogin() && method === 'GET';
}

/** True while the service knows the caller of the page by its session. */
async function isStillLoggedIn(): Promise<boolean> {

    const response = await sendWithCookie(`${SERVICE}/session`, {}).catch(() => null);
    // Without an answer nothing is known: what was sent is not sent again.
    return response?.ok !== true || (await response.json() as { active: boolean }).active;
}

/** Sends a request as the caller, without asking for a login. */
export async function sendQuietly(url: string, init: RequestInit): Promise<Response> {

    return await isOwn ? sendWithCookie(url, { ...init, headers: { ...init.headers as Record<string, string>, ...ownHeaders() } }) :
        Response.json({ message: t('ended') }, { status: UNAUTHENTICATED, headers: ENDED });
}

function sendWithCookie(url: string, init: RequestInit): Promise<Response> {

    return fetch(url, { ...init, credentials: 'same-origin', headers: { ...init.headers as Record<string, string>, ...OWN_ORIGIN } });
}

const SERVICE = location.origin + config.base;

/** The service, as the caller of the session. */
export const repository = new RepositoryClient(SERVICE, { fetch: send, insecure: true });

/** The same for what nobody has asked for, such as checks while somebody types: a login would take the keys that are typed. */
export const background = new RepositoryClient(SERVICE, { fetch: sendQuietly, insecure: true });

/** The same for the session itself, whoever it is of. */
export const sessions = new RepositoryClient(SERVICE, { fetch: sendWithCookie, insecure: true });

/** Longest wait between two tries of what a screen shows first, in milliseconds. */
const SILENT_MS = 900;

/** The same for what a screen shows first: where the service asks for more time, the screen says so at once instead of waiting in silence. */
export const screenClient = new RepositoryClient(SERVICE, { fetch: send, insecure: true, retries: { attempts: 3, maxDelayMs: SILENT_MS } });

/** How a request is sent. */
export interface SendOptions extends Partial<WebRequest> {
    readonly client?: RepositoryClient;
}

/** Reads a response to its end. @throws RepositoryError with status 0 when it is cut, as by a service that ends, and the reason of the signal */
export async function textIn(response: Response): Promise<string> {

    try {
        return await response.text();
    }
    catch (cause) {
        if (!(cause instanceof TypeError)) {
            throw cause;
        }

        const error = new RepositoryError('the connection was lost', { status: 0, requestId: response.headers.get('request-id'), cause });
        // Of a change, it is not known what came of it.
        throw Object.assign(error, { mayHaveChanged: true });
    }
}

/** Sends a request and returns its JSON. @throws RepositoryError */
export async function requestJson<T>(request: WebRequest, client = repository): Promise<T> {

    return JSON.parse(await textIn(await client.request(request))) as T;
}

/** Reads JSON. @throws RepositoryError */
export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {

    return requestJson<T>({ method: 'GET', path, query, signal });
}

/** Sends JSON. @throws RepositoryError */
export async function sendJson<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, { client, ...options }: SendOptions = {}): Promise<T> {

    const text = JSON.stringify(body);
    return requestJson<T>({
        method, path, ...options,
        ...body === undefined ? {} : { body: { mediaType: 'application/json', open: () => text, isReplayable: true } }
    }, client);
}

/** The address of a payload, for `img`, `video`, `iframe` and downloads. */
export function payloadUrl(id: string, name: string, options: { readonly isDownload?: boolean } = {}): string {

    return `${config.base}${objectPath(id)}?payload=${encodeURIComponent(name)}${options.isDownload ? '&disposition=attachment' : ''}`;
}
