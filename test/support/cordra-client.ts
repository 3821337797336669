/**
 * The published JavaScript client, unmodified: its bundle for browsers, which runs on Node's own fetch. It is loaded into a
 * context of its own, because it defines global variables.
 */

import type * as Cordra from '@cnri/cordra-client';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';

/** What the bundle exports. */
export type CordraModule = typeof Cordra;

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
