/**
 * Faults of every part of an installation, under load, with a checker of all that clients are told:
 *
 *     npm run resilience -- --cluster                              20 faults
 *     npm run resilience -- --cluster --faults 300 --seed 7        as many, chosen by this seed
 *     npm run resilience -- --cluster --minutes 30 --at-once 2     for so long, in up to two parts at once
 *
 * Three gateways as processes, three servers of Galera (`--database mariadb` or `tidb`: one server), payloads in S3, searches in OpenSearch
 * (`--without s3`, `--without opensearch`, `--without networks`, `--without disks`). `--only WORD` chooses faults whose name has the word. Ends with 1 when anything that was
 * acknowledged is lost, stale, leaked or there twice, or when something else is found: see `checker.ts`.
 */

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seeded } from '../../../support/random.js';
import { Checker } from './checker.js';
import { faultsOf, type Fault } from './faults.js';
import { verify } from './final-check.js';
import { startInstallation, type DatabaseKind, type Installation } from './installation.js';
import { reader, repeat, writer, type Load } from './load.js';
import { prepareRights, racer, rightsChanger, tokenRevoker } from './races.js';
import { Report } from './report.js';

const { values } = parseArgs({
    options: {
        cluster: { type: 'boolean' }, faults: { type: 'string' }, minutes: { type: 'string' }, seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
        database: { type: 'string', default: 'galera' }, without: { type: 'string', multiple: true, default: [] }, only: { type: 'string', default: '' },
        'at-once': { type: 'string', default: '1' }, log: { type: 'string' }
    }
});

const DEFAULT_FAULTS = 20;

/** Milliseconds until each node has to acknowledge a write after a fault. */
const RECOVERY_MS = 120_000;

/** Milliseconds of load before the first fault, and between two. */
const BEFORE_MS = 2000;
const BETWEEN_MS = [200, 2000] as const;

/** Milliseconds between two writings of the logs. */
const LOG_MS = 10_000;

/** For one fault with its recovery, and for what comes before and after all. A run that takes longer hangs. */
const LIMIT_PER_FAULT_MS = 200_000;
const LIMIT_MS = 600_000;

async function main(): Promise<void> {

    if (!values.cluster || !['galera', 'mariadb', 'tidb'].includes(values.database)) {
        throw new Error('usage: npm run resilience -- --cluster [--faults N | --minutes M] [--seed S] [--database galera|mariadb|tidb] ' +
            '[--without opensearch|s3|networks|disks]… [--at-once N] [--only WORD] [--log FILE]');
    }

    const count = values.minutes === undefined ? Number(values.faults ?? DEFAULT_FAULTS) : Infinity;
    const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
    setTimeout(() => {

        console.error('it took too long');
        process.exit(1);
    }, LIMIT_MS + (values.minutes === undefined ? count * LIMIT_PER_FAULT_MS : Number(values.minutes) * 120_000)).unref();
    const checker = new Checker();
    const begun = performance.now();
    const installation = await startInstallation({
        database: values.database as DatabaseKind, hasS3: !values.without.includes('s3'), hasSearch: !values.without.includes('opensearch'),
        hasNetworks: !values.without.includes('networks'), hasDisks: !values.without.includes('disks')
    }, checker);
    const nodes = installation.parts.map(({ node }) => node);
    const logging = setInterval(() => writeLogs(nodes), LOG_MS);
    try {
        await Promise.all(nodes.map(becomesReady));
        const lacking = (['network', 'disk'] as const).filter((part) => installation.parts.some((parts) => parts[part] === null));
        console.log(`up after ${seconds(begun)} s, seed ${values.seed}${lacking.map((part) => `, without ${part}s of their own`).join('')}`);
        const load: Load = { nodes, checker, random: seeded(Number(values.seed)), isOver: false };
        await prepareRights(load);
        const report = new Report(nodes, checker);
        const clients = Promise.all(clientsOf(load).map((work) => repeat(load, work)));
        await sleep(BEFORE_MS);
        await Promise.race([inflict(installation, { report, count, until }), clients]);
        load.isOver = true;
        await clients;
        console.log(`the load has ended after ${seconds(begun)} s`);
        await verify(load);
        await Promise.all(nodes.map((node) => node.stop()));
        report.print({ database: values.database, without: values.without, seed: Number(values.seed), seconds: seconds(begun) });
        process.exitCode = checker.findings.length === 0 && checker.writes > 0 ? 0 : 1;
    }
    finally {
        clearInterval(logging);
        writeLogs(nodes);

        await installation.stop();
    }
}

