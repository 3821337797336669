/**
 * The programs that docs/extending.md shows, run; and the service as a library.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { readPage } from '../support/doc-pages.js';
import { serveBelow } from './embedded.js';
import { startOwn } from './own-server.js';
import { wordCount } from './word-count.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A program that is running. */
interface Program {
    readonly child: ChildProcessByStdio<null, Readable, Readable>;
    /** Everything that it logs. */
    readonly error: Promise<string>;
    /** Its exit code. */
    readonly ended: Promise<[number | null]>;
}

describe('the service in a program of one\'s own', () => {

    let folder: string;

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-embedded-'));
    });

    after(() => rm(folder, { recursive: true }));

    /** Starts the program of the page, changed by `edit`. It has no types in it, and is a module because of its name. */
    const startProgram = async (name: string, env: NodeJS.ProcessEnv, edit = (example: string): string => example): Promise<Program> => {

        const example = readPage('docs/extending.md').blocks.find(({ options }) => options.get('file') === 'program.mjs')?.text ?? '';
        const program = join(folder, name);
        await writeFile(program, edit(example)
            .replace('\'doip-gateway\'', JSON.stringify(pathToFileURL(join(__dirname, '../../lib/index.js')).href))
            .replace('\'./word-count.js\'', JSON.stringify(pathToFileURL(join(__dirname, 'word-count.js')).href)));
        const child = spawn(process.execPath, [program], {
            env: {
                ...process.env, PORT: '0', DATA_DIR: join(folder, 'program'), ADMIN_PASSWORD: 'x'.repeat(12), LOG_LEVEL: 'warn', BASE_PATH: '/repository',
                ...env
            },
            stdio: ['ignore', 'pipe', 'pipe']
        });
        return { child, error: text(child.stderr), ended: once(child, 'close') as Promise<[number | null]> };
    };

    it('is a program that prints where it is reached, and is stopped by a signal', async () => {

        const { child, error, ended } = await startProgram('program.mjs', { LOG_LEVEL: 'info' });
        const [url] = await once(createInterface(child.stdout), 'line') as [string];
        const hello = await fetch(`${url}/doip/0.DOIP/Op.Hello?targetId=service`);
        const operations = await (await fetch(`${url}/doip/0.DOIP/Op.ListOperations?targetId=design`)).json() as string[];
        child.kill('SIGTERM');
        const [code] = await ended;

        expect(url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/repository$/);
        expect(hello.status).to.equal(200);
        expect(operations).to.include(wordCount.id);
        expect(code).to.equal(0);
        expect((await error).trim().split('\n').at(-1)).to.include('"event":"service.stopped"');
    });

    const FAILURES: readonly [title: string, name: string, env: NodeJS.ProcessEnv, edit: (example: string) => string, code: number, message: string][] = [
        ['invalid settings', 'settings.mjs', { PORT: 'x' }, (example) => example, 78, 'doip-gateway: configuration: PORT (environment) must be a number'],
        ['an operation whose id is taken', 'twice.mjs', {}, (example) => example.replace('{}, registerWordCount', '{}, (it) => [it, it].forEach(registerWordCount)'), 1,
            'doip-gateway: Error: operation 20.500.123/Op.WordCount']
    ];

    for (const [title, name, env, edit, code, message] of FAILURES) {
        it(`is a program that ends with an exit code for ${title}`, async () => {

            const { child, error, ended } = await startProgram(name, { ...env, DATA_DIR: join(folder, name) }, edit);
            const output = text(child.stdout);
            const [ending] = await ended;

            expect(ending, await error).to.equal(code);
            expect((await error).slice(0, message.length)).to.equal(message);
            expect(await output).to.not.include('http');
        });
    }

    it('answers below a prefix of another hapi server', async () => {

        const server = await serveBelow('/repository', join(folder, 'hapi'));
        await server.start();

        const rest = await fetch(`${server.info.uri}/repository/schemas`);
        const doip = await fetch(`${server.info.uri}/repository/doip/0.DOIP/Op.Hello?targetId=service`);
        await server.stop();

        expect([rest.status, doip.status]).to.equal([200, 200]);
    });

    it('is a server of its own with operations of one\'s own', async () => {

        const { server, url } = await startOwn(join(folder, 'own'));
        const created = await fetch(`${url}/objects?type=Document&handle=test/map`, {
            method: 'POST', headers: { authorization: `Basic ${btoa('admin:a long password')}` }, body: '{"name":"the old map"}'
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
