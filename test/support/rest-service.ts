/**
 * A started gateway on a fresh database with the REST interface before it.
 */

import type { Server, ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type { JsonObject } from '../../lib/doip/json.js';
import type { TestDatabase } from './database.js';
import type { RestServerOptions } from './rest.js';
import { startGateway, type TestGateway } from './gateway.js';
import { ADMIN_HEADERS, restServer } from './rest.js';

/** Options of a request besides its method and URL. */
export type More = Omit<ServerInjectOptions, 'url' | 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** A service that is reached by requests given as `METHOD /url`. */
export interface RestService {
    readonly gateway: TestGateway;
    readonly server: Server;
    /** Sends a request as nobody. */
    anonymously(line: string, more?: More): Promise<ServerInjectResponse>;
    /** Sends a request as the administrator. */
    asAdmin(line: string, more?: More): Promise<ServerInjectResponse>;
    /** Creates an object as the administrator and gives back its full form; fails when it is refused. */
    create(type: string, content: JsonObject, query?: string): Promise<JsonObject & { readonly id: string }>;
    stop(): Promise<void>;
}

/** Starts a service on a new database. */
export async function startRest(createDatabase: () => Promise<TestDatabase>, options: RestServerOptions = {}): Promise<RestService> {

    const database = await createDatabase();
    const gateway = await startGateway(database);
    const server = await restServer(gateway.gateway, options);
    const anonymously: RestService['anonymously'] = (line, more = {}) => {

        const space = line.indexOf(' ');
        return server.inject({ method: line.slice(0, space), url: line.slice(space + 1), ...more });
    };

    const asAdmin: RestService['asAdmin'] = (line, more = {}) => {

        return anonymously(line, { ...more, headers: { ...ADMIN_HEADERS, ...more.headers } });
    };

    return {
        gateway, server, anonymously, asAdmin,
        async create(type, content, query = '') {

            const response = await asAdmin(`POST /objects?full&type=${type}&${query}`, { payload: JSON.stringify(content) });
            if (response.statusCode !== 200) {
                throw new Error(`creating failed: ${response.payload}`);
            }

            return JSON.parse(response.payload) as JsonObject & { id: string };
        },
        async stop() {

            await server.stop();
            await gateway.stop();
            await database.dispose();
        }
    };
}
