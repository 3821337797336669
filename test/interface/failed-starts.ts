/** Starts that fail: what only an operator can change ends the process with one sentence, before a URL is printed; what may pass is tried again. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { implementation } from '../../lib/util/version.js';
import type { TestDatabase } from '../support/database.js';
import { migrateDatabase } from '../../db/engines/open.js';
import { MIGRATIONS } from '../../db/migrations/index.js';
import { createSqlite } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const CLI = join(__dirname, '../../bundle/main.js');

const SERVER = process.env['TEST_MYSQL_URL'];

/** A user without rights on the files of these tests. */
const NOBODY = 65_534;

const IS_ROOT = process.getuid?.() === 0;

interface Ending {
    readonly code: unknown;
    readonly out: string;
    readonly error: string;
}

describe('a start that fails', () => {

    let database: TestDatabase;
    let folder: string;

    beforeEach(async () => {

        database = await createSqlite();
        folder = database.options.dataDir;
    });

    afterEach(() => database.dispose());

    /** Starts the service, which ends by itself; as a user without rights where these tests are run by root. */
    const serve = (env: NodeJS.ProcessEnv): Promise<Ending> => new Promise((resolve) => {

        const options = {
            env: { PATH: process.env['PATH'], PORT: '0', DOIP_PORT: '', LOG_LEVEL: 'error', DATA_DIR: folder, ...env }, timeout: 60_000,
            ...(IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {})
        };
        execFile(process.execPath, [CLI, 'serve'], options, (failure, out, error) => resolve({ code: failure?.code ?? 0, out, error }));
    });

    const own = async (...paths: string[]): Promise<void> => {

        for (const path of IS_ROOT ? [folder, ...paths] : []) {
            await chown(path, NOBODY, NOBODY);
        }
    };

    const NEWER = { name: '999-from-the-future', up: () => Promise.resolve(), down: () => Promise.resolve() };

    const CASES: readonly [title: string, prepare: () => Promise<NodeJS.ProcessEnv>, code: number, message: RegExp][] = [
        ['a file that is no database', async () => {

            await writeFile(join(folder, 'repository.sqlite'), 'This is no database. '.repeat(100));
            await own(join(folder, 'repository.sqlite'));
            return {};
        }, 74, /^doip-gateway: \S+repository\.sqlite is no SQLite database, or is damaged: restore it from a backup\n$/],
        ['a database of a newer version', async () => {

            await migrateDatabase(database.options, { migrations: [...MIGRATIONS, NEWER] });
            await own(...['repository.sqlite', 'blobs.sqlite', 'repository.sqlite.migrating'].map((name) => join(folder, name)));
            return {};
        }, 78, /^doip-gateway: the database was changed by a newer version of this program: it has the migrations 999-from-the-future, .*\n$/],
        ['a data folder without permission', async () => {

            await own();
            await mkdir(join(folder, 'data'));
            await chmod(join(folder, 'data'), 0o500);
            return { DATA_DIR: join(folder, 'data') };
        }, 69, /^doip-gateway: the data folder \S+ cannot be used \(EACCES\): make it writable, or choose another one with DATA_DIR\n$/],
        ['a data folder that cannot be created', async () => {

            await own();
            await mkdir(join(folder, 'outer'));
            await chmod(join(folder, 'outer'), 0o500);
            return { DATA_DIR: join(folder, 'outer/data') };
        }, 69, /^doip-gateway: the data folder \S+ cannot be used \(EACCES\): .*\n$/],
        ['a file of the database without permission', async () => {

            await (await database.open()).close();
            await own();
            await chmod(join(folder, 'blobs.sqlite'), 0o000);
            await own(join(folder, 'repository.sqlite'), ...IS_ROOT ? [] : [join(folder, 'blobs.sqlite')]);
            return {};
        }, 69, /^doip-gateway: \S+blobs\.sqlite cannot be opened: make it readable and writable for the user of the service\n$/],
        ['another extension keyword than that of the repository', async () => {

            await (await startGateway(database)).stop();
            await own(...(await readdir(folder)).map((name) => join(folder, name)));
            return { EXTENSION_KEYWORD: 'ext' };
        }, 78, /^doip-gateway: the extension keyword of this repository is cordra, not ext: set EXTENSION_KEYWORD to cordra, .*\n$/],
        ['the folder of a node of a database server, which is not named', async () => {

            await own();
            await writeFile(join(folder, 'node-name'), 'a-name\n');
            return { DATABASE_URL: '' };
        }, 78, /^doip-gateway: \S+ is the folder of a node of a database server: set DATABASE_URL, or remove node-name there .*\n$/]
    ];

    for (const [title, prepare, code, message] of CASES) {
        it(`ends for ${title}`, { skip: process.platform === 'win32' }, async () => {

            const { code: ended, out, error } = await serve(await prepare());

            expect([ended, out], error).to.equal([code, '']);
            expect(error).to.match(message);
        });
    }

    const REJECTED: readonly [title: string, change: (url: URL) => void, message: RegExp][] = [
        ['a password', (url) => Object.assign(url, { username: 'root', password: 'wrong-secret' }), /: Access denied for user 'root'@'\S+'.*: check DATABASE_URL/],
        ['a user', (url) => Object.assign(url, { username: 'stranger', password: 'wrong-secret' }), /: Access denied for user 'stranger'@'\S+'.*: check /],
        ['a database', (url) => Object.assign(url, { pathname: '/no_such_database' }), /: Unknown database 'no_such_database': check DATABASE_URL/]
    ];

    for (const [title, change, message] of REJECTED) {
        it(`ends for ${title} that the database server rejects`, { skip: SERVER === undefined || SERVER === '' }, async () => {

            await own();
            const url = new URL(`${SERVER}/test`);
            change(url);

            const { code, out, error } = await serve({ DATABASE_URL: url.href });

            expect([code, out], error).to.equal([78, '']);
            expect(error).to.match(message);
            expect(error.trim().split('\n')).to.have.length(1);
            expect(error).to.not.include('wrong-secret');
        });
    }

    it('is repeated when its database may come back, and logs one stack only', async () => {

        const service = await startProcess(database, { DATABASE_URL: 'mysql://nobody:secret@127.0.0.1:9/nothing' });
        const lines = (): Record<string, unknown>[] => service.log().trim().split('\n').filter((line) => line.includes('service.start-failed'))
            .map((line) => JSON.parse(line) as Record<string, unknown>);
        await until(() => lines().length >= 3);
        await service.stop();

        const [first, ...others] = lines();
        expect(first?.['err']).to.include(['message', 'stack']);
        expect(first?.['version']).to.equal(implementation.version);
        expect(others.map(({ err, reason }) => [err, String(reason).includes('ECONNREFUSED')])).to.equal(others.map(() => [undefined, true]));
        expect(service.log()).to.not.include('secret');
    });
});
