/** Requests and responses of clients, the same over every transport. */

import type { BytesSegment, Segment } from '../doip/envelope.js';
import { parseJson } from '../json/strict-parser.js';
import { readBytes } from '../doip/segments.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';

/** A request for one operation on one target. */
export interface ClientRequest {
    /** An object id, or `service`. */
    readonly targetId: string;
    /** An operation id or an alias. */
    readonly operationId: string;
    readonly attributes?: JsonObject;
    /** One JSON value, or segments. Absent: none. */
    readonly input?: JsonValue | AsyncIterable<Segment>;
    /** Returned with the response. */
    readonly requestId?: string;
    /** Who is calling, where the credentials do not say it. */
    readonly clientId?: string;
    /** Credentials: `{username, password}`, `{password}` with a clientId, or `{token}`, each optionally with `asUserId`. Absent: none. */
    readonly authentication?: JsonObject;
    /** True to receive JSON as {@link JsonBytes}, for outputs that are too long for the memory. Default false. */
    readonly jsonAsBytes?: boolean;
    /** Ends the request, and the connection with it. */
    readonly signal?: AbortSignal;
}

/** A request whose response is returned whatever its status. */
export interface PerformRequest extends ClientRequest {
    /** True for an operation that changes nothing, which may be repeated; the built-in ones are known. */
    readonly isRead?: boolean;
}

/** JSON as it arrives. */
export interface JsonBytes extends BytesSegment {
    readonly isJson: true;
}

/** A segment of an output. */
export type ClientSegment = Segment | JsonBytes;

/** A response, successful or not. */
export interface ClientResponse {
    readonly requestId: string | null;
    /** `0.DOIP/Status.001` for success. */
    readonly status: string;
    readonly attributes: JsonObject;
    /** Status of HTTP; absent in native DOIP. */
    readonly http?: number;
    /** Seconds of the header Retry-After, if there is one. */
    readonly retryAfter?: number;
    /** Segments of the output. Must be read to the end or closed; the bytes of a segment must be read before the next segment. */
    readonly output: AsyncGenerator<ClientSegment, void, undefined>;
}

/** Something that performs requests, by whatever transport. */
export interface Connection {
    /**
     * Performs a request.
     *
     * @throws Error if the service cannot be reached, breaks off or is not trusted; a status of the service is a response
     */
    perform(request: ClientRequest): Promise<ClientResponse>;
    close(): void;
}

/** Maximum size of a JSON segment that is parsed, in bytes. */
const MAX_JSON_BYTES = 1024 * 1024 * 1024;

/** Returns JSON as a segment, in the form that the request wants. */
export async function jsonSegmentOf(body: AsyncIterable<Uint8Array>, { jsonAsBytes = false }: Pick<ClientRequest, 'jsonAsBytes'>): Promise<ClientSegment> {

    return jsonAsBytes ? jsonBytes(body) : { kind: 'json', value: await readJsonBody(body) };
}

/** Returns JSON text as a segment. */
export function jsonBytes(body: AsyncIterable<Uint8Array>): JsonBytes {

    return { kind: 'bytes', isJson: true, body, mediaType: 'application/json' };
}

/** Parses JSON that arrives. */
export async function readJsonBody(body: AsyncIterable<Uint8Array>): Promise<JsonValue> {

    return parseJson(await readBytes(body, MAX_JSON_BYTES));
}

/** Returns whether an input consists of segments. */
export function isSegments(input: JsonValue | AsyncIterable<Segment>): input is AsyncIterable<Segment> {

    return typeof input === 'object' && input !== null && Symbol.asyncIterator in input;
}
