/**
 * Clients that do all they can to stop a service, and a polite one that measures how long it waits meanwhile.
 */

import { once } from 'node:events';
import Http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ADMIN_HEADERS, basic } from './rest.js';

const MIB = 1024 * 1024;

/** Longest wait of a hostile client for an answer, in milliseconds. */
const PATIENCE = 10_000;

/** Milliseconds between the bytes of a slow client. */
const DRIP = 50;

/** Address of the polite client: the service lets each address have its share. */
const POLITE_ADDRESS = '127.0.0.2';

/** Environment of the service: a heap of 1 GiB, and type code stopped as soon as by default. */
export const HOSTILE_SERVICE = { NODE_OPTIONS: '--max-old-space-size=1024', LOG_LEVEL: 'fatal', SCRIPT_TIMEOUT_SECONDS: '10' } as const;

/** What happened. */
export interface HostileReport {
    /** Requests by attack. */
    readonly sent: Readonly<Record<string, number>>;
    /** Milliseconds that the polite client waited, in ascending order. */
    readonly waits: readonly number[];
    /** Requests of the polite client that had another answer than 200, or none: how many by status or error. */
    readonly failures: Readonly<Record<string, number>>;
}

/** Milliseconds within which a share of the requests was answered. */
export function waitOf(waits: readonly number[], share: number): number {

    return waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? Infinity;
}

type Attack = (url: string, turn: number) => Promise<unknown>;

async function post(url: string, path: string, body: string, headers: Record<string, string> = {}): Promise<void> {

    const response = await fetch(url + path, {
        method: 'POST', body: await zipped(body), signal: AbortSignal.timeout(PATIENCE),
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers }
    });
    await response.body?.cancel();
}

/** Long bodies are made once: the clients must not be busier than the service. */
const known = new Map<string, Promise<Buffer>>();

function zipped(body: string): Promise<Buffer> {

    const made = known.get(body) ?? promisify(gzip)(body);
    if (body.length > MIB) {
        known.set(body, made);
    }

    return made;
}

async function get(url: string, path: string, headers: Record<string, string> = {}): Promise<void> {

    const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(PATIENCE) });
    await response.arrayBuffer();
}

const values = `[${'{},'.repeat(5 * MIB)}{}]`;
const valuesInSearch = `{"query":"x","junk":${values}}`;
const valuesInLogin = Array.from({ length: 2 }, (_, user) => `{"username":"u${user}","password":"p","junk":${values}}`);
const longQuery = `{"query":"${'x'.repeat(30 * MIB)}"}`;
const parts = '--b\r\n\r\n'.repeat(MIB);
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const facets = encodeURIComponent(JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ field: ['type', 'id', '/name', 'createdOn'][i % 4], maxBuckets: 100_000 }))));

const ATTACKS: Readonly<Record<string, Attack>> = {
    'gzip of many values to a search': (url) => post(url, '/search', valuesInSearch),
    'gzip of many values to a login': (url, turn) => post(url, '/auth/token', valuesInLogin[turn % 2] ?? ''),
    'a login with a body just short enough': (url, turn) => post(url, '/auth/token', `{"username":"u${turn % 8}","password":"p","junk":[${'{},'.repeat(9_000)}{}]}`),
    'values just few enough': (url) => post(url, '/search', `{"query":"x","junk":[${'{},'.repeat(9_990)}{}]}`),
    'names just few enough, one twice': (url) => post(url, '/search', `{${Array.from({ length: 4_990 }, (_, i) => `"k${i}":1`).join(',')},"k0":1}`),
    'a long text in gzip': (url) => post(url, '/search', longQuery),
    'blanks in sort fields': (url) => post(url, '/search', `{"query":"x","sortFields":["a${' '.repeat(200_000)}b"]}`),
    'quotes in a parameter': (url) => post(url, '/search', `query=x&requestContext=['${'\\\''.repeat(200_000)}`, form),
    'quotes in attributes': (url) => get(url, `/doip?operationId=0.DOIP/Op.Search&targetId=service&attributes=['${encodeURIComponent('\\\''.repeat(6_000))}`),
    'many facets': (url) => get(url, `/search?query=*:*&pageSize=0&facets=${facets}`),
    'queries that stand for much': (url, turn) => get(url, `/search?query=${encodeURIComponent(Array.from({ length: 900 }, (_, i) => `*a*${(i + turn) % 9}* b${i}~2`).join(' '))}`),
    'all results': (url) => get(url, '/search?query=*:*&pageSize=-1'),
    'a large object by everybody': (url, turn) => get(url, [
        '/objects/test/large?filter=["/k1"]', '/objects/test/large?full', '/objects/test/large?jsonPointer=/k1', '/relationships/test/large', '/acls/test/large'
    ][turn % 5] ?? ''),
    'a large object by its owner': (url, turn) => post(url, `/objects/?type=Document&dryRun=true&turn=${turn}`, largeContent(turn), ADMIN_HEADERS),
    'a batch of large items': (url, turn) => post(url, '/batchUpload', `[${`{"id":"test/x","type":"Document","content":${largeContent(turn)}},`.repeat(20)}1]`, basic('nobody', 'x')),
    'a script that never ends': (url) => get(url, '/call?type=Busy&method=spin'),
    'a body that stops': (url) => silent(url, 'POST /search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n{"query":"'),
    'a body that comes byte by byte': (url) => silent(url, 'POST /search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n', DRIP),
    'headers that come byte by byte': (url) => silent(url, 'GET /search HTTP/1.1\r\nHost: x\r\nX-A: ', DRIP),
    'a connection that says nothing': (url) => silent(url, ''),
    'a hundred connections that say nothing': (url) => Promise.all(Array.from({ length: 100 }, () => silent(url, ''))),
    'an upload that is broken off': (url) => brokenOff(url, ADMIN_HEADERS),
    'an upload without an end, by nobody': (url) => brokenOff(url, {}),
    'parts without an end': (url) => post(url, '/doip?operationId=0.DOIP/Op.Create&targetId=service', parts, { 'content-type': 'multipart/mixed; boundary=b' }),
    'an answer that nobody reads': (url) => silent(url, 'GET /search?query=*:*&pageSize=-1&full HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20))
};

function largeContent(turn: number): string {

    return JSON.stringify(Object.fromEntries(Array.from({ length: 4_900 }, (_, i) => [`k${i}`, turn])));
}

/** @param drip milliseconds between bytes that follow the text; none follow by default */
async function silent(url: string, text: string, drip = 0): Promise<void> {

    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).pause();
    if (text !== '') {
        socket.write(text);
    }

    const dripping = drip > 0 ? setInterval(() => socket.write('a'), drip) : undefined;
    await Promise.race([once(socket, 'close').catch(() => undefined), delay(3_000)]);
    clearInterval(dripping);
    socket.destroy();
}

