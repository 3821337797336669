/** Entity tags (RFC 9110, sections 8.8.3 and 13.1): preconditions of requests, and the tag of a response. */

import type { Request, ResponseObject } from '@hapi/hapi';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { header } from './decode.js';
import type { RequestHeaders } from './decode.js';

/** Appended to a tag where the body is compressed, also by a proxy. */
const CODING = /-(?:gzip|deflate|br|zstd)$/;

/** Converts the headers If-Match and If-None-Match to the attributes `ifMatch` and `ifNoneMatch`; without those that are absent. */
export function preconditionsOf(headers: RequestHeaders): JsonObject {

    const [ifMatch, ifNoneMatch] = [tagsOf(headers, 'if-match'), tagsOf(headers, 'if-none-match')];
    return { ...ifMatch ? { ifMatch } : {}, ...ifNoneMatch ? { ifNoneMatch } : {} };
}

/** Tags of the versions that a client demands; undefined if any will do. Only versions with a tag can be demanded. */
export function demandedTags(headers: RequestHeaders): string[] | undefined {

    const tags = tagsOf(headers, 'if-match');
    return tags?.includes('*') ? undefined : tags;
}

/** The tag by which a client that reads has this version already, with the suffix of a compressed body; undefined if it has another one. */
export function heldTag(headers: RequestHeaders, entityTag: string): string | undefined {

    const tags = writtenTags(headers, 'if-none-match');
    return tags?.[0] === '*' ? entityTag : tags?.find((tag) => tag.replace(CODING, '') === entityTag);
}

/** Sets the tag of a response, if it has one; it depends on who asks, too. A response without its body has the tag of what the client holds. */
export function withEntityTag(request: Request, response: ResponseObject, entityTag: string | undefined): ResponseObject {

    if (entityTag === undefined) {
        return response;
    }

    const isWhole = response.statusCode !== 304;
    const tag = isWhole ? entityTag : heldTag(request.headers, entityTag) ?? entityTag;
    // Evaluated before; hapi would split it by an expression that takes quadratic time.
    if (request.headers['if-none-match'] !== undefined) {
        delete request.headers['if-none-match'];
    }

    return response.etag(tag, { weak: false, vary: isWhole }).vary('authorization, cookie, as-user');
}

/** Like {@link writtenTags}, without suffixes. */
function tagsOf(headers: RequestHeaders, name: string): string[] | undefined {

    return writtenTags(headers, name)?.map((tag) => tag.replace(CODING, ''));
}

/** The tags of a header, without quotes and marks of weakness; undefined where it is absent. Text that is no tag matches nothing. */
function writtenTags(headers: RequestHeaders, name: string): string[] | undefined {

    const text = header(headers, name);
    if (text === undefined) {
        return undefined;
    }

    return text.trim() === '*' ? ['*'] : [...text.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => (tag === '*' ? '' : tag));
}
