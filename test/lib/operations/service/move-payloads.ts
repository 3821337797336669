import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../../../lib/doip/operation-ids.js';
import type { GatewayOptions } from '../../../../lib/app/options.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { startGateway, type TestGateway } from '../../../support/gateway.js';
import { HAS_S3, s3Options, type S3Relay, startS3, startS3Relay, type TestS3 } from '../../../support/s3.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

const COUNT = 130;
/** Of a request to the bucket, before it has failed. */
const ATTEMPTS = 4;
const STARTED = { state: 'running' };

forEachDatabase((name, create) => {

    describe(`moving payloads, on ${name}`, { skip: !HAS_S3 }, () => {

        let s3: TestS3;
        let relay: S3Relay;
        let database: TestDatabase;
        let service: TestGateway | null = null;

        before(async () => {

            s3 = await startS3();
            relay = await startS3Relay(s3.url);
        });

        beforeEach(async () => {

            relay.behave();
            database = await create();
        });

        afterEach(async () => {

            await service?.stop();
            service = null;
            await database.dispose();
        });

        after(async () => {

            await relay?.stop();
            await s3?.stop();
        });

        let prefixes = 0;

        async function restart(isForNew: boolean | null, prefix = prefixes): Promise<TestGateway> {

            await service?.stop();
            const options: Partial<GatewayOptions> = isForNew === null ? {} : {
                payloadStore: s3Options(relay.url, { url: `s3://payloads/move-${name.toLowerCase()}-${prefix}`, isForNew, stallMs: 1000, challengeMs: 0 })
            };
            service = await startGateway(database, options);
            return service;
        }

        const textOf = (n: number): string => `payload ${n} `.repeat(n % 7 * 1000 + 1);

        async function fill(gateway: TestGateway, count = COUNT): Promise<void> {

            for (let n = 0; n < count; ++n) {
                const text = Buffer.from(textOf(n));
                const { status } = await gateway.asAdmin(Op.create, { input: [
                    { kind: 'json', value: { id: `test/${n}`, type: 'Document', attributes: { content: { name: 'x' } }, elements: [{ id: 'file' }] } },
                    { kind: 'json', value: { id: 'file' } }, { kind: 'bytes', body: once(text) }
                ] });
                expect(status).to.equal('0.DOIP/Status.001');
            }
        }

        async function *once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

            yield bytes;
        }

        async function expectAll(gateway: TestGateway, count = COUNT): Promise<void> {

            for (let n = 0; n < count; ++n) {
                expect((await gateway.asAdmin(Op.retrieve, { targetId: `test/${n}`, attributes: { element: 'file' } })).value).to.equal(textOf(n));
            }
        }

        async function report(gateway: TestGateway, job?: unknown): Promise<Record<string, unknown>> {

            return (await gateway.asAdmin(Op.payloadsMove, { attributes: job === undefined ? {} : { job: job as number } })).value as Record<string, unknown>;
        }

        async function finish(gateway: TestGateway, job: unknown): Promise<Record<string, unknown>> {

            let last: Record<string, unknown> = {};
            await until(async () => {

                last = await report(gateway, job);
                return last['state'] !== 'running';
            });
            return last;
        }

        async function places(): Promise<Record<string, unknown> & { objects: number }> {

            const db = await database.open();
            const [row] = await db.read({ sql: 'select (select count(*) from blobs where store = ?) as inBucket, (select count(*) from blobs where store = ?) as inDatabase, ' +
                '(select count(*) from payloads p join blobs b on b.id = p.blob_id where b.store <> p.store) as stale' }, ['s3', 'database']);
            return { ...row, chunks: (await db.blobs.listBlobs(0, 10_000)).length, objects: (await s3.keys()).filter((key) => key.includes(`-${prefixes}/blobs/`)).length };
        }

        /** Reads, in one statement each time, how many payloads the job has counted and how many are in the bucket. */
        async function countsUntilMoved(job: unknown, count: number): Promise<{ counted: number; moved: number }[]> {

            const db = await database.open();
            const found: { counted: number; moved: number }[] = [];
            await until(async () => {

                const [row] = await db.read<{ progress: string | null; moved: number }>({
                    sql: 'select j.progress, (select count(*) from blobs where store = ?) as moved from jobs j where j.id = ?'
                }, ['s3', job as number]);
                const moved = row?.moved ?? 0;
                found.push({ counted: (JSON.parse(row?.progress ?? '{"moved":0}') as { moved: number }).moved, moved });
                return moved === count;
            });
            return found;
        }

        it('to the bucket and back leaves nothing behind, and all can be read at any time', async () => {

            prefixes += 1;
            const bare = await restart(null);
            await fill(bare);
            const version = await bare.asAdmin(Op.versionsPublish, { targetId: 'test/5' });
            expect(version.status).to.equal('0.DOIP/Status.001');
            const gateway = await restart(true);

            const { job, ...begun } = await report(gateway);
            expect(begun).to.include(STARTED);
            const counts = countsUntilMoved(job, COUNT);
            await expectAll(gateway);
            const done = await finish(gateway, job);
            for (const { counted, moved } of await counts) {
                expect(counted).to.equal(moved);
            }

            expect(done).to.include({ state: 'done', moved: COUNT, damaged: 0 });
            expect(await places()).to.equal({ inBucket: COUNT, inDatabase: 0, stale: 0, chunks: 0, objects: COUNT });
            await expectAll(gateway);

            const former = await restart(false);
            expect(await finish(former, (await report(former))['job'])).to.include({ state: 'done', moved: COUNT });
            expect(await places()).to.equal({ inBucket: 0, inDatabase: COUNT, stale: 0, chunks: COUNT, objects: 0 });
            await expectAll(await restart(null));
        });

        it('goes on after an outage and after the end of the process, and removes nothing of the bucket', async () => {

            prefixes += 1;
            await fill(await restart(null), 20);
            let puts = 0;
            const gateway = await restart(true);
            relay.behave((request) => (request.startsWith('PUT') && ++puts > 7 ? 'cut' : undefined));
            const { job } = await report(gateway);
            await until(async () => Number((await report(gateway, job))['moved']) >= 3 && puts > 8);
            const stopping = await restart(true);
            relay.behave();

            const done = await finish(stopping, job);

            expect(done).to.include({ state: 'done', moved: 20 });
            const { objects, ...others } = await places();
            expect(others).to.equal({ inBucket: 20, inDatabase: 0, stale: 0, chunks: 0 });
            // Copies that were complete when the process ended stay until their payload is removed: at most one for each that was copied at a time.
            expect(objects).to.be.between(19, 25);
            await expectAll(stopping, 20);
        });

        it('leaves nothing in the bucket when a removal has failed once', async () => {

            prefixes += 1;
            const gateway = await restart(true);
            await fill(gateway, 6);
            const back = await restart(false);
            let first: string | undefined;
            let cuts = 0;
            relay.behave((request) => {

                first ??= /^DELETE .*\/blobs\//.test(request) ? request : undefined;
                return request === first && ++cuts <= ATTEMPTS ? 'cut' : undefined;
            });

            expect(await finish(back, (await report(back))['job'])).to.include({ state: 'done', moved: 6 });

            expect(cuts).to.be.above(ATTEMPTS);
            expect(await places()).to.equal({ inBucket: 0, inDatabase: 6, stale: 0, chunks: 6, objects: 0 });
        });

        it('moves what was written by an object that was read before the last move', async () => {

            prefixes += 1;
            await fill(await restart(null), 3);
            const gateway = await restart(true);
            expect((await gateway.asAdmin(Op.retrieve, { targetId: 'test/1' })).status).to.equal('0.DOIP/Status.001');
            expect(await finish(gateway, (await report(gateway))['job'])).to.include({ state: 'done', moved: 3 });
            const updated = await gateway.asAdmin(Op.update, { targetId: 'test/1', input: [
                { kind: 'json', value: { id: 'test/1', type: 'Document', attributes: { content: { name: 'y' } }, elements: [{ id: 'more' }] } },
                { kind: 'json', value: { id: 'more' } }, { kind: 'bytes', body: once(Buffer.from('more')) }
            ] });
            expect(updated.status).to.equal('0.DOIP/Status.001');
            expect(await places()).to.include({ inBucket: 4, stale: 1 });

            const former = await restart(false);
            let cuts = 0;
            relay.behave((request) => (/^DELETE .*\/blobs\//.test(request) && ++cuts <= 4 * ATTEMPTS ? 'cut' : undefined));
            expect(await finish(former, (await report(former))['job'])).to.include({ state: 'done', moved: 4 });

            expect(await places()).to.equal({ inBucket: 0, inDatabase: 4, stale: 0, chunks: 4, objects: 0 });
            await expectAll(await restart(null), 3);
        });

        it('copies a payload again whose copy has lost bytes since it was read back, before the original is removed', async () => {

            prefixes += 1;
            await fill(await restart(true), 3);
            const gateway = await restart(false);
            const db = await database.open();
            // An original is looked for before it is removed.
            relay.behave((request) => (/^GET .*list-type/.test(request) ? 'cut' : undefined));
            const { job } = await report(gateway);
            // Between two attempts
            await until(async () => typeof (await report(gateway, job))['error'] === 'string' && (await places())['inDatabase'] === 3);
            const [row] = await db.read<{ id: number }>({ sql: 'select blob_id as id from payloads where object_id = ?' }, ['test/1']);
            await db.blobs.deleteChunks(row?.id ?? 0, 1);
            relay.behave();

            expect(await finish(gateway, job)).to.include({ state: 'done' });
            expect(await places()).to.include({ inBucket: 0, inDatabase: 3, stale: 0, objects: 0 });
            await expectAll(await restart(null), 3);
        });

        it('leaves damaged payloads where they are, and says so', async () => {

            prefixes += 1;
            await fill(await restart(null), 3);
            const db = await database.open();
            const [row] = await db.read<{ id: number }>({ sql: 'select blob_id as id from payloads where object_id = ?' }, ['test/1']);
            await db.blobs.deleteChunks(row?.id ?? 0, 10);
            const gateway = await restart(true);

            const done = await finish(gateway, (await report(gateway))['job']);

            expect(done).to.include({ state: 'done', moved: 2, damaged: 1 });
            expect(await places()).to.include({ inBucket: 2, inDatabase: 1, objects: 2 });
        });

        it('is refused without a bucket, and to callers that are no administrators', async () => {

            const gateway = await restart(null);

            expect((await gateway.asAdmin(Op.payloadsMove)).value).to.equal({ message: 'payloads can only be moved between the database and a bucket: set PAYLOAD_STORE' });
            expect((await gateway.perform(Op.payloadsMove)).http ?? 401).to.equal(401);
        });
    });
});
