/**
 * Replies as plain values, so that every way out of a route can be tested without a server. `route-handler.ts` sends them.
 */

import type { JsonValue } from '../../../lib/util/json-types.js';

/** The body of a reply. */
export type ReplyBody =
    /** One JSON value. */
    | { readonly kind: 'json'; readonly value: JsonValue; readonly pretty: boolean }
    /** JSON text that arrives in pieces. */
    | { readonly kind: 'pieces'; readonly pieces: AsyncIterable<string> }
    /** Text as it is. */
    | { readonly kind: 'text'; readonly text: string; readonly mediaType: string }
    /** Whatever the operation put out: nothing, JSON, or bytes with their media type, name and range. */
    | { readonly kind: 'output'; readonly disposition?: string; readonly isTrusted?: boolean };

/** A header with several values is sent several times. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The reply to a request that succeeded. */
export interface Reply {
    /** HTTP code; default 200, or 206 for a range. */
    readonly code?: number;
    readonly headers: Headers;
    readonly body: ReplyBody;
}

/** A reply of one JSON value. */
export function jsonReply(value: JsonValue, options: { readonly headers?: Headers; readonly pretty?: boolean } = {}): Reply {

    return { headers: options.headers ?? {}, body: { kind: 'json', value, pretty: options.pretty ?? false } };
}

/** A reply of text, by default plain. */
export function textReply(text: string, options: { readonly headers: Headers; readonly mediaType: JsonValue | undefined }): Reply {

    const { headers, mediaType } = options;
    return { headers, body: { kind: 'text', text, mediaType: typeof mediaType === 'string' ? mediaType : 'text/plain' } };
}

/** A reply that sends the client elsewhere. */
export function redirectReply(location: string): Reply {

    return { code: 302, headers: { Location: location }, body: { kind: 'text', text: '', mediaType: 'text/plain' } };
}

/** The operation's output as it is. */
export function outputReply(headers: Headers = {}): Reply {

    return { headers, body: { kind: 'output' } };
}
