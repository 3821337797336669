/** Sends replies by hapi. */

import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { DoipResponse } from '../../../lib/doip/envelope.js';
import type { Reply, ReplyBody } from './reply.js';
import { ByteStream } from './byte-stream.js';
import { isMediaType } from '../headers/content-type.js';
import { readOutput } from './output.js';
import { respond, respondJson } from './respond.js';
import { withForeignType } from './content-sandbox.js';

/** A reply as a hapi response. `response` is what the operation answered. */
export async function send(request: Request, h: ResponseToolkit, { code, headers, body }: Reply, response: DoipResponse): Promise<ResponseObject> {

    const answered = await sendBody(request, h, body, response);
    if (code !== undefined) {
        answered.code(code);
    }

    for (const [name, values] of Object.entries(headers)) {
        for (const value of [values].flat()) {
            answered.header(name, value, { append: Array.isArray(values) });
        }
    }

    return answered;
}

async function sendBody(request: Request, h: ResponseToolkit, body: ReplyBody, response: DoipResponse): Promise<ResponseObject> {

    switch (body.kind) {
        case 'json':
            return respondJson(h, body.value, { pretty: body.pretty });
        case 'text':
            return withForeignType(h.response(body.text), isMediaType(body.mediaType) ? body.mediaType : 'text/plain');
        case 'pieces':
            return await sendPieces(h, body.pieces);
        case 'output': {
            const { attributes } = response;
            const { kind: _, ...looks } = body;
            return await respond(request, h, await readOutput(response), { attributes, ...looks });
        }
    }
}

/** JSON text in pieces. A single piece goes out at once, with its length; a fault before the second piece is still an error answer. */
async function sendPieces(h: ResponseToolkit, pieces: AsyncIterable<string>): Promise<ResponseObject> {

    const iterator = pieces[Symbol.asyncIterator]();
    const first = await iterator.next();
    const second = first.done === true ? first : await iterator.next();
    if (second.done === true) {
        return h.response(first.done === true ? '' : first.value).type('application/json');
    }

    const start = String(first.value) + second.value;
    const stream = new ByteStream({ body: utf8(start, iterator), close: async () => void await iterator.return?.() });
    return h.response(stream).type('application/json');
}

async function *utf8(start: string, iterator: AsyncIterator<string>): AsyncGenerator<Uint8Array> {

    yield Buffer.from(start);
    let next = await iterator.next();
    while (next.done !== true) {
        yield Buffer.from(next.value);
        next = await iterator.next();
    }
}
