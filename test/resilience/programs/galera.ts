/**
 * `npm run resilience:galera`: three gateways, each on a server of its own of a Galera cluster on loopback. Checks that none of what was
 * answered is lost, that every change is found on every node, that rights and schemas count at once everywhere, that no token
 * of a former password remains, and that the watermark is final; also while a server is desynchronised, silent, or killed and replaced.
 * Arguments name some of the checks.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Mysql from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { TestDatabase } from '../../support/database.js';
import { type Galera, startGalera } from '../../support/galera.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { changeMembers, defineType } from '../../support/type-code.js';
import { until } from '../../support/until.js';

const OK = '0.DOIP/Status.001';
const MISSING = '0.DOIP/Status.104';
const PASSWORD = 'password of ann';

/** Objects that each gateway creates, and rounds of each check. */
const WRITES = Number(process.env['WRITES'] ?? 400);
const ROUNDS = Number(process.env['ROUNDS'] ?? 60);

/** Milliseconds after which all of it is given up. */
const LIMIT_MS = 600_000;

/** Milliseconds within which logins and a change of the password begin. */
const LOGIN_SPREAD_MS = 20;

/** Milliseconds of load before and during a fault: longer than the five seconds after which the others give up a silent server. */
const BEFORE_MS = 1500;
const FAULT_MS = 9000;

/** Milliseconds until all nodes answer again, and agree, after a fault. */
const RECOVERY_MS = 90_000;

interface Nodes {
    readonly gateways: readonly TestGateway[];
    readonly at: (n: number) => TestGateway;
}

type Figures = Record<string, number | string>;

