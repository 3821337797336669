/**
 * The service as a process: settings, log, signals, exit codes, and the URL on standard output. What the command `serve` does, also for
 * programs with operations of their own.
 */

import type { Server } from '@hapi/hapi';
import { WRITER_THREAD } from '../db/engines/sqlite/writer-thread.js';
import type { Gateway } from './app/gateway.js';
import { SHOWN_ONCE, bannerText, type BannerFacts } from './banner.js';
import { isWorkerProcess } from './cluster/primary-channel.js';
import type { Config } from './config/index.js';
import { doubtfulVariables, loadConfig } from './config/index.js';
import { EXIT } from './errors/exit-codes.js';
import type { WorkerPool } from './cluster/worker-pool.js';
import type { Log } from './logging/logger.js';
import { SEARCH_THREAD } from './search/runtime/protocol.js';
import { registerWith } from './registration.js';
import { endWith } from './start-errors.js';
import { notifySystemd } from './systemd.js';
import { collectWhenIdle } from './util/garbage.js';
import { isUnstable, supportEnd } from './util/node-support.js';
import { implementation } from './util/version.js';
import { startAhead } from './util/workers/spare-workers.js';

/** Options of a process that serves. */
export interface RunOptions {
    /** Default: from the environment and the configuration file. */
    readonly config?: Config;
}

/** Minimum time in milliseconds for what follows the requests, such as closing a database that does not respond. */
const CLOSING_MS = 5000;

/**
 * Serves until SIGTERM or an interrupt. The log goes to standard error; the last line on standard output is the URL, or on a terminal a
 * banner. A start that fails ends the process with one sentence and an exit code, as do signals: `run` is for a program that does nothing
 * else.
 *
 * @example
 * await run({}, (gateway) => gateway.registerOperation(wordCount));
 *
 * @param register adds operations, statuses and resolvers, before the database is opened
 * @returns the server, which listens
 */
export async function run({ config: given }: RunOptions = {}, register: (gateway: Gateway) => unknown = () => undefined): Promise<Server> {

    try {
        process.umask(0o077);               // Files that it stores are readable by their owner only
        // Configuration errors are reported before heavy modules are loaded.
        const config = given ?? loadConfig();
        if (isWorkerProcess()) {
            return await (await import('./worker.js')).serveAsWorker(config, register);
        }

        return await serve(config, register);
    }
    catch (error) {
        return endWith(error);
    }
}

async function serve(given: Config, register: (gateway: Gateway) => unknown): Promise<Server> {

    // They load their modules while this thread loads all others.
    startAhead(SEARCH_THREAD);
    if (given.storage.databaseUrl === null) {
        startAhead(WRITER_THREAD);
    }

    const [{ createServerOf, drainServer, serverUrl }, { openLog }] = await Promise.all([import('./server.js'), import('./logging/logger.js')]);
    const log = openLog({ ...given.log, isShared: given.workers.count > 0 });
    endOnErrors(log);
    warn(log);
    const { pool, config } = await withWorkers(given, log);
    const banner = process.stdout.isTTY ? new Banner() : null;
    process.once('exit', () => banner?.end());
    let isStopping = false;
    const server = await createServerOf(pool && { kind: 'primary', pool }, config, {
        log: log.logger, onStartFailed: (error) => void (isStopping || log.flush().finally(() => endWith(error))),
        ...(banner ? { onGeneratedPassword: (password) => banner.addPassword(password) } : {})
    });
    await registerWith(register, server.plugins['doip-gateway'].gateway, log.logger);
    const started = Promise.all([server.start().then(() => pool?.listen()), pool?.start()]);
    // Before the URL is printed: a process that reads it may send a signal at once.
    const timeout = config.http.shutdownSeconds * 1000;
    stopOnSignals(async (signal) => {

        const since = performance.now();
        isStopping = true;
        log.logger.info({ event: 'service.stopping', signal }, 'stopping');
        notifySystemd('STOPPING=1', 'finishing requests', log.logger);
        endAnyway(config.http.drainSeconds * 1000 + timeout + Math.max(timeout, CLOSING_MS), log);
        await started;
        await drainServer(server);
        await server.stop({ timeout });
        log.logger.info({ event: 'service.stopped', ms: Math.round(performance.now() - since) }, 'stopped');
        await log.flush();
    });
    await started;
    const url = serverUrl(server, config);
    const ms = Math.round(performance.now());
    log.logger.info({ event: 'service.listening', url, version: implementation.version, pid: process.pid, node: process.version, ms }, 'listening');
    await log.flush();
    notifySystemd('READY=1', `serving at ${url}`, log.logger);
    console.log(banner ? banner.show({ config, url, isUp: server.plugins['doip-gateway'].gateway.isUp }) : url);
    collectWhenIdle();
    return server;
}

