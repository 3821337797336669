/** `backup`, `verify` and `restore`: what they accept and refuse, and what is left after a failure. The restore drill is in `test/interface`. */

import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import { MIGRATIONS } from '../../../db/migrations/index.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { runCommand, startCommand, type Run } from '../../support/command.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { LIMITS, startGateway } from '../../support/gateway.js';
import { startProcess } from '../../support/process.js';
import { seeded } from '../../support/random.js';
import { rounds } from '../../support/rounds.js';
import { smallDisk, withoutDisks } from '../../support/small-disk.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FILES = ['SHA256SUMS', 'backup.json', 'blobs.sqlite', 'repository.sqlite'];
const MIB = 1024 * 1024;
const SEED = randomInt(2 ** 31);

/** Changes a copy of a backup. */
type Damage = (folder: string) => Promise<void> | void;

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Changes the manifest and the files, and makes all checksums right again, as no accident does. */
async function forge(folder: string, edit: (manifest: JsonObject) => void, end = ''): Promise<void> {

    const manifest = JSON.parse(await readFile(join(folder, 'backup.json'), 'utf8')) as { files: { name: string; size: number; sha256: string }[] };
    for (const file of manifest.files) {
        const bytes = await readFile(join(folder, file.name));
        [file.size, file.sha256] = [bytes.byteLength, sha256(bytes)];
    }

    edit(manifest);
    const text = JSON.stringify(manifest) + end;
    await writeFile(join(folder, 'backup.json'), text);
    const sums = [...manifest.files, { name: 'backup.json', sha256: sha256(text) }];
    await writeFile(join(folder, 'SHA256SUMS'), sums.map((each) => `${each.sha256}  ${each.name}\n`).join(''));
}

function forgeSql(file: string, sql: string): Damage {

    return async (folder) => {

        const db = new Sqlite(join(folder, file));
        db.exec(sql);
        db.close();
        await forge(folder, () => {});
    };
}

function withChangedByte(name: string): Damage {

    return async (folder) => {

        const random = seeded(SEED);
        const bytes = await readFile(join(folder, name));
        const at = random.integer(0, bytes.byteLength - 1);
        bytes[at] = (bytes[at] ?? 0) ^ 1 << random.integer(0, 7);
        await writeFile(join(folder, name), bytes);
    };
}

const DAMAGES: readonly (readonly [title: string, damage: Damage, message: RegExp])[] = [
    ...FILES.map((name) => [`a changed bit in ${name}`, withChangedByte(name), /(?:backup\.json|SHA256SUMS|blobs\.sqlite|repository\.sqlite) (?:was changed|is missing)/] as const),
    ...FILES.map((name) => [`no ${name}`, (folder: string) => rm(join(folder, name)), new RegExp(`${name} is missing`)] as const),
    ['a truncated file', async (folder) => truncate(join(folder, 'blobs.sqlite'), 4096), /blobs\.sqlite has 4096 bytes instead of \d+/],
    ['an empty file of checksums', (folder) => writeFile(join(folder, 'SHA256SUMS'), ''), /SHA256SUMS was changed/],
    ['a newer format', (folder) => forge(folder, (manifest) => (manifest['backup'] = 2)), /it has format 2, and this version reads only format 1: use a newer version/],
    ['a manifest without counts', (folder) => forge(folder, (manifest) => delete manifest['counts']), /backup\.json: "counts" is required/],
    ['a manifest with other files', (folder) => forge(folder, (manifest) => ((manifest['files'] as JsonObject[])[0] = { name: '../x', size: 1, sha256: '0'.repeat(64) })), /was changed|backup\.json: /],
    ['a manifest of other contents', (folder) => forge(folder, (manifest) => (manifest['highestTxnId'] = 7)), /its counts differ/],
    ['a newer schema', forgeSql('repository.sqlite', `insert into migrations (name, batch, migration_time) values ('999-newer', 9, 0)`),
        /version \S+ wrote it with the schema 999-newer, which this version does not know/],
    ['a manifest that is no JSON', (folder) => forge(folder, () => {}, '{'), /backup\.json is no JSON/],
    ['another database', forgeSql('repository.sqlite', 'drop table payloads'), /its database cannot be read: no such table: payloads/],
    ['a file that is no database', async (folder) => {

        await writeFile(join(folder, 'blobs.sqlite'), 'x'.repeat(100_000));
        await forge(folder, () => {});
    }, /its database cannot be read: file is not a database/],
    ['a payload without its last bytes', forgeSql('blobs.sqlite', 'delete from blob_chunks where n = 1'), /1 payloads lack bytes/],
    ['a payload whose bytes would be swept', forgeSql('repository.sqlite', 'update blobs set links = 0'), /2 payloads lack bytes/],
    ['a payload with another hash', forgeSql('repository.sqlite', `update payloads set hash = '${'0'.repeat(64)}' where name = 'small'`),
        /payload small of test\/files has another hash than when it was stored/]
];

