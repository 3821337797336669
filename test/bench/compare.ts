/**
 * `npm run bench:compare -- --with FOLDER`: this build beside another one, such as that of an earlier version: what each call takes of
 * processor time and of time. Both serve the same objects; rounds of calls go to one and the other in turns.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/doc-pages.js';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'bench-password';
const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const JSON_TYPE = 'application/json';
const MIB = 1024 * 1024;

/** Objects of 2 KB that are read and searched. */
const OBJECTS = 2000;
const TAGS = 20;
const BATCH_ITEMS = 100;

const WARM_UP_ROUNDS = 4;

const SCHEMA = {
    type: 'object',
    required: ['name'],
    properties: {
        name: { type: 'string' }, description: { type: 'string' }, number: { type: 'integer' },
        tag: { type: 'string' }, made: { type: 'string', format: 'date-time' }
    }
};
const TYPES: Readonly<Record<string, string>> = {
    Record: '',
    Shown: 'exports.onObjectResolution = (object) => { object.content.shown = true; return object; };',
    Checked: 'exports.beforeSchemaValidation = (object) => { object.content.checked = true; return object; };'
};

/** A service that is compared. */
interface Side {
    readonly name: string;
    readonly server: MeasuredProcess;
    readonly agent: Agent;
    token: string;
}

interface Call {
    readonly method: string;
    readonly path: string;
    readonly body?: string | Buffer;
    readonly type?: string;
    readonly authorization?: string;
}

/** What a round of calls took on average, milliseconds. */
interface Cost {
    readonly cpu: number;
    readonly wall: number;
}

type Pair = readonly [ours: Cost, others: Cost];

/** Makes the nth call of a kind. */
type Kind = (n: number, side: Side) => Call;

let fresh = 0;

/** Kinds of calls, and how many of them make a round. */
const KINDS: Readonly<Record<string, readonly [calls: number, kind: Kind]>> = {
    'retrieve, anonymous': [300, (n) => ({ method: 'GET', path: `/objects/${idOf(n)}` })],
    'retrieve, with token': [300, (n, { token }) => ({ method: 'GET', path: `/objects/${idOf(n)}`, authorization: `Bearer ${token}` })],
    'retrieve, full': [300, (n, { token }) => ({ method: 'GET', path: `/objects/${idOf(n)}?full`, authorization: `Bearer ${token}` })],
    'retrieve, DOIP': [300, (n) => ({ method: 'GET', path: `/doip?operationId=0.DOIP/Op.Retrieve&targetId=${idOf(n)}` })],
    'retrieve, with hook': [150, (n) => ({ method: 'GET', path: `/objects/test/shown${n % 10}` })],
    'search, term': [150, (n) => search(`/tag:tag${n % TAGS}`)],
    'search, rare word': [200, (n) => search(`word${n % OBJECTS}x`)],
    'search, common word': [150, (n) => search(`common AND /number:${n % OBJECTS}`)],
    'search, range and sort': [100, (n) => search(`/number:[${n % 1000} TO ${n % 1000 + 500}] AND /tag:tag${n % TAGS}`, '&sortFields=/number DESC')],
    'search, facets': [60, (n) => search(`type:Record AND /number:[${n} TO 3000]`, `&facets=${encodeURIComponent('[{"field":"/tag"}]')}`)],
    'create': [100, (_, { token }) => ({ method: 'POST', path: '/objects?type=Record', body: content(++fresh + OBJECTS), authorization: `Bearer ${token}` })],
    'update': [100, (n, { token }) => ({ method: 'PUT', path: `/objects/${idOf(n)}`, body: content(++fresh + OBJECTS), authorization: `Bearer ${token}` })],
    'update, search in turns': [200, (n, side) => (n % 2 === 0 ? KINDS['update']![1](n, side) : search(`word${n % OBJECTS}x`))],
    'update, with hook': [80, (n, { token }) => ({
        method: 'PUT', path: `/objects/test/checked${n % 10}`, body: content(++fresh), authorization: `Bearer ${token}`
    })],
    [`batch upload of ${BATCH_ITEMS}`]: [4, (_, { token }) => ({
        method: 'POST', path: '/batchUpload', type: 'application/x-ndjson', authorization: `Bearer ${token}`,
        body: Array.from({ length: BATCH_ITEMS }, () => `{"type":"Record","content":${content(++fresh + OBJECTS)}}\n`).join('')
    })],
    'login': [8, () => ({ method: 'POST', path: '/auth/token', body: JSON.stringify({ grant_type: 'password', username: 'admin', password: PASSWORD }) })],
    'download of 1 MiB': [30, () => ({ method: 'GET', path: '/objects/test/file?payload=bytes' })]
};

