/** Runs the program that dumps a database as SQL. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { MysqlAddress } from './url.js';

/** Programs of MariaDB and MySQL, in this order. */
const PROGRAMS = ['mariadb-dump', 'mysqldump'];

/** A dump is consistent while others write, and does not lock tables. */
const OPTIONS = ['--single-transaction', '--quick', '--no-tablespaces', '--hex-blob', '--default-character-set=utf8mb4'];

/** Length of what a program says about its failure, in characters. */
const MAX_REASON = 500;

type Dump = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Yields the dump of a database without some of its tables.
 *
 * @throws Error if there is no program, or it fails
 */
export async function *dumpDatabase(address: MysqlAddress, omitted: readonly string[]): AsyncGenerator<Buffer, void, undefined> {

    const child = await start(address, omitted);
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    let reason = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {

        reason = (reason + text).slice(0, MAX_REASON);
    });
    try {
        yield *child.stdout as AsyncIterable<Buffer>;
        const [code, signal] = await ended;
        if (code !== 0) {
            throw new Error(`${child.spawnfile} ended with ${signal ?? code}: ${reason.trim()}`);
        }
    }
    finally {
        child.kill();
        await ended;
    }
}

/** Starts the first program that is installed. */
async function start(address: MysqlAddress, omitted: readonly string[]): Promise<Dump> {

    for (const program of PROGRAMS) {
        const child = spawn(program, [...optionsOf(program, address), ...omitted.map((table) => `--ignore-table=${address.database}.${table}`), address.database], {
            stdio: ['ignore', 'pipe', 'pipe'],
            // Not among the arguments, which all users of the machine see.
            env: { ...process.env, MYSQL_PWD: address.password }
        });
        try {
            await once(child, 'spawn');
            return child;
        }
        catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
                throw error;
            }
        }
    }

    throw new Error(`neither of the programs ${PROGRAMS.join(' and ')} is installed`);
}

function optionsOf(program: string, { host, port, socket, user, ssl }: MysqlAddress): string[] {

    const isMysql = program === 'mysqldump';
    const encrypted = isMysql ? ['--ssl-mode=VERIFY_IDENTITY'] : ['--ssl', '--ssl-verify-server-cert'];
    // Newer clients of MariaDB would verify certificates by default.
    const plain = isMysql ? [] : ['--skip-ssl-verify-server-cert'];
    return [
        '--no-defaults', ...OPTIONS, ...socket === null ? ['--protocol=tcp', `--host=${host}`, `--port=${port}`] : [`--socket=${socket}`], `--user=${user}`,
        ...ssl ? encrypted : plain
    ];
}
