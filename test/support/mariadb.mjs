/**
 * A MariaDB server of one's own, for the time of a test run: a temporary folder, a free port, small buffers.
 *
 * As a program (`node test/support/mariadb.mjs`) it prints the URL and runs until it is interrupted.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, freePort, runAsProgram, startDatabaseServer } from './database-server.mjs';

const START_TIMEOUT_MS = 240_000;

/** Path of an installed program, or null. Servers live in sbin, which is not always in the PATH. */
function find(...names) {

    const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
    for (const name of names) {
        const folder = folders.find((candidate) => existsSync(join(candidate, name)));
        if (folder !== undefined) {
            return join(folder, name);
        }
    }

    return null;
}

/** True when MariaDB is installed. */
export function hasMariadb() {

    return find('mariadbd') !== null && find('mariadb-install-db', 'mysql_install_db') !== null;
}

/**
 * Starts a server on a fresh data folder below `parent`, or on one that `fill` writes, with more `options`. Resolves to its URL, with the right to do everything, and `stop()`, which removes every trace of it. In between
 * `kill()` ends it as a crash would, and `restart()` starts it again on its data.
 */
export async function startMariadb({ fill, options: more = [], parent = tmpdir() } = {}) {

    const folder = await mkdtemp(join(parent, 'doip-gateway-mariadb-'));
    const { username } = userInfo();
    // A server that starts removes the temporary tables that it finds, also those of others that have the same folder for them.
    const temporary = join(folder, 'temporary');
    await mkdir(temporary);
    const common = ['--no-defaults', `--datadir=${join(folder, 'data')}`, `--tmpdir=${temporary}`, `--user=${username}`];
    if (fill) {
        await fill(join(folder, 'data'));
    }
    else {
        await run(find('mariadb-install-db', 'mysql_install_db'), [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
    }

    const port = await freePort();
    const options = [...common, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`,
        `--pid-file=${join(folder, 'pid')}`, '--innodb-buffer-pool-size=64M', '--innodb-log-file-size=16M', '--performance-schema=OFF',
        '--skip-name-resolve', '--skip-log-bin', '--max-connections=300', '--character-set-server=utf8mb4', ...more
    ];
    const launch = () => spawn(find('mariadbd'), options, { stdio: ['ignore', 'ignore', 'pipe'] });
    return await startDatabaseServer({ name: 'MariaDB', folder, url: `mysql://root@127.0.0.1:${port}`, launch, timeoutMs: START_TIMEOUT_MS, signal: 'SIGTERM' });
}

async function run(program, args) {

    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = collect(child.stderr);
    const [code] = await once(child, 'close');
    if (code !== 0) {
        throw new Error(`${program} ended with ${code}:\n${stderr()}`);
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    runAsProgram(await startMariadb());
}
