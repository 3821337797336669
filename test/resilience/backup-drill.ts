/**
 * The restore drill: a backup while clients write, restored elsewhere and served there. It must contain everything that was acknowledged
 * before the backup began, and nothing without what was acknowledged before it.
 */

import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { runCommand } from '../support/command.js';
import type { Dialect } from '../../db/database.js';
import { createMysql, existingMysql, forEachDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startPrivateMariadb, type PrivateMariadb } from '../support/private-mariadb.js';
import { startProcess } from '../support/process.js';
import { canTestWith } from '../support/programs.js';
import { type Random, seeded } from '../support/random.js';
import { ADMIN_HEADERS, basic } from '../support/rest.js';
import { roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SEED = randomInt(2 ** 31);
const WRITERS = 6;
/** Writes that must have been acknowledged before the backup, and during or after it. */
const BEFORE = 150;
const AFTER = 100;

/** A write that was acknowledged: the object that it created, or the number that it put into one. Times in ms of this process. */
interface Write {
    readonly id: string;
    readonly n: number;
    readonly begun: number;
    readonly acknowledged: number;
}

/** Writes objects of all kinds, and updates of one object with ascending numbers. */
class Writer {

    readonly writes: Write[] = [];
    readonly #url: string;
    readonly #name: string;
    readonly #random: Random;
    #n = 0;

    constructor(url: string, name: string, random: Random) {

        this.#url = url;
        this.#name = name;
        this.#random = random;
    }

    async run(isOver: () => boolean): Promise<void> {

        while (!isOver()) {
            this.#n += 1;
            await this.#write(this.#random.pick(['plain', 'file', 'user', 'version', 'number', 'number'] as const));
        }
    }

    async #write(kind: 'plain' | 'file' | 'user' | 'version' | 'number'): Promise<void> {

        const n = this.#n;
        const id = kind === 'number' ? `test/${this.#name}` : `test/${this.#name}-${n}`;
        const begun = performance.now();
        if (kind === 'user') {
            await this.#send('POST', `/objects?type=User&handle=${id}`, JSON.stringify({ username: `${this.#name}-${n}`, password: 'a long password' }));
        }
        else if (kind === 'file') {
            const form = new FormData();
            const bytes = Buffer.alloc(this.#random.integer(0, 700_000), `${this.#name} ${n} `);
            form.set('content', JSON.stringify({ n, sha256: createHash('sha256').update(bytes).digest('hex') }));
            form.set('p', new Blob([bytes]), 'p.txt');
            await this.#send('POST', `/objects?type=Document&handle=${id}`, form);
        }
        else {
            const exists = kind === 'number' && this.writes.some((write) => write.id === id);
            await this.#send(exists ? 'PUT' : 'POST', exists ? `/objects/${id}` : `/objects?type=Document&handle=${id}`, JSON.stringify({ n }));
        }

        if (kind === 'plain') {
            await this.#send('PUT', `/acls/${id}`, JSON.stringify({ readers: ['public'], writers: [`test/${this.#name}-1`] }));
        }

        this.writes.push({ id, n, begun, acknowledged: performance.now() });
        if (kind === 'version') {
            const published = performance.now();
            await this.#send('POST', `/versions?objectId=${id}&versionId=${id}-v1&clonePayloads=true`);
            this.writes.push({ id: `${id}-v1`, n, begun: published, acknowledged: performance.now() });
        }
    }

    async #send(method: string, path: string, body?: string | FormData): Promise<void> {

        const answer = await fetch(this.#url + path, {
            method, headers: { ...ADMIN_HEADERS, ...typeof body === 'string' ? { 'content-type': 'application/json' } : {} }, ...body === undefined ? {} : { body }
        });
        const text = await answer.text();
        if (answer.status !== 200) {
            throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        }
    }
}

/** Objects of an export by id: the lines of each, chunks of payloads included. */
async function readExport(path: string): Promise<Map<string, string[]>> {

    const objects = new Map<string, string[]>();
    let last: string[] = [];
    for (const line of (await readFile(path, 'utf8')).trimEnd().split('\n').slice(1, -1)) {
        const { id } = JSON.parse(line) as { id?: string };
        if (id === undefined) {
            last.push(line);
        }
        else {
            objects.set(id, last = [line]);
        }
    }

    return objects;
}

const numberIn = (lines: readonly string[]): unknown =>
    (JSON.parse(lines[0] ?? '') as { attributes: { content: JsonObject } }).attributes.content['n'];

const txnIdIn = (lines: readonly string[]): number =>
    (JSON.parse(lines[0] ?? '') as { attributes: { metadata: { txnId: number } } }).attributes.metadata.txnId;

