import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import * as Hapi from '@hapi/hapi';
import type { BytesSegment, DoipRequest, DoipResponse, Segment } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { json } from '../../lib/doip/segments.js';
import { Status, StatusTable } from '../../lib/errors/status.js';
import { doipHttp } from '../../translators/doip-http/index.js';
import type { Performer, TranslatorOptions } from '../../translators/http/request/translator-options.js';

/** A performer made of one function. */
export function performer(perform: (request: DoipRequest) => Promise<DoipResponse>): Performer {

    return { perform, statuses: new StatusTable() };
}

/** A success with the given output. */
export function success(output: AsyncIterable<Segment>, attributes: JsonObject = {}): DoipResponse {

    return { requestId: null, status: Status.ok, attributes, output };
}

/** Answers with the envelope it was given; bytes are shown by length and hash, short ones as text. */
export const echo = performer(async (request) => {

    const input: JsonValue[] = [];
    try {
        for await (const segment of request.input) {
            input.push(segment.kind === 'json' ? { json: segment.value } : await describeBytes(segment));
        }
    }
    catch (error) {
        const { status, message, http } = error as { status: string; message: string; http?: number };
        return { requestId: request.requestId, status, attributes: { message }, output: json({ message }), ...(http ? { http } : {}) };
    }

    const { requestId, clientId, targetId, operationId, authentication, attributes, safe = false } = request;
    return { ...success(json({ requestId, clientId, targetId, operationId, authentication, attributes, safe, input })), requestId };
});

async function describeBytes({ body, mediaType, filename }: BytesSegment): Promise<JsonObject> {

    const hash = createHash('sha256');
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body) {
        hash.update(chunk);
        length += chunk.byteLength;
        if (length <= 1000) {
            chunks.push(Uint8Array.from(chunk));
        }
    }

    const content: JsonObject = length <= 1000 ? { text: Buffer.concat(chunks).toString() } : { length, sha256: hash.digest('hex') };
    return { ...content, mediaType: mediaType ?? null, filename: filename ?? null };
}

/** A hapi server with DOIP over HTTP in front of a performer; `start` makes it listen. */
export async function doipServer(gateway: Performer, options: Omit<TranslatorOptions, 'gateway'> = {}): Promise<Hapi.Server> {

    const server = Hapi.server({ port: 0, host: '127.0.0.1', debug: false });
    await server.register({ plugin: doipHttp, options: { gateway, ...options } });
    return server;
}

/** The port a started server listens on. */
export function portOf(server: Hapi.Server): number {

    return (server.listener.address() as AddressInfo).port;
}
