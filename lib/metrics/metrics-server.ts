/** Serves `GET /metrics` on a port of its own, which clients of the service do not reach. */

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';

/** Where to listen. */
export interface MetricsAddress {
    readonly host: string;
    readonly port: number;
}

/** Limits that a collector never meets. A request has neither a body nor many headers, so that clients that send slowly cannot keep it out for long. */
const REQUEST_MS = 2000;
const IDLE_MS = 20_000;
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8 * 1024;

/** The server. */
export class MetricsServer {

    readonly #metrics: Metrics;
    readonly #address: MetricsAddress;
    readonly #onError: (error: unknown) => void;
    #server: Server | null = null;

    /** @param onError called when metrics cannot be collected; the scrape is answered with 500 */
    constructor(metrics: Metrics, address: MetricsAddress, onError: (error: unknown) => void) {

        this.#metrics = metrics;
        this.#address = address;
        this.#onError = onError;
    }

    /**
     * Begins to listen; resolves to the port.
     *
     * @throws Error of the system if the address cannot be used, with the name of the `setting`
     */
    async start(): Promise<number> {

        const server = createServer({
            maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: REQUEST_MS / 4
        }, (request, response) => {

            this.#answer(request, response).catch((error: unknown) => {

                this.#onError(error);
                end(response, 500, 'the metrics could not be collected');
            });
        });
        server.maxConnections = MAX_CONNECTIONS;
        server.setTimeout(IDLE_MS);
        server.listen(this.#address.port, this.#address.host);
        try {
            await once(server, 'listening');
        }
        catch (error) {
            throw Object.assign(error as Error, { setting: 'METRICS' });
        }

        server.on('error', this.#onError);                  // Unhandled, it would end the process
        server.unref();
        this.#server = server;
        return (server.address() as AddressInfo).port;
    }

    /** Stops listening, and closes all connections. */
    async stop(): Promise<void> {

        const server = this.#server;
        this.#server = null;
        if (server) {
            const closed = once(server, 'close');
            server.close();
            server.closeAllConnections();
            await closed;
        }
    }

    async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {

        request.resume();
        const [path] = (request.url ?? '').split('?', 1);
        if (path !== '/metrics') {
            end(response, 404, 'only /metrics is served here');
            return;
        }

        if (request.method !== 'GET' && request.method !== 'HEAD') {
            response.setHeader('allow', 'GET, HEAD');
            end(response, 405, 'metrics are read by GET');
            return;
        }

        const text = await this.#metrics.text();
        response.writeHead(200, { 'content-type': this.#metrics.contentType, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' });
        response.end(request.method === 'HEAD' ? undefined : text);
    }
}

function end(response: ServerResponse, code: number, message: string): void {

    response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`${message}\n`);
}
