/** Payloads in a bucket: a service in a process of its own, with a relay before the S3 server; and starts that are refused. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Http from 'node:http';
import { createGateway } from '../../lib/app/gateway.js';
import { EXIT } from '../../lib/errors/exit-codes.js';
import { explainStartError, isPermanent } from '../../lib/start-errors.js';
import { body, pattern } from '../support/bytes.js';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN, gatewayOptions, startGateway } from '../support/gateway.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { BUCKET, HAS_S3, s3Options, type S3Relay, startS3, startS3Relay, type TestS3 } from '../support/s3.js';
import { until } from '../support/until.js';
import { SILENT } from '../../db/log.js';
import { BucketOwnership } from '../../lib/stores/s3/bucket-ownership.js';
import { readMarker } from '../../lib/stores/s3/repository-marker.js';
import { S3Bucket } from '../../lib/stores/s3/s3-bucket.js';
import { PAYLOAD_STORE_SETTING } from '../../lib/stores/s3/s3-claim.js';
import type { S3Options } from '../../lib/stores/s3/s3-location.js';
import { SettingStore } from '../../lib/stores/setting-store.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const MIB = 1024 * 1024;
const LONG = 9 * MIB + 3;

forEachDatabase((name, create) => {

    describe(`payloads in a bucket, on ${name}`, { skip: !HAS_S3 }, () => {

        let s3: TestS3;
        let relay: S3Relay;
        let database: TestDatabase;
        let service: ServiceProcess;

        before(async () => {

            s3 = await startS3();
            relay = await startS3Relay(s3.url);
            database = await create();
            service = await start();
        });

        beforeEach(() => relay.behave());

        after(async () => {

            await service?.stop();
            await database?.dispose();
            await relay?.stop();
            await s3?.stop();
        });

        function start(endpoint = relay.url): Promise<ServiceProcess> {

            return startProcess(database, {
                PAYLOAD_STORE: `s3://${BUCKET}/${name.toLowerCase()}`, PAYLOAD_STORE_ENDPOINT: endpoint, PAYLOAD_STORE_TIMEOUT_SECONDS: '2', METRICS_PORT: '0',
                LOG_LEVEL: 'info'
            });
        }

        function ask(path: string, init: RequestInit = {}): Promise<Response> {

            return fetch(`${service.url}${path}`, { ...init, headers: { ...ADMIN_HEADERS, ...init.headers as Record<string, string> } });
        }

        async function put(id: string, bytes: Buffer): Promise<Response> {

            const form = new FormData();
            form.set('content', JSON.stringify({ name: id }));
            form.set('file', new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' }), 'file.bin');
            const exists = (await ask(`/objects/${id}`)).status === 200;
            return await ask(exists ? `/objects/${id}` : `/objects?type=Document&handle=${id}`, { method: exists ? 'PUT' : 'POST', body: form });
        }

        /** The metrics that say whether payloads and searches are served. */
        async function areUp(): Promise<Record<string, string>> {

            const port = /"metrics.listening","host":"[\d.]+","port":(\d+)/.exec(service.log())?.[1];
            const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
            return Object.fromEntries([...text.matchAll(/^doip_gateway_(payload_store_up|search_up) (\d)$/gm)].map(([, metric = '', value = '']) => [metric, value]));
        }

        async function bytesOf(response: Response): Promise<Buffer> {

            return Buffer.from(await response.arrayBuffer());
        }

        async function objects(): Promise<string[]> {

            return (await s3.keys()).filter((key) => key.startsWith(`${name.toLowerCase()}/blobs/`));
        }

        it('are stored there, and read whole, by range and by HEAD', async () => {

            const bytes = pattern(0, LONG - 1);
            const before = (await objects()).length;

            expect((await put('test/long', bytes)).status).to.equal(200);
            const whole = await ask('/objects/test/long?payload=file');
            const range = await ask('/objects/test/long?payload=file', { headers: { range: `bytes=${8 * MIB - 5}-${8 * MIB + 5}` } });
            const head = await ask('/objects/test/long?payload=file', { method: 'HEAD' });

            expect((await objects()).length).to.equal(before + 1);
            expect((await bytesOf(whole)).equals(bytes)).to.be.true();
            expect([range.status, (await bytesOf(range)).equals(pattern(8 * MIB - 5, 8 * MIB + 5))]).to.equal([206, true]);
            expect([head.status, head.headers.get('content-length')]).to.equal([200, String(LONG)]);
        });

        it('are unavailable on a node that was started without the store before there was any, which then is not ready', { skip: name === 'SQLite' }, async () => {

            const shared = await create();
            const nodes: ServiceProcess[] = [];
            try {
                nodes.push(await startProcess(shared, { PAYLOAD_STORE: `s3://${BUCKET}/shared`, PAYLOAD_STORE_ENDPOINT: s3.url }));
                nodes.push(await startProcess({ ...shared, options: { ...shared.options, dataDir: `${shared.options.dataDir}-2` } }));
                const [withStore = '', without = ''] = nodes.map(({ url }) => url);
                const form = new FormData();
                form.set('content', '{}');
                form.set('file', new Blob(['bytes']), 'file.txt');
                await until(async () => (await fetch(`${without}/health/ready`)).status === 200);
                expect((await fetch(`${withStore}/objects?type=Document&handle=test/1`, { method: 'POST', body: form, headers: ADMIN_HEADERS })).status).to.equal(200);
                await until(async () => (await fetch(`${without}/objects/test/1?payload=file`, { headers: ADMIN_HEADERS })).status === 503);

                const ready = await fetch(`${without}/health/ready`);
                expect([ready.status, (await ready.json() as { message: string }).message]).to.equal([
                    503, 'other nodes have stored payloads in a bucket that this node does not have: set PAYLOAD_STORE as they do, and start it again'
                ]);
                expect((await fetch(`${without}/health/ready?exclude=payloads`)).status).to.equal(200);
                expect((await fetch(`${withStore}/health/ready`)).status, 'of the node with the store').to.equal(200);
            }
            finally {
                await Promise.all(nodes.map((node) => node.stop()));
                await shared.dispose();
            }
        });

        it('are shared by versions, and found by their text', async () => {

            await put('test/text', Buffer.from('an ornithopter'));
            const version = await ask('/versions?objectId=test/text', { method: 'POST' });
            const { id } = await version.json() as { id: string };
            await put('test/text', Buffer.from('another one'));

            expect((await bytesOf(await ask(`/objects/${id}?payload=file`))).toString()).to.equal('an ornithopter');
            expect((await bytesOf(await ask('/objects/test/text?payload=file'))).toString()).to.equal('another one');
            expect((await ask('/objects/test/text', { method: 'DELETE' })).status).to.equal(200);
            expect((await ask('/objects/test/text?payload=file')).status).to.equal(404);
        });

        for (const [title, fate, retryAfter] of [['does not answer', 'cut', '5'], ['refuses the service', { status: 403, code: 'AccessDenied' }, '60']] as const) {
            it(`get 503 while the store ${title}; nothing is half stored, and all is well afterwards`, async () => {

                const id = `test/outage-${retryAfter}`;
                const bytes = pattern(0, MIB - 1);
                await put(id, bytes);
                relay.behave(() => fate);

                const read = await ask(`/objects/${id}?payload=file`);
                const write = await put(id, pattern(5, MIB));
                const create = await put(`${id}-new`, Buffer.from('x'));
                await until(async () => (await ask('/health/ready')).status === 503);
                const ready = await ask('/health/ready');
                const up = await areUp();

                expect([read, write, create].map(({ status, headers }) => [status, headers.get('retry-after')])).to.equal([[503, retryAfter], [503, retryAfter], [503, retryAfter]]);
                expect(ready.status).to.equal(503);
                expect((await ready.json() as { message: string }).message).to.equal('the payload store does not answer: payloads can be neither read nor stored');
                expect([up, (await ask('/health/live')).status]).to.equal([{ payload_store_up: '0', search_up: '1' }, 200]);
                expect([(await ask(`/objects/${id}`)).status, (await ask(`/objects/${id}-new`)).status]).to.equal([200, 404]);
                expect((await ask('/objects?type=Document', { method: 'POST', body: '{"name": "without payload"}' })).status).to.equal(200);
                relay.behave();
                expect((await bytesOf(await ask(`/objects/${id}?payload=file`))).equals(bytes)).to.be.true();
                await until(async () => (await ask('/health/ready')).status === 200);
                await until(async () => (await areUp())['payload_store_up'] === '1');
                expect(await areUp()).to.equal({ payload_store_up: '1', search_up: '1' });
            });
        }

        it('are cut off, not completed with wrong bytes, when the store fails in the middle', async () => {

            await put('test/middle', pattern(0, LONG - 1));
            let count = 0;
            relay.behave((request) => (!request.startsWith('GET') || !request.includes('/blobs/') ? undefined : count++ === 0 ? { truncate: 4 * MIB } : 'cut'));

            const response = await ask('/objects/test/middle?payload=file');

            expect(response.headers.get('content-length')).to.equal(String(LONG));
            await expect(bytesOf(response)).to.reject();
        });

        it('that were acknowledged survive the end of the process, and of one that was not nothing is seen', async () => {

            const bytes = pattern(0, MIB);
            expect((await put('test/survivor', bytes)).status).to.equal(200);
            relay.behave((request) => (/partNumber=2/.test(request) ? 'silent' : undefined));
            const unfinished = put('test/unfinished', pattern(0, 2 * LONG)).catch(() => null);
            await until(() => relay.requests.some((request) => /partNumber=2/.test(request)));

            await service.kill();
            await unfinished;
            relay.behave();
            service = await start();

            expect((await bytesOf(await ask('/objects/test/survivor?payload=file'))).equals(bytes)).to.be.true();
            expect((await ask('/objects/test/unfinished')).status).to.equal(404);
        });

        it('do not keep a service from starting while the store is away', async () => {

            await put('test/early', Buffer.from('early'));
            await service.stop();
            relay.behave(() => 'cut');

            service = await start();

            expect((await ask('/objects/test/early')).status).to.equal(200);
            expect((await ask('/objects/test/early?payload=file')).status).to.equal(503);
            relay.behave();
            expect((await bytesOf(await ask('/objects/test/early?payload=file'))).toString()).to.equal('early');
        });

        it('do not keep it from starting either where another node has found the store at another address since', async () => {

            await put('test/found', Buffer.from('found'));
            await service.stop();
            const other = await startS3Relay(s3.url);
            await start(other.url).then((node) => node.stop()).finally(() => other.stop());
            relay.behave(() => 'cut');

            service = await start();

            expect((await ask('/objects/test/found')).status).to.equal(200);
            relay.behave();
            expect((await bytesOf(await ask('/objects/test/found?payload=file'))).toString()).to.equal('found');
        });
    });
});

