/**
 * A server in a process of its own, with its event loop and its memory under observation.
 */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from '../support/worker-connections.js';

/** Event-loop delay, milliseconds. */
export interface LoopDelay {
    readonly p50: number;
    readonly p99: number;
    readonly max: number;
    /** Bytes of heap and buffers of the main thread, at most since the last reset. */
    readonly heapPeak: number;
}

/** A running server. */
export class MeasuredProcess {

    /** Where it listens. */
    readonly url: string;
    readonly #child: ChildProcess;

    private constructor(child: ChildProcess, url: string) {

        this.#child = child;
        this.url = url;
    }

    /**
     * Starts a script, after those in `preload`, and waits for the line with its URL.
     *
     * @param log file descriptor of the log; default: the log of this process
     * @param node the Node that runs it
     */
    static async start(
        script: string, args: readonly string[], env: NodeJS.ProcessEnv, preload: readonly string[] = [], log?: number, node = process.execPath
    ): Promise<MeasuredProcess> {

        const child = fork(script, args, {
            env: { ...process.env, ...env }, execPath: node,
            execArgv: [join(__dirname, 'loop-monitor.js'), ...preload].flatMap((file) => ['-r', file]),
            stdio: ['ignore', 'pipe', log ?? 'inherit', 'ipc']
        });
        return new MeasuredProcess(child, await listeningUrl(child, script));
    }

    get pid(): number {

        return this.#child.pid ?? 0;
    }

    /** Resident memory, bytes. */
    memory(): number {

        const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'))?.[1];
        return Number(kib) * 1024;
    }

    /** Processor time so far, milliseconds: of the thread that answers requests, of all threads, and of worker processes. */
    cpu(): { readonly main: number; readonly all: number; readonly workers: number } {

        const times = threadTimes(this.pid);
        const workers = childrenOf(this.pid).flatMap(threadTimes);
        return { main: times.find(({ id }) => id === String(this.pid))?.ms ?? NaN, all: sum(times), workers: sum(workers) };
    }

    /** Begins to measure delays, or forgets those so far. */
    resetDelay(): void {

        this.#child.send('bench:reset');
    }

    /** Delays since the last reset. */
    async delay(): Promise<LoopDelay> {

        const answer = once(this.#child, 'message');
        this.#child.send('bench:read');
        const [message] = await answer as [{ bench: LoopDelay }];
        return message.bench;
    }

    /** Begins to watch the turns of its event loop; the process must have been started with `turn-monitor.js`. */
    watchTurns(): void {

        this.#child.send('turns:watch');
    }

    /** The longest turn since then, in milliseconds of processor time of the main thread. */
    async longestTurn(): Promise<number> {

        return (await this.turns()).longestTurn;
    }

    /** The longest turn since then, and by how many bytes the memory of the main thread had grown at most. */
    async turns(): Promise<{ readonly longestTurn: number; readonly grown: number }> {

        const answer = once(this.#child, 'message');
        this.#child.send('turns:read');
        const [message] = await answer as [{ longestTurn: number; grown: number }];
        return message;
    }

    /** Ends the process. */
    async stop(): Promise<void> {

        const ended = once(this.#child, 'exit');
        this.#child.kill('SIGTERM');
        await ended;
    }
}

/** Processor time of all threads of a process, those that have ended included, in milliseconds. */
export function processorTime(pid: number): number {

    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    // Fields 14 and 15 of proc(5), in hundredths of a second
    return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface ThreadTime {
    readonly id: string;
    readonly ms: number;
}

function threadTimes(pid: number): ThreadTime[] {

    return readdirSync(`/proc/${pid}/task`).map((id) => ({ id, ms: Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6 }));
}

function sum(times: readonly ThreadTime[]): number {

    return times.reduce((total, { ms }) => total + ms, 0);
}

/** Waits for the line that is nothing but a URL. Goes on reading afterwards, so that the log never blocks the server. */
function listeningUrl(child: ChildProcess, script: string): Promise<string> {

    return new Promise((resolve, reject) => {

        let text = '';
        child.stdout?.on('data', (chunk: Buffer) => {

            text = (text + chunk.toString()).slice(-10_000);
            const url = /^(https?:\/\/\S+?)\/?$/m.exec(text)?.[1];
            if (url) {
                resolve(url);
            }
        });
        child.once('exit', (code) => reject(new Error(`${script} ended with ${code} before it listened:\n${text}`)));
    });
}
