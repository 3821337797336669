/** Schema objects: read and written with exact numbers, and only in the version that was read. */

import { background, objectPath, repository, textIn } from '../../api/client.js';
import { tagOf } from '../../api/entity-tag.js';
import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';

/** A Schema object. */
export interface TypeObject {
    readonly id: string;
    readonly content: JsonMap;
    /** The version, for changes; null where the service does not tell it. */
    readonly etag: string | null;
    /** True if type code may have changed it as it was read: its content is not what is stored. */
    readonly isResolved: boolean;
    readonly mayWrite: boolean;
}

/** The id of the design, which is read and stored like a Schema object. */
export const DESIGN = 'design';

/** Reads a Schema object. @throws RepositoryError */
export async function readTypeObject(id: string, signal?: AbortSignal): Promise<TypeObject> {

    const response = await repository.request({ method: 'GET', path: objectPath(id), query: { full: true }, ...signal ? { signal } : {} });
    const { content, tag } = partsOf(await textIn(response));
    const etag = response.headers.get('etag');
    const mayWrite = response.headers.get('x-permission') === 'WRITE';
    // Those who may change an object get a tag, unless the response is made by type code.
    return { id, content, etag: etag ?? tag, isResolved: etag === null && mayWrite, mayWrite };
}

/** The content of an object in full, and the tag of its version. */
function partsOf(text: string): { readonly content: JsonMap; readonly tag: string | null } {

    const { content, metadata } = mapOf(parseJson(text));
    return { content: mapOf(content), tag: tagOf(mapOf(metadata)['txnId']) };
}

function mapOf(value: Json | undefined): JsonMap {

    return isJsonMap(value) ? value : {};
}

/** Stores a Schema object, or only validates it. Returns the new version. @throws RepositoryError, with status 412 when somebody else has changed it */
export async function writeTypeObject(
    { id, content, etag }: Pick<TypeObject, 'id' | 'content' | 'etag'>, { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {}
): Promise<string | null> {

    const text = writeJson(content);
    const response = await (dryRun ? background : repository).request({
        method: 'PUT', path: objectPath(id), query: { dryRun, full: true }, headers: etag === null || dryRun ? {} : { 'If-Match': etag },
        body: { mediaType: 'application/json', open: () => text, isReplayable: true }, isRead: dryRun, ...signal ? { signal } : {}
    });
    const written = await textIn(response);
    return response.headers.get('etag') ?? partsOf(written).tag;
}
