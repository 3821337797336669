/** Reads an object as it was sent: numbers keep their digits. */

import type { Acl, Metadata, Payload } from '../../../../lib/client/web/index.js';
import { objectPath, screenClient, textIn } from '../../api/client.js';
import { tagOf } from '../../api/entity-tag.js';
import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { plainJson } from '../../json/plain-json.js';

/** An object, as a screen shows it. */
export interface LoadedObject {
    readonly id: string;
    readonly type: string;
    readonly content: Json;
    readonly acl: Acl | undefined;
    readonly metadata: Metadata;
    readonly userMetadata: JsonMap | undefined;
    readonly payloads: readonly Payload[];
    /** All of it, as it was sent. */
    readonly whole: JsonMap;
    /** The version; null for types whose code changes objects when they are read: what is shown is not what is stored. */
    readonly etag: string | null;
    readonly mayWrite: boolean;
}

/** What every tab gets. */
export interface TabProps {
    readonly object: LoadedObject;
    /** Reads the object again. */
    readonly reload: () => void;
    readonly params: URLSearchParams;
}

/** Reads an object. @throws RepositoryError */
export async function loadObject(id: string, signal?: AbortSignal): Promise<LoadedObject> {

    const response = await screenClient.request({ method: 'GET', path: objectPath(id), query: { full: true }, signal });
    const whole = parseJson(await textIn(response));
    if (!isJsonMap(whole)) {
        throw new Error(`the response about ${id} is no object`);
    }

    const { content = null, userMetadata, ...rest } = whole;
    const { id: own, type, acl, metadata, payloads } = plainJson(rest) as Partial<Omit<LoadedObject, 'content' | 'userMetadata'>>;
    return {
        id: own ?? id, type: type ?? '', content, acl, metadata: metadata ?? {}, userMetadata: isJsonMap(userMetadata) ? userMetadata : undefined,
        payloads: payloads ?? [], whole, etag: response.headers.get('etag'), mayWrite: response.headers.get('x-permission') === 'WRITE'
    };
}

/** The tag of the version that was read, whatever type code has made of it; null if it is not known. */
export function tagOfLoaded({ etag, metadata }: Pick<LoadedObject, 'etag' | 'metadata'>): string | null {

    return etag ?? tagOf(metadata.txnId);
}

/** Headers of a change of the version that was read. */
export function ifMatch(object: Pick<LoadedObject, 'etag' | 'metadata'>): Readonly<Record<string, string>> {

    const tag = tagOfLoaded(object);
    return tag === null ? {} : { 'If-Match': tag };
}
