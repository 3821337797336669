/**
 * Answers as plain values, so that every way out of the REST interface can be tested without a server. `mount.ts` sends them.
 */

import type { DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/doip/json.js';
import { readJson } from '../../lib/doip/segments.js';

/** The body of an answer. */
export type AnswerBody =
    /** One JSON value. */
    | { readonly kind: 'json'; readonly value: JsonValue; readonly pretty: boolean }
    /** JSON text that arrives in pieces. */
    | { readonly kind: 'pieces'; readonly pieces: AsyncIterable<string> }
    /** Text as it is. */
    | { readonly kind: 'text'; readonly text: string; readonly mediaType: string }
    /** Whatever the operation put out: nothing, JSON, or bytes with their media type, name and range. */
    | { readonly kind: 'output'; readonly disposition?: string };

export type Headers = Readonly<Record<string, string>>;

/** An answer to a request that succeeded. */
export interface Answer {
    readonly headers: Headers;
    readonly body: AnswerBody;
}

/** An answer of one JSON value. */
export function jsonAnswer(value: JsonValue, options: { readonly headers?: Headers; readonly pretty?: boolean } = {}): Answer {

    return { headers: options.headers ?? {}, body: { kind: 'json', value, pretty: options.pretty ?? false } };
}

/** An answer of text, by default plain. */
export function textAnswer(text: string, options: { readonly headers: Headers; readonly mediaType: JsonValue | undefined }): Answer {

    const { headers, mediaType } = options;
    return { headers, body: { kind: 'text', text, mediaType: typeof mediaType === 'string' ? mediaType : 'text/plain' } };
}

/** The operation's output as it is. */
export function outputAnswer(headers: Headers = {}): Answer {

    return { headers, body: { kind: 'output' } };
}

/** An answer made from the one JSON object that an operation put out. */
export async function mapJson(response: DoipResponse, map: (value: JsonObject) => JsonValue): Promise<Answer> {

    return jsonAnswer(map(await readJson(response.output) as JsonObject));
}
