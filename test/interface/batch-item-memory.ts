/**
 * Memory for the items of batch uploads, over HTTP and native DOIP: it is part of the memory for long bodies, and given back item by item, so that a
 * batch may be longer than all of it.
 */

import { once } from 'node:events';
import Http from 'node:http';
import { createGzip, constants } from 'node:zlib';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../lib/doip/operation-ids.js';
import { bodyMemoryOf, type BodyMemory } from '../../translators/http/request/body-memory.js';
import { ADMIN, NativeClient, nativePort } from '../support/native.js';
import { ADMIN_HEADERS, basic } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of an item that has not ended: six of them leave less than that of a mebibyte. */
const HELD = 170 * KIB;

/** What is not counted of each request. */
const FREE = 16 * KIB;

const BUSY = 'too many long bodies at this moment, try again a little later';
const TOO_MANY = 'too many long bodies from this address at this moment, try again a little later';

/** A user without rights to create anything or to change an object. */
const BEN = basic('ben', 'password of ben');

const BEGIN = '[{"type":"Document","content":{"text":"';

interface BatchRecord {
    readonly results: readonly { readonly position: number; readonly responseCode: number }[];
    readonly success: boolean;
    readonly message?: string;
}

interface Answer {
    readonly status: number;
    readonly retryAfter: string | null;
    readonly record: BatchRecord;
}

/** A batch of which a part was sent. */
interface Open {
    write(text: string): void;
    finish(text: string): Promise<Answer>;
    abort(): void;
}

