/**
 * A hapi server with the REST interface and the legacy sessions on it, on a gateway or on anything else that performs.
 */

import type { Server } from '@hapi/hapi';
import type { Performer, TranslatorOptions } from '../../translators/http/request/translator-options.js';
import * as Hapi from '@hapi/hapi';
import { rest } from '../../translators/rest/index.js';
import { sessions } from '../../translators/sessions/index.js';
import { ADMIN_PASSWORD } from './gateway.js';

/** How to build the server. */
export interface RestServerOptions extends Omit<TranslatorOptions, 'gateway'> {
    /** Moves the whole interface. */
    readonly prefix?: string;
}

/** A server that has not been started; `inject` works, and `start` listens on any free port. */
export async function restServer(gateway: Performer, { prefix, ...options }: RestServerOptions = {}): Promise<Server> {

    const server = Hapi.server({ host: '127.0.0.1', port: 0, debug: false });
    const where = prefix === undefined ? {} : { routes: { prefix } };
    await server.register({ plugin: rest, options: { gateway, ...options } }, where);
    await server.register({ plugin: sessions, options: { gateway, ...options } }, where);
    return server;
}

/** Headers of a Basic login. */
export function basic(username: string, password: string): { authorization: string } {

    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Headers of the administrator. */
export const ADMIN_HEADERS = basic('admin', ADMIN_PASSWORD);

/** A part of a multipart body. Without file name it is a field. */
export interface FormPart {
    readonly name: string;
    readonly value: string | Buffer;
    readonly filename?: string;
    readonly type?: string;
}

/** A multipart/form-data body with its header, as clients write it. */
export function multipart(...parts: readonly FormPart[]): { payload: Buffer; headers: { 'content-type': string } } {

    const boundary = 'boundary-of-the-test';
    const chunks = parts.flatMap(({ name, value, filename, type }) => {

        const file = filename === undefined ? '' : `; filename="${filename.replaceAll('"', '\\"')}"`;
        const mediaType = type === undefined ? '' : `Content-Type: ${type}\r\n`;
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${mediaType}\r\n`;
        return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
    });
    return {
        payload: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }
    };
}

/** The JSON object in a response body. Its members are unknown, for the types of JSON are too deep for those of assertions. */
export function jsonOf(response: { readonly payload: string }): Readonly<Record<string, unknown>> {

    return JSON.parse(response.payload) as Record<string, unknown>;
}
