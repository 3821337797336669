/** Small disks that become full: what is stored can be read, room comes back, and writing goes on without a restart. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import type { TestDatabase } from '../support/database.js';
import type { Answered } from '../support/outage.js';
import type { ServiceProcess } from '../support/process.js';
import type { DiskKind, SmallDisk } from '../support/small-disk.js';
import { createSqlite } from '../support/database.js';
import { ADMIN, PATIENCE_MS, ask, create, stateBecomes, status } from '../support/outage.js';
import { startProcess } from '../support/process.js';
import { smallDisk, withoutDisks } from '../support/small-disk.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const MIB = 1024 * 1024;
const FULL = { status: 503, body: { message: 'The storage is full: nothing was stored.' }, retryAfter: '60' };

const DISKS: readonly (readonly [kind: DiskKind, bytes: number])[] = [['tmpfs', 16 * MIB], ['ext4', 32 * MIB]];

const BOUNDARY = 'boundary-of-parts';

/** A form with a file of no known length, as zeros. An incomplete one stops after these, without an end. */
async function *form(id: string, bytes: number, isComplete = true): AsyncGenerator<Uint8Array> {

    const head = (name: string): string => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
    yield Buffer.from(`${head('content')}\r\n\r\n${JSON.stringify({ name: id })}\r\n${head('file')}; filename="a.bin"\r\n\r\n`);
    for (let sent = 0; sent < bytes; sent += 64 * 1024) {
        yield Buffer.alloc(64 * 1024);
    }

    if (!isComplete) {
        await new Promise(() => undefined);
    }

    yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

for (const [kind, size] of DISKS) {
    const reason = withoutDisks(kind);
    describe(`a service on a disk of ${size / MIB} MiB (${kind})${reason}`, { timeout: 10 * PATIENCE_MS, skip: reason !== '' }, () => {

        let disk: SmallDisk;
        let database: TestDatabase;
        let service: ServiceProcess;
        let probes = 0;

        const start = async (): Promise<void> => {

            service = await startProcess(database, { DATA_DIR: join(disk.path, 'data') });
        };

        before(async () => {

            const made = smallDisk(size, kind);
            if (!made) {
                throw new Error('the disk cannot be mounted any more');
            }

            disk = made;
            database = await createSqlite();
            await start();
            await stateBecomes(service, 'UP');
        });

        after(async () => {

            await service.stop();
            await database.dispose();
            disk.remove();
        });

        afterEach(() => disk.relieve());

        const upload = (id: string, bytes: number): Promise<Answered> => {

            const body = new FormData();
            body.append('content', JSON.stringify({ name: id }));
            body.append('file', new Blob([Buffer.alloc(bytes, id)]), 'a.bin');
            return ask(service, `/objects?type=Document&handle=${id}`, { method: 'POST', body, headers: { authorization: ADMIN.authorization } });
        };

        const codes = async (paths: readonly string[]): Promise<number[]> => {

            return await Promise.all(paths.map(async (path) => (await fetch(service.url + path, { headers: ADMIN })).status));
        };

        const READS = ['/objects/test/kept', '/objects/test/kept?payload=file', '/search?query=*:*', '/design', '/check-credentials?full'];

        const remove = async (id: string): Promise<void> => {

            expect((await fetch(`${service.url}/objects/${id}`, { method: 'DELETE', headers: ADMIN })).status, service.log()).to.equal(200);
        };

        /** Takes all room, also what the service gives back to the disk. */
        const fillUp = async (): Promise<void> => {

            await until(async () => {

                disk.fill();
                probes += 1;
                return (await create(service, `test/probe.${probes}`)).status === 503;
            }, PATIENCE_MS);
        };

        /** How many payloads the database has bytes of, linked or not; and the last of them. */
        const storedBlobs = (): { count: number; newest: number } => {

            const db = new Sqlite(join(disk.path, 'data/blobs.sqlite'), { readonly: true });
            try {
                return db.prepare('select count(distinct blob_id) as count, coalesce(max(blob_id), 0) as newest from blob_chunks').get() as { count: number; newest: number };
            }
            finally {
                db.close();
            }
        };

        const stream = (id: string, bytes: number, { signal, isComplete }: { signal?: AbortSignal; isComplete?: boolean } = {}): ClientRequest => {

            const sent = request(`${service.url}/objects?type=Document&handle=${id}`, {
                method: 'POST', ...signal ? { signal } : {},
                headers: { authorization: ADMIN.authorization, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
            });
            sent.on('error', () => {
                // The connection ends before the body does.
            });
            Readable.from(form(id, bytes, isComplete)).on('error', () => {}).pipe(sent);
            return sent;
        };

        it('rejects a payload that is too long by its Content-Length, and continues', async () => {

            expect(await upload('test/long', size)).to.equal(FULL);
            expect((await status(service)).status, service.log()).to.equal(200);
            expect([(await create(service, 'test/short')).status, (await upload('test/little', MIB)).status]).to.equal([200, 200]);
            await remove('test/little');
        });

        it('discards the stored part of an upload that fails for lack of space', async () => {

            const { newest } = storedBlobs();
            const [answer] = await once(stream('test/long', 2 * size), 'response') as [IncomingMessage];
            answer.resume();

            expect(answer.statusCode, service.log()).to.equal(503);
            expect(storedBlobs().newest).to.be.at.most(newest);
            expect((await upload('test/after', size / 4)).status, service.log()).to.equal(200);
            await remove('test/after');
        });

        it('discards the stored part of an upload whose client disconnects', async () => {

            const stored = storedBlobs().count;
            const client = new AbortController();
            const sent = stream('test/aborted', size / 4, { signal: client.signal, isComplete: false });
            await until(() => Promise.resolve(storedBlobs().count > stored), PATIENCE_MS);
            client.abort();
            await until(() => Promise.resolve(storedBlobs().count === stored), PATIENCE_MS);

            expect(sent.destroyed).to.be.true();
            expect((await upload('test/left', size / 4)).status, service.log()).to.equal(200);
            await remove('test/left');
        });

        it('can delete payloads when the disk is full of them, which frees space at once', async () => {

            disk.fill(Math.min(disk.free(), 8 * MIB));
            const stored: string[] = [];
            for (let last = 200; last === 200;) {
                const id = `test/filled.${stored.length}`;
                last = (await upload(id, MIB)).status;
                if (last === 200) {
                    stored.push(id);
                }
            }

            expect(stored.length).to.be.at.least(2);
            await Promise.all(stored.map(remove));
            expect((await upload('test/again', MIB)).status, service.log()).to.equal(200);
            await remove('test/again');
        });

        it('stores small objects and payloads of unknown length in the space of deleted payloads', async () => {

            for (const id of ['test/unneeded.1', 'test/unneeded.2']) {
                expect((await upload(id, MIB)).status, service.log()).to.equal(200);
                await remove(id);
            }

            disk.fill(size / 40);          // Half of what stays free
            expect((await create(service, 'test/small')).status, service.log()).to.equal(200);
            const [answer] = await once(stream('test/unknown', MIB / 4), 'response') as [IncomingMessage];
            answer.resume();
            expect(answer.statusCode, service.log()).to.equal(200);
            disk.relieve();
            await remove('test/small');
            await remove('test/unknown');
        });

        it('responds to reads and reports the full disk, also after a restart, and writes again with free space', async () => {

            await upload('test/kept', MIB);
            await create(service, 'test/gone');
            await fillUp();

            const full = await status(service);
            expect([full.status, full.body['state'], full.body['details']]).to.equal([500, 'FAILED', { storage: 'FAILED', indexer: 'UP' }]);
            expect(full.body['message']).to.match(/^the storage is full/);
            expect([await create(service, 'test/1'), await upload('test/2', MIB)]).to.equal([FULL, FULL]);
            expect(await codes(READS)).to.equal(READS.map(() => 200));
            for (const [end, hasReserve] of [['kill', true], ['stop', true], ['kill', false]] as const) {
                await service[end]();
                if (!hasReserve) {
                    await rm(join(disk.path, 'data/disk-reserve'), { force: true });
                }

                disk.fill();
                await start();
                await until(async () => (await status(service)).body['state'] !== 'UP' || (await create(service, 'test/x')).status !== 0, PATIENCE_MS);
                expect(await codes(READS), service.log()).to.equal(READS.map(() => 200));
            }

            disk.fill();
            disk.relieve();
            expect((await create(service, 'test/3')).status, service.log()).to.equal(200);
            expect((await upload('test/4', MIB)).status, service.log()).to.equal(200);
            expect((await status(service)).status).to.equal(200);
        });

        it('reports the full disk when it cannot start, and starts with free space', async () => {

            await create(service, 'test/here');
            await service.stop();
            await rm(join(disk.path, 'data/disk-reserve'), { force: true });
            disk.fill();
            await start();
            const [read, state] = [await ask(service, '/objects/test/here'), await status(service)];
            disk.relieve();
            await stateBecomes(service, 'UP');

            if (kind === 'tmpfs') {         // The other one keeps some room for the superuser
                expect(read).to.equal({ status: 503, body: { message: 'The storage is full: the service starts when there is room.' }, retryAfter: '60' });
                expect(state.body).to.include({ state: 'FAILED', message: 'the storage is full: the service starts when there is room' });
                expect(state.body['details']).to.include({ storage: 'FAILED' });
            }

            expect((await ask(service, '/objects/test/here')).status).to.equal(200);
        });

        it('can delete objects when the disk is full of them, which frees space', async () => {

            disk.fill(Math.min(disk.free(), 8 * MIB));
            const stored: string[] = [];
            const content = JSON.stringify({ text: 'ab '.repeat(100_000) });
            for (let last = 200; last === 200;) {
                const id = `test/full.${stored.length}`;
                last = (await ask(service, `/objects?type=Document&handle=${id}`, { method: 'POST', body: content })).status;
                if (last === 200) {
                    stored.push(id);
                }
            }

            expect(stored.length).to.be.at.least(2);
            await Promise.all(stored.map(remove));
            await until(async () => (await ask(service, '/objects?type=Document&handle=test/refilled', { method: 'POST', body: content })).status === 200, PATIENCE_MS);
            await remove('test/refilled');
        });

        it('reports the full disk for each item of a batch, and to callers of an upload of all objects', async () => {

            await create(service, 'test/object');
            let attempt = 0;
            let answered: unknown;
            await until(async () => {

                await fillUp();
                const lines = ['a', 'b'].map((name) => JSON.stringify({ id: `test/${name}.${++attempt}`, type: 'Document', content: {} }));
                const batch = await ask(service, '/batchUpload?format=ndjson', { method: 'POST', body: lines.join('\n') });
                const all = await ask(service, '/uploadObjects?deleteCurrentObjects=true', { method: 'POST', body: `[${lines.join()}]` });
                const codesOf = (batch.body['results'] as { responseCode: number }[]).map(({ responseCode }) => responseCode);
                answered = [batch.status, codesOf, all];
                // The service may have found some room in between: then an item is stored, and the upload is read, which lacks its types.
                return !codesOf.includes(200) && all.status !== 400;
            }, PATIENCE_MS);
            disk.relieve();

            expect(answered).to.equal([200, [503, 503], FULL]);
            expect((await ask(service, '/objects/test/object')).status).to.equal(200);
            expect((await create(service, 'test/another')).status).to.equal(200);
        });
    });
}