/** Prepares the workers, and selects the port where they listen. */
async function withWorkers(config: Config, { logger }: Log): Promise<{ readonly pool: WorkerPool | null; readonly config: Config }> {

    const { listen, workers: { count } } = config;
    if (count === 0) {
        return { pool: null, config };
    }

    const { WorkerPool: Pool } = await import('./cluster/worker-pool.js');
    const pool = await Pool.prepare(listen, count, logger);
    return { pool, config: { ...config, listen: { ...listen, port: pool.beginning.port } } };
}

/** What a terminal shows instead of the URL alone. */
class Banner {

    #password: string | null = null;
    #isShown = false;

    /** A password that was made after the banner, as the database was not available, is printed by itself. */
    addPassword(password: string): void {

        this.#password = password;
        if (this.#isShown) {
            printPassword(password);
        }
    }

    /** To be called when the process ends, which may be before the banner is shown, as when the port is in use: the password is stored by then. */
    end(): void {

        if (!this.#isShown && this.#password !== null) {
            printPassword(this.#password);
        }
    }

    show(facts: Omit<BannerFacts, 'password'>): string {

        this.#isShown = true;
        return bannerText({ ...facts, password: this.#password });
    }
}

function printPassword(password: string): void {

    console.log(`\n  password of admin: ${password}\n  ${SHOWN_ONCE}\n`);
}

/** Logs what the operator should know of the environment. */
function warn({ logger }: Log): void {

    for (const each of doubtfulVariables()) {
        logger.warn({ event: 'config.unknown-variable', ...each }, 'unknown environment variable, similar to a setting');
    }

    const ended = supportEnd(process.versions.node, Date.now());
    if (ended !== null) {
        logger.warn({ event: 'node.support-ended', node: process.version, ended }, 'this version of Node gets no security updates any more');
    }

    if (isUnstable(process.versions.node)) {
        logger.warn({ event: 'node.unstable', node: process.version }, 'the embedded database is not stable on this version of Node: use Node 26');
    }
}

/** Maximum time in milliseconds in which two signals count as one: npm forwards an interrupt that the terminal already sent to every process. */
const SAME_SIGNAL_MS = 500;

/** The first signal stops the service gracefully, a second one at once. */
function stopOnSignals(stop: (signal: string) => Promise<void>): void {

    let since: number | null = null;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.on(signal, () => {

            if (since !== null) {
                if (performance.now() - since > SAME_SIGNAL_MS) {
                    process.exit(EXIT.failed);
                }

                return;
            }

            since = performance.now();
            stop(signal).then(() => process.exit(0), endWith);
        });
    }
}

/** Exits when graceful shutdown takes too long. Nothing is lost: whatever was acknowledged is stored. */
function endAnyway(ms: number, log: Log): void {

    setTimeout(() => {

        log.logger.fatal({ event: 'service.stop-timeout', ms }, 'graceful stop timed out, exiting');
        process.exit(EXIT.failed);
    }, ms).unref();
}

/** An uncaught exception may leave any state behind: the process exits, to be restarted by its supervisor. */
function endOnErrors(log: Log): void {

    process.on('uncaughtException', (error, origin) => {

        log.logger.fatal({ event: 'service.uncaught-error', err: error, origin, version: implementation.version, node: process.version }, 'uncaught error');
        process.exit(EXIT.failed);
    });
}
