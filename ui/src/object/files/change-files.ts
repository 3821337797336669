/** Changes of the files of an object. The content is sent along as it was read, since the service replaces objects. */

import { objectPath, payloadUrl, repository, send } from '../../api/client.js';
import { isSameVersion } from '../../api/entity-tag.js';
import { upload } from '../../api/upload.js';
import { writeJson } from '../../json/write-json.js';
import { ifMatch, type LoadedObject } from '../model/load.js';
import { t } from '../texts.js';

/** A file and its name in the object. */
export interface NamedFile {
    readonly name: string;
    readonly file: File;
}

interface UploadOptions {
    readonly onProgress?: (sent: number, total: number) => void;
    readonly signal?: AbortSignal;
}

/** Adds or replaces files. @throws RepositoryError */
export async function storeFiles(object: LoadedObject, files: readonly NamedFile[], options: UploadOptions = {}, toDelete?: string): Promise<void> {

    const query = toDelete === undefined ? '' : `?payloadToDelete=${encodeURIComponent(toDelete)}`;
    await upload({
        method: 'PUT', path: `${objectPath(object.id)}${query}`, fields: { content: writeJson(object.content) }, files, ifMatch: object.etag, ...options
    });
}

/** Deletes a file. @throws RepositoryError */
export async function deleteFile(object: LoadedObject, name: string): Promise<void> {

    await repository.request({ method: 'DELETE', path: objectPath(object.id), query: { payload: name }, headers: ifMatch(object) });
}

/**
 * Reads the bytes of a file to store them again. What type code makes of them when they are read has no version, unlike the object: it is not what is
 * stored.
 *
 * @throws RepositoryError, Error for bytes that are not those of the version that was read
 */
export async function storedBytes({ id, etag }: Pick<LoadedObject, 'id' | 'etag'>, name: string, signal?: AbortSignal): Promise<Blob> {

    const response = await send(payloadUrl(id, name), { method: 'GET', ...signal ? { signal } : {} });
    if (!response.ok) {
        throw new Error(`${name}: ${response.status} ${response.statusText}`);
    }

    const version = response.headers.get('etag');
    if (etag !== null && !isSameVersion(version, etag)) {
        await response.body?.cancel();
        throw new Error(t(version === null ? 'resolved' : 'changed'));
    }

    return response.blob();
}

/** Gives a file another name in the object, or for downloads. @throws RepositoryError */
export async function renameFile(
    object: LoadedObject, { from, to, filename }: { readonly from: string; readonly to: string; readonly filename: string }
): Promise<void> {

    const mediaType = object.payloads.find(({ name }) => name === from)?.mediaType ?? 'application/octet-stream';
    const file = new File([await storedBytes(object, from)], filename, { type: mediaType });
    await storeFiles(object, [{ name: to, file }], {}, to === from ? undefined : from);
}