describe('a backup', () => {

    let database: TestDatabase;
    let folder: string;
    let backup: string;
    const run = (...args: string[]): Promise<Run> => runCommand(database, args);

    before(async () => {

        [database, folder] = [await createSqlite(), await mkdtemp(join(tmpdir(), 'doip-gateway-backup-'))];
        const gateway = await startGateway(database);
        await gateway.asAdmin('0.DOIP/Op.Create', { input: [
            jsonSegment({ id: 'test/files', type: 'Document', attributes: { content: { name: 'files' } } }),
            jsonSegment({ id: 'large' }), bytesSegment(Buffer.alloc(500_000, 'x')), jsonSegment({ id: 'small' }), bytesSegment(Buffer.from('small'))
        ] });
        await gateway.stop();
        backup = join(folder, 'backup');
        const { code, error } = await run('backup', backup);
        expect(code, error).to.equal(0);
        expect(error).to.match(/^backup: \d objects and 2 payloads as they were at \S+, \d\.\d MiB in/);
    });

    after(async () => {

        await database.dispose();
        await rm(folder, { recursive: true });
    });

    it('is a folder for its owner only, with a manifest, and checksums that other programs can check', async () => {

        const manifest = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8')) as JsonObject;
        const sums = (await readFile(join(backup, 'SHA256SUMS'), 'utf8')).trim().split('\n').map((line) => line.split('  '));

        expect((await readdir(backup)).toSorted()).to.equal(FILES);
        expect((await stat(backup)).mode & 0o777).to.equal(0o700);
        for (const name of FILES) {
            expect((await stat(join(backup, name))).mode & 0o777).to.equal(0o600);
        }

        expect<unknown>(manifest).to.include({ backup: 1, serviceId: 'test/service', schema: MIGRATIONS.at(-1)?.name });
        expect<unknown>(manifest['counts']).to.include({ elements: 2, elementBytes: 500_005, incompleteElements: 0 });
        for (const [sum = '', name = ''] of sums) {
            expect(sha256(await readFile(join(backup, name))), name).to.equal(sum);
        }
    });

    it('is valid, and verify changes nothing', async () => {

        const { code, error } = await run('verify', backup);

        expect([code, /^verify: valid, \d objects and 2 payloads/.test(error)], error).to.equal([0, true]);
        expect((await readdir(backup)).toSorted()).to.equal(FILES);
    });

    for (const [title, damage, message] of DAMAGES) {
        it(`is refused by verify and restore with ${title}`, async () => {

            const damaged = await mkdtemp(join(folder, 'damaged-'));
            await cp(backup, damaged, { recursive: true });
            await damage(damaged);
            const target = join(folder, 'refused');
            const runs = [await run('verify', damaged), await run('restore', damaged, '--to', target)];

            for (const { code, error } of runs) {
                expect(code, error).to.equal(65);
                expect(error).to.match(/^(?:\w+: payload [^\n]+\n)*doip-gateway: \S+ is no valid backup: [^\n]+\n$/);
                expect(error).to.match(message);
            }

            expect(await readdir(folder)).to.not.include('refused');
        });
    }

    it('is restored to a new or empty folder, once, for its owner only', async () => {

        const [fresh, empty, interrupted] = ['deep/fresh', 'empty', 'interrupted'].map((name) => join(folder, name)) as [string, string, string];
        await mkdir(empty);
        await mkdir(join(interrupted, 'restore.part'), { recursive: true });
        await writeFile(join(interrupted, 'restore.part/repository.sqlite'), 'a part');
        await writeFile(join(interrupted, 'blobs.sqlite'), 'a part');
        for (const target of [fresh, empty, interrupted]) {
            const first = await run('restore', backup, '--to', target);
            const again = await run('restore', backup, '--to', target);
            const there = await runCommand({ ...database, options: { dataDir: target } }, ['export', '-']);

            expect([first.code, again.code], first.error).to.equal([0, 73]);
            expect(again.error).to.match(/is not empty, it has \S+: restore to a new folder with --to, or move it away\n$/);
            expect(there.out).to.contain('"id":"test/files"');
            expect(await readdir(target)).to.not.include('restore.part');
            expect((await stat(join(target, 'repository.sqlite'))).mode & 0o777).to.equal(0o600);
        }

        expect((await stat(fresh)).mode & 0o777).to.equal(0o700);
    });

    it('is neither written nor restored over data', async () => {

        const used = await mkdtemp(join(folder, 'used-'));
        await writeFile(join(used, 'mine'), '');
        const [written, restored, own] = [await run('backup', used), await run('restore', backup, '--to', used), await run('restore', backup)];

        expect([written.code, restored.code, own.code]).to.equal([73, 73, 73]);
        expect(written.error).to.equal(`doip-gateway: ${used} is not empty: name a new folder for each backup\n`);
        expect(await readdir(used)).to.equal(['mine']);
    });

    it('is refused with one sentence for wrong arguments', async () => {

        const file = join(folder, 'a-file');
        await writeFile(file, '');
        const link = join(folder, 'a-link');
        await symlink(backup, link);
        const mysql = { DATABASE_URL: 'mysql://user:secret@127.0.0.1:1/none' };
        const cases: [args: string[], code: number, message: string, env?: NodeJS.ProcessEnv][] = [
            [['backup'], 64, 'usage: doip-gateway backup DIR'],
            [['verify'], 64, 'usage: doip-gateway verify DIR'],
            [['restore', 'a', 'b'], 64, 'usage: doip-gateway restore DIR'],
            [['backup', 'x', '--to', 'y'], 64, 'backup has no option --to'],
            [['backup', file], 73, `${file} is no folder`],
            [['backup', join(folder, 'no/where')], 73, 'cannot be written: ENOENT'],
            [['verify', join(folder, 'nothing')], 66, 'cannot be read: ENOENT'],
            [['verify', file], 66, `${file} is no folder with a backup`],
            [['verify', database.options.dataDir], 65, 'is no valid backup: SHA256SUMS is missing'],
            ...existsSync('/proc/self') ? [[['restore', backup, '--to', '/proc/none'], 73, '/proc/none cannot be written'] as [string[], number, string]] : [],
            [['restore', backup, '--to', join(backup, 'inside/of')], 73, 'inside/of is in the backup'],
            [['restore', backup, '--to', join(link, 'inside')], 73, `is in the backup ${backup}: restore to a folder outside of it`],
            [['restore', link, '--to', join(backup, 'inside')], 73, `is in the backup ${link}`],
            [['restore', backup, '--to', backup], 73, 'is in the backup'],
            [['restore', backup, '--to', file], 73, `${file} is no folder`],
            [['backup', join(folder, 'none')], 66, 'there is no repository to back up', { DATA_DIR: join(folder, 'no-data') }],
            [['backup', join(folder, 'none')], 64, 'mariadb-backup', mysql],
            [['restore', backup], 64, 'name a folder with --to', mysql]
        ];
        for (const [args, code, message, env] of cases) {
            const ended = await runCommand(database, args, '', env);

            expect([ended.code, ended.error.includes(message), ended.error.split('\n').length], ended.error).to.equal([code, true, 2]);
            expect(ended.error).to.not.contain('secret');
        }
    });

    it('is not restored to a folder that a server uses', async () => {

        const other = await createSqlite();
        const service = await startProcess(other);
        const { code, error } = await runCommand(other, ['restore', backup]);
        await service.stop();
        await other.dispose();

        expect(code).to.equal(73);
        expect(error).to.contain('is not empty');
    });

    it('is written of a repository whose payloads were lost, with a warning, and can be restored', async () => {

        const lossy = await createSqlite();
        await cp(database.options.dataDir, lossy.options.dataDir, { recursive: true });
        const db = new Sqlite(join(lossy.options.dataDir, 'blobs.sqlite'));
        db.exec('delete from blob_chunks where n = 1');
        db.close();
        const rows = new Sqlite(join(lossy.options.dataDir, 'repository.sqlite'));
        rows.prepare('update payloads set name = ? where name = ?').run('large\u001b[2J', 'large');
        rows.close();
        const target = join(folder, 'lossy');
        const runs = [
            await runCommand(lossy, ['backup', target]), await runCommand(lossy, ['verify', target]),
            await runCommand(lossy, ['restore', target, '--to', join(folder, 'lossy-restored')])
        ];
        await lossy.dispose();

        expect(runs.map(({ code }) => code)).to.equal([74, 0, 0]);
        expect(runs[0]?.error).to.contain('was written, but 1 payloads are damaged in the repository itself');
        expect(runs[1]?.error).to.contain('payload large?[2J of test/files lacks bytes');
    });

    it(`leaves nothing on a full disk${withoutDisks()}`, { skip: withoutDisks() !== '' }, async () => {

        const disk = smallDisk(2 * MIB);
        if (!disk) {
            return;
        }

        try {
            disk.fill(256 * 1024);
            const written = await run('backup', join(disk.path, 'backup'));
            const restored = await run('restore', backup, '--to', join(disk.path, 'restored'));

            expect([written.code, restored.code], written.error + restored.error).to.equal([73, 73]);
            expect(written.error).to.match(/^doip-gateway: \S+ needs \d\.\d MiB, but its disk has only 0\.\d MiB\n$/);
            expect(restored.error).to.match(/^doip-gateway: \S+ needs \d\.\d MiB, but its disk has only 0\.\d MiB\n$/);
            expect(await readdir(disk.path)).to.equal(['ballast']);
        }
        finally {
            disk.remove();
        }
    });
});

