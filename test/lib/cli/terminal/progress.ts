/** The progress of commands that send or receive much: on a terminal one line that is updated in place, elsewhere lines, and a final one. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as ask, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import { hasScript } from '../../../support/programs.js';
import type { TestServer } from '../../../support/server.js';
import { startServer } from '../../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CLI = join(__dirname, '../../../../bundle/main.js');
/** Longer than the time between two updates on a terminal, in milliseconds. */
const PAUSE_MS = 300;
const ROWS = 250;

/** Passes a request to a service, and its response with a pause in its middle. */
async function passSlowly(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {

    const { method, headers } = request;
    const sent = ask(`${url}${request.url}`, { method, headers });
    sent.end(await buffer(request));
    const [answer] = await once(sent, 'response') as [IncomingMessage];
    const bytes = await buffer(answer);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const half = bytes.length >> 1;
    response.write(bytes.subarray(0, half));
    await sleep(PAUSE_MS);
    response.end(bytes.subarray(half));
}

describe('the progress of a command on a terminal', { skip: !hasScript() }, () => {

    let test: TestServer;
    let proxy: Server;
    let folder: string;

    before(async () => {

        test = await startServer();
        proxy = createServer((request, response) => void passSlowly(test.url, request, response).catch(() => response.destroy())).listen(0, '127.0.0.1');
        await once(proxy, 'listening');
        folder = await mkdtemp(join(tmpdir(), 'gateway-progress-'));
        const row = (n: number): string => `${JSON.stringify({ id: `test/row-${n}`, type: 'Document', content: { set: 'rows', text: 'x'.repeat(2000) } })}\n`;
        await writeFile(file('rows.ndjson'), Array.from({ length: ROWS }, (_, n) => row(n)).join(''));
    });

    after(async () => {

        proxy.close();
        await test.stop();
        await rm(folder, { recursive: true });
    });

    const file = (name: string): string => join(folder, name);
    const slowUrl = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

    /** What a command shows on a terminal, its updates in turn. */
    const run = async (line: string, url: string): Promise<string[]> => {

        const { stdout } = await promisify(execFile)('script', ['-qec', `${line.replace('doip-gateway', `'${process.execPath}' '${CLI}'`)} --url ${url} --user admin`, '/dev/null'], {
            env: { PATH: process.env['PATH'], DOIP_PASSWORD: ADMIN_PASSWORD }, maxBuffer: 10_000_000
        });
        return stdout.trimEnd().split('\r\u001b[K');
    };

    it('that sends files has the share of them, and at its end how much was sent', async () => {

        await writeFile(file('large.bin'), '');
        await truncate(file('large.bin'), 200_000_000);
        const [none, first = '', ...others] = await run(`doip-gateway put --type Document --json '{}' --element a=${file('large.bin')} --output ${file('made.json')}`, test.url);

        expect(none).to.equal('');
        expect(first).to.match(/^put: \d+\.\d MiB of 190\.7 MiB, \d+ %$/);
        expect(others.at(-1)).to.match(/^put: sent, 190\.7 MiB in \d+\.\d s$/);
        expect(JSON.parse(await readFile(file('made.json'), 'utf8'))).to.include({ type: 'Document' });
    });

    it('that imports rows has the share of the file, and at its end what became of them', async () => {

        const [none, first = '', ...others] = await run(`doip-gateway import ${file('rows.ndjson')}`, slowUrl());

        expect(none).to.equal('');
        expect(first).to.match(/^import \(http:\/\/127\.0\.0\.1:\d+\): 0\.\d MiB of 0\.5 MiB, \d+ %$/);
        expect(others.at(-1)).to.match(/^import \(.*\): 250 objects stored, 0 rows rejected, 0\.5 MiB in \d+\.\d s$/);
    });

    it('that imports rows from another program has how many bytes there were', async () => {

        const [none, first = '', ...others] = await run(`cat ${file('rows.ndjson')} | doip-gateway import -`, slowUrl());

        expect(none).to.equal('');
        expect(first).to.match(/^import \(.*\): 0\.\d MiB$/);
        expect(others.at(-1)).to.match(/^import \(.*\): 250 objects stored, 0 rows rejected, 0\.5 MiB in \d+\.\d s$/);
    });

    it('that searches into a file has how many bytes came, and at its end the number of results', async () => {

        await run(`doip-gateway import ${file('rows.ndjson')}`, test.url);
        const [none, first = '', ...others] = await run(`doip-gateway search /set:rows --output ${file('found.ndjson')}`, slowUrl());

        expect(none).to.equal('');
        expect(first).to.match(/^search \(.*\): 0\.\d MiB$/);
        expect(others.at(-1)).to.match(/^search \(.*\): 250 results, 0\.\d MiB in \d+\.\d s$/);
        expect((await readFile(file('found.ndjson'), 'utf8')).trimEnd().split('\n')).to.have.length(ROWS);
    });

    it('whose results are on the terminal is not shown between them', async () => {

        const [all = '', ...others] = await run('doip-gateway search type:Schema --ids --limit 1', slowUrl());

        expect(all).to.match(/^\S+$/);
        expect(others).to.equal([]);
    });
});
