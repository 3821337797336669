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

/** Returns whether a client that reads has the version with this tag already. */
export function isFresh(headers: RequestHeaders, entityTag: string): boolean {

    const tags = tagsOf(headers, 'if-none-match');
    return tags !== undefined && (tags.includes('*') || tags.includes(entityTag));
}

/** Sets the tag of a response, if it has one; it depends on who asks, too. */
export function withEntityTag(request: Request, response: ResponseObject, entityTag: string | undefined): ResponseObject {

    if (entityTag === undefined) {
        return response;
    }

    // Evaluated before; hapi would split it by an expression that takes quadratic time.
    if (request.headers['if-none-match'] !== undefined) {
        delete request.headers['if-none-match'];
    }

    return response.etag(entityTag, { weak: false, vary: true }).vary('authorization, cookie, as-user');
}

/** The tags of a header, without quotes and marks of weakness; undefined where it is absent. Text that is no tag matches nothing. */
function tagsOf(headers: RequestHeaders, name: string): string[] | undefined {

    const text = header(headers, name);
    if (text === undefined) {
        return undefined;
    }

    return text.trim() === '*' ? ['*'] : [...text.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => (tag === '*' ? '' : tag.replace(CODING, '')));
}
