/** A file that was cut is noticed, also where its log is long enough to hold what is missing; and never a whole one is taken for one. */

import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { UnusableDatabaseError } from '../../../../db/errors.js';
import { acceptLostFile, openDatabase } from '../../../../db/engines/open.js';
import { snapshotBytes } from '../../../../db/engines/sqlite/snapshot.js';
import { createSqlite } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const KIB = 1024;
const CHUNK = 64 * KIB;
const FILES = ['repository.sqlite', 'blobs.sqlite'] as const;
const PROGRAM = join(__dirname, '../../../support/descriptors-program.js');
const PAGE_SIZES = { 'repository.sqlite': 4096, 'blobs.sqlite': 16384 };

describe('a SQLite file that was cut', () => {

    let place: TestDatabase;
    let dataDir: string;
    let database: Database;

    beforeEach(async () => {

        place = await createSqlite();
        ({ dataDir } = place.options);
        await open();
    });

    afterEach(async () => {

        await database.close();
        await place.dispose();
    });

    /** On a disk that is nearly full the logs would be kept short. */
    async function open(): Promise<void> {

        database = await openDatabase({ dataDir, minFree: 0 });
        await database.migrate();
    }

    const put = (name: string, bytes: number): Promise<unknown> => database.commit({ steps: [{
        sql: 'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value', bindings: [name, 'x'.repeat(bytes)]
    }] });
    const size = (name: string, folder = dataDir): number => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;

    /** Fills both files, closes them, and writes so much to few pages again that the logs are longer than the files. */
    async function fill(): Promise<void> {

        for (let n = 0; n < 20; ++n) {
            await put(`kept-${n}`, 20 * KIB);
            await database.blobs.writeChunk(7, n, new Uint8Array(CHUNK).fill(n));
        }

        await database.blobs.seal(7);
        await database.close();
        expect(FILES.map((name) => existsSync(join(dataDir, `${name}-wal`)))).to.equal([false, false]);
        await open();
        for (let n = 0; n < 200; ++n) {
            await put('again', n);                      // The same value would not be written
            await database.blobs.seal(7);
        }

        for (const name of FILES) {
            expect(size(`${name}-wal`)).to.be.above(size(name));
        }
    }

    /** What a process that was killed leaves of the files. */
    function copyOfFiles(): string {

        const folder = mkdtempSync(join(dataDir, 'copy-'));
        for (const name of readdirSync(dataDir).filter((each) => /\.sqlite(-wal)?$/.test(each))) {
            copyFileSync(join(dataDir, name), join(folder, name));
        }

        return folder;
    }

    for (const name of FILES) {
        const lengths: readonly (readonly [title: string, cut: (bytes: number) => number])[] = [
            ['by half', (bytes) => bytes / 2], ['by a page', (bytes) => bytes - PAGE_SIZES[name]], ['by a byte', (bytes) => bytes - 1]
        ];
        for (const [title, cut] of lengths) {
            it(`is known as damaged while it is in use, and stays so: ${name} ${title}`, async () => {

                await fill();
                const before = await database.condition?.();
                truncateSync(join(dataDir, name), cut(size(name)));
                const after = await database.condition?.();
                truncateSync(join(dataDir, name), size(name) + 8 * 1024 * KIB);

                expect([before, after]).to.equal([null, 'damaged']);
                expect(await database.condition?.()).to.equal('damaged');
                expect(readdirSync(dataDir).filter((each) => each.endsWith('.cut'))).to.equal([`${name}.cut`]);
            });

            it(`is not opened after a kill, as often as that is tried: ${name} ${title}`, async () => {

                await fill();
                const folder = copyOfFiles();
                truncateSync(join(folder, name), cut(size(name)));

                for (let n = 0; n < 2; ++n) {
                    const error = await expect(openDatabase({ dataDir: folder, minFree: 0 })).to.reject(UnusableDatabaseError);
                    expect(error.message).to.equal(`${join(folder, name)} is damaged, as its end is missing: restore it from a backup`);
                    expect(() => snapshotBytes(folder)).to.throw(UnusableDatabaseError, error.message);
                    expect(() => acceptLostFile(folder)).to.throw(UnusableDatabaseError, error.message);
                }
            });

            it(`is not opened after its log was written back, until it is restored: ${name} ${title}`, async () => {

                await fill();
                const whole = join(dataDir, 'whole');
                cpSync(copyOfFiles(), whole, { recursive: true });
                const length = size(name);
                truncateSync(join(dataDir, name), cut(length));
                await database.close();
                expect(size(name)).to.be.least(length);

                const error = await expect(openDatabase({ dataDir, minFree: 0 })).to.reject(UnusableDatabaseError);
                expect(error.message).to.equal(
                    `${join(dataDir, name)} is damaged, as its end was missing while it was in use: restore it from a backup, and remove ${name}.cut beside it`);
                expect(() => snapshotBytes(dataDir)).to.throw(UnusableDatabaseError, error.message);
                expect(() => acceptLostFile(dataDir)).to.throw(UnusableDatabaseError, error.message);

                rmSync(join(dataDir, `${name}.cut`));
                cpSync(whole, dataDir, { recursive: true });
                await open();
                expect(await database.condition?.()).to.be.null();
                expect((await database.blobs.readChunk(7, 19))?.length).to.equal(CHUNK);
            });
        }

        it(`is not known as one when the rest is in its log: ${name}`, async () => {

            await fill();
            const { length } = readdirSync(dataDir);
            for (let n = 0; n < 10; ++n) {
                await put(`more-${n}`, 20 * KIB);
                await database.blobs.writeChunk(8, n, new Uint8Array(CHUNK).fill(n));
            }

            expect(await database.condition?.()).to.be.null();
            const folder = copyOfFiles();
            const copy = await openDatabase({ dataDir: folder, minFree: 0 });
            expect((await copy.blobs.readChunk(8, 9))?.length).to.equal(CHUNK);
            expect(await copy.condition?.()).to.be.null();
            await copy.close();
            rmSync(folder, { recursive: true });
            expect(readdirSync(dataDir)).to.have.length(length);
        });
    }

    it('is not known as one when its folder was away for a moment', async () => {

        await fill();
        const away = join(dataDir, 'away');
        const names = readdirSync(dataDir).filter((each) => each.includes('.sqlite'));
        mkdirSync(away);
        names.forEach((name) => renameSync(join(dataDir, name), join(away, name)));
        const missing = await database.condition?.();
        names.forEach((name) => renameSync(join(away, name), join(dataDir, name)));

        expect(missing).to.equal('damaged');
        expect(await database.condition?.()).to.be.null();
    });

    it('is not marked in the folder that has taken the place of its own', async () => {

        await fill();
        const names = readdirSync(dataDir).filter((each) => each.includes('.sqlite'));
        const away = join(dataDir, 'away');
        mkdirSync(away);
        names.forEach((name) => renameSync(join(dataDir, name), join(away, name)));
        FILES.forEach((name) => {

            copyFileSync(join(away, name), join(dataDir, name));
            truncateSync(join(dataDir, name), size(name) / 2);
        });

        expect(await database.condition?.()).to.equal('damaged');
        expect(readdirSync(dataDir).filter((each) => each.endsWith('.cut'))).to.equal([]);
    });

    it('is not known as one while the process has no free file descriptor to look at its log', async () => {

        const { stdout } = await promisify(execFile)('bash', ['-c', `ulimit -n 256; exec "${process.execPath}" "${PROGRAM}" "${join(dataDir, 'other')}"`]);

        expect(JSON.parse(stdout)).to.equal(['EMFILE', null, null]);
    });

    it('is never seen where files grow and shrink, and their logs are written back', async () => {

        const seed = Date.now() % 2 ** 31;
        const random = seeded(seed);
        const chunks = new Map<number, number>();
        for (let n = 0; n < 400; ++n) {
            const blob = random.integer(1, 5);
            const written = chunks.get(blob) ?? 0;
            if (random.chance(0.3)) {
                await database.blobs.deleteChunks(blob, 1000);
                chunks.delete(blob);
            }
            else {
                await database.blobs.writeChunk(blob, written, new Uint8Array(random.integer(1, 256) * KIB));
                chunks.set(blob, written + 1);
            }

            await put(`random-${random.integer(0, 50)}`, random.integer(1, 60_000));
            if (random.chance(0.1)) {
                await database.commit({ steps: [{ sql: 'delete from settings where name like ?', bindings: ['random-%'] }] });
            }

            expect(await database.condition?.(), `seed ${seed}, step ${n}`).to.be.null();
            if (n % 40 === 0) {
                const copy = await openDatabase({ dataDir: copyOfFiles(), minFree: 0 });
                expect(await copy.condition?.(), `seed ${seed}, step ${n}`).to.be.null();
                await copy.close();
            }
        }
    });
});