/** Maximum number of attempts to interrupt a backup before it is complete. */
const MAX_ROUNDS = 20;

describe('an interrupted backup', () => {

    let database: TestDatabase;
    let folder: string;

    before(async () => {

        [database, folder] = [await createSqlite(), await mkdtemp(join(tmpdir(), 'doip-gateway-backup-'))];
        const gateway = await startGateway(database, { limits: { ...LIMITS, elementBytes: 32 * MIB } });
        for (let n = 0; n < 4; ++n) {
            await gateway.asAdmin('0.DOIP/Op.Create', { input: [
                jsonSegment({ id: `test/${n}`, type: 'Document', attributes: { content: {} } }), jsonSegment({ id: 'p' }), bytesSegment(Buffer.alloc(16 * MIB, n))
            ] });
        }

        await gateway.stop();
    });

    after(async () => {

        await database.dispose();
        await rm(folder, { recursive: true });
    });

    const drafts = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.endsWith('.part'));

    /** Bytes written so far; -1 before there is a draft. */
    const draftBytes = async (): Promise<number> => {

        const [draft] = await drafts();
        const names = draft === undefined ? null : await readdir(join(folder, draft)).catch(() => null);
        const sizes = await Promise.all((names ?? []).map((name) => stat(join(folder, draft ?? '', name)).then(({ size }) => size, () => 0)));
        return names ? sizes.reduce((sum, size) => sum + size, 0) : -1;
    };

    it('leaves nothing that verify accepts when it is killed', async () => {

        const random = seeded(SEED);
        const outcomes: string[] = [];
        const few = rounds(4, 30);
        for (let round = 0; round < few || round < MAX_ROUNDS && !outcomes.includes('none'); ++round) {
            const target = join(folder, `backup-${round}`);
            const command = startCommand(database, ['backup', target]);
            const ended = once(command, 'exit');
            // In the first round at once, in the others somewhere while it copies: on a busy machine it may be complete by then.
            const bytes = round % few === 0 ? 0 : random.integer(1, 64) * MIB;
            await until(async () => command.exitCode !== null || await draftBytes() >= bytes);
            command.kill('SIGKILL');
            const [code] = await ended as [number | null];
            const names = await readdir(folder);
            if (names.includes(`backup-${round}`)) {
                expect((await runCommand(database, ['verify', target])).code).to.equal(0);
                outcomes.push('complete');
            }
            else {
                expect(code).to.be.null();
                for (const draft of await drafts()) {
                    expect((await runCommand(database, ['verify', join(folder, draft)])).code, `seed ${SEED}, round ${round}`).to.equal(65);
                }

                outcomes.push('none');
            }

            await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
        }

        expect(outcomes).to.include('none');
    });

    it('removes what it has written when it is asked to stop', async () => {

        let [error, code]: [string, number | null] = ['', 0];
        // On a busy machine it may be complete before anybody sees that it has begun.
        for (let round = 0; round < MAX_ROUNDS && code === 0; ++round) {
            const command = startCommand(database, ['backup', join(folder, `stopped-${round}`)]);
            error = '';
            command.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
            const ended = once(command, 'close');
            await until(async () => command.exitCode !== null || (await drafts()).length > 0);
            command.kill('SIGTERM');
            await ended;
            code = command.exitCode;
            await rm(join(folder, `stopped-${round}`), { recursive: true, force: true });
        }

        expect(code).to.equal(1);
        expect(error).to.equal('doip-gateway: backup was interrupted, and what it had written removed\n');
        expect(await readdir(folder)).to.equal([]);
    });
});
