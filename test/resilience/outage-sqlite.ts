/** A data folder that cannot be used when the service starts, or while it runs: it says so, and recovers by itself. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { Answered } from '../support/outage.js';
import type { ServiceProcess } from '../support/process.js';
import type { SmallDisk } from '../support/small-disk.js';
import { createSqlite } from '../support/database.js';
import { ADMIN, PATIENCE_MS, ask, create, stateBecomes, status } from '../support/outage.js';
import { smallDisk, withoutDisks } from '../support/small-disk.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

describe('a service on SQLite', { timeout: 10 * PATIENCE_MS }, () => {

    let database: TestDatabase;
    let dataDir = '';
    let service: ServiceProcess | null = null;

    beforeEach(async () => {

        database = await createSqlite();
        dataDir = join(database.options.dataDir, 'place', 'data');
    });

    afterEach(async () => {

        await service?.stop();
        service = null;
        await database.dispose();
    });

    it('listens while its folder cannot be created, and starts when it can', async () => {

        // A link to nowhere, as when a disk has not been mounted yet.
        const place = join(database.options.dataDir, 'place');
        await symlink(join(database.options.dataDir, 'away'), place);
        service = await startProcess(database, { DATA_DIR: dataDir });

        const down = await status(service);
        const other = await ask(service, '/objects/test/1');
        await rm(place);
        await mkdir(place, { recursive: true });                // The service may have been faster
        await stateBecomes(service, 'UP');

        expect([down.status, down.body['state']]).to.equal([500, 'FAILED']);
        expect(down.body['details']).to.include({ storage: 'FAILED' });
        expect([other.status, other.body, other.retryAfter]).to.equal([503, { message: 'The system is down.' }, '5']);
        expect((await create(service, 'test/1')).status).to.equal(200);
        expect(service.log()).to.include('service.start-failed');
    });

    it('rejects requests while its files are missing, and continues when they are back', async () => {

        service = await startProcess(database, { DATA_DIR: dataDir });
        await create(service, 'test/1');
        const running = service;
        await rename(dataDir, `${dataDir} away`);
        await stateBecomes(running, 'FAILED');
        await until(async () => (await ask(running, '/objects/test/1')).status === 503);
        const down = await create(service, 'test/2');
        await rename(`${dataDir} away`, dataDir);
        await stateBecomes(service, 'UP');

        expect([down.status, down.body, down.retryAfter]).to.equal([503, { message: 'The system is down.' }, '5']);
        expect((await create(service, 'test/2')).status).to.equal(200);
        expect((await ask(service, '/search?ids&query=*:*&filterQueries=["type:Document"]')).body['results']).to.equal(['test/1', 'test/2']);
    });
});

const DISK_BYTES = 12 * 1024 * 1024;
const BALLAST_BYTES = 8 * 1024 * 1024;
const PAYLOAD_BYTES = 300 * 1024;
const UPLOADED_BYTES = 60 * 1024;
const UPLOAD_FREE_BYTES = 5.5 * 1024 * 1024;

/** What stands for anything that there is no room for. */
const FULL = { message: 'The storage is full: nothing was stored.' };

const WITHOUT_DISKS = withoutDisks();

