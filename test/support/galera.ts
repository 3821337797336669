/** A cluster of three MariaDB servers with Galera on loopback, for the time of a run. */

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Mysql from 'mysql2/promise';
import { freePorts } from './free-ports.js';
import { canTestWith, hasProgram } from './programs.js';
import { until } from './until.js';

const PROVIDER = '/usr/lib/galera/libgalera_smm.so';
const SERVER = '/usr/sbin/mariadbd';
const START_MS = 180_000;
/** Characters of the log of a server that an error shows. */
const LOG_LENGTH = 4000;

/** True where a cluster can be started. In CI it must be. */
export const HAS_GALERA = canTestWith('galera', existsSync(PROVIDER) && existsSync(SERVER) && hasProgram('rsync'));

export interface Galera {
    /** `mysql://…` of each server, without a database. */
    readonly urls: readonly string[];
    /** Sends a signal to a server; SIGSTOP cuts it from the others without a word. */
    signal(n: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
    /** Ends a server as a crash does. */
    kill(n: number): Promise<void>;
    /** Starts a killed server again, which joins the others and gets what it lacks; resolves when it accepts queries. */
    rejoin(n: number): Promise<void>;
    stop(): Promise<void>;
}

/** Starts the servers. Debian's packages mariadb-server, galera-4 and rsync are needed. @param parents folders for their data; by default one of its own */
export async function startGalera(count = 3, parents: readonly string[] = []): Promise<Galera> {

    const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-galera-'));
    await chmod(folder, 0o755);
    const servers: ChildProcess[] = [];
    const starts: ((...more: string[]) => Promise<void>)[] = [];
    const stop = async (): Promise<void> => {

        await Promise.all(servers.map(end));
        await rm(folder, { recursive: true, force: true });
    };

    try {
        const places: { port: number; base: number }[] = [];
        for (let n = 0; n < count; ++n) {
            places.push({ port: await freePorts(1), base: await freePorts(3) });
        }

        const user = userInfo().uid === 0 ? 'mysql' : userInfo().username;
        const urls = places.map(({ port }) => `mysql://root@127.0.0.1:${port}`);
        for (const [n, { port, base }] of places.entries()) {
            // A server that starts removes the temporary tables that it finds, also those of others that have the same folder for them.
            const temporary = join(folder, `temporary${n}`);
            const data = join(parents[n] ?? folder, `data${n}`);
            await mkdir(temporary);
            await chmod(temporary, 0o777);
            const common = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${temporary}`, `--user=${user}`];
            await promisify(execFile)('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
            const options = [
                ...common, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(data, 'socket')}`,
                '--innodb-buffer-pool-size=64M', '--performance-schema=OFF', '--skip-name-resolve', '--max-connections=300',
                '--binlog-format=ROW', '--innodb-autoinc-lock-mode=2', '--wsrep-on=ON', `--wsrep-provider=${PROVIDER}`,
                `--wsrep-cluster-address=gcomm://${places.map((place) => `127.0.0.1:${place.base}`).join(',')}`,
                `--wsrep-node-address=127.0.0.1:${base}`, `--wsrep-node-incoming-address=127.0.0.1:${port}`,
                `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${base};ist.recv_addr=127.0.0.1:${base + 1};gcache.size=128M`,
                '--wsrep-sst-method=rsync', `--wsrep-sst-receive-address=127.0.0.1:${base + 2}`
            ];
            const log = join(data, 'log');
            const failed = (error: Error): never => {

                throw new Error(`${error.message}\n${existsSync(log) ? readFileSync(log, 'utf8').slice(-LOG_LENGTH) : ''}`);
            };

            const start = async (...more: string[]): Promise<void> => {

                const server = spawn(SERVER, [...options, ...more, `--log-error=${log}`], { stdio: 'ignore' });
                servers[n] = server;
                const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
                await until(async () => hasEnded() || await isReady(urls[n] ?? ''), START_MS).catch(failed);
                if (hasEnded()) {
                    failed(new Error(`server ${n} has ended`));
                }
            };

            starts.push(start);
            await start(...n === 0 ? ['--wsrep-new-cluster'] : []);
        }

        return {
            urls, stop,
            signal: (n, signal) => void servers[n]?.kill(signal),
            kill: (n) => end(servers[n]),
            rejoin: async (n) => await starts[n]?.()
        };
    }
    catch (error) {
        await stop();
        throw error;
    }
}

async function end(server: ChildProcess | undefined): Promise<void> {

    if (server?.exitCode === null && server.signalCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
    }
}

async function isReady(url: string): Promise<boolean> {

    try {
        const connection = await Mysql.createConnection(url);
        const [rows] = await connection.query('show status where variable_name = \'wsrep_ready\' and value = \'ON\'');
        await connection.end();
        return (rows as unknown[]).length > 0;
    }
    catch {
        // It is not up yet.
        return false;
    }
}
