/**
 * The client of the service: requests of the page's own origin, with the cookie of the session. A request that fails as the session has ended waits
 * for a new login and is repeated, so that nothing is lost.
 */

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
export async function renewLogin(): Promise<boolean> {

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
        throw new RepositoryError(t('ended'), { status: UNAUTHENTICATED });
    }
}

/** Sends a request of the page's own origin. */
export async function send(url: string, init: RequestInit): Promise<Response> {

    const response = await (takeEarly(url, init) ?? sendQuietly(url, init));
    return response.status === UNAUTHENTICATED && await renewLogin() ? sendQuietly(url, init) : response;
}

/** Sends a request as the caller, without asking for a login. */
async function sendQuietly(url: string, init: RequestInit): Promise<Response> {

    return await isOwn ? sendWithCookie(url, init) : Response.json({ message: t('ended') }, { status: UNAUTHENTICATED });
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

/** Sends a request and returns its JSON. @throws RepositoryError */
export async function requestJson<T>(request: WebRequest, client = repository): Promise<T> {

    const response = await client.request(request);
    return await response.json() as T;
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
