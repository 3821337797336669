/**
 * `npm run resilience:galera`: three gateways, each on a server of its own of a Galera cluster on loopback. Checks that none of what was
 * answered is lost, that every change is found on every node, and that rights and schemas count at once everywhere.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Mysql from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import { Op } from '../../lib/doip/operation-ids.js';
import type { TestDatabase } from '../support/database.js';
import { startGalera } from '../support/galera.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { changeMembers, defineType } from '../support/type-code.js';
import { until } from '../support/until.js';

const OK = '0.DOIP/Status.001';
const PASSWORD = 'password of ann';

/** Objects that each gateway creates, and rounds of each check. */
const WRITES = Number(process.env['WRITES'] ?? 400);
const ROUNDS = Number(process.env['ROUNDS'] ?? 60);

/** Milliseconds after which all of it is given up. */
const LIMIT_MS = 240_000;

interface Nodes {
    readonly gateways: readonly TestGateway[];
    readonly at: (n: number) => TestGateway;
}

type Figures = Record<string, number | string>;

async function main(): Promise<void> {

    const watchdog = setTimeout(() => {

        console.error('it took too long');
        process.exit(1);
    }, LIMIT_MS);
    const galera = await startGalera();
    const folders = await Promise.all(galera.urls.map(() => mkdtemp(join(tmpdir(), 'doip-gateway-node-'))));
    let gateways: TestGateway[] = [];
    try {
        const connection = await Mysql.createConnection(galera.urls[0] ?? '');
        await connection.query('create database repository');
        await connection.end();
        const database: TestDatabase = {
            dialect: 'mysql', options: { dataDir: '' }, open: () => Promise.reject(new Error('not here')), dispose: () => Promise.resolve()
        };
        const begun = performance.now();
        gateways = await Promise.all(galera.urls.map((url, n) => startGateway(database, { dataDir: folders[n] ?? '', databaseUrl: `${url}/repository` })));
        report('start of three nodes at once', { milliseconds: Math.round(performance.now() - begun) });
        const nodes: Nodes = { gateways, at: (n) => gateways[n % gateways.length] as TestGateway };
        report('writes', await writes(nodes));
        report('search', await searches(nodes, `${galera.urls[0]}/repository`));
        report('rights', await rights(nodes));
        report('schemas', await schemas(nodes));
    }
    finally {
        await Promise.all(gateways.map((gateway) => gateway.stop()));
        await galera.stop();
        await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
        clearTimeout(watchdog);
    }
}

/** Everything that was answered can be read on every node, at once. */
async function writes({ gateways, at }: Nodes): Promise<Figures> {

    const [acknowledged, stale] = [new Set<string>(), new Set<string>()];
    let refused = 0;
    await Promise.all(gateways.flatMap((gateway, n) => Array.from({ length: 4 }, async (_, writer) => {

        for (let i = writer; i < WRITES; i += 4) {
            const id = `test/w${n}-${i}`;
            const { status } = await gateway.asAdmin(Op.create, { input: { type: 'Document', id, attributes: { content: { mark: 'written' } } } });
            if (status !== OK) {
                refused += 1;
                continue;
            }

            acknowledged.add(id);
            if ((await at(n + 1).asAdmin(Op.retrieve, { targetId: id })).status !== OK) {
                stale.add(id);
            }
        }
    })));
    let lost = 0;
    for (const id of acknowledged) {
        lost += (await at(acknowledged.size).asAdmin(Op.retrieve, { targetId: id })).status === OK ? 0 : 1;
    }

    return failing({ acknowledged: acknowledged.size, refused, stale: stale.size, lost }, ['stale', 'lost']);
}

/** Every change is found on every node, and a search stays cheap. */
async function searches({ gateways }: Nodes, url: string): Promise<Figures> {

    const { value } = await sizes(gateways[0] as TestGateway);
    await until(async () => (await Promise.all(gateways.map(sizes))).every(({ size }) => size === WRITES * gateways.length), 30_000).catch(() => {});
    const found = await Promise.all(gateways.map(sizes));
    const times: number[] = [];
    for (let n = 0; n < ROUNDS; ++n) {
        const begun = performance.now();
        await sizes(gateways[n % gateways.length] as TestGateway);
        times.push(performance.now() - begun);
    }

    const connection = await Mysql.createConnection(url);
    const [[facts]] = await connection.query<[{ waiting: number; steps: number } & RowDataPacket]>(
        'select count(*) as waiting, @@auto_increment_increment as steps from search_log');
    await connection.end();
    const missing = found.reduce((sum, { size }) => sum + WRITES * gateways.length - size, 0);
    const medianMs = Math.round(times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0);
    return failing({ objects: value, missing, medianMs, unordered: facts.waiting, autoIncrementStep: facts.steps }, ['missing']);
}

async function sizes(gateway: TestGateway): Promise<{ size: number; value: number }> {

    const { value } = await gateway.asAdmin(Op.search, { attributes: { query: '/mark:written', pageSize: 0 } });
    const { size = -1 } = value as { size?: number };
    return { size, value: size };
}

/** Membership of a group is changed on one node and counts on the next request on another. */
async function rights(nodes: Nodes): Promise<Figures> {

    const first = nodes.at(0);
    const { id: ann } = await first.create('User', { username: 'ann', password: PASSWORD });
    const { id: group } = await first.create('Group', { groupName: 'readers', description: '', users: [] });
    const { id } = await first.create('Document', {}, { attributes: { acl: { readers: [group], writers: [] } } });
    let stale = 0;
    await beside(nodes, async () => {

        for (let round = 0; round < ROUNDS; ++round) {
            const isMember = round % 2 === 0;
            await changeMembers(nodes.at(round), group, { users: isMember ? [ann] : [] });
            const { status } = await nodes.at(round + 1).perform(Op.retrieve, { targetId: id, authentication: { username: 'ann', password: PASSWORD } });
            stale += status === OK === isMember ? 0 : 1;
        }
    });
    return failing({ rounds: ROUNDS, stale }, ['stale']);
}

/** A schema is changed on one node and counts for the next object on another. */
async function schemas(nodes: Nodes): Promise<Figures> {

    const schema = (round: number) => ({ type: 'object', properties: { round: { const: round } } });
    const id = await defineType(nodes.at(0), 'Shaped', '', schema(-1));
    let stale = 0;
    await beside(nodes, async () => {

        for (let round = 0; round < ROUNDS; ++round) {
            await changeMembers(nodes.at(round), id, { schema: schema(round) });
            const { status } = await nodes.at(round + 1).asAdmin(Op.create, { input: { type: 'Shaped', attributes: { content: { round } } } });
            stale += status === OK ? 0 : 1;
        }
    });
    return failing({ rounds: ROUNDS, stale }, ['stale']);
}

/** Does something while all nodes write. */
async function beside({ gateways }: Nodes, work: () => Promise<void>): Promise<void> {

    let isOver = false;
    const load = gateways.flatMap((gateway) => [1, 2].map(async () => {

        while (!isOver) {
            await gateway.asAdmin(Op.create, { input: { type: 'Document', attributes: { content: { mark: 'load' } } } });
        }
    }));
    try {
        await work();
    }
    finally {
        isOver = true;
        await Promise.all(load);
    }
}

function failing(figures: Figures, zero: readonly string[]): Figures {

    if (zero.some((name) => figures[name] !== 0)) {
        process.exitCode = 1;
    }

    return figures;
}

function report(what: string, figures: Figures): void {

    console.log(JSON.stringify({ what, ...figures }));
}

void main().catch((error: unknown) => {

    console.error(error);
    process.exitCode = 1;
});
