/** Schema objects: read and written with exact numbers, and only in the version that was read. */

import { background, objectPath, repository, textIn } from '../../api/client.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';

/** A Schema object. */
export interface TypeObject {
    readonly id: string;
    readonly content: JsonMap;
    /** The version, for changes; null where the service gives none. */
    readonly etag: string | null;
    readonly mayWrite: boolean;
}

/** The id of the design, which is read and stored like a Schema object. */
export const DESIGN = 'design';

/** Reads a Schema object. @throws RepositoryError */
export async function readTypeObject(id: string, signal?: AbortSignal): Promise<TypeObject> {

    const response = await repository.request({ method: 'GET', path: objectPath(id), ...signal ? { signal } : {} });
    const content = parseJson(await textIn(response));
    return { id, content: isJsonMap(content) ? content : {}, etag: response.headers.get('etag'), mayWrite: response.headers.get('x-permission') === 'WRITE' };
}

/** Stores a Schema object, or only validates it. Returns the new version. @throws RepositoryError, with status 412 when somebody else has changed it */
export async function writeTypeObject(
    { id, content, etag }: Pick<TypeObject, 'id' | 'content' | 'etag'>, { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {}
): Promise<string | null> {

    const text = writeJson(content);
    const response = await (dryRun ? background : repository).request({
        method: 'PUT', path: objectPath(id), query: { dryRun }, headers: etag === null || dryRun ? {} : { 'If-Match': etag },
        body: { mediaType: 'application/json', open: () => text, isReplayable: true }, isRead: dryRun, ...signal ? { signal } : {}
    });
    await textIn(response);
    return response.headers.get('etag');
}
