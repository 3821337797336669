/**
 * The programs that docs/extending.md shows, run; and the service as a library.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { configure, createServer, serverUrl } from '../../lib/index.js';
import { readPage } from '../support/doc-pages.js';
import { serveBelow } from './embedded.js';
import { registerWordCount, wordCount } from './word-count.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the service in a program of one\'s own', () => {

    let folder: string;

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-embedded-'));
    });

    after(() => rm(folder, { recursive: true }));

    it('is a program that prints where it is reached', { timeout: 60_000 }, async () => {

        // It has no types in it, and is a module because of its name.
        const example = readPage('docs/extending.md').blocks.find(({ options }) => options.get('file') === 'program.mjs')?.text ?? '';
        const program = join(folder, 'program.mjs');
        await writeFile(program, example
            .replace('\'doip-gateway\'', JSON.stringify(pathToFileURL(join(__dirname, '../../lib/index.js')).href))
            .replace('\'./word-count.js\'', JSON.stringify(pathToFileURL(join(__dirname, 'word-count.js')).href)));
        const child = spawn(process.execPath, [program], {
            env: { ...process.env, PORT: '0', DATA_DIR: join(folder, 'program'), ADMIN_PASSWORD: 'x'.repeat(12), LOG_LEVEL: 'warn', BASE_PATH: '/repository' },
            stdio: ['ignore', 'pipe', 'inherit']
        });
        const [url] = await once(createInterface(child.stdout), 'line') as [string];
        const hello = await fetch(`${url}/doip/0.DOIP/Op.Hello?targetId=service`);
        const operations = await (await fetch(`${url}/doip/0.DOIP/Op.ListOperations?targetId=design`)).json() as string[];
        child.kill('SIGKILL');
        await once(child, 'exit');

        expect(url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/repository$/);
        expect(hello.status).to.equal(200);
        expect(operations).to.include(wordCount.id);
    });

    it('answers below a prefix of another hapi server', async () => {

        const server = await serveBelow('/repository', join(folder, 'hapi'));
        await server.start();

        const rest = await fetch(`${server.info.uri}/repository/schemas`);
        const doip = await fetch(`${server.info.uri}/repository/doip/0.DOIP/Op.Hello?targetId=service`);
        await server.stop();

        expect([rest.status, doip.status]).to.equal([200, 200]);
    });

    it('is a server of its own with operations of one\'s own', async () => {

        const config = configure({ PORT: 0, DATA_DIR: join(folder, 'own'), ADMIN_PASSWORD: 'x'.repeat(12), LOG_LEVEL: 'silent' });
        const server = await createServer(config);
        registerWordCount(server.plugins['doip-gateway'].gateway);
        await server.start();
        const url = serverUrl(server, config);
        const created = await fetch(`${url}/objects?type=Document&handle=test/map`, {
            method: 'POST', headers: { authorization: `Basic ${btoa(`admin:${'x'.repeat(12)}`)}` }, body: '{"name":"the old map"}'
        });

        const counted = await fetch(`${url}/doip?operationId=${wordCount.id}&targetId=test/map`);
        const { words } = await counted.json() as { words: number };
        const services = server.plugins['doip-gateway'].gateway.services as unknown as Record<string, Record<string, unknown>>;
        const named = [...readPage('docs/users-and-rights.md').text.matchAll(/gateway\.services\.(\w+)\.(\w+)/g)];
        const missing = named.filter(([, service = '', method = '']) => typeof services[service]?.[method] !== 'function').map(([whole]) => whole);
        await server.stop();

        expect(created.status).to.equal(200);
        expect(words).to.be.at.least(3);
        expect([named.length > 0, missing]).to.equal([true, []]);
    });
});