/** How a database is backed up and restored. */
interface Method {
    readonly name: string;
    readonly dialect: Dialect;
    /** True where the machine lacks its program. */
    readonly skip: boolean;
    /** A fresh database; without it, one of those that are tested. */
    readonly create?: () => Promise<TestDatabase>;
    backup(database: TestDatabase, folder: string): Promise<void>;
    /** Restores into a database that the caller disposes of. */
    restore(create: () => Promise<TestDatabase>, folder: string, original: TestDatabase): Promise<TestDatabase>;
}


/** A database on a server that is stopped with it. */
async function onServer(server: PrivateMariadb, create: () => Promise<TestDatabase>): Promise<TestDatabase> {

    const database = await create();
    return {
        ...database,
        async dispose() {

            await database.dispose();
            await server.stop();
        }
    };
}

async function mariadbBackup(...args: readonly string[]): Promise<void> {

    const child = spawn('mariadb-backup', ['--no-defaults', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [code, errors] = await Promise.all([once(child, 'close').then(([status]) => status as number | null), text(child.stderr)]);
    expect(code, errors.slice(-2000)).to.equal(0);
}

async function command(database: TestDatabase, ...args: readonly string[]): Promise<void> {

    const { code, error } = await runCommand(database, args);
    expect(code, error).to.equal(0);
}

/** Runs a client of MariaDB on a database, with a file as its standard input or output. */
async function client(program: string, { options }: TestDatabase, { args = [], file, mode }: { args?: readonly string[]; file: string; mode: 'r' | 'w' }): Promise<void> {

    const url = new URL(options.url ?? '');
    const handle = await open(file, mode);
    const child = spawn(program, [`--host=${url.hostname}`, `--port=${url.port}`, `--user=${url.username}`, ...args, url.pathname.slice(1)],
        { stdio: [mode === 'r' ? handle.fd : 'ignore', mode === 'w' ? handle.fd : 'ignore', 'inherit'] });
    const [code] = await once(child, 'close') as [number | null];
    await handle.close();
    expect(code).to.equal(0);
}

const METHODS: readonly Method[] = [
    {
        name: 'backup and restore', dialect: 'sqlite', skip: false,
        backup: (database, folder) => command(database, 'backup', join(folder, 'backup')),
        async restore(create, folder) {

            const restored = await create();
            await command(restored, 'verify', join(folder, 'backup'));
            await command(restored, 'restore', join(folder, 'backup'));
            return restored;
        }
    },
    {
        name: 'mariadb-dump', dialect: 'mysql', skip: !canTestWith('mariadb-dump'),
        backup: (database, folder) => client('mariadb-dump', database, { args: ['--single-transaction', '--quick', '--hex-blob'], file: join(folder, 'all.sql'), mode: 'w' }),
        async restore(create, folder) {

            const restored = await create();
            await client('mariadb', restored, { file: join(folder, 'all.sql'), mode: 'r' });
            return restored;
        }
    },
    {
        // Copies a whole server, so it has one of its own, and so has the copy.
        name: 'mariadb-backup', dialect: 'mysql', skip: !canTestWith('mariadb-backup'),
        create: async () => {

            const server = await startPrivateMariadb();
            return await onServer(server, () => createMysql(server.url));
        },
        async backup({ options }, folder) {

            const { hostname, port, username } = new URL(options.url ?? '');
            const target = join(folder, 'backup');
            await mariadbBackup('--backup', `--host=${hostname}`, `--port=${port}`, `--user=${username}`, `--target-dir=${target}`);
        },
        async restore(_, folder, { options }) {

            const { pathname } = new URL(options.url ?? '');
            const target = join(folder, 'backup');
            await mariadbBackup('--prepare', `--target-dir=${target}`);
            const server = await startPrivateMariadb({ fill: (dataFolder) => mariadbBackup('--copy-back', `--target-dir=${target}`, `--datadir=${dataFolder}`) });
            return await onServer(server, () => existingMysql(server.url + pathname));
        }
    }
];

forEachDatabase((database, create, dialect) => {

    for (const method of METHODS.filter((each) => each.dialect === dialect)) {
        describe(`the restore drill by ${method.name} on ${database} (seed ${SEED})`, { skip: method.skip }, () => {

            drill(method, method.create ?? create);
        });
    }
});

function drill(method: Method, create: () => Promise<TestDatabase>): void {

    let database: TestDatabase;
    let restored: TestDatabase | undefined;
    let folder: string;

    before(async () => {

        [database, folder] = [await create(), await mkdtemp(join(tmpdir(), 'doip-gateway-drill-'))];
    });

    after(async () => {

        await Promise.all([database.dispose(), restored?.dispose()]);
        await rm(folder, { recursive: true });
    });

    it('finds one moment of a repository that is being written to, complete and in order', { timeout: roundsMs(300_000) }, async () => {

        const service = await startProcess(database);
        const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(service.url, `w${n}`, seeded(SEED + n)));
        const writes = (): Write[] => writers.flatMap((writer) => writer.writes);
        let isOver = false;
        const running = Promise.all(writers.map((writer) => writer.run(() => isOver)));
        const over = running.then(() => 'over', (error: unknown) => Promise.reject(error as Error));
        await Promise.race([over, until(() => writes().length > BEFORE)]);
        const token = await tokenOf(service.url);

        const started = performance.now();
        await method.backup(database, folder);
        const ended = performance.now();
        const there = writes().length;
        await Promise.race([over, until(() => writes().length > there + AFTER)]);
        isOver = true;
        await over;
        await service.stop();
        restored = await method.restore(create, folder, database);

        const [original, copy] = [join(folder, 'original.ndjson'), join(folder, 'copy.ndjson')];
        await command(database, 'export', original);
        await command(restored, 'export', copy);
        const [expected, found] = [await readExport(original), await readExport(copy)];

        // What was acknowledged before is there; what changed later is not.
        const contains = ({ id, n }: Write): boolean => found.has(id) && (!isCounter(id) || Number(numberIn(found.get(id) ?? [])) >= n);
        const all = writes();
        expect(all.filter((write) => write.acknowledged < started && !contains(write))).to.equal([]);
        expect(all.filter((write) => write.begun > ended && contains(write))).to.equal([]);

        // A prefix: with a write come all that were acknowledged before it began.
        const latest = Math.max(...all.filter(contains).map(({ begun }) => begun));
        expect(all.filter((write) => write.acknowledged < latest && !contains(write))).to.equal([]);

        // Every object is as it was, byte by byte, unless it may have changed later.
        const changing = new Set(all.filter((write) => write.acknowledged > started).map(({ id }) => id));
        const different = [...found].filter(([id, lines]) => !changing.has(id) && !isCounter(id) && lines.join('\n') !== expected.get(id)?.join('\n')).map(([id]) => id);
        expect(different).to.equal([]);
        if (method.dialect === 'sqlite') {
            const manifest = JSON.parse(await readFile(join(folder, 'backup/backup.json'), 'utf8')) as { highestTxnId: number; counts: { objects: number } };
            expect(manifest.highestTxnId).to.equal(Math.max(...[...found.values()].map(txnIdIn)));
            expect(manifest.counts.objects).to.equal(found.size);
        }

        await continueIn(restored, { token, found });
    });
}

const isCounter = (id: string): boolean => /^test\/w\d$/.test(id);

async function tokenOf(url: string): Promise<string> {

    const answer = await fetch(`${url}/auth/token`, {
        method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD })
    });
    return (await answer.json() as { access_token: string }).access_token;
}

