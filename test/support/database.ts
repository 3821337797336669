/**
 * Real databases for tests: a fresh SQLite folder, and a fresh schema on a MySQL or MariaDB server when the environment names
 * one in TEST_MYSQL_URL (`mysql://root@127.0.0.1:3306`, with the right to create databases; `test/run.mjs` sees to it). NO_SQLITE
 * leaves out SQLite, where it is tested already. TEST_ONE_WAY is a seed, and runs each
 * suite in one of its ways by chance.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Mysql from 'mysql2/promise';
import type { Database, Dialect } from '../../db/database.js';
import { openDatabase } from '../../db/engines/open.js';
import type { DatabaseOptions } from '../../db/engines/open.js';
import { seeded } from './random.js';

/** A place for one database, made for one test file or test. */
export interface TestDatabase {
    readonly dialect: Dialect;
    /** What `openDatabase` takes; open it as often as you like. */
    readonly options: DatabaseOptions;
    /** Opens it with all tables. What is still open is closed by {@link dispose}. */
    open(): Promise<Database>;
    /** Closes what was opened and removes everything. */
    dispose(): Promise<void>;
}

/** A dialect that can be tested here. */
export interface TestDialect {
    readonly name: string;
    readonly dialect: Dialect;
    readonly create: () => Promise<TestDatabase>;
}

const { TEST_MYSQL_URL: SERVER, NO_SQLITE, TEST_ONE_WAY } = process.env;

/** SQLite, and MySQL where a server is given. */
export const DIALECTS: readonly TestDialect[] = [
    ...(SERVER && NO_SQLITE ? [] : [{ name: 'SQLite', dialect: 'sqlite' as const, create: createSqlite }]),
    ...(SERVER ? [{ name: 'MySQL', dialect: 'mysql' as const, create: () => createMysql(SERVER) }] : [])
];

const CHOICES = TEST_ONE_WAY ? seeded(Number(TEST_ONE_WAY)) : null;

/** Returns the ways in which a suite is run, such as on each database: all of them, or with TEST_ONE_WAY one by chance. */
export function waysOf<T>(ways: readonly T[]): readonly T[] {

    return CHOICES ? [CHOICES.pick(ways)] : ways;
}

/**
 * Runs a suite on every database there is.
 *
 * @example
 * forEachDatabase((name, create) => {
 *
 *     describe(`store on ${name}`, () => {
 *
 *         let place: TestDatabase;
 *         let database: Database;
 *         before(async () => { place = await create(); database = await place.open(); });
 *         after(() => place.dispose());
 *     });
 * });
 */
export function forEachDatabase(suite: (name: string, create: () => Promise<TestDatabase>, dialect: Dialect) => void): void {

    for (const { name, create, dialect } of waysOf(DIALECTS)) {
        suite(name, create, dialect);
    }
}

/** A fresh SQLite database: the fast default for suites that need only one kind. */
export async function createSqlite(): Promise<TestDatabase> {

    const dataDir = await makeDataDir();
    return testDatabase('sqlite', { dataDir }, () => removeDataDir(dataDir));
}

/** Also MySQL has one: the service keeps more than the database in it. */
function makeDataDir(): Promise<string> {

    return mkdtemp(join(tmpdir(), 'doip-gateway-'));
}

function removeDataDir(dataDir: string): Promise<void> {

    return rm(dataDir, { recursive: true, force: true });
}

/** A fresh database on a server. */
export async function createMysql(server: string): Promise<TestDatabase> {

    const url = new URL(server);
    const schema = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
    url.pathname = '';
    const administer = async (sql: string): Promise<void> => {

        const connection = await Mysql.createConnection(url.href);
        try {
            await connection.query(sql);
        }
        finally {
            await connection.end();
        }
    };

    await administer(`create database ${schema}`);
    url.pathname = `/${schema}`;
    const dataDir = await makeDataDir();
    return testDatabase('mysql', { url: url.href, dataDir }, async () => {

        await administer(`drop database ${schema}`);
        await removeDataDir(dataDir);
    });
}

/** An existing database of a server; it is not removed. */
export async function existingMysql(url: string): Promise<TestDatabase> {

    const dataDir = await makeDataDir();
    return testDatabase('mysql', { url, dataDir }, () => removeDataDir(dataDir));
}

function testDatabase(dialect: Dialect, options: DatabaseOptions, remove: () => Promise<void>): TestDatabase {

    const opened: Database[] = [];
    return {
        dialect,
        options,
        async open() {

            const database = await openDatabase(options);
            opened.push(database);
            await database.migrate();
            return database;
        },
        async dispose() {

            await Promise.all(opened.map((database) => database.close()));
            await remove();
        }
    };
}
