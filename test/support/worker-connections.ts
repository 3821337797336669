/** Connections to the worker processes of a service, one or more to each, and these processes. */

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import Http from 'node:http';
import Http2 from 'node:http2';
import type { ServiceProcess } from './process.js';
import { until } from './until.js';

/** An answer, read to its end. */
export interface Answer {
    readonly status: number;
    readonly headers: Http.IncomingHttpHeaders;
    readonly text: string;
}

/** A request to a path. */
export interface Sent {
    readonly method?: string;
    readonly headers?: Http.OutgoingHttpHeaders;
    readonly body?: string | Uint8Array;
}

/** One connection, which is kept open. */
export interface WorkerConnection {
    send(path: string, sent?: Sent): Promise<Answer>;
    close(): void;
}

/**
 * Opens connections to a service that has started, which it may do after it listens, one after the other: the primary process hands them to its
 * workers in turns.
 */
export async function connectInTurns(service: ServiceProcess, number: number): Promise<WorkerConnection[]> {

    const first = connectionTo(service);
    await until(async () => (await first.send('/health/ready')).status === 200);
    first.close();
    const connections: WorkerConnection[] = [];
    for (let i = 0; i < number; ++i) {
        const connection = connectionTo(service);
        await connection.send('/health/live');
        connections.push(connection);
    }

    return connections;
}

function connectionTo({ url }: ServiceProcess): WorkerConnection {

    const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 });
    return {
        async send(path, { method = 'GET', headers = {}, body } = {}) {

            const request = Http.request(url + path, { method, headers, agent });
            request.end(body);
            const [response] = await once(request, 'response') as [Http.IncomingMessage];
            const chunks: Buffer[] = [];
            for await (const chunk of response) {
                chunks.push(chunk as Buffer);
            }

            return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
        },
        close: () => agent.destroy()
    };
}

/** Opens a connection of HTTP/2 over TLS. */
export function connectOverHttp2({ url }: ServiceProcess): WorkerConnection {

    const session = Http2.connect(url, { rejectUnauthorized: false });
    return {
        async send(path, { method = 'GET', headers: own = {}, body } = {}) {

            const stream = session.request({ ':method': method, ':path': path, ...own }, { endStream: body === undefined });
            if (body !== undefined) {
                stream.end(body);
            }

            const [headers] = await once(stream, 'response') as [Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader];
            let text = '';
            for await (const chunk of stream) {
                text += String(chunk);
            }

            return { status: headers[':status'] ?? 0, headers, text };
        },
        close: () => session.close()
    };
}

/** Ids of the child processes of a process. */
export function childrenOf(pid: number): number[] {

    const path = `/proc/${pid}/task/${pid}/children`;
    return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter((id) => id !== '').map(Number) : [];
}

/** True while a process exists. */
export function exists(pid: number): boolean {

    return existsSync(`/proc/${pid}`);
}
