/**
 * A web server for pages of the client for objects: it has the ES modules as they are published and a blank page under a strict content security
 * policy, and passes everything else on to a service, so that the page has the origin of the service as well.
 */

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import Http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ROOT } from './doc-pages.js';
import { passOn } from './flaky-proxy.js';

const MODULES = join(ROOT, 'dist/lib/client/web/esm');

/** Path of the page, and of the modules. */
export const PAGE = '/pages/blank.html';
const SCRIPTS = '/pages/client/';

/** Gives the page the client, and the file that was chosen. */
const SCRIPT = `import * as client from './client/index.js';
Object.assign(globalThis, { client, chosen: () => document.querySelector('input').files[0] });
document.title = 'ready';
`;

/** A running web server. */
export interface PageServer {
    /** Of the pages, by a name that is another site than 127.0.0.1. */
    readonly url: string;
    stop(): Promise<void>;
}

/**
 * Starts a web server.
 *
 * @param connect origins with which the page may connect, by its policy
 * @param behind URL of the service that has all other paths; null for none
 */
export async function startPageServer(connect: readonly string[], behind: string | null = null): Promise<PageServer> {

    const policy = `default-src 'none'; script-src 'self'; img-src data:; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const server = Http.createServer((request, response) => {

        void answer(request, response).catch(() => response.destroy());
    });

    const answer = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {

        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        const headers = { 'content-security-policy': policy, 'x-content-type-options': 'nosniff' };
        if (pathname === PAGE) {
            response.writeHead(200, { ...headers, 'content-type': 'text/html' })
                .end('<!doctype html><title>page</title><link rel="icon" href="data:,"><input type="file"><script type="module" src="page.js"></script>');
        }
        else if (pathname === '/pages/page.js') {
            response.writeHead(200, { ...headers, 'content-type': 'text/javascript' }).end(SCRIPT);
        }
        else if (/^\/pages\/client\/[\w-]+\.js$/.test(pathname)) {
            response.writeHead(200, { ...headers, 'content-type': 'text/javascript' });
            await pipeline(createReadStream(join(MODULES, pathname.slice(SCRIPTS.length))), response);
        }
        else if (behind === null) {
            response.writeHead(404).end();
        }
        else {
            await passOn(behind, request, response);
        }
    };

    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
        url: `http://localhost:${(server.address() as AddressInfo).port}`,
        async stop() {

            server.closeAllConnections();
            await new Promise((resolve) => server.close(resolve));
        }
    };
}
