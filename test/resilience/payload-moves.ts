/**
 * Payloads are moved to a bucket and back by the command, beside the service: a service that is killed meanwhile goes on after its next start, or another
 * node goes on with its move.
 */

import { randomBytes } from 'node:crypto';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { runCommand, type Run } from '../support/command.js';
import { ADMIN, ask, PATIENCE_MS, stateBecomes } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { BUCKET, HAS_S3, startS3, startS3Relay, type S3Relay, type TestS3 } from '../support/s3.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const COUNT = 40;
const BYTES = 30_000;

/** Each copy takes so long, in milliseconds. */
const SLOW = { delayMs: 200 };

/** Another node goes on within this time, in milliseconds; on a machine that does other things as well it may take longer. */
const TAKEN_OVER_MS = process.env['LONG_TESTS'] ? 15_000 : PATIENCE_MS;

/** A service that has just started removes nothing from a bucket for five minutes, as it may run on a copy of the database. */
const BACK_MS = 500_000;

const ALL_MOVED = `moved ${COUNT} payloads with ${COUNT * BYTES} bytes, each compared with its copy`;

forEachDatabase((name, create, dialect) => {

    describe(`payloads on ${name} that are moved by the command`, { skip: !HAS_S3, timeout: 6 * PATIENCE_MS }, () => {

        let s3: TestS3;
        let relay: S3Relay;
        let database: TestDatabase;
        let folders: TestDatabase[];
        let processes: ServiceProcess[];
        const payloads = Array.from({ length: COUNT }, () => randomBytes(BYTES));

        beforeEach(async () => {

            [folders, processes] = [[], []];
            s3 = await startS3();
            relay = await startS3Relay(s3.url);
            database = await create();
        });

        afterEach(async () => {

            await Promise.all(processes.map((each) => each.kill()));
            await Promise.all([database, ...folders].map((each) => each.dispose()));
            await relay.stop();
            await s3.stop();
        });

        const withBucket = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ PAYLOAD_STORE: `s3://${BUCKET}/moved`, PAYLOAD_STORE_ENDPOINT: relay.url, ...more });

        async function start(env: NodeJS.ProcessEnv = {}, place = database): Promise<ServiceProcess> {

            const service = await startProcess(place, { LOG_LEVEL: 'silent', ...env });
            processes.push(service);
            await stateBecomes(service, 'UP');
            return service;
        }

        async function upload(service: ServiceProcess): Promise<void> {

            for (const [n, bytes] of payloads.entries()) {
                const body = new FormData();
                body.append('content', '{}');
                body.append('file', new Blob([new Uint8Array(bytes)]), 'a.bin');
                const { status } = await ask(service, `/objects?type=Document&handle=test/${n}`, { method: 'POST', body, headers: { authorization: ADMIN.authorization } });
                expect(status).to.equal(200);
            }
        }

        async function expectAll(service: ServiceProcess): Promise<void> {

            const stored = await Promise.all(payloads.map(async (_, n) => {

                const response = await fetch(`${service.url}/objects/test/${n}?payload=file`, { headers: ADMIN });
                return Buffer.from(await response.arrayBuffer());
            }));
            expect(stored.every((bytes, n) => bytes.equals(payloads[n] ?? Buffer.alloc(0)))).to.be.true();
        }

        /** Keys of payloads; the others are those by which the service claims the bucket. */
        async function moved(): Promise<number> {

            return (await s3.keys()).filter((key) => key.includes('/blobs/')).length;
        }

        const move = (place = database): Promise<Run> => runCommand(place, ['move-payloads']);

        it('are all there', async () => {

            let service = await start();
            await upload(service);
            await service.stop();
            const without = await move();
            service = await start(withBucket());
            const { code, error } = await move();

            expect([without.code, without.error]).to.equal([1, 'doip-gateway: payloads can only be moved between the database and a bucket: set PAYLOAD_STORE\n']);
            expect(code, error).to.equal(0);
            expect(error).to.contain(ALL_MOVED).and.contain(service.url);
            expect(await moved()).to.equal(COUNT);
            await expectAll(service);
        });

        it('are back again', { skip: !process.env['LONG_TESTS'], timeout: BACK_MS }, async () => {

            let service = await start(withBucket());
            await upload(service);
            await service.stop();
            service = await start(withBucket({ PAYLOAD_STORE_WRITES: 'false' }));
            const { code, error } = await move();
            await service.stop();
            service = await start();

            expect(code, error).to.equal(0);
            expect(error).to.contain(ALL_MOVED);
            await expectAll(service);
        });

        it('are all there after the service was killed meanwhile', async () => {

            let service = await start();
            await upload(service);
            await service.stop();
            service = await start(withBucket());
            relay.behave((request) => (request.startsWith('PUT') ? SLOW : undefined));
            const interrupted = move();
            await until(async () => await moved() >= COUNT / 8, PATIENCE_MS);
            await service.kill();
            const { code, error } = await interrupted;
            relay.behave();
            service = await start(withBucket());
            const repeated = await move();

            expect(code, error).not.to.equal(0);
            expect(repeated.code, repeated.error).to.equal(0);
            expect(repeated.error).to.contain(ALL_MOVED);
            expect(await moved()).to.be.at.least(COUNT);        // What was broken off is removed with its payload
            await expectAll(service);
        });

        it('are moved by another node when the one that moves them is killed', { skip: dialect === 'sqlite' }, async () => {

            const node = async (env: NodeJS.ProcessEnv): Promise<{ place: TestDatabase; service: ServiceProcess }> => {

                const folder = await createSqlite();
                folders.push(folder);
                const place = { ...database, options: { ...database.options, dataDir: folder.options.dataDir } };
                return { place, service: await start(env, place) };
            };

            const first = await node({});
            await upload(first.service);
            await first.service.stop();
            const own = await startS3Relay(s3.url);
            const nodes = [{ ...await node(withBucket()), relay }, { ...await node(withBucket({ PAYLOAD_STORE_ENDPOINT: own.url })), relay: own }];
            const copies = ({ relay: { requests } }: { relay: S3Relay }): number => requests.filter((line) => line.startsWith('PUT') && line.includes('/blobs/')).length;
            nodes.forEach((each) => each.relay.behave((request) => (request.startsWith('PUT') ? SLOW : undefined)));
            const begun = move(nodes[0]?.place);
            await until(() => nodes.some((each) => copies(each) >= COUNT / 8), PATIENCE_MS);
            const [other, mover] = nodes.toSorted((a, b) => copies(a) - copies(b));
            await mover!.service.kill();
            const killedOn = performance.now();
            await until(() => copies(other!) > 0, TAKEN_OVER_MS);
            const takenOver = performance.now() - killedOn;
            const followed = await move(other!.place);
            await begun;

            expect(takenOver).to.be.below(TAKEN_OVER_MS);
            expect(followed.code, followed.error).to.equal(0);
            expect(followed.error).to.contain(ALL_MOVED);
            expect(await moved()).to.be.at.least(COUNT);        // What was broken off is removed with its payload
            await expectAll(other!.service);
            await own.stop();
        });
    });
});
