/** The plugin in a hapi server of somebody else: below a prefix, beside routes of their own, with or without some interfaces. */

import type { Server } from '@hapi/hapi';
import * as Hapi from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { plugin } from '../../translators/index.js';
import type { PluginOptions } from '../../translators/index.js';
import type { TestDatabase } from '../support/database.js';
import type { TestGateway } from '../support/gateway.js';
import { createSqlite } from '../support/database.js';
import { startGateway } from '../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the plugin in an application', () => {

    let database: TestDatabase;
    let gateway: TestGateway;

    before(async () => {

        database = await createSqlite();
        gateway = await startGateway(database);
    });

    after(async () => {

        await gateway.stop();
        await database.dispose();
    });

    const serverWith = async (options: Partial<PluginOptions> = {}, prefix?: string): Promise<Server> => {

        const server = Hapi.server();
        server.route({ method: 'GET', path: '/mine', handler: () => ({ mine: true }) });
        await server.register({ plugin, options: { gateway: gateway.gateway, ...options } }, prefix === undefined ? {} : { routes: { prefix } });
        return server;
    };

    const statusOf = async (server: Server, url: string): Promise<number> => {

        const { statusCode } = await server.inject(url);
        return statusCode;
    };

    const HELLO = '/doip/0.DOIP/Op.Hello?targetId=service';
    const cases: [title: string, options: Partial<PluginOptions>, prefix: string | undefined, url: string, status: number][] = [
        ['serves REST', {}, undefined, '/schemas', 200],
        ['serves DOIP', {}, undefined, HELLO, 200],
        ['serves paths below /cordra too', {}, undefined, '/cordra/schemas', 200],
        ['serves paths with a trailing slash', {}, undefined, '/schemas/', 200],
        ['does not affect the routes of the application', {}, undefined, '/mine', 200],
        ['serves paths below a prefix', {}, '/repository', '/repository/schemas', 200],
        ['serves DOIP below a prefix', {}, '/repository', `/repository${HELLO}`, 200],
        ['serves nothing else with a prefix', {}, '/repository', '/schemas', 404],
        ['serves custom bases', { bases: ['/api'] }, undefined, '/api/schemas', 200],
        ['does not serve /cordra with custom bases', { bases: ['/api'] }, undefined, '/cordra/schemas', 404],
        ['mounts only DOIP', { translators: ['doip-http'] }, undefined, HELLO, 200],
        ['does not mount REST with only DOIP', { translators: ['doip-http'] }, undefined, '/schemas', 404],
        ['mounts only REST', { translators: ['rest'] }, undefined, '/schemas', 200],
        ['does not mount DOIP with only REST', { translators: ['rest'] }, undefined, HELLO, 404],
        ['mounts sessions only on request', { translators: ['rest'] }, undefined, '/sessions/this', 404]
    ];

    for (const [title, options, prefix, url, status] of cases) {
        it(title, async () => {

            const server = await serverWith(options, prefix);

            expect(await statusOf(server, url)).to.equal(status);
        });
    }

    it('exposes its gateway to the application', async () => {

        const server = await serverWith();

        expect(server.plugins['doip-gateway'].gateway === gateway.gateway).to.be.true();
    });

    it('leaves errors of the application unchanged, and formats its own', async () => {

        const server = await serverWith({}, '/repository');

        const theirs = await server.inject('/nowhere');
        const ours = await server.inject('/repository/objects/test/none');

        expect(theirs.result).to.equal({ statusCode: 404, error: 'Not Found', message: 'Not Found' });
        expect(JSON.parse(ours.payload)).to.equal({ message: 'Missing object test/none' });
    });

    const wrong: [title: string, options: unknown, message: RegExp][] = [
        ['no gateway', {}, /gateway/],
        ['a gateway that is none', { gateway: {} }, /perform/],
        ['an unknown translator', { gateway: { perform() {} }, translators: ['soap'] }, /translators\[0\]/],
        ['a base that is no path', { gateway: { perform() {} }, bases: ['api'] }, /bases\[0\]/],
        ['an unknown option', { gateway: { perform() {} }, prefix: '/x' }, /prefix/]
    ];

    for (const [title, options, message] of wrong) {
        it(`rejects ${title}`, async () => {

            const server = Hapi.server();

            await expect(server.register({ plugin, options: options as PluginOptions })).to.reject(message);
        });
    }
});
