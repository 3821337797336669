/**
 * Tests against a service with worker processes, on SQLite: the interface, hostile clients, limits, stops and kills.
 *
 *     npm run test:workers                             all of them, with four workers
 *     npm run test:workers -- --part                   those that depend on workers most, as in CI: a minute of processor time
 *     npm run test:workers -- test/interface/x.ts      only these files
 *
 * TEST_WORKERS is the number of workers, 4 by default, and 2 with --part. The last line is what lab counted: `N passed, M failed`.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files that start servers with workers have one of these words. */
const WITH_SERVERS = /\b(?:onEveryDatabase|forEachWay|startRest|startServer|startProcess)\b/;

const FOLDERS = ['test/interface', 'test/resilience'];

/** What workers answer themselves, and on what it depends: reads, rights and credentials. */
const PART = [
    'test/interface/entity-tags.ts', 'test/interface/rest-objects-retrieve.ts', 'test/interface/rest-payloads.ts', 'test/interface/rest-acls.ts',
    'test/interface/browser-sessions.ts', 'test/interface/sessions.ts', 'test/interface/api-keys.ts'
];

async function allFiles() {

    const names = await Promise.all(FOLDERS.map(async (folder) => (await readdir(join(ROOT, folder))).map((name) => `${folder}/${name}`)));
    const files = names.flat().filter((name) => name.endsWith('.ts'));
    const found = await Promise.all(files.map(async (file) => WITH_SERVERS.test(await readFile(join(ROOT, file), 'utf8'))));
    return files.filter((_, i) => found[i]);
}

const args = process.argv.slice(2).filter((arg) => arg !== '--part');
const isPart = args.length < process.argv.length - 2;
const isGiven = args.some((arg, i) => !arg.startsWith('--') && !args.slice(0, i).includes('--'));
const paths = isGiven ? [] : isPart ? PART : await allFiles();
const env = { ...process.env, TEST_WORKERS: process.env.TEST_WORKERS ?? (isPart ? '2' : '4') };
const child = spawn(process.execPath, [join(ROOT, 'test/run.mjs'), '--no-mysql', ...paths, ...args], { cwd: ROOT, env, stdio: 'inherit' });
['SIGINT', 'SIGTERM'].forEach((signal) => process.on(signal, () => child.kill(signal)));
const [code] = await once(child, 'close');
process.exitCode = code ?? 1;
