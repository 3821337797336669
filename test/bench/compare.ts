/**
 * `npm run bench:compare -- --with FOLDER`: this build beside another one, such as that of an earlier version: what each call takes of
 * processor time and of time. Both serve the same objects; rounds of calls go to one and the other in turns.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/doc-pages.js';
import { batchOf, content, idOf, LOGIN, PASSWORD, prepare, search, send, type Call, type Kind, type Target } from './calls.js';
import { MeasuredProcess } from './measured-process.js';

/** Objects of 2 KB that are read and searched. */
const OBJECTS = 2000;
const TAGS = 20;
const BATCH_ITEMS = 100;

const WARM_UP_ROUNDS = 4;

/** What a round of calls took on average, milliseconds. */
interface Cost {
    readonly cpu: number;
    readonly wall: number;
}

type Pair = readonly [ours: Cost, others: Cost];

let fresh = 0;

/** Kinds of calls, and how many of them make a round. */
const KINDS: Readonly<Record<string, readonly [calls: number, kind: Kind]>> = {
    'retrieve, anonymous': [300, (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}` })],
    'retrieve, with token': [300, (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}`, authorization: `Bearer ${target.token}` })],
    'retrieve, full': [300, (n, target) => ({ method: 'GET', path: `/objects/${idOf(n, target)}?full`, authorization: `Bearer ${target.token}` })],
    'retrieve, DOIP': [300, (n, target) => ({ method: 'GET', path: `/doip?operationId=0.DOIP/Op.Retrieve&targetId=${idOf(n, target)}` })],
    'retrieve, with hook': [150, (n) => ({ method: 'GET', path: `/objects/test/shown${n % 10}` })],
    'search, term': [150, (n) => search(`/tag:tag${n % TAGS}`)],
    'search, rare word': [200, (n) => search(`word${n % OBJECTS}x`)],
    'search, common word': [150, (n) => search(`common AND /number:${n % OBJECTS}`)],
    'search, range and sort': [100, (n) => search(`/number:[${n % 1000} TO ${n % 1000 + 500}] AND /tag:tag${n % TAGS}`, '&sortFields=/number DESC')],
    'search, facets': [60, (n) => search(`type:Record AND /number:[${n} TO 3000]`, `&facets=${encodeURIComponent('[{"field":"/tag"}]')}`)],
    'create': [100, (_, { token }) => ({ method: 'POST', path: '/objects?type=Record', body: content(++fresh + OBJECTS), authorization: `Bearer ${token}` })],
    'update': [100, (n, target) => ({
        method: 'PUT', path: `/objects/${idOf(n, target)}`, body: content(++fresh + OBJECTS), authorization: `Bearer ${target.token}`
    })],
    'update, search in turns': [200, (n, target) => (n % 2 === 0 ? KINDS['update']![1](n, target) : search(`word${n % OBJECTS}x`))],
    'update, with hook': [80, (n, { token }) => ({
        method: 'PUT', path: `/objects/test/checked${n % 10}`, body: content(++fresh), authorization: `Bearer ${token}`
    })],
    [`batch upload of ${BATCH_ITEMS}`]: [4, (_, { token }) => ({
        method: 'POST', path: '/batchUpload', type: 'application/x-ndjson', authorization: `Bearer ${token}`,
        body: batchOf(BATCH_ITEMS, () => ++fresh + OBJECTS)
    })],
    'login': [8, () => LOGIN],
    'download of 1 MiB': [30, () => ({ method: 'GET', path: '/objects/test/file?payload=bytes' })]
};

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: {
            with: { type: 'string' }, only: { type: 'string', default: '' },
            launches: { type: 'string', default: '5' }, rounds: { type: 'string', default: '15' }
        }
    });
    if (values.with === undefined) {
        throw new Error('--with FOLDER names the other build');
    }

    const roots = { this: ROOT, other: resolve(values.with) };
    const kinds = Object.entries(KINDS).filter(([name]) => name.includes(values.only));
    const pairs = new Map<string, Pair[]>(kinds.map(([name]) => [name, []]));
    for (let launch = 0; launch < Number(values.launches); ++launch) {
        // Which one is started first may matter.
        const names = launch % 2 === 0 ? ['this', 'other'] as const : ['other', 'this'] as const;
        await launched(names.map((name) => ({ name, root: roots[name] })), async (sides) => {

            for (const [name, [calls, kind]] of kinds) {
                pairs.get(name)!.push(await compare({ calls, kind, rounds: Number(values.rounds) }, sides));
            }
        });
    }

    console.log(`${'this / other, milliseconds for each call'.padEnd(42)} ${'processor time'.padStart(16)} ${'time'.padStart(28)}`);
    for (const [name, measured] of pairs) {
        console.log(`${name.padEnd(24)} ${inWords(measured, 'cpu')}   ${inWords(measured, 'wall')}`);
    }
}

/** The median over all launches, and the range of their ratios. */
function inWords(pairs: readonly Pair[], what: keyof Cost): string {

    const [ours, others] = [median(pairs.map(([a]) => a[what])), median(pairs.map(([, b]) => b[what]))];
    const ratios = pairs.map(([a, b]) => a[what] / b[what]).toSorted((a, b) => a - b);
    const range = `${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)}`;
    return `${`${ours.toFixed(2)} / ${others.toFixed(2)} = ${median(ratios).toFixed(2)}`.padStart(24)} (${range})`;
}

/** Starts the services, and ends them when the work is done. */
async function launched(builds: readonly { name: string; root: string }[], work: (sides: readonly Target[]) => Promise<void>): Promise<void> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const sides: Omit<Target, 'token'>[] = [];
    try {
        for (const { name, root } of builds) {
            sides.push(await start(name, root, folder));
        }

        await work(await Promise.all(sides.map(prepare)));
    }
    finally {
        for (const { agent, server } of sides) {
            agent.destroy();
            await server.stop();
        }

        rmSync(folder, { recursive: true, force: true });
    }
}

async function start(name: string, root: string, folder: string): Promise<Omit<Target, 'token'>> {

    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    const server = await MeasuredProcess.start(join(root, Object.values(bin)[0] ?? ''), ['serve'], {
        DATA_DIR: join(folder, name), PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'fatal'
    });
    return { name, server, agent: new Agent({ keepAlive: true, maxSockets: 1 }), objects: OBJECTS };
}

/** Sends rounds to one side and the other in turns, after rounds that warm both up; returns the medians of this build and the other. */
async function compare({ calls, kind, rounds }: { calls: number; kind: Kind; rounds: number }, sides: readonly Target[]): Promise<Pair> {

    const costs = new Map<string, Cost[]>(sides.map(({ name }) => [name, []]));
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; ++round) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
            const cost = await measure(side, calls, (n) => kind(round * calls + n, side));
            if (round >= WARM_UP_ROUNDS) {
                costs.get(side.name)!.push(cost);
            }
        }
    }

    const mediansOf = (name: string): Cost => {

        const measured = costs.get(name)!;
        return { cpu: median(measured.map(({ cpu }) => cpu)), wall: median(measured.map(({ wall }) => wall)) };
    };

    return [mediansOf('this'), mediansOf('other')];
}

async function measure(side: Target, calls: number, callOf: (n: number) => Call): Promise<Cost> {

    const [cpu, started] = [side.server.cpu().all, performance.now()];
    for (let n = 0; n < calls; ++n) {
        await send(side, callOf(n));
    }

    return { cpu: (side.server.cpu().all - cpu) / calls, wall: (performance.now() - started) / calls };
}

function median(values: readonly number[]): number {

    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

void main();
