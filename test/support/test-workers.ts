/**
 * Worker processes for servers under test: with `TEST_WORKERS=4` suites that start a server on a port, on SQLite, run against four of them. The
 * process of the tests is the primary process.
 */

import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Logger } from 'pino';
import { WorkerPool } from '../../lib/cluster/worker-pool.js';
import type { Config } from '../../lib/config/index.js';

const CLI = join(__dirname, '../../bundle/main.js');

/** Number of workers of a server with some settings. */
export function testWorkers(settings: Readonly<Record<string, unknown>>): number {

    return settings['DATABASE_URL'] === undefined && settings['WORKERS'] === undefined ? Number(process.env['TEST_WORKERS'] ?? 0) : 0;
}

/** Prepares workers for a server, and returns the configuration of the primary process. */
export async function prepareWorkers(config: Config, workers: number, log: Logger): Promise<{ readonly pool: WorkerPool; readonly config: Config }> {

    const pool = await WorkerPool.prepare(config.listen, workers, log);
    return { pool, config: { ...config, listen: { ...config.listen, port: pool.beginning.port } } };
}

/** Starts them as the service does. What they log is given to a function. */
export async function startWorkers(pool: WorkerPool, settings: Readonly<Record<string, unknown>>, onLine: (line: string) => unknown): Promise<void> {

    const variables = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));
    const before = { ...process.env };
    cluster.setupPrimary({ exec: CLI, args: ['serve'], execArgv: [], silent: true });
    const listen = ({ process: { stdout, stderr } }: Worker): void => {

        stdout?.resume();
        createInterface({ input: stderr as Readable }).on('line', onLine);
    };

    cluster.on('fork', listen);
    Object.assign(process.env, variables, { LOG_LEVEL: 'debug' });
    const started = pool.start();
    for (const name of [...Object.keys(variables), 'LOG_LEVEL']) {
        if (before[name] === undefined) {
            delete process.env[name];
        }
        else {
            process.env[name] = before[name];
        }
    }

    await started;
    cluster.off('fork', listen);
}