/** Writes what the nodes have logged so far, also for a run that does not come to its end. */
function writeLogs(nodes: Load['nodes']): void {

    if (values.log !== undefined) {
        writeFileSync(values.log, nodes.map(({ name, log }) => `${name}\n${log}`).join('\n'));
    }
}

function seconds(since: number): number {

    return Math.round((performance.now() - since) / 1000);
}

function clientsOf(load: Load): (() => Promise<void>)[] {

    return [
        ...load.nodes.flatMap((node, n) => [
            writer(load, node, { name: `a${n}`, hasPayload: false }), writer(load, node, { name: `b${n}`, hasPayload: false }),
            writer(load, node, { name: `p${n}`, hasPayload: true }), reader(load, node)
        ]),
        racer(load), rightsChanger(load, 'r1'), rightsChanger(load, 'r2'), tokenRevoker(load, 't')
    ];
}

/** Resolves when a node says that it is ready; false where it does not. */
async function becomesReady(node: Load['nodes'][number]): Promise<boolean> {

    const deadline = performance.now() + RECOVERY_MS;
    while (performance.now() < deadline) {
        if ((await node.ask('GET /health/ready')).status === 200) {
            return true;
        }

        await sleep(200);
    }

    return false;
}

interface Extent {
    readonly report: Report;
    readonly count: number;
    /** By `performance.now()`. */
    readonly until: number;
}

/** Runs faults, each after the recovery from the last one, in so many parts of the installation at once. */
async function inflict(installation: Installation, { report, count, until }: Extent): Promise<void> {

    const faults = faultsOf(installation).filter(({ name }) => name.includes(values.only));
    const busy = new Set<string>();
    let [deck, done]: [Fault[], number] = [[], 0];
    const runner = async (number: number): Promise<void> => {

        const random = seeded(Number(values.seed) + number);
        while (done < count && performance.now() < until) {
            if (!deck.some(({ area }) => !busy.has(area))) {
                deck = [...deck, ...shuffled(faults, () => random.next())];
            }

            const index = deck.findIndex(({ area }) => !busy.has(area));
            const [fault] = index === -1 ? [] : deck.splice(index, 1);
            if (!fault) {
                await sleep(BETWEEN_MS[0]);
                continue;
            }

            done += 1;
            busy.add(fault.area);
            await runFault(installation, report, { fault, number: done, seed: Number(values.seed) + 1000 * done });
            busy.delete(fault.area);
            await sleep(random.integer(...BETWEEN_MS));
        }
    };

    await Promise.all(Array.from({ length: Number(values['at-once']) }, (_, number) => runner(number)));
}

function shuffled<T>(items: readonly T[], next: () => number): T[] {

    return items.map((item) => [next(), item] as const).sort(([a], [b]) => a - b).map(([, item]) => item);
}

interface Chosen {
    readonly fault: Fault;
    readonly number: number;
    readonly seed: number;
}

async function runFault(installation: Installation, report: Report, { fault, number, seed }: Chosen): Promise<void> {

    const nodes = installation.parts.map(({ node }) => node);
    const event = report.begin(fault.name);
    try {
        await fault.run(seeded(seed), installation);
    }
    catch (error) {
        report.fail(`${fault.name}: ${String(error)}`);
    }

    const ended = performance.now();
    while (nodes.some(({ lastWrite }) => lastWrite < ended) && performance.now() - ended < RECOVERY_MS) {
        await sleep(20);
    }

    const late = nodes.filter(({ lastWrite }) => lastWrite < ended);
    if (late.length > 0) {
        report.fail(`no write at ${late.map(({ name }) => name).join()} ${RECOVERY_MS / 1000} s after ${fault.name}`);
    }

    report.end(event, performance.now() - ended);
    console.log(`${number}: ${fault.name}, ${((ended - event.begun) / 1000).toFixed(1)} s, longest without a write ${(event.gapMs / 1000).toFixed(1)} s, ` +
        `all nodes after ${(event.recoveryMs / 1000).toFixed(1)} s, 503 ${event.errors503}, no answer ${event.unanswered}, other ${event.otherErrors}`);
}

void main().catch((error: unknown) => {

    console.error(error);
    process.exitCode = 1;
});
