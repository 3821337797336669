/** The files of a data folder: nobody else's to read, and missed when one of them is lost. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import type { Run } from '../support/command.js';
import { runCommand } from '../support/command.js';
import { createSqlite } from '../support/database.js';
import { ADMIN, ask, create, stateBecomes, status } from '../support/outage.js';
import { startProcess } from '../support/process.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

describe('the files of a data folder', () => {

    let database: TestDatabase;
    let dataDir = '';
    let service: ServiceProcess | null = null;
    /** A folder with one object that has a payload, as a service has left it that was stopped. */
    let used: TestDatabase;

    const start = async (): Promise<ServiceProcess> => {

        service = await startProcess(database, { DATA_DIR: dataDir });
        await stateBecomes(service, 'UP');
        return service;
    };

    const stop = async (): Promise<void> => {

        await service?.stop();
        service = null;
    };

    const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> => runCommand(database, args, '', { DATA_DIR: dataDir, ...env });

    const upload = async (running: ServiceProcess, id: string, payload = id): Promise<number> => {

        const body = new FormData();
        body.append('content', JSON.stringify({ name: id }));
        body.append('file', new Blob([payload]), 'a.bin');
        const headers = { authorization: ADMIN.authorization };
        return (await ask(running, `/objects?type=Document&handle=${id}`, { method: 'POST', body, headers })).status;
    };

    before(async () => {

        used = await createSqlite();
        const running = await startProcess(used);
        expect(await upload(running, 'test/1')).to.equal(200);
        await running.stop();
    });

    after(() => used.dispose());

    /** What a service has left takes the place of the empty folder. */
    const fill = (): void => cpSync(used.options.dataDir, dataDir, { recursive: true });

    beforeEach(async () => {

        database = await createSqlite();
        dataDir = join(database.options.dataDir, 'data');
        mkdirSync(dataDir, { mode: 0o755 });
    });

    afterEach(async () => {

        await stop();
        await database.dispose();
    });

    /** Files that somebody else may read, write or run. */
    const open = (): string[] => readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => {

        const found = statSync(join(dataDir, name));
        return found.isFile() && (found.mode & 0o077) !== 0;
    });

    it('are readable by their owner only, even in a public folder', { skip: process.platform === 'win32' }, async () => {

        const running = await start();
        await upload(running, 'test/1');

        expect(readdirSync(dataDir)).to.include(['repository.sqlite', 'repository.sqlite-wal', 'repository.sqlite-shm', 'blobs.sqlite', 'server.json']);
        expect(open()).to.equal([]);
    });

    it('lose the access of others at the next start; foreign files stay unchanged', { skip: process.platform === 'win32' }, async () => {

        await upload(await start(), 'test/1');
        await service?.kill();
        service = null;
        writeFileSync(join(dataDir, 'notes.txt'), '', { mode: 0o644 });
        readdirSync(dataDir).forEach((name) => chmodSync(join(dataDir, name), 0o644));
        await start();

        expect(open()).to.equal(['notes.txt']);
    });

    const lose: readonly (readonly [how: string, lose: (path: string) => void])[] = [
        ['missing', (path) => rmSync(path)], ['empty', (path) => truncateSync(path, 0)]
    ];
    const files: readonly (readonly [lost: string, other: string])[] = [
        ['repository.sqlite', 'blobs.sqlite'], ['blobs.sqlite', 'repository.sqlite']
    ];
    for (const [lost, other] of files) {
        for (const [how, loseIt] of lose) {
            it(`prevent a new repository where ${lost} is ${how} and ${other} is full`, async () => {

                fill();
                loseIt(join(dataDir, lost));
                const before = statSync(join(dataDir, other)).size;
                const run = await command(['serve'], { PORT: '0' });

                expect(run.code).to.equal(74);
                expect(run.error.trimEnd().split('\n').at(-1)).to.equal(`doip-gateway: ${join(dataDir, lost)} is missing or empty, but ${other} beside it is not: ` +
                    'restore it from a backup, or run "doip-gateway accept-loss" to go on without what was in it');
                expect(statSync(join(dataDir, other)).size).to.equal(before);
                expect(existsSync(join(dataDir, lost))).to.equal(how === 'empty');
                expect((await command(['export', '-'])).code).to.equal(74);
            });
        }
    }

    it('can lose the payloads with explicit consent', async () => {

        fill();
        rmSync(join(dataDir, 'blobs.sqlite'));
        const accepted = await command(['accept-loss']);
        const running = await start();

        expect([accepted.code, accepted.error]).to.equal([0, `${join(dataDir, 'blobs.sqlite')} is there again, empty: payloads that were in it are lost\n`]);
        expect((await ask(running, '/objects/test/1')).body).to.include({ name: 'test/1' });
        expect((await ask(running, '/objects/test/1?payload=file')).status).to.equal(500);
        expect(await upload(running, 'test/2')).to.equal(200);
        expect(await (await fetch(`${running.url}/objects/test/2?payload=file`, { headers: ADMIN })).text()).to.equal('test/2');
    });

    it('can be exported without the payloads that are lost, which are named, and so does the import', async () => {

        fill();
        rmSync(join(dataDir, 'blobs.sqlite'));
        await command(['accept-loss']);
        const file = join(dataDir, '../all.ndjson');
        const [exported, printed] = [await command(['export', file]), await command(['export', '-'])];
        const second = { DATA_DIR: join(dataDir, '../second') };
        const imported = await command(['import', file], second);
        const again = await command(['export', '-'], second);

        expect([exported.code, printed.code, imported.code, again.code], imported.error).to.equal([74, 74, 65, 0]);
        expect(exported.error).to.startWith('export: payload file of test/1 is damaged\n').and.endWith(`doip-gateway: ${file} is complete, but without 1 payloads, ` +
            'which are damaged in the repository: take them from a backup\n');
        expect(readFileSync(file, 'utf8')).to.match(/\n\{"damaged":true,"element":"file","object":"test\/1"\}\n/).and.match(/\n\{"end":true,"objects":\d+,"damaged":1\}\n$/);
        expect(printed.out).to.match(/\{"end":true,"objects":\d+,"damaged":1\}\n$/);
        expect(imported.error).to.include('test/1: 400 stored without payload file, which is damaged in the export\n').and.include(' 0 refused, 1 without damaged payloads')
            .and.endWith('doip-gateway: 1 objects were stored without payloads that are damaged in the export\n');
        expect(again.out).to.include('"id":"test/1"').and.match(/\{"end":true,"objects":\d+\}\n$/);
    });

    it('can lose the objects with explicit consent, and the bytes are kept aside', async () => {

        fill();
        rmSync(join(dataDir, 'repository.sqlite'));
        const accepted = await command(['accept-loss']);
        const running = await start();

        expect(accepted.code).to.equal(0);
        expect(accepted.error).to.match(/^the next start begins a new repository; the payloads of the lost one are in .*blobs\.sqlite\.\d+T\d+Z\n$/);
        expect((await ask(running, '/objects/test/1')).status).to.equal(404);
        expect(await upload(running, 'test/1')).to.equal(200);
    });

    it('give no number of stored bytes to a new payload after the objects alone were restored from a backup', async () => {

        fill();
        const running = await start();
        await upload(running, 'test/2', 'x'.repeat(600_000));
        await stop();
        ['-wal', '-shm'].forEach((suffix) => rmSync(join(dataDir, `repository.sqlite${suffix}`), { force: true }));
        cpSync(join(used.options.dataDir, 'repository.sqlite'), join(dataDir, 'repository.sqlite'));
        const restored = await start();

        expect((await ask(restored, '/objects/test/2')).status).to.equal(404);
        expect(await upload(restored, 'test/3')).to.equal(200);
        expect(await (await fetch(`${restored.url}/objects/test/3?payload=file`, { headers: ADMIN })).text()).to.equal('test/3');
        const backup = await command(['backup', join(dataDir, '../backup')]);
        expect(backup.code).to.equal(0);
    });

    it('are not changed by accept-loss when none is lost, or while they are in use', async () => {

        const running = await start();
        await create(running, 'test/1');
        const used = await command(['accept-loss']);
        await stop();
        const whole = await command(['accept-loss']);
        const server = await command(['accept-loss'], { DATABASE_URL: 'mysql://a:b@127.0.0.1:1/c' });

        expect([used.code, whole.code, server.code]).to.equal([69, 0, 64]);
        expect(whole.error).to.equal(`no file of the database in ${dataDir} is lost: nothing was changed\n`);
    });

    for (const cut of ['repository.sqlite', 'blobs.sqlite']) {
        const cutIt = (): void => truncateSync(join(dataDir, cut), Math.floor(statSync(join(dataDir, cut)).size / 2 / 4096) * 4096);

        it(`are told to be damaged when ${cut} was cut while the service runs, also by the next start and a backup`, async () => {

            fill();
            const running = await start();
            cutIt();
            await stateBecomes(running, 'FAILED');
            const { status: code, body } = await status(running);

            expect(code).to.equal(500);
            expect(JSON.stringify(body)).to.include('cannot be read').and.not.include(dataDir);
            await stop();
            const [run, backup] = [await command(['serve'], { PORT: '0' }), await command(['backup', join(dataDir, '../backup')])];

            expect([run.code, backup.code]).to.equal([74, 74]);
            expect(run.error).to.match(/^doip-gateway: .+ is (damaged, as its end was missing while it was in use|no SQLite database, or is damaged): restore it from a backup.*\n$/);
            expect(backup.error).to.match(/ is damaged, and no backup was written, so keep the older ones: .*\n$/);
        });

        it(`prevent a start after ${cut} was cut, with a word on the backup`, async () => {

            fill();
            cutIt();
            const run = await command(['serve'], { PORT: '0' });

            expect(run.code).to.equal(74);
            expect(run.error).to.match(/is no SQLite database, or is damaged: restore it from a backup\n$/);
        });
    }

    it('can be exported without the payloads in pages of blobs.sqlite that are lost', async () => {

        const lossy = await startProcess(database, { DATA_DIR: dataDir });
        for (const id of ['test/1', 'test/2', 'test/3', 'test/4']) {
            expect(await upload(lossy, id, 'x'.repeat(500_000))).to.equal(200);
        }

        await lossy.stop();
        const blobs = join(dataDir, 'blobs.sqlite');
        const { size } = statSync(blobs);
        // As it is when the log was written to it after its end was lost, and the file `.cut` was removed.
        truncateSync(blobs, Math.floor(size / 2 / 4096) * 4096);
        truncateSync(blobs, size);
        const { code, out, error } = await command(['export', '-']);

        expect([code, out.match(/^\{"id":"test\/\d"/gm)?.length], error).to.equal([74, 4]);
        expect(out.slice(-100)).to.match(/\n\{"end":true,"objects":\d+,"damaged":[1-4]\}\n$/);
        expect(error).to.include('export: payload file of test/4 is damaged\n');
    });

    it('of an interrupted first start do not prevent the next one', async () => {

        writeFileSync(join(dataDir, 'repository.sqlite'), '');
        writeFileSync(join(dataDir, 'blobs.sqlite'), '');

        expect(await upload(await start(), 'test/1')).to.equal(200);
    });
});
