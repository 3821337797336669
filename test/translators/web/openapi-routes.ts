/**
 * The description of the service against the route table of a whole server: each route of hapi is described, or listed here with the reason why it
 * is not; and each described path and method is served.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Server } from '@hapi/hapi';
import { Op } from '../../../lib/doip/operation-ids.js';
import { ADMIN_HEADERS } from '../../support/rest.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** As hapi writes them. */
type Method = Parameters<Server['match']>[0];

/** Routes that are not described, with the reason. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
    ['/favicon.ico', 'browsers ask for it by themselves'],
    ['/robots.txt', 'crawlers ask for it by themselves'],
    ['/ui/{file?}', 'the web UI: a page for people, whose files have their version in their names']
]);

/** Below it all paths are there once more, as clients of Cordra have them. */
const BASE = '/cordra';

/** Answered to every path that has a described method. */
const OF_HTTP = ['HEAD', 'OPTIONS'];

describe('the description of the service and its routes', () => {

    let server: TestServer;
    let paths: Readonly<Record<string, readonly Method[]>>;

    before(async () => {

        server = await startServer({ METRICS_PORT: 0 });
        const document = await (await fetch(`${server.url}/openapi.json`)).json() as { paths: Record<string, object> };
        paths = Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item) as Method[]]));
    });

    after(() => server.stop());

    const filled = (path: string): string => path.replace(/\{\w+\}/, 'test/a');

    it('covers every route, at the root and below the other base', () => {

        const table = server.server.table().map(({ path }) => path);
        const reached = new Set(['', BASE].flatMap((base) => Object.entries(paths).flatMap(([path, methods]) =>
            methods.map((method) => server.server.match(method, base + filled(path))?.path))));
        // hapi has one for the base, and one for it with a slash.
        const left = table.filter((path) => !reached.has(path) && path !== BASE);
        const expected = [...LEFT_OUT.keys()].flatMap((path) => (path === '/robots.txt' ? [path] : [path, BASE + path]));

        expect(table.length).to.be.above(40);
        expect(left.sort()).to.equal(expected.sort());
        expect(reached.has(undefined)).to.be.false();
    });

    it('has the methods of every path, and no other', async () => {

        const wrong: string[] = [];
        for (const [path, described] of Object.entries(paths)) {
            const methods = described.map((method) => method.toUpperCase());
            const allowed = (await fetch(server.url + filled(path), { method: 'OPTIONS' })).headers.get('allow')?.split(', ') ?? [];
            // Of a path with a name after it, the route is the same without one; of DOIP it is the same for all operations.
            const others = allowed.filter((method) => !methods.includes(method) && !OF_HTTP.includes(method));
            const served = await Promise.all(others.map(async (method) => {

                const { status } = await fetch(`${server.url}${filled(path)}?targetId=service`, { method, headers: ADMIN_HEADERS });
                return status < 400 || status >= 500;
            }));
            if (methods.some((method) => !allowed.includes(method)) || served.includes(true)) {
                wrong.push(`${path}: allows ${allowed.join(', ')}; described: ${methods.join(', ')}`);
            }
        }

        expect(Object.keys(paths).length).to.be.above(80);
        expect(wrong).to.equal([]);
    });

    it('has every operation that is registered, unless it is unlisted, as ListOperations has for the service and for objects', async () => {

        const registered = server.server.plugins['doip-gateway'].gateway.services.registry.all();
        const listed = registered.filter(({ unlisted }) => !unlisted).map(({ id }) => id).sort();
        const described = new Set<string>();
        for (const target of ['service', 'design']) {
            const response = await fetch(`${server.url}/doip/${Op.listOperations}?targetId=${target}&attributes.describe=true`, { headers: ADMIN_HEADERS });
            (await response.json() as { id: string }[]).forEach(({ id }) => described.add(id));
        }

        const inPaths = Object.keys(paths).filter((path) => path.startsWith('/doip/')).map((path) => path.slice('/doip/'.length));
        expect([...described].sort()).to.equal(listed);
        expect(inPaths.sort()).to.equal(listed);
        expect(registered.map(({ id }) => id).filter((id) => !id.startsWith('test/')).sort()).to.equal(Object.values<string>(Op).sort());
    });

    it('has nothing of the port for metrics, where no described path is served', async () => {

        const port = String(server.log.find(({ event }) => event === 'metrics.listening')?.['port']);
        const statuses = new Set<number>();
        for (const path of Object.keys(paths)) {
            statuses.add((await fetch(`http://127.0.0.1:${port}${filled(path)}`)).status);
        }

        expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).to.equal(200);
        expect([...statuses]).to.equal([404]);
    });
});
