/** Replies as plain values, so that routes can be tested without a server. `route-handler.ts` sends them. */

import type { JsonValue } from '../../../lib/util/json-types.js';

/** Body of a reply. */
export type ReplyBody =
    /** One JSON value. */
    | { readonly kind: 'json'; readonly value: JsonValue; readonly pretty: boolean }
    /** Text in chunks, by default JSON. */
    | { readonly kind: 'texts'; readonly texts: AsyncIterable<string>; readonly mediaType?: string }
    /** Plain text. */
    | { readonly kind: 'text'; readonly text: string; readonly mediaType: string }
    /** The output of the operation: nothing, JSON, or bytes with media type, name and range. */
    | { readonly kind: 'output'; readonly disposition?: string; readonly isTrusted?: boolean };

/** A header with several values is repeated. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Reply to a successful request. */
export interface Reply {
    /** HTTP status; default 200, or 206 for a range. */
    readonly code?: number;
    readonly headers: Headers;
    readonly body: ReplyBody;
}

/** A reply with one JSON value. */
export function jsonReply(value: JsonValue, options: { readonly headers?: Headers; readonly pretty?: boolean } = {}): Reply {

    return { headers: options.headers ?? {}, body: { kind: 'json', value, pretty: options.pretty ?? false } };
}

/** A reply with text, by default `text/plain`. */
export function textReply(text: string, options: { readonly headers: Headers; readonly mediaType: JsonValue | undefined }): Reply {

    const { headers, mediaType } = options;
    return { headers, body: { kind: 'text', text, mediaType: typeof mediaType === 'string' ? mediaType : 'text/plain' } };
}

/** A 302 reply. */
export function redirectReply(location: string): Reply {

    return { code: 302, headers: { Location: location }, body: { kind: 'text', text: '', mediaType: 'text/plain' } };
}

/** A reply with the unchanged output of the operation. */
export function outputReply(headers: Headers = {}): Reply {

    return { headers, body: { kind: 'output' } };
}
