/**
 * A handle server as far as the service speaks with one: the JSON API of handles, on a real port, with a memory and with troubles
 * that tests make.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A value as it was sent. */
export interface SentValue {
    readonly index: number;
    readonly type: string;
    readonly data: { readonly format: string; readonly value: unknown };
    readonly ttl: number;
    readonly timestamp: string;
}

/** A request as it came. */
export interface HandleRequest {
    readonly method: string;
    readonly handle: string;
    readonly authorization: string | undefined;
    readonly values: readonly SentValue[];
}

/** What a server says when it does not do what it is asked; `hang` for nothing at all. */
export type Trouble = number | 'hang' | null;

export class TestHandleServer {

    /** Records by handle. */
    readonly records = new Map<string, readonly SentValue[]>();
    /** Every request that came, in order. */
    readonly requests: HandleRequest[] = [];
    /** Asked before each request is done. */
    trouble: (request: HandleRequest) => Trouble = () => null;
    /** Milliseconds before each answer. */
    delay = 0;
    /** Most requests for the same handle at the same time. */
    mostAtOnce = 0;
    readonly #atWork = new Map<string, number>();
    #server: Server | null = null;
    #port = 0;

    get url(): string {

        return `http://127.0.0.1:${this.#port}`;
    }

    /** Listens, the second time on the port of the first. */
    async start(): Promise<void> {

        this.#server = createServer(this.listener);
        this.#server.listen(this.#port, '127.0.0.1');
        await once(this.#server, 'listening');
        this.#port = (this.#server.address() as AddressInfo).port;
    }

    /** Goes away at once; what is under way gets no answer. */
    async stop(): Promise<void> {

        const server = this.#server;
        this.#server = null;
        if (server) {
            server.closeAllConnections();
            server.close();
            await once(server, 'close');
        }
    }

    readonly listener: RequestListener = (request, response) => {

        void this.#serve(request, response);
    };

    async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {

        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) {
            chunks.push(chunk);
        }

        const { pathname } = new URL(request.url ?? '/', this.url);
        const body = Buffer.concat(chunks).toString();
        const asked: HandleRequest = {
            method: request.method ?? '', handle: decodeURIComponent(pathname.replace(/^\/api\/handles\//, '')),
            authorization: request.headers.authorization,
            values: body === '' ? [] : (JSON.parse(body) as { values: SentValue[] }).values
        };
        this.requests.push(asked);
        const { handle } = asked;
        this.#atWork.set(handle, (this.#atWork.get(handle) ?? 0) + 1);
        this.mostAtOnce = Math.max(this.mostAtOnce, this.#atWork.get(handle) ?? 0);
        response.once('close', () => this.#atWork.set(handle, (this.#atWork.get(handle) ?? 0) - 1));
        setTimeout(() => this.#answer(asked, response), this.delay);
    }

    #answer(request: HandleRequest, response: ServerResponse): void {

        const trouble = this.trouble(request);
        if (trouble === 'hang') {
            return;
        }

        const { code, responseCode } = trouble === null ? this.#do(request) : { code: trouble, responseCode: 2 };
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ responseCode, handle: request.handle }));
    }

    #do({ method, handle, values }: HandleRequest): { code: number; responseCode: number } {

        if (method === 'PUT') {
            const isNew = !this.records.has(handle);
            this.records.set(handle, values);
            return { code: isNew ? 201 : 200, responseCode: 1 };
        }

        return this.records.delete(handle) ? { code: 200, responseCode: 1 } : { code: 404, responseCode: 100 };
    }
}
