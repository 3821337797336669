/** Changes of the files of an object. The content is sent along as it was read, since the service replaces objects. */

import { objectPath, payloadUrl, repository, send } from '../../api/client.js';
import { upload } from '../../api/upload.js';
import { writeJson } from '../../json/write-json.js';
import { ifMatch, type LoadedObject } from '../model/load.js';

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

/** Gives a file another name in the object, or for downloads. @throws RepositoryError */
export async function renameFile(
    object: LoadedObject, { from, to, filename }: { readonly from: string; readonly to: string; readonly filename: string }
): Promise<void> {

    const response = await send(payloadUrl(object.id, from), { method: 'GET' });
    if (!response.ok) {
        throw new Error(`${response.status} ${response.statusText}`);
    }

    const mediaType = object.payloads.find(({ name }) => name === from)?.mediaType ?? 'application/octet-stream';
    const file = new File([await response.blob()], filename, { type: mediaType });
    await storeFiles(object, [{ name: to, file }], {}, to === from ? undefined : from);
}