describe('a start with payloads in a bucket', { skip: !HAS_S3 }, () => {

    let s3: TestS3;
    let database: TestDatabase;
    let web: Http.Server;

    before(async () => {

        s3 = await startS3();
        database = await createSqlite();
        web = Http.createServer((_request, response) => response.end('<!doctype html><title>Hello</title>')).listen(0, '127.0.0.1');
        const service = await startGateway(database, { payloadStore: s3Options(s3.url) });
        await service.asAdmin('0.DOIP/Op.Create', { input: [
            { kind: 'json', value: { type: 'Document', attributes: { content: { name: 'x' } }, elements: [{ id: 'file' }] } },
            { kind: 'json', value: { id: 'file' } }, { kind: 'bytes', body: body(10) }
        ], authentication: ADMIN });
        await service.stop();
    });

    after(async () => {

        web?.close();
        await database?.dispose();
        await s3?.stop();
    });

    async function refusal(payloadStore: S3Options | null, on: TestDatabase = database): Promise<[message: string, code: number]> {

        const gateway = createGateway(gatewayOptions(on, { payloadStore }));
        try {
            await gateway.start();
            await gateway.stop();
            return ['started', 0];
        }
        catch (error) {
            expect(isPermanent(error)).to.be.true();
            return explainStartError(error);
        }
    }

    const address = (): string => `http://127.0.0.1:${(web.address() as { port: number }).port}`;
    const cases: [string, () => Partial<S3Options>, RegExp, number][] = [
        ['an address where nothing listens', () => ({ endpoint: 'http://127.0.0.1:9' }), /^s3:\/\/payloads\/one\/ at http:\/\/127\.0\.0\.1:9 does not answer: check PAYLOAD_STORE_ENDPOINT/, EXIT.unavailable],
        ['the address of another program', () => ({ endpoint: address() }), /repository/, EXIT.config],
        ['a bucket that does not exist', () => ({ url: 's3://nowhere/one' }), /^there is no bucket nowhere at http:\S+: create it, or correct PAYLOAD_STORE \(/, EXIT.config],
        ['another prefix than before', () => ({ url: `s3://${BUCKET}/two` }), /^s3:\/\/payloads\/two\/ at \S+ has no repository\.json, so it is not where the payloads of this repository are: it was s3:\/\/payloads\/one$/, EXIT.config]
    ];
    for (const [title, options, message, code] of cases) {
        it(`is refused with ${title}`, async () => {

            const [said, exit] = await refusal(s3Options(s3.url, options()));

            expect(said).to.match(message).and.to.not.include('\n');
            expect(exit).to.equal(code);
        });
    }

    it('is refused with wrong credentials', async () => {

        const right = process.env['AWS_SECRET_ACCESS_KEY'];
        process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
        const found = await refusal(s3Options(s3.url)).finally(() => {

            process.env['AWS_SECRET_ACCESS_KEY'] = right;
        });

        expect(found[0]).to.match(/^s3:\/\/payloads\/one\/ at \S+ refuses the credentials of the service, or they are missing \(SignatureDoesNotMatch: /);
        expect(found[1]).to.equal(EXIT.config);
    });

    it('is refused with the prefix of another repository', async () => {

        const other = await createSqlite();
        const found = await refusal(s3Options(s3.url), other).finally(() => other.dispose());

        expect(found).to.equal([`s3://payloads/one/ at ${s3.url} has the payloads of another repository: choose another prefix`, EXIT.config]);
    });

    it('is refused without the bucket while payloads are in it', async () => {

        expect(await refusal(null)).to.equal([
            'the payloads of this repository are in s3://payloads/one: set PAYLOAD_STORE to it, and PAYLOAD_STORE_WRITES=false to move them back', EXIT.config
        ]);
    });

    it('is refused for a copy of the database that another one has overtaken, until it is told to take the bucket over', async () => {

        const db = await database.open();
        const settings = new SettingStore(db);
        const claim = (): Promise<string | null> => settings.get(PAYLOAD_STORE_SETTING);
        const restore = async (value: string | null): Promise<void> => void await db.commit({ steps: settings.setSteps(PAYLOAD_STORE_SETTING, value ?? '') });
        const copied = await claim();

        expect((await refusal(s3Options(s3.url)))[0]).to.equal('started');
        const bucket = await S3Bucket.open(s3Options(s3.url));
        await new BucketOwnership({ bucket, db, log: SILENT }).rotate(await readMarker(bucket) ?? { repository: '', owner: null });
        bucket.close();
        const overtaking = await claim();
        await restore(copied);
        const [said, code] = await refusal(s3Options(s3.url));
        const adopt = /PAYLOAD_STORE_ADOPT=([\da-f-]{36})$/.exec(said)?.[1] ?? '';

        expect(said).to.startWith(`s3://payloads/one/ at ${s3.url} was used with another copy of this database after this one was made, such as before a restore: `);
        expect([said.includes('\n'), code]).to.equal([false, EXIT.config]);
        expect(await refusal(s3Options(s3.url, { adopt }))).to.equal(['started', 0]);
        expect(await refusal(s3Options(s3.url, { adopt }))).to.equal(['started', 0]);
        const adopted = await claim();
        await restore(overtaking);
        expect((await refusal(s3Options(s3.url, { adopt })))[1]).to.equal(EXIT.config);
        await restore(adopted);
        await db.close();
    });

    it('succeeds for one of two repositories that begin with a prefix at the same time', async () => {

        const others = await Promise.all([createSqlite(), createSqlite()]);
        const results = await Promise.all(others.map((other) => refusal(s3Options(s3.url, { url: `s3://${BUCKET}/raced` }), other)));
        await Promise.all(others.map((other) => other.dispose()));

        // Two repositories: one of them gets the prefix.
        expect(results.map(([, code]) => code).sort((a, b) => a - b)).to.equal([0, EXIT.config]);
    });
});

