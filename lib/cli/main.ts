#!/usr/bin/env node
/**
 * The command line, for `npm start` and `npx doip-gateway`. Results go to standard output, the log to standard error; the last line printed
 * at start is the URL of the service.
 */

import './node-version.js';
import { demandOptions, readArguments } from './command.js';
import { CommandError, EXIT } from './command-error.js';
import { ConfigError, doubtfulVariables, loadConfig } from '../config/index.js';
import { FirstPasswordError } from '../identity/passwords/admin-account.js';
import { DataDirError } from '../app/data-dir.js';
import { LostFileError } from '../../db/engines/sqlite/lost-file.js';
import type { Log } from '../logging/logger.js';

async function main(args: readonly string[]): Promise<void> {

    process.umask(0o077);               // Files that it stores and exports are readable by their owner only
    const { help, version, options, words: [command = 'serve', ...rest] } = readArguments(args);
    if (help || command === 'help') {
        const { helpText } = await import('./help.js');
        console.log(helpText());
        return;
    }

    if (version || command === 'version' && rest.length === 0) {
        const { implementation } = await import('../util/version.js');
        console.log(implementation.version);
        return;
    }

    if (command === 'serve' && rest.length === 0) {
        demandOptions('serve', options, []);
        await serve();
        return;
    }

    const { isCommand, runCommand } = await import('./commands.js');
    if (!isCommand(command)) {
        throw new CommandError(`unknown command ${[command, ...rest].join(' ')}; see doip-gateway help`, EXIT.usage);
    }

    await runCommand(command, rest, options, loadConfig);
    const { flushOutput } = await import('./output.js');
    await flushOutput();
    process.exit(0);
}

async function serve(): Promise<void> {

    // Configuration errors are reported before heavy modules are loaded.
    const config = loadConfig();
    const [{ createServer, drainServer, serverUrl }, { openLog }] = await Promise.all([import('../server.js'), import('../logging/logger.js')]);
    const log = openLog(config.log);
    endOnErrors(log);
    for (const each of doubtfulVariables()) {
        log.logger.warn({ event: 'config.unknown-variable', ...each }, 'unknown environment variable, similar to a setting');
    }

    const server = await createServer(config, { log: log.logger });
    const started = server.start();
    // Before the URL is printed: a process that reads it may send a signal at once.
    const timeout = config.http.shutdownSeconds * 1000;
    stopOnSignals(async (signal) => {

        const since = performance.now();
        log.logger.info({ event: 'service.stopping', signal }, 'stopping');
        endAnyway(config.http.drainSeconds * 1000 + timeout + Math.max(timeout, CLOSING_MS), log);
        await started;
        await drainServer(server);
        await server.stop({ timeout });
        log.logger.info({ event: 'service.stopped', ms: Math.round(performance.now() - since) }, 'stopped');
        await log.flush();
    });
    await started;
    const url = serverUrl(server, config);
    log.logger.info({ event: 'service.listening', url, pid: process.pid, node: process.version, ms: Math.round(performance.now()) }, 'listening');
    await log.flush();
    console.log(url);
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
            stop(signal).then(() => process.exit(0), fail);
        });
    }
}

/** Minimum time in milliseconds for what follows the requests, such as closing a database that does not respond. */
const CLOSING_MS = 5000;

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

        log.logger.fatal({ event: 'service.uncaught-error', err: error, origin }, 'uncaught error');
        process.exit(EXIT.failed);
    });
}

function fail(error: unknown): void {

    const [message, code] = explain(error);
    process.stderr.write(`doip-gateway: ${message}\n`);
    process.exit(code);
}

/** Returns one line for errors that the user can fix, a stack trace for others. */
function explain(error: unknown): [message: string, code: number] {

    if (error instanceof CommandError) {
        return [error.message, error.code];
    }

    if (error instanceof ConfigError || error instanceof FirstPasswordError) {
        return [error.message, EXIT.config];
    }

    if (error instanceof LostFileError) {
        return [error.message, EXIT.lost];
    }

    if (error instanceof DataDirError) {
        return [error.message, EXIT.unavailable];
    }

    const { code, port, address, hostname, message, stack } = error as NodeJS.ErrnoException & Partial<Record<'port' | 'address' | 'hostname', string>>;
    switch (code) {
        case 'EADDRINUSE':
            return [`port ${port} of ${address} is in use: stop what listens there, or choose another PORT`, EXIT.unavailable];
        case 'EACCES':
            return [`port ${port} may not be listened on: choose a PORT above 1023`, EXIT.unavailable];
        case 'EADDRNOTAVAIL':
        case 'ENOTFOUND':
        case 'EAI_AGAIN':
            return [`HOST ${address ?? hostname ?? ''} is no address of this machine`, EXIT.unavailable];
        default:
            return [stack ?? message, EXIT.failed];
    }
}

if (require.main === module) {
    main(process.argv.slice(2)).catch(fail);
}