const object = (bytes: number): string => JSON.stringify({ type: 'Document', content: { text: 'x'.repeat(bytes) } });
const codesOf = ({ results }: BatchRecord): readonly number[] => results.toSorted((a, b) => a.position - b.position).map(({ responseCode }) => responseCode);
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('the memory for items of batch uploads', () => {

    let service: TestServer;
    let memory: BodyMemory;
    let opened: Open[] = [];

    before(async () => {

        service = await startServer({ MAX_BODY_MEMORY_BYTES: MIB, WORKERS: 0, DOIP_PORT: 0 });
        memory = bodyMemoryOf(service.server, 0);
        for (const [path, method, body] of [
            ['/objects?type=User&handle=test/ben', 'POST', '{"username":"ben","password":"password of ben"}'],
            ['/objects/design', 'PUT', JSON.stringify({ authConfig: { schemaAcls: { Document: { aclCreate: ['admin'], defaultAclRead: [], defaultAclWrite: [] } } } })]
        ] as const) {
            const { status } = await fetch(service.url + path, { method, body, headers: { 'content-type': 'application/json', ...ADMIN_HEADERS } });
            expect(status, path).to.equal(200);
        }
    });

    afterEach(async () => {

        opened.forEach((each) => each.abort());
        opened = [];
        await until(() => memory.used === 0);
    });

    after(() => service.stop());

    /** Begins a batch, compressed, from an address of this machine. */
    function open(from: number, headers: Record<string, string>, path = '/batchUpload'): Open {

        const request = Http.request(service.url + path, {
            method: 'POST', localAddress: `127.0.0.${from}`, agent: false,
            headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers }
        });
        const answered = once(request, 'response') as Promise<[Http.IncomingMessage]>;
        answered.catch(() => undefined);                    // One that is broken off has none
        request.on('error', () => undefined);
        const zip = createGzip();
        zip.pipe(request);
        const batch: Open = {
            write: (text) => {

                zip.write(text);
                zip.flush(constants.Z_SYNC_FLUSH);
            },
            finish: async (text) => {

                zip.end(text);
                const [response] = await answered;
                const record = (await response.toArray() as Buffer[]).map(String).join('');
                return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null, record: JSON.parse(record) as BatchRecord };
            },
            abort: () => request.destroy()
        };
        opened.push(batch);
        return batch;
    }

    /** Begins batches with an item that has not ended, each from another address, and waits until the service has read what was sent. */
    async function hold(count: number, headers = BEN): Promise<Open[]> {

        const batches = Array.from({ length: count }, (_, n) => open(11 + n, headers));
        batches.forEach((batch) => batch.write(BEGIN + 'x'.repeat(HELD)));
        await until(() => memory.used >= count * (HELD - FREE));
        return batches;
    }

    it('is in use while an item arrives, also of callers without rights: batches beyond it are refused, and it is given back', async () => {

        const batches = await hold(6);
        const others = [21, 22, 23, 24].map((from) => open(from, BEN));
        others.forEach((batch) => batch.write(BEGIN + 'x'.repeat(HELD)));

        const refused = await Promise.all(others.map((batch) => batch.finish('"}}]')));
        expect(memory.used).to.be.between(6 * (HELD - FREE), MIB);
        const answers = await Promise.all(batches.map((batch) => batch.finish('"}}]')));
        await until(() => memory.used === 0);

        expect(refused).to.equal(times(4, { status: 503, retryAfter: '1', record: { results: [], success: false, message: BUSY } }));
        expect(answers.map(({ status, record }) => [status, codesOf(record)])).to.equal(times(6, [200, [403]]));
    });

    it('is given back by batches that are broken off', async () => {

        const batches = await hold(3);
        batches.forEach((batch) => batch.abort());
        await until(() => memory.used === 0);
    });

    it('is not in use any more by what is beside the list', async () => {

        const batch = open(11, ADMIN_HEADERS);
        batch.write(`{"junk":"${'x'.repeat(HELD)}`);
        await until(() => memory.used >= HELD - FREE);
        batch.write('","results":[');
        await until(() => memory.used === 0);
        const { status, record } = await batch.finish(`${object(10)}]}`);

        expect([status, record.success]).to.equal([200, true]);
    });

    it('is waited for a moment, and may have come back by then', async () => {

        const [first] = await hold(6);
        const batch = open(21, ADMIN_HEADERS);
        batch.write(`[${object(10)},`);
        const answered = batch.finish(`${object(HELD)}]`);
        await until(() => memory.used > 6 * (HELD - FREE));
        first?.abort();
        const { status, record } = await answered;

        expect([status, codesOf(record)]).to.equal([200, [200, 200]]);
    });

    it('is not needed for short items, of which a batch may have any number', async () => {

        await hold(6);
        const rest = open(20, BEN);
        rest.write(BEGIN + 'x'.repeat(MIB - memory.used + FREE - 100 - BEGIN.length));
        await until(() => memory.used >= MIB - 1000);

        const { status, record } = await open(21, ADMIN_HEADERS).finish(`[${times(400, object(KIB)).join()}]`);
        expect([status, codesOf(record)]).to.equal([200, times(400, 200)]);

        const refused = await open(21, ADMIN_HEADERS).finish(`[${[...times(40, object(KIB)), object(100 * KIB), object(KIB)].join()}]`);
        expect([refused.status, refused.record.message, codesOf(refused.record)]).to.equal([503, BUSY, times(40, 200)]);
    });

    const array = (items: readonly string[]): string => `[${items.join()}]`;
    const lines = (items: readonly string[]): string => items.join('\n');
    const OVER_HTTP: readonly [title: string, path: string, bodyOf: (items: readonly string[]) => string][] = [
        ['an array', '/batchUpload', array],
        ['an array, one item after the other', '/batchUpload?parallel=false', array],
        ['lines', '/batchUpload?format=ndjson', lines],
        ['an object by DOIP over HTTP', `/doip/${Op.batchUpload}?targetId=service`, (items) => `{"results":${array(items)}}`]
    ];
    const LONG = times(40, object(100 * KIB));
    const TOO_LONG = [...times(8, object(100 * KIB)), object(600 * KIB), object(10)];
    for (const [title, path, bodyOf] of OVER_HTTP) {
        it(`is smaller than a batch that succeeds: ${title}`, async () => {

            const { status, record } = await open(11, ADMIN_HEADERS, path).finish(bodyOf(LONG));
            expect([status, codesOf(record)]).to.equal([200, times(40, 200)]);

            const refused = await open(11, ADMIN_HEADERS, path).finish(bodyOf(TOO_LONG));
            expect([refused.status, refused.record.message, codesOf(refused.record)]).to.equal([429, TOO_MANY, times(8, 200)]);
        });
    }

    it('is the same in native DOIP', async () => {

        const client = await NativeClient.open(nativePort(service), { localAddress: '127.0.0.11' });
        const head = JSON.stringify({ targetId: 'service', operationId: Op.batchUpload, authentication: ADMIN });
        const ask = async (body: string): Promise<[string, unknown, BatchRecord]> => {

            const { head: { status, attributes, output }, segments: [segment] } = await client.ask(`${head}\n#\n${body}\n#\n#\n`);
            return [status, attributes?.['retryAfter'], (output ?? segment?.json ?? JSON.parse(segment?.bytes ?? '')) as BatchRecord];
        };

        const [, , record] = await ask(array(LONG));
        expect(codesOf(record)).to.equal(times(40, 200));
        const [status, retryAfter, refused] = await ask(array(TOO_LONG));
        expect([status, retryAfter, refused.message, codesOf(refused)]).to.equal(['0.DOIP/Status.101', 1, TOO_MANY, times(8, 200)]);

        await client.send(`${head}\n#\n${BEGIN}${'x'.repeat(HELD)}`);
        await until(() => memory.used >= HELD - FREE);
        client.close();
    });
});
