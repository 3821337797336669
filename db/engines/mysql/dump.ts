/** Runs the program that dumps a database as SQL. */

import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Engine } from './server.js';
import type { MysqlAddress } from './url.js';

/** Programs of MariaDB and MySQL. Some systems have the former under the name of the latter. */
const [MARIADB, MYSQL] = ['mariadb-dump', 'mysqldump'];

/** Certificates that the system trusts: the program of MySQL does not find them by itself. */
const SYSTEM_CA = '/etc/ssl/certs/ca-certificates.crt';

/** The dump has stalled when nothing has come for this many timeouts of the address. */
const STALLED_TIMEOUTS = 4;

/** A dump is consistent while others write, and does not lock tables. */
const OPTIONS = ['--single-transaction', '--quick', '--no-tablespaces', '--hex-blob', '--default-character-set=utf8mb4'];

/** Length of what a program says about its failure, in characters. */
const MAX_REASON = 500;

type Dump = ChildProcessByStdio<null, Readable, Readable>;

/** What to dump. */
export interface DumpOptions {
    readonly engine: Engine;
    /** Tables that are left out. */
    readonly omitted: readonly string[];
}

/**
 * Yields the dump of a database. Ends the program when nothing comes any more, and with this process.
 *
 * @throws Error if there is no program, or it fails
 */
export async function *dumpDatabase(address: MysqlAddress, options: DumpOptions): AsyncGenerator<Buffer, void, undefined> {

    const child = await start(address, options);
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    const stalledMs = STALLED_TIMEOUTS * address.timeout;
    let isStalled = false;
    const watch = setTimeout(() => {

        isStalled = true;
        kill();
    }, stalledMs);
    let reason = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {

        reason = (reason + text).slice(0, MAX_REASON);
    });
    try {
        for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
            watch.refresh();
            yield chunk;
        }

        const [code, signal] = await ended;
        if (code !== 0) {
            throw new Error(isStalled ? `${child.spawnfile} has sent nothing for ${stalledMs / 1000} s` :
                `${child.spawnfile} ended with ${signal ?? code}: ${reason.trim()}`);
        }
    }
    finally {
        clearTimeout(watch);
        kill();
        await ended;
        process.off('exit', kill);
    }
}

/** Starts the first program that is installed, that of the server before the other one. */
async function start(address: MysqlAddress, { engine, omitted }: DumpOptions): Promise<Dump> {

    const programs = engine === 'mysql' ? [MYSQL, MARIADB] : [MARIADB, MYSQL];
    for (const program of programs) {
        const args = await argumentsOf(program, address);
        if (args) {
            const child = spawn(program, [...args, ...omitted.map((table) => `--ignore-table=${address.database}.${table}`), address.database], {
                stdio: ['ignore', 'pipe', 'pipe'],
                // Not among the arguments, which all users of the machine see.
                env: { ...process.env, MYSQL_PWD: address.password }
            });
            await once(child, 'spawn');
            return child;
        }
    }

    throw new Error(`neither of the programs ${MARIADB} and ${MYSQL} is installed`);
}

/** Returns the arguments of a program; null if it is not installed. */
async function argumentsOf(program: string, { host, port, socket, user, ssl }: MysqlAddress): Promise<string[] | null> {

    let version: string;
    try {
        version = (await promisify(execFile)(program, ['--version'])).stdout;
    }
    catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
            return null;
        }

        throw error;
    }

    const isMariadb = version.includes('MariaDB');
    const target = socket === null ? ['--protocol=tcp', `--host=${host}`, `--port=${port}`] : [`--socket=${socket}`];
    const own = isMariadb ?
        // Newer versions would verify certificates by default.
        ssl ? ['--ssl', '--ssl-verify-server-cert'] : ['--skip-ssl-verify-server-cert'] :
        // What is restored into the same server has its transactions already.
        ['--set-gtid-purged=OFF', ...ssl ? ['--ssl-mode=VERIFY_IDENTITY', ...existsSync(SYSTEM_CA) ? [`--ssl-ca=${SYSTEM_CA}`] : []] : []];
    return ['--no-defaults', ...OPTIONS, ...target, `--user=${user}`, ...own];
}
