/** Gives an object the state of one of its versions: the content, and, as the user chooses, the files and the rights. */

import { objectPath } from '../../api/client.js';
import { upload } from '../../api/upload.js';
import { writeJson } from '../../json/write-json.js';
import { paramText } from '../../router.js';
import type { LoadedObject } from '../model/load.js';
import { storedBytes, type NamedFile } from '../files/change-files.js';

/** What is restored beside the content. */
export interface RestoreParts {
    readonly files: boolean;
    readonly rights: boolean;
}

interface RestoreOptions {
    readonly version: LoadedObject;
    readonly tip: LoadedObject;
    readonly parts: RestoreParts;
    /** Called with the bytes that were read or sent, of all that have to be. */
    readonly onProgress: (done: number, total: number) => void;
    readonly signal: AbortSignal;
}

/** Names of the files that the object has, but the version has not. */
export function surplusFiles(version: LoadedObject, tip: LoadedObject): readonly string[] {

    const kept = new Set(version.payloads.map(({ name }) => name));
    return tip.payloads.map(({ name }) => name).filter((name) => !kept.has(name));
}

/** True when the version has other rights of its own than the object. */
export function hasOtherRights(version: LoadedObject, tip: LoadedObject): boolean {

    return JSON.stringify(version.acl ?? {}) !== JSON.stringify(tip.acl ?? {});
}

/**
 * Restores in one change, which somebody else's change meanwhile prevents. The service has no operation for it, so files are read and sent again.
 *
 * @throws RepositoryError, and the reason of the signal when that is aborted
 */
export async function restore({ version, tip, parts, onProgress, signal }: RestoreOptions): Promise<void> {

    const bytes = parts.files ? version.payloads.reduce((sum, { size }) => sum + size, 0) : 0;
    const files = parts.files ? await readFiles(version, (read) => onProgress(read, 2 * bytes), signal) : [];
    const fields = { content: writeJson(version.content), ...parts.rights ? { acl: JSON.stringify(version.acl ?? {}) } : {} };
    await upload({
        method: 'PUT', path: objectPath(tip.id) + paramText({ payloadToDelete: parts.files ? surplusFiles(version, tip) : [] }), fields, files, ifMatch: tip.etag, signal,
        onProgress: (sent) => onProgress(bytes + Math.min(sent, bytes), 2 * bytes)
    });
}

async function readFiles({ id, etag, payloads }: LoadedObject, onRead: (bytes: number) => void, signal: AbortSignal): Promise<readonly NamedFile[]> {

    const files: NamedFile[] = [];
    let read = 0;
    for (const { name, filename = name, mediaType = 'application/octet-stream', size } of payloads) {
        files.push({ name, file: new File([await storedBytes({ id, etag }, name, signal)], filename, { type: mediaType }) });
        read += size;
        onRead(read);
    }

    return files;
}
