/** What an interrupted restore leaves: a folder in which no server starts, until it was restored again. */

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { claimDataDir } from '../../../lib/app/data-dir.js';
import { UnfinishedRestoreError } from '../../../lib/app/unfinished-restore.js';
import { createBackup } from '../../../lib/backup/create.js';
import { restoreBackup } from '../../../lib/backup/restore.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { runCommand, startCommand } from '../../support/command.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { LIMITS, startGateway } from '../../support/gateway.js';
import { seeded } from '../../support/random.js';
import { rounds, roundsMs } from '../../support/rounds.js';
import { smallDisk, withoutDisks } from '../../support/small-disk.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const MIB = 1024 * 1024;
const SEED = randomInt(2 ** 31);

describe('a restore', () => {

    let database: TestDatabase;
    let folder: string;
    let backup: string;
    let target: string;

    before(async () => {

        [database, folder] = [await createSqlite(), await mkdtemp(join(tmpdir(), 'doip-gateway-restore-'))];
        const gateway = await startGateway(database, { limits: { ...LIMITS, elementBytes: 32 * MIB } });
        await gateway.asAdmin('0.DOIP/Op.Create', { input: [
            jsonSegment({ id: 'test/file', type: 'Document', attributes: { content: {} } }), jsonSegment({ id: 'p' }), bytesSegment(Buffer.alloc(24 * MIB, 1))
        ] });
        await gateway.stop();
        backup = join(folder, 'backup');
        await createBackup(backup, { dataDir: database.options.dataDir, prefix: 'test' });
    });

    after(async () => {

        await database.dispose();
        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        target = join(await mkdtemp(join(folder, 'case-')), 'data');
    });

    const at = (dataDir: string): TestDatabase => ({ ...database, options: { dataDir } });
    const part = (...names: string[]): string => join(target, 'restore.part', ...names);
    const copy = (name: string, to: string): Promise<void> => copyFile(join(backup, name), to);

    /** States in which a kill leaves the folder, in their order. */
    const STATES: readonly (readonly [title: string, make: () => Promise<unknown>])[] = [
        ['before its first file', () => Promise.resolve()],
        ['with a part of a file', () => writeFile(part('blobs.sqlite'), 'SQLite format 3')],
        ['with both files', () => Promise.all([copy('blobs.sqlite', part('blobs.sqlite')), copy('repository.sqlite', part('repository.sqlite'))])],
        ['with one file in its place', () => Promise.all([copy('blobs.sqlite', join(target, 'blobs.sqlite')), copy('repository.sqlite', part('repository.sqlite'))])]
    ];

    for (const [title, make] of STATES) {
        it(`that was killed ${title} keeps servers and commands from starting, and can be repeated`, async () => {

            await mkdir(part(), { recursive: true });
            await make();
            const names = await readdir(target);
            const commands = [['serve'], ['export', '-'], ['accept-loss']];
            for (const command of commands) {
                const { code, error, out } = await runCommand(at(target), command, '', { PORT: '0', DOIP_PORT: '' });

                expect([code, out, error]).to.equal([74, '',
                    `doip-gateway: ${target} has an unfinished restore: run "doip-gateway restore" again, or remove restore.part there to do without it\n`]);
            }

            expect(await readdir(target)).to.include(names);

            await restoreBackup(backup, target);
            const { out, code } = await runCommand(at(target), ['export', '-']);

            expect([code, out.includes('"id":"test/file"')]).to.equal([0, true]);
        });
    }

    it('that was killed after both files had their place is finished by the next start', async () => {

        await restoreBackup(backup, target);
        await mkdir(part());
        const { code, out } = await runCommand(at(target), ['export', '-']);

        expect([code, out.includes('"id":"test/file"')]).to.equal([0, true]);
        expect(await readdir(target)).to.not.include('restore.part');
    });

    it('is not taken for finished when the folder still has a file', async () => {

        await restoreBackup(backup, target);
        await mkdir(part());
        await writeFile(part('repository.sqlite'), 'x');

        expect(() => claimDataDir(target)).to.throw(UnfinishedRestoreError);
        // The lock is not left behind.
        await rm(part(), { recursive: true });
        claimDataDir(target).release();
    });

    it('that is killed at any time leaves all, nothing, or a folder in which no server starts', { timeout: roundsMs(300_000) }, async () => {

        const random = seeded(SEED);
        for (let round = 0; round < rounds(4, 40); ++round) {
            const dataDir = `${target}-${round}`;
            const child = startCommand(database, ['restore', backup, '--to', dataDir]);
            const ended = once(child, 'exit');
            const stage = random.integer(0, 3);
            await until(async () => child.exitCode !== null || (await readdir(stage === 0 ? dataDir : join(dataDir, 'restore.part')).catch((): string[] => [])).length >= stage);
            child.kill('SIGKILL');
            await ended;
            const names = await readdir(dataDir).catch((): string[] => []);
            const isWhole = names.includes('repository.sqlite');
            if (names.includes('restore.part') && !isWhole) {
                expect((await runCommand(at(dataDir), ['export', '-'])).code, `seed ${SEED}, round ${round}`).to.equal(74);
            }

            if (!isWhole) {
                await restoreBackup(backup, dataDir);
            }

            expect((await runCommand(at(dataDir), ['export', '-'])).out, `seed ${SEED}, round ${round}`).to.contain('"id":"test/file"');
        }
    });

    it('that fails leaves a folder in which no server starts, and can be repeated', async () => {

        const copy = join(target, '..', 'copy');
        await cp(backup, copy, { recursive: true });
        await expect(restoreBackup(copy, target, { onPhase: (phase) => void (phase === 'restoring' && truncateSync(join(copy, 'blobs.sqlite'), 100)), onBytes: () => undefined })).to.reject();

        expect(await readdir(target)).to.include('restore.part');
        expect((await runCommand(at(target), ['export', '-'])).code).to.equal(74);
        await rm(copy, { recursive: true });
        await restoreBackup(backup, target);
        expect((await runCommand(at(target), ['export', '-'])).out).to.contain('"id":"test/file"');
    });

    it('that is asked to stop while it verifies ends at once', async () => {

        const child = startCommand(database, ['restore', backup, '--to', target]);
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const [code, signal] = await ended as [number | null, string | null];

        expect([code, signal]).to.equal([null, 'SIGTERM']);
        expect(await readdir(join(target, '..'))).to.equal([]);
    });

    it(`is refused before it takes the space of others${withoutDisks()}`, { skip: withoutDisks() !== '' }, async () => {

        const disk = smallDisk(8 * MIB);
        if (!disk) {
            return;
        }

        try {
            await expect(restoreBackup(backup, join(disk.path, 'data'))).to.reject(/data needs \d+\.\d MiB, but its disk has only [78]\.\d MiB$/);
            expect(await readdir(disk.path)).to.equal([]);
        }
        finally {
            disk.remove();
        }
    });
});
