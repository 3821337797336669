import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Sqlite from 'better-sqlite3';
import { SILENT } from '../../../db/log.js';
import { checkServer } from '../../../db/engines/mysql/connection.js';
import { parseMysqlUrl } from '../../../db/engines/mysql/url.js';
import { openDatabase } from '../../../db/engines/open.js';
import { createSqlite } from '../../support/database.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('opening a database', () => {

    it('creates a private data folder with both files, in incremental vacuum mode', async () => {

        const place = await createSqlite();
        const dataDir = join(place.options.dataDir, 'deep', 'down');
        const database = await openDatabase({ dataDir });
        await database.migrate();
        await database.close();

        expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
        for (const file of ['repository.sqlite', 'blobs.sqlite']) {
            const db = new Sqlite(join(dataDir, file));
            expect(db.pragma('auto_vacuum', { simple: true })).to.equal(2);
            expect(db.pragma('journal_mode', { simple: true })).to.equal('wal');
            db.close();
        }

        await place.dispose();
    });

    it('shows commits of another connection at once', async () => {

        const place = await createSqlite();
        const first = await place.open();
        const second = await place.open();
        const read = { sql: 'select value from settings where name = ?' };
        for (const value of ['1', '2', '3']) {
            await first.commit({ steps: [{
                sql: 'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
                bindings: ['shared', value]
            }] });

            expect(await second.read(read, ['shared'])).to.equal([{ value }]);
        }

        await place.dispose();
    });

    it('rejects without a server, with address, user and reason', async () => {

        await expect(openDatabase({ url: 'mysql://robin:secret@127.0.0.1:1/objects', dataDir: '' }))
            .to.reject(/^the database objects at 127\.0\.0\.1:1 cannot be opened as user robin: .*ECONNREFUSED/);
    });
});

describe('a database URL', () => {

    it('is parsed', () => {

        expect(parseMysqlUrl('mysql://ro%40bin:s%2Fe%3Acret@db.example.org:3307/ob%6aects?connections=20&timeout=5&ssl=true')).to.equal({
            host: 'db.example.org', port: 3307, user: 'ro@bin', password: 's/e:cret', database: 'objects',
            connections: 20, timeout: 5000, ssl: true, socket: null
        });
        expect(parseMysqlUrl('mariadb://root@[::1]/objects?socket=%2Frun%2Fmysqld.sock')).to.equal({
            host: '::1', port: 3306, user: 'root', password: '', database: 'objects', connections: 10, timeout: 15_000, ssl: false, socket: '/run/mysqld.sock'
        });
    });

    const broken: [string, RegExp][] = [
        ['not a url', /cannot be read: it must look like mysql:\/\/user:password@host:port\/database/],
        ['mysql://user:pa#ss@host/db', /cannot be read|must name/],
        ['postgres://user:secret@host/db', /must start with mysql:\/\/, got postgres:/],
        ['mysql://user:secret@host', /must name one database/],
        ['mysql://user:secret@host/a/b', /must name one database/],
        ['mysql://host/db', /must name a user/],
        ['mysql://user:secret@host/db?pool=1', /unknown option pool; known are connections, timeout, ssl, socket/],
        ['mysql://user:secret@host/db?connections=0', /connections of the database URL must be a whole number/],
        ['mysql://user:secret@host/db?timeout=soon', /timeout of the database URL must be a whole number/],
        ['mysql://user:secret@host/db?ssl=maybe', /ssl of the database URL must be true or false/],
        ['mysql://user:100%25%@host/db', /broken percent-encoding/]
    ];
    for (const [url, message] of broken) {
        it(`is rejected without repeating the password: ${url}`, async () => {

            await expect(openDatabase({ url, dataDir: '' })).to.reject(message);
            await expect(openDatabase({ url, dataDir: '' })).to.reject(/^(?!.*secret)/);
        });
    }
});

describe('the check of a database server', () => {

    const good = { version: '10.11.6-MariaDB', packet: 16_777_216, flush: 1 };

    /** A server that answers with the given facts. */
    async function check(facts: object): Promise<string[]> {

        const warnings: string[] = [];
        const server = { query: () => Promise.resolve([[{ ...good, ...facts }], []]) };
        await checkServer(server as unknown as Parameters<typeof checkServer>[0], {
            ...SILENT,
            warn(_, message) {

                warnings.push(message);
            }
        });
        return warnings;
    }

    it('accepts a suitable server', async () => {

        expect(await check({})).to.equal([]);
        expect(await check({ version: '8.4.3' })).to.equal([]);
    });

    it('warns of small packets and of a relaxed log', async () => {

        expect(await check({ packet: 4_194_304 })).to.equal(['max_allowed_packet too small for large objects']);
        expect(await check({ flush: 2 })).to.equal(['database server may lose the last commits in a crash']);
    });

    for (const [version, message] of [
        ['5.7.44', /the database server is 5\.7\.44; MySQL 8\.0 or MariaDB 10\.6 is needed/],
        ['10.5.23-MariaDB', /MySQL 8\.0 or MariaDB 10\.6 is needed/]
    ] as const) {
        it(`rejects ${version}`, async () => {

            await expect(check({ version })).to.reject(message);
        });
    }

    it('rejects packets smaller than a chunk', async () => {

        await expect(check({ packet: 65_536 })).to.reject(/packets of at most 65536 bytes; set max_allowed_packet/);
    });
});