async function main(wanted: readonly string[]): Promise<void> {

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
        const checks: Record<string, () => Promise<Figures>> = {
            writes: async () => await writes(nodes),
            search: async () => await searches(nodes, `${galera.urls[0]}/repository`),
            rights: async () => await rights(nodes),
            schemas: async () => await schemas(nodes),
            logins: async () => await logins(nodes),
            watermark: async () => await watermark(nodes),
            desynchronised: async () => await fault(nodes, async (n) => await desynchronise(galera.urls[n] ?? '')),
            silent: async () => await fault(nodes, async (n) => await silence(galera, n)),
            killed: async () => await fault(nodes, async (n) => {

                await galera.kill(n);
                await sleep(FAULT_MS);
                await galera.rejoin(n);
            })
        };
        for (const [name, check] of Object.entries(checks)) {
            if (wanted.length === 0 || wanted.includes(name)) {
                report(name, await check());
            }
        }
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

/** A password is changed on one node while the others log in with the former one: none of their tokens is valid after the change. */
async function logins(nodes: Nodes): Promise<Figures> {

    await nodes.at(0).create('User', { username: 'bob', password: 'password 0' });
    let [password, changes, tokens, surviving] = ['password 0', 0, 0, 0];
    for (let round = 0; round < ROUNDS; ++round) {
        const credentials = { username: 'bob', password };
        const next = `password ${round + 1}`;
        const login = async (node: TestGateway): Promise<string[]> => {

            await sleep(Math.random() * LOGIN_SPREAD_MS);
            const { status, value } = await node.perform(Op.authToken, { input: credentials });
            return status === OK ? [(value as { access_token: string }).access_token] : [];
        };

        const change = async (): Promise<boolean> => {

            await sleep(Math.random() * LOGIN_SPREAD_MS);
            return (await nodes.at(round).perform(Op.changePassword, { authentication: credentials, input: { password: next } })).status === OK;
        };

        const [isChanged, ...issued] = await Promise.all([change(), ...[1, 1, 2, 2].map((step) => login(nodes.at(round + step)))]);
        if (isChanged) {
            for (const token of issued.flat()) {
                surviving += (await nodes.at(round).perform(Op.checkCredentials, { authentication: { token } })).status === OK ? 1 : 0;
            }

            [password, changes, tokens] = [next, changes + 1, tokens + issued.flat().length];
        }
    }

    return failing({ rounds: ROUNDS, changes, tokens, surviving }, ['surviving']);
}

/** No object appears on any node with a number up to the watermark that any node has answered before. */
async function watermark(nodes: Nodes): Promise<Figures> {

    let [answers, last, late] = [0, 0, 0];
    let known = new Set<string>();
    await beside(nodes, async () => {

        for (let round = 0; round < ROUNDS; ++round) {
            const { value } = await nodes.at(round).asAdmin(Op.highestSafeTxnId);
            const next = (value as { txnId: number }).txnId;
            const found = await numbers(nodes.at(round + 1), Math.max(last, next));
            late += last === 0 ? 0 : found.filter(({ id, txnId }) => txnId <= last && !known.has(id)).length;
            known = new Set(found.map(({ id }) => id));
            answers += next > last ? 1 : 0;
            last = Math.max(last, next);
            await sleep(100);
        }
    });
    return failing({ rounds: ROUNDS, raised: answers, late }, ['late']);
}

/** Objects with numbers up to one. */
async function numbers(gateway: TestGateway, upTo: number): Promise<{ id: string; txnId: number }[]> {

    const { value } = await gateway.asAdmin(Op.search, { attributes: { query: `txnId:[0 TO ${upTo}] AND /mark:load`, pageSize: -1 } });
    // Many results come in several parts, which are not parsed.
    const { results } = (typeof value === 'string' ? JSON.parse(value) : value) as { results: { id: string; attributes: { metadata: { txnId: number } } }[] };
    return results.map(({ id, attributes }) => ({ id, txnId: attributes.metadata.txnId }));
}

/** A server of the cluster fails under load, and comes back: nothing that was answered is lost, nothing stale is read, and the others go on. */
async function fault({ gateways, at }: Nodes, inflict: (n: number) => Promise<void>): Promise<Figures> {

    const run = `f${Math.random().toString(36).slice(2, 8)}`;
    const faulty = gateways.length - 1;
    const acknowledged = new Set<string>();
    const [answered, refused] = [gateways.map(() => 0), gateways.map(() => 0)];
    let [isOver, isFaulty, stale] = [false, false, 0];
    const writers = gateways.flatMap((gateway, n) => [1, 2].map(async (writer) => {

        for (let i = 0; !isOver; ++i) {
            const id = `test/${run}-${n}-${writer}-${i}`;
            const { status } = await gateway.asAdmin(Op.create, { input: { type: 'Document', id, attributes: { content: { mark: run } } } });
            if (status !== OK) {
                refused[n] = (refused[n] ?? 0) + 1;
                continue;
            }

            acknowledged.add(id);
            answered[n] = (answered[n] ?? 0) + (isFaulty ? 1 : 0);
            const other = at(n + 1 === faulty ? n + 2 : n + 1);
            stale += (await other.asAdmin(Op.retrieve, { targetId: id })).status === MISSING ? 1 : 0;
        }
    }));
    await sleep(BEFORE_MS);
    isFaulty = true;
    await inflict(faulty);
    isFaulty = false;
    isOver = true;
    await Promise.all(writers);
    const ended = performance.now();
    const sizesOnAll = async (): Promise<number[]> => await Promise.all(gateways.map(async (gateway) => await found(gateway, run)));
    await until(async () => (await sizesOnAll()).every((size) => size >= acknowledged.size), RECOVERY_MS).catch(() => {});
    const recoveryMs = Math.round(performance.now() - ended);
    let lost = 0;
    for (const id of acknowledged) {
        lost += (await at(acknowledged.size).asAdmin(Op.retrieve, { targetId: id })).status === OK ? 0 : 1;
    }

    const sizesFound = await sizesOnAll();
    const different = Math.max(...sizesFound) - Math.min(...sizesFound);
    const healthy = answered.filter((_, n) => n !== faulty);
    const stuck = healthy.filter((count) => count === 0).length;
    return failing({
        acknowledged: acknowledged.size, duringFault: healthy.join('+'), onFaulty: answered[faulty] ?? 0, refused: refused.join('+'), recoveryMs, stale, lost,
        different, stuck
    }, ['stale', 'lost', 'different', 'stuck']);
}

/** Returns how many objects of a run a search finds; -1 while it is not answered. */
async function found(gateway: TestGateway, run: string): Promise<number> {

    const { value } = await gateway.asAdmin(Op.search, { attributes: { query: `/mark:${run}`, pageSize: 0 } });
    return (value as { size?: number } | undefined)?.size ?? -1;
}

/** The server applies what the others commit later than they do, as during a backup; reads on it must wait for that. */
async function desynchronise(url: string): Promise<void> {

    const connection = await Mysql.createConnection(url);
    await connection.query('set global wsrep_desync = on');
    await sleep(FAULT_MS);
    await connection.query('set global wsrep_desync = off');
    await connection.end();
}

/** The others go on without a server that they do not hear; it joins them again when it wakes up. */
async function silence(galera: Galera, n: number): Promise<void> {

    galera.signal(n, 'SIGSTOP');
    await sleep(FAULT_MS);
    galera.signal(n, 'SIGCONT');
    await sleep(FAULT_MS / 3);
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

void main(process.argv.slice(2)).catch((error: unknown) => {

    console.error(error);
    process.exitCode = 1;
});
