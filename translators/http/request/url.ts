/**
 * What the address of a request says: the rest of its path, and its query. Under HTTP/2 a client may send plain UTF-8 instead
 * of percent-encoding; node hands it on as latin1. (Under HTTP/1.1 node refuses it.)
 */

import type { Request } from '@hapi/hapi';
import { decodeHeader } from '../headers/decode.js';

/** The query as written, without its question mark. */
export function queryOf(request: Request): string {

    const url = request.raw.req.url ?? '';
    const mark = url.indexOf('?');
    return mark < 0 ? '' : decodeHeader(url.slice(mark + 1));
}

/** A parameter of the path such as `{name*}`: decoded by hapi (a plus stays a plus, slashes may be `%2F`); empty when absent. */
export function pathParameter(request: Request, name: string): string {

    const parameters = request.params as Readonly<Record<string, string | undefined>>;
    const value = parameters[name] ?? '';
    const isRaw = /[\u0080-\u00ff]/.test(request.raw.req.url ?? '') && /^[\u0000-\u00ff]*$/.test(value);
    return isRaw ? decodeHeader(value) : value;
}
