/**
 * The command line in processes that end by themselves.
 */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { TestDatabase } from './database.js';

const CLI = join(__dirname, '../../bundle/main.js');

/** How a command ended. */
export interface Run {
    readonly code: number | null;
    readonly out: string;
    readonly error: string;
}

/** Runs a command on a database. `input` is its standard input; `env` overrides what the database says. */
export async function runCommand(database: TestDatabase, args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Run> {

    const child = startCommand(database, args, env);
    const run = { out: '', error: '' };
    child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (run.error += chunk.toString()));
    const ended = once(child, 'close') as Promise<[number | null]>;
    await pipeline(Readable.from([Buffer.from(input)]), child.stdin).catch(() => {
        // It has ended without reading on.
    });
    const [code] = await ended;
    return { code, ...run };
}

/** Starts a command on a database. `out` is an open file for its standard output. */
export function startCommand(
    { options }: TestDatabase, args: readonly string[], env: NodeJS.ProcessEnv = {}, out: number | 'pipe' = 'pipe'
): ChildProcessWithoutNullStreams {

    return spawn(process.execPath, [CLI, ...args], {
        stdio: ['pipe', out, 'pipe'],
        env: {
            PATH: process.env['PATH'], LOG_LEVEL: 'silent', ADMIN_PASSWORD: 'admin-password', DATA_DIR: options.dataDir,
            DATABASE_URL: options.url ?? '', ...env
        }
    }) as ChildProcessWithoutNullStreams;
}
