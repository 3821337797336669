/**
 * The published JavaScript client, unmodified: its bundle for browsers, which runs on Node's own fetch. It is loaded into a
 * context of its own, because it defines global variables.
 */

import type * as Cordra from '@cnri/cordra-client';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import type { TestDatabase } from './database.js';
import { ADMIN_PASSWORD } from './gateway.js';
import type { RestService } from './rest-service.js';
import { startRest } from './rest-service.js';

/** What the bundle exports. */
export type CordraModule = typeof Cordra;

/** A service that listens on a fresh database, and the client for it. */
export interface ClientSetup {
    readonly service: RestService;
    /** Logged in as the administrator. */
    readonly client: Cordra.CordraClient;
    /** Another client of the same service. */
    readonly clientOf: (options?: Cordra.Options) => Cordra.CordraClient;
}

/** Starts a service and loads the client. */
export async function startWithClient(createDatabase: () => Promise<TestDatabase>): Promise<ClientSetup> {

    const service = await startRest(createDatabase);
    const { CordraClient } = loadCordraClient();
    const clientOf = (options?: Cordra.Options): Cordra.CordraClient => new CordraClient(service.url, options);
    return { service, clientOf, client: clientOf({ username: 'admin', password: ADMIN_PASSWORD }) };
}

/** Loads the client. */
export function loadCordraClient(): CordraModule {

    const file = require.resolve('@cnri/cordra-client/dist/cordra-client.js');
    const exports = {};
    const context = createContext({
        module: { exports }, exports, console, setTimeout, clearTimeout, fetch, Headers, Request, Response, FormData, Blob, File, URL,
        URLSearchParams, TextEncoder, TextDecoder, ReadableStream, AbortController, ArrayBuffer, Uint8Array, atob, btoa, crypto
    });
    runInContext(readFileSync(file, 'utf8'), context, { filename: file });
    return exports as CordraModule;
}

/** A copy of what the client returned, made of ordinary objects. */
export function plain(value: unknown): unknown {

    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
