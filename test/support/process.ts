/**
 * The service as its users run it: the command line in a process of its own, on a real port, killable.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestDatabase } from './database.js';
import { ADMIN_PASSWORD, SCRIPT_SECONDS } from './gateway.js';
import { testWorkers } from './test-workers.js';

/** The command line. */
export const CLI = join(__dirname, '../../bundle/main.js');

/** A running service. */
export interface ServiceProcess {
    readonly url: string;
    readonly pid: number;
    /** Milliseconds from the start of the process to the line with the URL. */
    readonly startMs: number;
    /** Everything it has printed to standard output so far. */
    output(): string;
    /** Everything it has logged so far. */
    log(): string;
    /** Sends a signal and does not wait. */
    signal(name: NodeJS.Signals): void;
    /** Its exit code when it ends, null when a signal ended it. */
    ended(): Promise<number | null>;
    /** Ends it at once, as a power cut would, unless it has ended. */
    kill(): Promise<void>;
    /** Asks it to stop; resolves to its exit code. */
    stop(): Promise<number | null>;
}

/** Variables of a service on a database, with more or other ones. */
export function serviceEnvironment({ options: { url, dataDir } }: TestDatabase, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {

    return {
        ...process.env, PORT: '0', DOIP_PORT: '', LOG_LEVEL: 'warn', ADMIN_PASSWORD, DATA_DIR: dataDir, DATABASE_URL: url ?? '',
        SCRIPT_TIMEOUT_SECONDS: String(SCRIPT_SECONDS), WORKERS: String(testWorkers({ DATABASE_URL: url, ...env })), ...env
    };
}

/**
 * Starts the service on a database and waits until it listens. `program` is another program that embeds it, with its arguments; `launcher` one that
 * becomes the service, such as `ip netns exec NAME`.
 */
export async function startProcess(
    database: TestDatabase, env: NodeJS.ProcessEnv = {}, program: readonly string[] = [CLI, 'serve'], launcher: readonly string[] = []
): Promise<ServiceProcess> {

    const started = performance.now();
    const [command = '', ...args] = [...launcher, process.execPath, ...program];
    const child = spawn(command, args, {
        env: serviceEnvironment(database, env),
        stdio: ['ignore', 'pipe', 'pipe']
    });
    const printed = { out: '', error: '' };
    child.stderr.on('data', (chunk: Buffer) => {

        printed.error += chunk.toString();
    });
    const url = await listening(child, printed);
    return {
        url,
        pid: child.pid ?? 0,
        startMs: performance.now() - started,
        output: () => printed.out,
        log: () => printed.error,
        signal: (name) => child.kill(name),
        async ended() {

            const [code] = child.exitCode === null && child.signalCode === null ? await once(child, 'exit') as [number | null] : [child.exitCode];
            return code;
        },
        async kill() {

            if (child.exitCode === null && child.signalCode === null) {
                const ended = once(child, 'exit');
                child.kill('SIGKILL');
                await ended;
            }
        },
        async stop() {

            const ended = once(child, 'exit');
            child.kill('SIGTERM');
            const [code] = await ended as [number | null];
            return code;
        }
    };
}

function listening(child: ChildProcess, printed: { out: string; error: string }): Promise<string> {

    return new Promise((resolve, reject) => {

        child.stdout?.on('data', (chunk: Buffer) => {

            printed.out += chunk.toString();
            const url = /^(https?:\/\/\S+?)\/?$/m.exec(printed.out)?.[1];
            if (url) {
                resolve(url);
            }
        });
        child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${printed.out}\n${printed.error}`)));
    });
}
