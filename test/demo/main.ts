/**
 * `npm run demo`: starts a service on a fresh folder, loads every installed package into it, says what to try, and serves
 * until it is interrupted. `npm run demo -- --keep DIR` keeps the data in a folder, and goes on with them the next time.
 */

import { randomBytes } from 'node:crypto';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { installedPackages } from './packages.js';
import { loadPackages, packageId } from './load.js';

const ROOT = join(__dirname, '../../..');
const BAR = 30;

/** File in a folder that is kept, written when all packages are loaded. */
const COMPLETE = 'demonstration-complete';

async function main(): Promise<void> {

    const { values: { keep } } = parseArgs({ options: { keep: { type: 'string' } } });
    const folder = keep === undefined ? mkdtempSync(join(tmpdir(), 'doip-gateway-demo-')) : resolve(keep);
    const isNew = keep === undefined || !existsSync(join(folder, 'repository.sqlite'));
    if (!isNew && !existsSync(join(folder, COMPLETE))) {
        console.error(`${folder} holds other data, or a demonstration that was interrupted before it was complete: name another folder`);
        process.exitCode = 1;
        return;
    }

    const password = isNew ? randomBytes(9).toString('base64url') : '';
    const server = fork(join(__dirname, '../../bundle/main.js'), ['serve'], {
        env: { PORT: '8080', LOG_LEVEL: 'warn', ...process.env, DATA_DIR: folder, DATABASE_URL: '', ...isNew ? { ADMIN_PASSWORD: password } : {} },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc']
    });
    const ended = once(server, 'exit');
    server.once('exit', (code) => {

        if (keep === undefined) {
            rmSync(folder, { recursive: true, force: true });
        }

        process.exitCode = code ?? 0;
    });
    // An interrupt of a terminal reaches the service as well; it ends first, and we clean up after it.
    let isInterrupted = false;
    process.once('SIGINT', () => {

        isInterrupted = true;
    });
    process.once('SIGTERM', () => {

        isInterrupted = true;
        server.kill('SIGTERM');
    });

    const url = await firstUrl(server.stdout);
    if (url === null) {
        return;
    }

    const packages = installedPackages(join(ROOT, 'node_modules'));
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    const started = performance.now();
    try {
        if (isNew) {
            await loadPackages(packages, { url, authorization, prefix: 'test', onProgress: progressBar(started) });
            writeFileSync(join(folder, COMPLETE), '');
        }
    }
    catch (error) {
        server.kill('SIGTERM');
        await ended;
        if (!isInterrupted) {
            throw error;
        }

        return;
    }

    explain(url, isNew ? password : null, packages.map(({ key }) => key));
}

/** The last line that the service prints at its start; null when it ends before. */
async function firstUrl(output: NodeJS.ReadableStream | null): Promise<string | null> {

    if (!output) {
        return null;
    }

    return new Promise((resolve) => {

        const lines = createInterface(output);
        lines.on('line', (line) => {

            if (/^https?:\/\/\S+$/.test(line)) {
                resolve(line.replace(/\/$/, ''));
            }
        });
        lines.once('close', () => resolve(null));
    });
}

function progressBar(started: number): (stage: string, done: number, total: number) => void {

    return (stage, done, total) => {

        const filled = Math.round(done / total * BAR);
        const seconds = (performance.now() - started) / 1000;
        const line = `${stage.padEnd(10)} [${'#'.repeat(filled)}${' '.repeat(BAR - filled)}] ${done}/${total}  ${seconds.toFixed(1)} s`;
        if (process.stdout.isTTY) {
            process.stdout.write(`\r${line}${done === total ? '\n' : ''}`);
        }
        else if (done === total || done % 100 === 0) {
            console.log(line);
        }
    };
}

/** Says what to try. The password is null where an earlier run showed it. */
function explain(url: string, password: string | null, keys: readonly string[]): void {

    const id = packageId('test', keys.find((key) => key.startsWith('@hapi/hapi@')) ?? keys[0] ?? '');
    console.log(`
${keys.length} packages are objects now. Try:

    curl '${url}/objects/${id}?pretty'
    curl '${url}/objects/${id}?full&pretty'
    curl '${url}/objects/${id}?payload=readme'
    curl '${url}/schemas/Package'
    curl '${url}/search?query=/keywords/_:parser&pageSize=5'
    curl '${url}/search?query=readme:plugin&sortFields=/name&ids'
    curl '${url}/doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}'
    curl -u admin:${password ?? 'PASSWORD'} '${url}/call?objectId=${id}&method=countWords&params=%7B%22word%22:%22plugin%22%7D'
    curl -u admin:${password ?? 'PASSWORD'} -X PUT '${url}/objects/${id}?jsonPointer=/description' -d '"A server"'

In a browser, as admin with the password ${password ?? 'of the first start'}:

    ${url}/#objects/?query=type:Package
    ${url}/#objects/${id}?tab=relations
    ${url}/#objects/${id}?tab=methods

Interrupt to end; the data go with it, unless they are kept (--keep DIR).

${url}/#objects/?query=type:Package`);
}

if (require.main === module) {
    void main();
}
