/** What servers of databases have in common that a test run starts for itself: a folder, a port, a start that is waited for, an end without traces. */

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import Mysql from 'mysql2/promise';

/** Range of ports that the system gives to no connection. */
const LOWEST_PORT = 12_000;
const HIGHEST_PORT = 31_000;

/** Milliseconds between two attempts to connect. */
const PAUSE_MS = 50;

/**
 * Starts a server. Resolves to its URL and `stop()`, which removes its folder. In between `kill()` ends it as a crash would, and `restart()` starts it
 * again on its data; `signal()` sends it a signal.
 *
 * @param server its `name`, the `folder` that is removed, the `url` where it is expected, `launch()`, which returns its process with standard error as
 *     a pipe, the milliseconds that its start may take, and the signal by which it stops
 */
export async function startDatabaseServer({ name, folder, url, launch, timeoutMs, signal }) {

    let server = launch();
    const isRunning = () => server.exitCode === null && server.signalCode === null;
    const end = async (by) => {

        if (isRunning()) {
            const ended = once(server, 'exit');
            server.kill(by);
            await ended;
        }
    };

    const stop = async () => {

        await end(signal);
        await rm(folder, { recursive: true, force: true });
    };

    const up = async () => {

        try {
            await waitUntilUp({ name, url, server, timeoutMs });
        }
        catch (error) {
            await stop();
            throw error;
        }
    };

    await up();
    return {
        url, stop, isRunning,
        kill: () => end('SIGKILL'),
        pid: () => server.pid,
        signal: (sent) => server.kill(sent),
        async restart() {

            server = launch();
            await up();
        }
    };
}

/** Prints the URL of a server, and stops it when this process is interrupted. */
export function runAsProgram({ url, stop }) {

    console.log(url);
    for (const signal of ['SIGINT', 'SIGTERM']) {
        process.once(signal, () => void stop().then(() => process.exit(0)));
    }
}

/** Returns a free port, as `freePorts` of free-ports.ts, which is not compiled when a server is started by hand. */
export async function freePort() {

    for (;;) {
        const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
        const server = createServer();
        try {
            server.listen(port, '127.0.0.1');
            await once(server, 'listening');
            server.close();
            await once(server, 'close');
            return port;
        }
        catch {
            // Another one.
        }
    }
}

/** Collects what a stream says; returns a function that returns it as text. */
export function collect(stream) {

    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
}

async function waitUntilUp({ name, url, server, timeoutMs }) {

    const stderr = collect(server.stderr);
    const deadline = Date.now() + timeoutMs;
    for (;;) {
        try {
            const connection = await Mysql.createConnection(url);
            await connection.end();
            return;
        }
        catch (error) {
            if (server.exitCode !== null || Date.now() > deadline) {
                throw new Error(`${name} did not start:\n${stderr()}`, { cause: error });
            }
        }

        await new Promise((resolve) => {

            setTimeout(resolve, PAUSE_MS);
        });
    }
}
