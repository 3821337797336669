/** A proxy before a service that fails as it is told to, request by request, and records what it was asked for. */

import { once } from 'node:events';
import Http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** What becomes of a request: it is passed on; answered with a status; passed on, but its response is lost; or its connection is cut at once. */
export type Fate = 'pass' | 'lose' | 'cut' | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: object };

/** A running proxy. */
export interface FlakyProxy {
    readonly url: string;
    /** `METHOD /path` of every request so far. */
    readonly requests: readonly string[];
    /** What becomes of the next requests; those after them are passed on. Forgets the requests so far. */
    next(...fates: readonly Fate[]): void;
    stop(): Promise<void>;
}

/** Starts a proxy before the service at a URL. */
export async function startFlakyProxy(target: string): Promise<FlakyProxy> {

    let fates: Fate[] = [];
    let requests: string[] = [];
    const server = Http.createServer((request, response) => {

        requests.push(`${request.method} ${request.url?.split('?', 1)[0]}`);
        const fate = fates.shift() ?? 'pass';
        if (typeof fate === 'object') {
            request.resume().on('end', () => response.writeHead(fate.status, { 'content-type': 'application/json', ...fate.headers }).end(JSON.stringify(fate.body ?? { message: 'as told' })));
            return;
        }

        if (fate === 'cut') {
            request.socket.destroy();
            return;
        }

        void passOn(target, request, fate === 'lose' ? null : response).catch(() => response.destroy()).then(() => fate === 'lose' && request.socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        get requests() {

            return requests;
        },
        next(...more) {

            [fates, requests] = [[...more], []];
        },
        async stop() {

            server.closeAllConnections();
            await new Promise((resolve) => server.close(resolve));
        }
    };
}

/** Sends a request to the service, and its response to the client unless it is null. */
export async function passOn(target: string, request: Http.IncomingMessage, response: Http.ServerResponse | null): Promise<void> {

    const sent = Http.request(`${target}${request.url}`, { method: request.method, headers: request.headers, agent: false });
    const answered = once(sent, 'response') as Promise<[Http.IncomingMessage]>;
    await Promise.all([pipeline(request, sent), answered]);
    const [answer] = await answered;
    if (response) {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        await pipeline(answer, response);
    }
    else {
        await once(answer.resume(), 'end');
    }
}