describe(`a service on SQLite whose disk is full${WITHOUT_DISKS}`, { timeout: 10 * PATIENCE_MS, skip: WITHOUT_DISKS !== '' }, () => {

    let disk: SmallDisk;
    let database: TestDatabase;
    let service: ServiceProcess;

    beforeEach(async () => {

        const made = smallDisk(DISK_BYTES);
        if (!made) {
            throw new Error('the disk cannot be mounted any more');
        }

        disk = made;
        database = await createSqlite();
        service = await startProcess(database, { DATA_DIR: join(disk.path, 'data') });
        await stateBecomes(service, 'UP');
    });

    afterEach(async () => {

        await service.stop();
        await database.dispose();
        disk.remove();
    });

    const bytesOf = (id: string): Buffer => Buffer.alloc(PAYLOAD_BYTES, id);

    const upload = (id: string): Promise<Answered> => {

        const body = new FormData();
        body.append('content', JSON.stringify({ name: id }));
        body.append('file', new Blob([bytesOf(id)]), 'a.bin');
        return ask(service, `/objects?type=Document&handle=${id}`, { method: 'POST', body, headers: { authorization: ADMIN.authorization } });
    };

    /** Creates objects until some were refused. */
    async function fill(): Promise<{ stored: string[]; refused: [id: string, answer: Answered][] }> {

        const stored: string[] = [];
        const refused: [string, Answered][] = [];
        const write = async (name: string, store: (id: string) => Promise<Answered>): Promise<void> => {

            for (let n = 0; refused.length < 5; ++n) {
                const id = `test/${name}.${n}`;
                const answer = await store(id);
                if (answer.status === 200) {
                    stored.push(id);
                }
                else {
                    refused.push([id, answer]);
                }
            }
        };

        await Promise.all([write('a', upload), write('b', upload), write('c', (id) => create(service, id))]);
        return { stored, refused };
    }

    it('keeps stored objects, reports why it stores no more, and continues with free space', async () => {

        const ballast = join(disk.path, 'ballast');
        await writeFile(ballast, Buffer.alloc(BALLAST_BYTES));
        const { stored, refused } = await fill();
        await rm(ballast);
        const later = [await upload('test/later'), await create(service, 'test/last')];

        for (const [id, answer] of refused) {
            expect(answer, id).to.equal({ status: 503, body: FULL, retryAfter: '60' });
            expect((await ask(service, `/objects/${id}`)).status, id).to.equal(404);
        }

        expect(later.map((answer) => answer.status), service.log()).to.equal([200, 200]);
        expect(service.log()).to.include('what must stay free');
        await service.kill();
        service = await startProcess(database, { DATA_DIR: join(disk.path, 'data') });
        for (const id of [...stored, 'test/later', 'test/last']) {
            const { status, body } = await ask(service, `/objects/${id}?full`);
            expect(status, id).to.equal(200);
            if (body['payloads']) {
                const bytes = await fetch(`${service.url}/objects/${id}?payload=file`, { headers: ADMIN });
                expect(bytesOf(id).equals(Buffer.from(await bytes.arrayBuffer())), id).to.be.true();
            }
        }
    });

    interface Results {
        readonly results: readonly { readonly position: number; readonly responseCode: number; readonly response: unknown }[];
    }

    const send = (path: string, lines: readonly string[]): Promise<Answered> => ask(service, path, { method: 'POST', body: lines.join('\n') });

    const withPayload = (id: string): string => JSON.stringify({
        id, type: 'Document', content: {}, payloads: [{ name: 'file', base64Payload: bytesOf(id).toString('base64') }]
    });

    const carriers: readonly (readonly [name: string, path: string, answer: (id: string) => object])[] = [
        ['a batch', '/batchUpload?format=ndjson', () => FULL],
        ['an import', '/doip?operationId=gateway/Op.Import&targetId=service', (id) => ({ ...FULL, id })]
    ];
    for (const [name, path, answer] of carriers) {
        it(`reports the same for each item of ${name} that is rejected for lack of space`, async () => {

            await writeFile(join(disk.path, 'ballast'), Buffer.alloc(BALLAST_BYTES));
            const ids = Array.from({ length: 16 }, (_, n) => `test/item.${n}`);
            const { status, body } = await send(path, ids.map(withPayload));

            expect(status, service.log()).to.equal(200);
            const refused = new Map((body as unknown as Results).results.flatMap(({ position, responseCode, response }) => {

                return responseCode === 200 ? [] : [[ids[position] ?? '', [responseCode, response]]];
            }));
            expect(refused.size, 'refused').to.be.at.least(1);
            for (const id of ids) {
                const expected = refused.has(id) ? [503, answer(id)] : undefined;
                expect(refused.get(id), id).to.equal(expected);
                expect((await ask(service, `/objects/${id}`)).status, id).to.equal(expected ? 404 : 200);
            }
        });
    }

    it('does not deny stored items when only the results lack space', async () => {

        await writeFile(join(disk.path, 'ballast'), Buffer.alloc(DISK_BYTES)).catch(() => {});
        const { status, body } = await send('/batchUpload?format=ndjson', Array.from({ length: 25_000 }, () => '5'));

        expect([status, body]).to.equal([500, { message: 'the results could not be kept: look which items were stored' }]);
    });

    it('completes an upload as soon as there is space', async () => {

        const ids = Array.from({ length: 40 }, (_, n) => `test/up.${n}`);
        const objects = ids.map((id) => ({ id, type: 'Document', content: { text: 'ab '.repeat(UPLOADED_BYTES / 3) } }));
        disk.fill(UPLOAD_FREE_BYTES);
        const upload = ask(service, '/uploadObjects', { method: 'POST', body: JSON.stringify(objects) });
        await until(() => Promise.resolve(service.log().includes('what must stay free')), PATIENCE_MS);
        disk.relieve();
        const { status, body } = await upload;

        expect([status, body], service.log()).to.equal([200, { msg: 'success', message: 'success' }]);
        for (const id of ids) {
            expect((await ask(service, `/objects/${id}`)).status, id).to.equal(200);
        }
    });
});
