/**
 * Saving of the object that is edited, with its new files: all in one request, or, where a file fails, the content first and then each file on its
 * own, so that one that the service does not take holds up nothing else.
 */

import { repository, RepositoryError, textIn } from '../api/client.js';
import { upload } from '../api/upload.js';
import type { Json } from '../json/exact-number.js';
import { writeJson } from '../json/write-json.js';
import { paramText } from '../router.js';
import { isAbort, textOf } from '../state/messages.js';
import { isChangedBy } from './lost-response.js';
import { bodyOf, objectOf, placeOf, readObject } from './object-access.js';
import type { EditedObject, Target } from './object-access.js';
import { t } from './texts.js';

/** A file that goes with the object. */
export interface NewFile {
    readonly name: string;
    readonly file: File;
    /** Why it was not stored. */
    readonly problem?: string;
}

/** What was saved, and the files that were not. */
export interface Saved {
    readonly object: EditedObject;
    readonly missing: readonly NewFile[];
}

/** How it is saved. */
export interface SaveOptions {
    readonly ifMatch: string | null;
    readonly files: readonly NewFile[];
    /** True to send the content before the files, as they have failed together. */
    readonly isContentFirst?: boolean;
    readonly onProgress: (sent: number, total: number) => void;
    readonly signal: AbortSignal;
}

const PRECONDITION_FAILED = 412;

/** Statuses that do not depend on files: who asks, and what is there. */
const NOT_OF_FILES: ReadonlySet<number> = new Set([401, 403, 404, 409, PRECONDITION_FAILED]);

/** Saves. @throws RepositoryError if the content was not saved, and the reason of the signal when that was aborted before */
export async function saveObject(target: Target, content: Json, options: SaveOptions): Promise<Saved> {

    const { files, isContentFirst = false, ifMatch, signal } = options;
    if (files.length === 0) {
        return { object: await saveContent(target, content, ifMatch, signal), missing: [] };
    }

    let mayBeSaved = false;
    try {
        if (!isContentFirst) {
            return { object: await sendFiles(target, content, options), missing: [] };
        }
    }
    catch (error) {
        // What was stopped after all of it was sent may be stored: only the user says what follows.
        if (!isOfFiles(error, target) || signal.aborted) {
            throw error;
        }

        mayBeSaved = error.mayHaveChanged;
    }

    const object = await saveContent(target, content, ifMatch, signal).catch(async (error: unknown) => {

        if (mayBeSaved && target.kind === 'object' && error instanceof RepositoryError && error.status === PRECONDITION_FAILED) {
            return savedBefore(target.id, content, error);
        }

        throw error;
    });
    return sendEach(object, options);
}

/** True for a failure that another request without the files may not have. */
function isOfFiles(error: unknown, { kind }: Target): error is RepositoryError {

    const isKnown = error instanceof RepositoryError && error.errors.length === 0 && !NOT_OF_FILES.has(error.status);
    // An object that may have been created must not be created again.
    return isKnown && (kind === 'object' || !error.mayHaveChanged);
}

/** The object of a request whose response was lost. @throws the error, if somebody else has saved another content */
async function savedBefore(id: string, content: Json, error: RepositoryError): Promise<EditedObject> {

    const object = await readObject(id);
    if (await isChangedBy(object, [content]).catch(() => false)) {
        return object;
    }

    throw error;
}

async function saveContent(target: Target, content: Json, ifMatch: string | null, signal: AbortSignal): Promise<EditedObject> {

    const { method, path, query } = placeOf(target);
    const headers = ifMatch === null ? {} : { 'If-Match': ifMatch };
    const response = await repository.request({ method, path, query: { ...query, full: true }, headers, body: bodyOf(writeJson(content)), signal });
    return objectOf(await textIn(response), response.headers.get('etag'));
}

/** Sends each file to an object that was saved. After one that the user stops, no other is sent. */
async function sendEach(saved: EditedObject, options: SaveOptions): Promise<Saved> {

    const { id } = saved;
    let object = saved;
    const missing: NewFile[] = [];
    for (const { name, file } of options.files) {
        try {
            options.signal.throwIfAborted();
            object = await sendFiles({ kind: 'object', id }, object.content, { ...options, files: [{ name, file }], ifMatch: object.etag });
        }
        catch (error) {
            missing.push({ name, file, problem: isAbort(error) ? t('stopped') : textOf(error) });
        }
    }

    return { object, missing };
}

/** Sends content and files. */
async function sendFiles(target: Target, content: Json, { files, ifMatch, onProgress, signal }: SaveOptions): Promise<EditedObject> {

    const { method, path, query } = placeOf(target);
    const fields = { content: writeJson(content) };
    const { text, etag } = await upload({ method, path: path + paramText({ ...query, full: true }), fields, files, ifMatch, onProgress, signal });
    return objectOf(text, etag);
}
