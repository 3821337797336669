/** Backups of a repository that is not what it should be, and to folders that are not what they seem. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, open, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import { BackupError } from '../../../lib/backup/backup-error.js';
import { createBackup } from '../../../lib/backup/create.js';
import { restoreBackup } from '../../../lib/backup/restore.js';
import { verifyBackup } from '../../../lib/backup/verify.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { runCommand } from '../../support/command.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { smallDisk, withoutDisks } from '../../support/small-disk.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const MIB = 1024 * 1024;
const PAYLOADS = ['a', 'b', 'c', 'd'];

describe('a backup', () => {

    let database: TestDatabase;
    let folder: string;
    let source: string;
    let target: string;

    before(async () => {

        [database, folder] = [await createSqlite(), await mkdtemp(join(tmpdir(), 'doip-gateway-backup-'))];
        const gateway = await startGateway(database);
        const bytes = (name: string): Buffer => Buffer.alloc(300_000, name);
        await gateway.asAdmin('0.DOIP/Op.Create', { input: [
            jsonSegment({ id: 'test/files', type: 'Document', attributes: { content: { name: 'files' } } }),
            ...PAYLOADS.flatMap((name) => [jsonSegment({ id: name }), bytesSegment(bytes(name))])
        ] });
        await gateway.stop();
        const db = new Sqlite(join(database.options.dataDir, 'repository.sqlite'));
        PAYLOADS.forEach((name) => db.prepare('update payloads set hash = ? where name = ?').run(createHash('sha256').update(bytes(name)).digest('hex'), name));
        db.close();
    });

    after(async () => {

        await database.dispose();
        await rm(folder, { recursive: true });
    });

    beforeEach(async () => {

        const own = await mkdtemp(join(folder, 'case-'));
        [source, target] = [join(own, 'data'), join(own, 'backup')];
        await cp(database.options.dataDir, source, { recursive: true });
    });

    const from = () => ({ dataDir: source, prefix: 'test' });

    /** Changes a byte of payloads in a file: the last occurrence, since earlier ones may be remains in a page. */
    async function rot(path: string, ...names: readonly string[]): Promise<void> {

        const file = await open(path, 'r+');
        const bytes = await file.readFile();
        for (const name of names) {
            await file.write('?', bytes.lastIndexOf(name.repeat(1000)) + 500);
        }

        await file.close();
    }

    it('of a rotted payload is written and can be restored, and names each rotted payload', async () => {

        await rot(join(source, 'blobs.sqlite'), 'b', 'd');
        const named: string[] = [];
        const observer = { onPhase() {}, onBytes() {}, onDamaged: (description: string) => named.push(description) };
        const { counts } = await createBackup(target, from(), observer);
        const expected = ['b', 'd'].map((name) => `payload ${name} of test/files has another hash than when it was stored`);

        expect(counts).to.include({ incompleteElements: 0, changedElements: 2 });
        expect(named.splice(0)).to.equal(expected);

        await verifyBackup(target, observer);
        await restoreBackup(target, join(folder, 'rotted'));

        expect(named).to.equal(expected);
        expect((await readdir(join(folder, 'rotted'))).toSorted()).to.include(['blobs.sqlite', 'repository.sqlite']);
    });

    it('of a rotted payload ends the command with a code of its own, and a sentence', async () => {

        await rot(join(source, 'blobs.sqlite'), 'a');
        const damaged = { ...database, options: { dataDir: source } };
        const written = await runCommand(damaged, ['backup', target]);
        const verified = await runCommand(damaged, ['verify', target]);

        expect(written.code, written.error).to.equal(74);
        expect(written.error).to.contain('backup: payload a of test/files has another hash than when it was stored\n');
        expect(written.error).to.endWith(`${target} was written, but 1 payloads are damaged in the repository itself: take them from an older backup\n`);
        expect(verified.code, verified.error).to.equal(0);
        expect(verified.error).to.contain('(1 were damaged in the repository itself)');
    });

    it('is not written of a database whose structure is damaged, so that it takes the place of no older one', async () => {

        const file = await open(join(source, 'repository.sqlite'), 'r+');
        const { size } = await file.stat();
        for (let page = 5; page < size / 4096; page += 2) {
            await file.write(Buffer.alloc(64, 0xff), 0, 64, page * 4096);
        }

        await file.close();
        const error = await expect(createBackup(target, from())).to.reject(BackupError);
        const { code, error: printed } = await runCommand({ ...database, options: { dataDir: source } }, ['backup', target]);

        expect(error).to.include({ kind: 'damaged' });
        expect(error.message).to.startWith(`the database in ${source} is damaged, and no backup was written, so keep the older ones: `);
        expect([code, printed.split('\n').length], printed).to.equal([74, 2]);
        expect(await readdir(join(target, '..'))).to.equal(['data']);
    });

    it('that rotted is refused with all files that were changed, and all payloads in them', async () => {

        await createBackup(target, from());
        await rot(join(target, 'blobs.sqlite'), 'a', 'c');
        await rot(join(target, 'repository.sqlite'), 'i');
        const { code, error } = await runCommand(database, ['verify', target]);

        expect(code).to.equal(65);
        expect(error).to.equal(['a', 'c'].map((name) => `verify: payload ${name} of test/files has another hash than when it was stored\n`).join('') +
            `doip-gateway: ${target} is no valid backup: blobs.sqlite was changed, repository.sqlite was changed\n`);
    });

    it('is refused with a file beside it with which SQLite would read something else', async () => {

        await createBackup(target, from());
        await cp(join(target, 'backup.json'), join(target, 'repository.sqlite-journal'));

        await expect(verifyBackup(target)).to.reject(BackupError, `${target} is no valid backup: repository.sqlite-journal does not belong to it`);
    });

    it('is written to the folder that a symbolic link names, and refused for one that names nothing', async () => {

        await mkdir(join(source, '../real'));
        await symlink('real', target);
        await symlink('nothing', `${target}-2`);
        await createBackup(target, from());

        expect((await readdir(join(source, '../real'))).toSorted()).to.equal(['SHA256SUMS', 'backup.json', 'blobs.sqlite', 'repository.sqlite']);
        await verifyBackup(target);
        await expect(createBackup(`${target}-2`, from())).to.reject(BackupError, `${target}-2 is a symbolic link to nothing`);
    });

    it(`is refused at once for the root of a disk${withoutDisks()}`, { skip: withoutDisks() !== '' }, async () => {

        const disk = smallDisk(16 * MIB);
        if (!disk) {
            return;
        }

        try {
            await expect(createBackup(disk.path, from())).to.reject(BackupError, `${disk.path} is the root of a disk: name a new folder in it`);
            await createBackup(join(disk.path, 'backup'), from());
            await verifyBackup(join(disk.path, 'backup'));
        }
        finally {
            disk.remove();
        }
    });

    it('keeps a priority that is lower than its own', () => {

        const modules = JSON.stringify(join(__dirname, '../../../lib'));
        const program = `require('os').setPriority(19);
            require(${modules} + '/cli/backup.js').backup(${JSON.stringify(target)}, require(${modules} + '/config/index.js').loadConfig())
                .then(() => console.log(require('os').getPriority()));`;
        const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { env: { PATH: process.env['PATH'], DATA_DIR: source }, encoding: 'utf8' });

        expect(stdout, stderr).to.equal('19\n');
    });
});
