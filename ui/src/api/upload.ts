/** Uploads with progress, which `fetch` does not report: by XMLHttpRequest, as a multipart form. */

import { errorOf, RepositoryError } from '../../../lib/client/web/errors.js';
import { config } from '../config.js';
import { demandOwnSession, isWorthRepeating, ownHeaders } from './client.js';

/** An upload of an object's fields and files. */
export interface Upload {
    readonly method: 'POST' | 'PUT';
    /** Below the base, with its query. */
    readonly path: string;
    /** Fields of JSON text, such as `content` and `acl`. */
    readonly fields: Readonly<Record<string, string>>;
    readonly files: readonly { readonly name: string; readonly file: File }[];
    readonly ifMatch?: string | null;
    readonly onProgress?: (sent: number, total: number) => void;
    readonly signal?: AbortSignal;
}

/** The response to an upload. */
export interface Uploaded {
    readonly text: string;
    readonly etag: string | null;
}

/**
 * Sends an upload; when the session has ended, again after another login, so that nobody has to choose the files anew.
 *
 * @throws RepositoryError for anything but success, and the reason of the signal when that is aborted before everything was sent
 */
export async function upload(request: Upload): Promise<Uploaded> {

    return guarded(() => withLogin(() => sendForm(request)));
}

let running = 0;

const stay = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Asks before the page is closed while something is sent: another screen may be shown meanwhile. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {

    running += 1;
    addEventListener('beforeunload', stay);
    try {
        return await work();
    }
    finally {
        running -= 1;
        if (running === 0) {
            removeEventListener('beforeunload', stay);
        }
    }
}

/** Makes a change, and again after another login when the service has rejected it since the session has ended. @throws RepositoryError */
export async function withLogin<T>(work: () => Promise<T>): Promise<T> {

    try {
        return await work();
    }
    catch (error) {
        if (await isWorthRepeating(error, 'POST')) {
            return work();
        }

        throw error;
    }
}

/**
 * The error of an upload whose connection was lost. The service changes nothing before it has received everything, but it may have: browsers report
 * with a delay what was sent.
 */
export function lostUpload(isSent: boolean, more: Readonly<Record<string, boolean>> = {}): RepositoryError {

    return Object.assign(new RepositoryError('the connection was lost', { status: 0, details: { isSent, ...more } }), { mayHaveChanged: true });
}

/** True for an upload whose connection was lost before everything was sent, as far as the browser knows. */
export function isCutShort(error: unknown): boolean {

    return error instanceof RepositoryError && error.details['isSent'] === false;
}

/** True for an upload that the user has stopped after everything was sent. */
export function isStopped(error: unknown): boolean {

    return error instanceof RepositoryError && error.details['isStopped'] === true;
}

/** The error that the response of an XMLHttpRequest stands for. */
export async function errorOfSent(request: XMLHttpRequest, name: string): Promise<RepositoryError> {

    const headers = Object.fromEntries(['www-authenticate', 'retry-after', 'request-id'].flatMap((each) => {

        const value = request.getResponseHeader(each);
        return value === null ? [] : [[each, value]];
    }));
    return errorOf(new Response(request.responseText, { status: request.status, headers }), name);
}

async function sendForm({ method, path, fields, files, ifMatch, onProgress, signal }: Upload): Promise<Uploaded> {

    const form = new FormData();
    Object.entries(fields).forEach(([name, text]) => form.append(name, text));
    files.forEach(({ name, file }) => form.append(name, file, file.name));
    await demandOwnSession();
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, config.base + path);
    Object.entries(ownHeaders()).forEach(([name, value]) => request.setRequestHeader(name, value));
    if (typeof ifMatch === 'string') {
        request.setRequestHeader('If-Match', ifMatch);
    }

    return new Promise((resolve, reject) => {

        let isSent = false;
        const abort = (): void => {

            request.abort();
            reject(isSent ? lostUpload(true, { isStopped: true }) : signal?.reason as Error);
        };

        signal?.addEventListener('abort', abort, { once: true });
        request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total));
        request.upload.addEventListener('load', () => {

            isSent = true;
        });
        request.addEventListener('error', () => reject(lostUpload(isSent)));
        request.addEventListener('load', () => {

            signal?.removeEventListener('abort', abort);
            const { status, responseText } = request;
            if (status >= 200 && status < 300) {
                resolve({ text: responseText, etag: request.getResponseHeader('etag') });
            }
            else {
                void errorOfSent(request, `${method} ${path}`).then(reject);
            }
        });
        request.send(form);
    });
}