/** Sends a payload without an end for a second, and goes away. */
async function brokenOff(url: string, headers: Record<string, string>): Promise<void> {

    const client = AbortSignal.timeout(1_000);
    const body = async function *(): AsyncGenerator<Uint8Array> {

        yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
        while (!client.aborted) {
            yield Buffer.alloc(64 * 1024);
            await delay(5);
        }
    };

    await fetch(`${url}/objects?type=Document`, {
        method: 'POST', body: body(), duplex: 'half', signal: client,
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' }
    });
}

/** Reads an object on a connection of its own, as a new visitor does. Resolves to the status or the error. */
async function politeRequest(url: string): Promise<string> {

    const request = Http.request(`${url}/objects/design`, { agent: false, localAddress: POLITE_ADDRESS, signal: AbortSignal.timeout(60_000) }).end();
    try {
        const [response] = await once(request, 'response') as [Http.IncomingMessage];
        response.resume();
        await once(response, 'end');
        return String(response.statusCode);
    }
    catch (error) {
        return (error as NodeJS.ErrnoException).code ?? String(error);
    }
}

/** What the attacks need: a type with an endless method, and a large object. Sent by the administrator. */
export async function prepareTarget(url: string): Promise<void> {

    const javascript = 'exports.staticMethods = { spin: (o, c) => { for (;;) {} } }; exports.staticMethods.spin.allowGet = true;';
    const bodies: [string, string][] = [
        ['/objects?type=Schema', JSON.stringify({ name: 'Busy', schema: { type: 'object' }, javascript, authConfig: { aclMethods: { static: { spin: ['public'] } } } })],
        ['/objects?type=Document&handle=test/large', largeContent(0)]
    ];
    for (const [path, body] of bodies) {
        await post(url, path, body, ADMIN_HEADERS);
    }
}

/** Runs hostile clients for some seconds, each with one attack after the other, beside a polite one. */
export async function attack(url: string, { clients, seconds }: { readonly clients: number; readonly seconds: number }): Promise<HostileReport> {

    await Promise.all([valuesInSearch, longQuery, ...valuesInLogin].map(zipped));
    const end = performance.now() + seconds * 1000;
    const names = Object.keys(ATTACKS);
    const sent: Record<string, number> = {};
    const waits: number[] = [];
    const failures: Record<string, number> = {};
    const hostile = async (client: number): Promise<void> => {

        for (let turn = client; performance.now() < end; ++turn) {
            const name = names[turn % names.length] ?? '';
            await ATTACKS[name]?.(url, turn).catch(() => undefined);        // A service that refuses or breaks off does well
            sent[name] = (sent[name] ?? 0) + 1;
        }
    };

    const polite = async (): Promise<void> => {

        while (performance.now() < end) {
            const start = performance.now();
            const answer = await politeRequest(url);
            if (answer !== '200') {
                failures[answer] = (failures[answer] ?? 0) + 1;
            }

            waits.push(performance.now() - start);
            await delay(20);
        }
    };

    await Promise.all([...Array.from({ length: clients }, (_, client) => hostile(client)), polite()]);
    return { sent, waits: waits.sort((a, b) => a - b), failures };
}
