/**
 * A whole server on a fresh database, asked through the REST interface in every way that the service promises: over HTTP/1.1
 * and HTTP/2, on every database there is.
 */

import type { Gateway } from '../../lib/app/gateway.js';
import type { TestDatabase, TestDialect } from './database.js';
import type { Client, Protocol } from './server.js';
import { DIALECTS, waysOf } from './database.js';
import { ADMIN_HEADERS } from './rest.js';
import { clientOf, startServer } from './server.js';

/** A request besides its method and URL. */
export interface More {
    readonly payload?: string | Buffer;
    readonly headers?: Readonly<Record<string, string>>;
}

/** A response, read to its end. */
export interface Received {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly payload: string;
    readonly rawPayload: Buffer;
}

/** A service that is reached by requests given as `METHOD /url`. */
export interface RestService {
    readonly protocol: Protocol;
    /** Without a slash at its end. */
    readonly url: string;
    readonly port: number;
    /** The gateway behind it, for what no client can do. */
    readonly gateway: Gateway;
    /** What was logged so far. */
    readonly log: readonly Readonly<Record<string, unknown>>[];
    /** Sends a request as nobody. */
    anonymously(line: string, more?: More): Promise<Received>;
    /** Sends a request as the administrator. */
    asAdmin(line: string, more?: More): Promise<Received>;
    /** Creates an object as the administrator and gives back its full form; fails when it is refused. */
    create(type: string, content: object, query?: string): Promise<Readonly<Record<string, unknown>> & { readonly id: string }>;
    stop(): Promise<void>;
}

/** Starts a service in one of the ways. */
export type StartService = (settings?: Record<string, unknown>) => Promise<RestService>;

/** A suite that is run in several ways. */
export type RestSuite = (name: string, start: StartService, protocol: Protocol) => void;

type Way = TestDialect & { readonly protocol: Protocol };

const WAYS: readonly Way[] = DIALECTS.map((dialect) => ({ ...dialect, protocol: 'http/1.1' }));

/** Runs a suite on every database over HTTP/1.1. */
export function onEveryDatabase(suite: RestSuite): void {

    waysOf(WAYS).forEach((way) => run(suite, way));
}

/** Runs a suite on every database over HTTP/1.1, and once over HTTP/2: for what protocols do with headers, bodies, streams and errors. */
export function forEachWay(suite: RestSuite): void {

    waysOf([...WAYS, { ...DIALECTS[0]!, protocol: 'https, http/2' as const }]).forEach((way) => run(suite, way));
}

function run(suite: RestSuite, { name, create, protocol }: Way): void {

    suite(`${name} over ${protocol}`, (settings) => startRest(create, protocol, settings), protocol);
}

/** Starts a service on a new database. */
export async function startRest(
    createDatabase: () => Promise<TestDatabase>, protocol: Protocol = 'http/1.1', settings: Record<string, unknown> = {}
): Promise<RestService> {

    const database = await createDatabase();
    const { url } = database.options;
    const server = await startServer({ ...(url === undefined ? {} : { DATABASE_URL: url }), ...settings }, { tls: protocol !== 'http/1.1' });
    const client = clientOf(server, protocol);
    const anonymously: RestService['anonymously'] = (line, more = {}) => exchange(client, line, more);
    const asAdmin: RestService['asAdmin'] = (line, more = {}) => {

        return exchange(client, line, { ...more, headers: { ...ADMIN_HEADERS, ...more.headers } });
    };

    return {
        protocol, anonymously, asAdmin,
        url: server.url,
        port: server.port,
        gateway: server.server.plugins['doip-gateway'].gateway,
        log: server.log,
        async create(type, content, query = '') {

            const response = await asAdmin(`POST /objects?full&type=${type}&${query}`, { payload: JSON.stringify(content) });
            if (response.statusCode !== 200) {
                throw new Error(`creating failed: ${response.payload}`);
            }

            return JSON.parse(response.payload) as Record<string, unknown> & { id: string };
        },
        async stop() {

            client.close();
            await server.stop();
            await database.dispose();
        }
    };
}

async function exchange(client: Client, line: string, { payload, headers = {} }: More): Promise<Received> {

    const space = line.indexOf(' ');
    const { status, headers: received, body } = await client.send({
        method: line.slice(0, space), path: line.slice(space + 1), headers: { ...headers },
        ...(payload === undefined ? {} : { body: payload })
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) {
        chunks.push(chunk as Uint8Array);
    }

    const rawPayload = Buffer.concat(chunks);
    return { statusCode: status, headers: received, payload: rawPayload.toString(), rawPayload };
}
