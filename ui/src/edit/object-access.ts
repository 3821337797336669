/** Reading and checking of the object that is edited, with exact numbers. */

import type { WebRequest } from '../../../lib/client/web/index.js';
import { background, objectPath, RepositoryError, screenClient, textIn } from '../api/client.js';
import { tagOf } from '../api/entity-tag.js';
import { isJsonMap } from '../json/exact-number.js';
import type { Json } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { writeJson } from '../json/write-json.js';

/** An object as it is edited. */
export interface EditedObject {
    readonly id: string;
    readonly type: string;
    readonly content: Json;
    /** The version, for If-Match; null where the service does not tell it. */
    readonly etag: string | null;
    /** True if type code may have changed it as it was read: its content is not what is stored. */
    readonly isResolved: boolean;
    readonly createdBy: string | null;
    readonly modifiedBy: string | null;
    readonly modifiedOn: number | null;
    /** Names of its files. */
    readonly payloads: readonly string[];
}

/** What is saved: an object that exists, or a new one of a type. */
export type Target =
    | { readonly kind: 'object'; readonly id: string }
    | { readonly kind: 'new'; readonly type: string; readonly handle?: string; readonly suffix?: string };

/** Statuses of a content, or a target, that cannot be stored. */
const REFUSED: ReadonlySet<number> = new Set([400, 403, 404, 409, 413]);

/** Reads an object. @throws RepositoryError */
export async function readObject(id: string, signal?: AbortSignal): Promise<EditedObject> {

    const response = await screenClient.request({ method: 'GET', path: objectPath(id), query: { full: true }, signal });
    const etag = response.headers.get('etag');
    // Those who may change an object get a tag, unless the response is made by type code.
    const isResolved = etag === null && response.headers.get('x-permission') === 'WRITE';
    return { ...objectOf(await textIn(response), etag), isResolved };
}

/** The object of a response, as the service writes it in full. */
export function objectOf(text: string, etag: string | null): EditedObject {

    return editedObject(parseJson(text), etag);
}

/** The object of a JSON value. */
export function editedObject(object: Json, etag: string | null): EditedObject {

    const { id, type, content, metadata, payloads } = isJsonMap(object) ? object : {};
    const { createdBy, modifiedBy, modifiedOn, txnId } = isJsonMap(metadata) ? metadata : {};
    return {
        id: typeof id === 'string' ? id : '', type: typeof type === 'string' ? type : '', content: content ?? null,
        etag: etag ?? tagOf(txnId), isResolved: false, createdBy: typeof createdBy === 'string' ? createdBy : null,
        modifiedBy: typeof modifiedBy === 'string' ? modifiedBy : null, modifiedOn: typeof modifiedOn === 'number' ? modifiedOn : null,
        payloads: Array.isArray(payloads) ? (payloads as readonly Json[]).flatMap((each) => (isJsonMap(each) && typeof each['name'] === 'string' ? [each['name']] : [])) : []
    };
}

/** Where a target is saved. */
export function placeOf(target: Target): { readonly method: 'POST' | 'PUT'; readonly path: string; readonly query: Readonly<Record<string, string | true>> } {

    if (target.kind === 'object') {
        return { method: 'PUT', path: objectPath(target.id), query: {} };
    }

    const { type, handle = '', suffix = '' } = target;
    return { method: 'POST', path: '/objects', query: { type, ...handle === '' ? {} : { handle }, ...suffix === '' ? {} : { suffix } } };
}

/** Lets the service check a content without storing it. @throws RepositoryError with the errors */
export async function checkContent(target: Target, text: string, signal: AbortSignal): Promise<void> {

    const { method, path, query } = placeOf(target);
    const response = await background.request({ method, path, query: { ...query, dryRun: true }, body: bodyOf(text), isRead: true, signal });
    await response.body?.cancel();
}

/** What the service would store of a content now, type code included; null if it refuses it. @throws RepositoryError while it does not answer */
export async function storedForm(target: Target, content: Json): Promise<Json | null> {

    const { method, path, query } = placeOf(target);
    try {
        const response = await screenClient.request({
            method, path, query: { ...query, dryRun: true, full: true }, body: bodyOf(writeJson(content)), isRead: true
        });
        return objectOf(await textIn(response), null).content;
    }
    catch (error) {
        if (error instanceof RepositoryError && REFUSED.has(error.status)) {
            return null;
        }

        throw error;
    }
}

/** A content as the body of a request. */
export function bodyOf(text: string): NonNullable<WebRequest['body']> {

    return { mediaType: 'application/json', open: () => text, isReplayable: true };
}