function idOf(n: number): string {

    return `test/${n * 7 % OBJECTS}`;
}

function search(query: string, more = ''): Call {

    return { method: 'GET', path: `/search?pageSize=10&query=${encodeURIComponent(query)}${more}` };
}

function content(n: number): string {

    const description = `common word${n}x ${'lorem ipsum dolor sit amet '.repeat(70)}`;
    return JSON.stringify({ name: `record ${n}`, description, number: n, tag: `tag${n % TAGS}`, made: new Date(1e12 + n * 1e6).toISOString() });
}

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
async function launched(builds: readonly { name: string; root: string }[], work: (sides: readonly Side[]) => Promise<void>): Promise<void> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const sides: Side[] = [];
    try {
        for (const { name, root } of builds) {
            sides.push(await start(name, root, folder));
        }

        await Promise.all(sides.map(prepare));
        await work(sides);
    }
    finally {
        for (const { agent, server } of sides) {
            agent.destroy();
            await server.stop();
        }

        rmSync(folder, { recursive: true, force: true });
    }
}

async function start(name: string, root: string, folder: string): Promise<Side> {

    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    const server = await MeasuredProcess.start(join(root, Object.values(bin)[0] ?? ''), ['serve'], {
        DATA_DIR: join(folder, name), PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'fatal'
    });
    return { name, server, agent: new Agent({ keepAlive: true, maxSockets: 1 }), token: '' };
}

async function prepare(side: Side): Promise<void> {

    const make = async (call: Call): Promise<string> => await send(side, { authorization: BASIC, ...call });
    for (const [name, javascript] of Object.entries(TYPES)) {
        const authConfig = { defaultAclRead: ['public'], aclCreate: ['authenticated'] };
        await make({ method: 'POST', path: '/objects?type=Schema', body: JSON.stringify({ name, schema: SCHEMA, javascript, authConfig }) });
    }

    const items = Array.from({ length: OBJECTS }, (_, n) => `{"id":"test/${n}","type":"Record","content":${content(n)}}\n`);
    for (let n = 0; n < 10; ++n) {
        items.push(...['shown', 'checked'].map((name) => `{"id":"test/${name}${n}","type":"${name === 'shown' ? 'Shown' : 'Checked'}","content":${content(n)}}\n`));
    }

    await make({ method: 'POST', path: '/batchUpload', body: items.join(''), type: 'application/x-ndjson' });
    const boundary = 'boundary';
    await make({
        method: 'POST', path: '/objects?type=Record&handle=test/file', type: `multipart/form-data; boundary=${boundary}`,
        body: Buffer.concat([
            Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="content"\r\n\r\n${content(1)}\r\n--${boundary}\r\n` +
                'Content-Disposition: form-data; name="bytes"; filename="bytes"\r\nContent-Type: application/octet-stream\r\n\r\n'),
            Buffer.alloc(MIB, 'x'), Buffer.from(`\r\n--${boundary}--\r\n`)
        ])
    });
    const login = await make({ method: 'POST', path: '/auth/token', body: JSON.stringify({ grant_type: 'password', username: 'admin', password: PASSWORD }) });
    side.token = (JSON.parse(login) as { access_token: string }).access_token;
}

/** Sends rounds to one side and the other in turns, after rounds that warm both up; returns the medians of this build and the other. */
async function compare({ calls, kind, rounds }: { calls: number; kind: Kind; rounds: number }, sides: readonly Side[]): Promise<Pair> {

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

async function measure(side: Side, calls: number, callOf: (n: number) => Call): Promise<Cost> {

    const [cpu, started] = [side.server.cpu().all, performance.now()];
    for (let n = 0; n < calls; ++n) {
        await send(side, callOf(n));
    }

    return { cpu: (side.server.cpu().all - cpu) / calls, wall: (performance.now() - started) / calls };
}

function median(values: readonly number[]): number {

    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Sends a call and returns the text of its answer; throws when that is no success. */
function send({ agent, server }: Side, { method, path, body, type = JSON_TYPE, authorization }: Call): Promise<string> {

    return new Promise((resolve, reject) => {

        const headers = {
            ...authorization === undefined ? {} : { authorization },
            ...body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
        };
        const sent = request(`${server.url}${path}`, { method, agent, headers }, (answer) => {

            let text = '';
            answer.setEncoding('latin1').on('data', (piece: string) => (text += piece)).on('end', () => {

                if (answer.statusCode === 200) {
                    resolve(text);
                    return;
                }

                reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
            });
        });
        sent.on('error', reject).end(body);
    });
}

void main();
