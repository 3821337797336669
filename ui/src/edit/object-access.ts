/** Reading, checking and saving of the object that is edited, with exact numbers. */

import type { WebRequest } from '../../../lib/client/web/index.js';
import { objectPath, repository, RepositoryError } from '../api/client.js';
import { askForLogin } from '../api/session.js';
import { upload } from '../api/upload.js';
import type { Uploaded } from '../api/upload.js';
import { isJsonMap } from '../json/exact-number.js';
import type { Json } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { paramText } from '../router.js';

/** An object as it is edited. */
export interface EditedObject {
    readonly id: string;
    readonly type: string;
    readonly content: Json;
    readonly etag: string | null;
    readonly modifiedBy: string | null;
    readonly modifiedOn: number | null;
}

/** What is saved: an object that exists, or a new one of a type. */
export type Target =
    | { readonly kind: 'object'; readonly id: string }
    | { readonly kind: 'new'; readonly type: string; readonly handle?: string; readonly suffix?: string };

/** A file that goes with the object. */
export interface NewFile {
    readonly name: string;
    readonly file: File;
}

interface SaveOptions {
    readonly ifMatch: string | null;
    readonly files: readonly NewFile[];
    readonly onProgress: (sent: number, total: number) => void;
    readonly signal: AbortSignal;
}

const UNAUTHENTICATED = 401;

/** Reads an object. @throws RepositoryError */
export async function readObject(id: string, signal?: AbortSignal): Promise<EditedObject> {

    const response = await repository.request({ method: 'GET', path: objectPath(id), query: { full: true }, signal });
    return objectOf(await response.text(), response.headers.get('etag'));
}

function objectOf(text: string, etag: string | null): EditedObject {

    const object = parseJson(text);
    const { id, type, content, metadata } = isJsonMap(object) ? object : {};
    const { modifiedBy, modifiedOn } = isJsonMap(metadata) ? metadata : {};
    return {
        id: typeof id === 'string' ? id : '', type: typeof type === 'string' ? type : '', content: content ?? null, etag,
        modifiedBy: typeof modifiedBy === 'string' ? modifiedBy : null, modifiedOn: typeof modifiedOn === 'number' ? modifiedOn : null
    };
}

/** Where a target is saved. */
function placeOf(target: Target): { readonly method: 'POST' | 'PUT'; readonly path: string; readonly query: Readonly<Record<string, string | true>> } {

    if (target.kind === 'object') {
        return { method: 'PUT', path: objectPath(target.id), query: {} };
    }

    const { type, handle = '', suffix = '' } = target;
    return { method: 'POST', path: '/objects', query: { type, ...handle === '' ? {} : { handle }, ...suffix === '' ? {} : { suffix } } };
}

/** Lets the service check a content without storing it. @throws RepositoryError with the errors */
export async function checkContent(target: Target, text: string, signal: AbortSignal): Promise<void> {

    const { method, path, query } = placeOf(target);
    const response = await repository.request({ method, path, query: { ...query, dryRun: true }, body: bodyOf(text), isRead: true, signal });
    await response.body?.cancel();
}

function bodyOf(text: string): NonNullable<WebRequest['body']> {

    return { mediaType: 'application/json', open: () => text, isReplayable: true };
}

/** Saves. @throws RepositoryError, and the reason of the signal when that is aborted */
export async function saveObject(target: Target, text: string, options: SaveOptions): Promise<EditedObject> {

    const { method, path, query } = placeOf(target);
    if (options.files.length > 0) {
        const { text: saved, etag } = await sendFiles(method, path + paramText({ ...query, full: true }), text, options);
        return objectOf(saved, etag);
    }

    const headers = options.ifMatch === null ? {} : { 'If-Match': options.ifMatch };
    const response = await repository.request({ method, path, query: { ...query, full: true }, headers, body: bodyOf(text), signal: options.signal });
    return objectOf(await response.text(), response.headers.get('etag'));
}

/** Sends content and files. After the end of a session they are sent again, once somebody has logged in. */
async function sendFiles(method: 'POST' | 'PUT', path: string, content: string, { files, ifMatch, onProgress, signal }: SaveOptions): Promise<Uploaded> {

    const send = (): Promise<Uploaded> => upload({ method, path, fields: { content }, files, ifMatch, onProgress, signal });
    try {
        return await send();
    }
    catch (error) {
        if (error instanceof RepositoryError && error.status === UNAUTHENTICATED && await askForLogin(true)) {
            return send();
        }

        throw error;
    }
}
