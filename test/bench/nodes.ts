/**
 * Which Node is the fastest for the service: retrieval, creation and search on several versions, in turns, by requests per second and by
 * processor time. The first of two services on the Node of this machine is the reference, the second the control. The others are those that
 * `npm run test:node -- VERSION --prepare` has installed.
 *
 *     npm run bench:nodes -- --seconds 3 --rounds 6
 */

import { existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type Autocannon from 'autocannon';
import { compared, measureInTurns } from './in-turns.js';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'password of the benchmark';
const ROOT = join(__dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache');
const CLI = 'dist/bundle/main.js';
const HEADERS = { 'content-type': 'application/json', authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` };
const CONTENT = JSON.stringify({ name: 'A map', description: 'x'.repeat(1950) });

/** Objects that searches find. */
const OBJECTS = 200;

const REQUESTS: readonly [name: string, request: Omit<Autocannon.Options, 'url'> & { readonly path: string }][] = [
    ['retrieve', { path: '/objects/test/measured' }],
    ['create', { path: '/objects?type=Document', method: 'POST', body: CONTENT, headers: HEADERS }],
    ['search', { path: '/search?query=name:map&pageSize=10', headers: HEADERS }]
];

/** A Node and the folder with the service that is built for it. */
interface Installation {
    readonly name: string;
    readonly node: string;
    readonly root: string;
}

function installations(): Installation[] {

    const own = { node: process.execPath, root: ROOT };
    const versions = existsSync(CACHE) ? readdirSync(CACHE).filter((name) => /^node-\d/.test(name) && existsSync(join(CACHE, name, 'tree', CLI))).sort() : [];
    return [
        { ...own, name: `node ${process.versions.node}` }, { ...own, name: `node ${process.versions.node}, control` },
        ...versions.map((name) => ({ name, node: join(CACHE, name, 'node_modules/node-binary/bin/node'), root: join(CACHE, name, 'tree') }))
    ];
}

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '6' } } });
    const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
    const installed = installations();
    if (installed.length === 2) {
        console.log('only the Node of this machine is there; `npm run test:node -- 26 --prepare` installs another');
    }

    const folder = mkdtempSync(join(tmpdir(), 'bench-nodes-'));
    const log = openSync(join(folder, 'log'), 'w');
    const services: MeasuredProcess[] = [];
    try {
        for (const [i, { node, root }] of installed.entries()) {
            services.push(await MeasuredProcess.start(join(root, CLI), ['serve'], {
                DATA_DIR: join(folder, String(i)), PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD
            }, [], log, node));
        }

        await Promise.all(services.map(({ url }) => fill(url)));
        for (const [name, request] of REQUESTS) {
            const results = await measureInTurns(services, request, { seconds, rounds });
            for (const [i, measured] of results.entries()) {
                const { perSecond, cost, speedRatio, costRatio } = compared(measured, results[0] ?? []);
                console.log(`${name}, ${installed[i]?.name}: ${perSecond.toFixed(0)} per second (${speedRatio.toFixed(2)}), ` +
                    `${(cost * 1000).toFixed(0)} µs of processor time each (${costRatio.toFixed(2)})`);
            }
        }

        console.log(`resident memory: ${services.map((service, i) => `${installed[i]?.name} ${(service.memory() / 2 ** 20).toFixed(0)} MiB`).join(', ')}`);
    }
    finally {
        await Promise.all(services.map((service) => service.stop()));
        rmSync(folder, { recursive: true });
    }
}

async function fill(url: string): Promise<void> {

    const send = async (method: string, path: string, body: string): Promise<void> => {

        const response = await fetch(url + path, { method, headers: HEADERS, body });
        if (!response.ok) {
            throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        }
    };

    await send('POST', '/objects?type=Document&handle=test/measured', CONTENT);
    await send('PUT', '/acls/test/measured', '{"readers":["public"],"writers":[]}');
    for (let i = 0; i < OBJECTS; ++i) {
        await send('POST', '/objects?type=Document', CONTENT);
    }
}

void main();
