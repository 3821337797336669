import { once } from 'node:events';
import * as Http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '@hapi/hapi';
import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import { json } from '../../lib/doip/segments.js';
import { failureFrom } from '../../translators/http/response/errors.js';
import { doipServer, performer, portOf } from './performers.js';

export const MEBIBYTE = 1024 * 1024;

/** DOIP over HTTP on a real socket, in front of a performer that can be exchanged. */
export interface Wire {
    readonly server: Server;
    readonly port: number;
    /** Answers all requests; a DoipError that it throws becomes the answer. */
    perform: (request: DoipRequest) => Promise<DoipResponse>;
    /** What hapi has logged as errors. */
    readonly faults: unknown[];
    request(headers?: Http.OutgoingHttpHeaders, method?: string, agent?: Http.Agent): Http.ClientRequest;
}

/** Starts one. */
export async function openWire(): Promise<Wire> {

    const gateway = performer(async (request) => {

        try {
            return await wire.perform(request);
        }
        catch (error) {
            const { status, attributes, body } = failureFrom(error, gateway.statuses);
            return { requestId: null, status, attributes, output: json(body) };
        }
    });
    const server = await doipServer(gateway);
    const faults: unknown[] = [];
    server.events.on({ name: 'request', channels: ['internal', 'app'] }, (_, { error }) => {

        faults.push(error);
    });
    await server.start();
    const port = portOf(server);
    const wire: Wire = {
        server, port, faults,
        perform: () => Promise.reject(new Error('no performer')),
        request: (headers = {}, method = 'POST', agent) =>
            Http.request({ port, method, path: '/doip?o=Op&t=t/1', headers, ...(agent ? { agent } : {}) })
    };
    return wire;
}

/** Writes and waits until the chunk has left, or the connection is gone. */
export async function write(target: NodeJS.WritableStream, chunk: Buffer | string): Promise<void> {

    await new Promise<void>((resolve) => {

        target.write(chunk, () => resolve());
    });
}

/** The answer to a request. */
export async function answerOf(target: Http.ClientRequest): Promise<{ code: number | undefined; text: string; connection: string | undefined }> {

    const [response] = await once(target, 'response') as [Http.IncomingMessage];
    let text = '';
    for await (const chunk of response) {
        text += String(chunk);
    }

    return { code: response.statusCode, text, connection: response.headers.connection };
}

/** Polls until something is true, or fails. */
export async function until(what: string, condition: () => boolean): Promise<void> {

    for (let i = 0; i < 500; ++i) {
        if (condition()) {
            return;
        }

        await delay(10);
    }

    throw new Error(`timed out waiting until ${what}`);
}