/** The restored repository serves as the original did: logins, tokens, search, new writes and uploads. */
async function continueIn(restored: TestDatabase, { token, found }: { token: string; found: ReadonlyMap<string, readonly string[]> }): Promise<void> {

    const service = await startProcess(restored, { ADMIN_PASSWORD: '' });
    const status = async (path: string, init: RequestInit = {}): Promise<number> => (await fetch(service.url + path, init)).status;
    const user = [...found].find(([, lines]) => lines[0]?.includes('"type":"User"') === true)?.[0] ?? '';
    const logins = [
        await status('/check-credentials', { headers: ADMIN_HEADERS }),
        await status('/check-credentials', { headers: { authorization: `Bearer ${token}` } }),
        await status('/check-credentials', { headers: basic(user.replace('test/', ''), 'a long password') }),
        await status('/check-credentials', { headers: basic('admin', 'another password') })
    ];
    const search = async (): Promise<Response> => await fetch(`${service.url}/search?query=type:Document&pageSize=0`, { headers: ADMIN_HEADERS });
    let searched = await search();
    // The restored service has no index yet, and says so when building it takes more than seconds, as on a machine that is in use.
    await until(async () => searched.status !== 503 || (searched = await search()).status !== 503, 120_000);
    const { size, message } = await searched.json() as { size?: number; message?: string };
    const uploads: number[] = [];
    for (let n = 0; n < 20; ++n) {
        const form = new FormData();
        form.set('content', JSON.stringify({ n }));
        form.set('p', new Blob([Buffer.alloc(300_000, n)]), 'p');
        uploads.push(await status(`/objects?type=Document&handle=test/later-${n}`, { method: 'POST', headers: ADMIN_HEADERS, body: form }));
    }

    const later = await (await fetch(`${service.url}/objects/test/later-0?full=true`, { headers: ADMIN_HEADERS })).json() as { metadata: { txnId: number } };
    const log = service.log();
    await service.stop();

    expect(logins).to.equal([200, 200, 200, 401]);
    expect(size, message).to.equal([...found].filter(([id, lines]) => lines[0]?.includes('"type":"Document"') === true && !id.endsWith('-v1')).length);
    expect(new Set(uploads)).to.equal(new Set([200]));
    expect(later.metadata.txnId).to.be.above(Math.max(...[...found.values()].map(txnIdIn)));
    expect(log).to.not.contain('"level":"error"');
}
