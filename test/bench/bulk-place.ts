/**
 * Where a bulk benchmark keeps its objects: a folder, and with `DATABASE_URL` a database beside the one that it names.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { MeasuredProcess } from './measured-process.js';

const CLI = join(__dirname, '../../bundle/main.js');
const PASSWORD = 'bench-password';
const LOW_PRIORITY = 10;

/** The credentials of admin in every place. */
export const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

/** An empty repository. */
export class Place {

    readonly folder: string;
    readonly #url: URL | null;

    private constructor(folder: string, url: URL | null) {

        this.folder = folder;
        this.#url = url;
    }

    static async create(name: string): Promise<Place> {

        const { DATABASE_URL } = process.env;
        const url = DATABASE_URL === undefined ? null : new URL(DATABASE_URL);
        if (url) {
            url.pathname += `_${name}`;
        }

        const place = new Place(mkdtempSync(join(tmpdir(), 'doip-gateway-bench-')), url);
        await place.#query(`drop database if exists ${place.#database}`);
        await place.#query(`create database ${place.#database} character set utf8mb4`);
        return place;
    }

    get #database(): string {

        return `\`${this.#url?.pathname.slice(1) ?? ''}\``;
    }

    get #env(): NodeJS.ProcessEnv {

        return {
            DATA_DIR: this.folder, PORT: '0', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn',
            ...this.#url ? { DATABASE_URL: this.#url.href } : {}
        };
    }

    /** Starts a server on it. */
    serve(): Promise<MeasuredProcess> {

        return MeasuredProcess.start(CLI, ['serve'], this.#env);
    }

    /** Runs a command on it; `aside` at low priority, as beside a server. Resolves to milliseconds from its start to its end. */
    async command(args: readonly string[], aside: boolean): Promise<number> {

        const started = performance.now();
        const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...this.#env }, stdio: ['ignore', 'ignore', 'pipe'] });
        setPriority(child.pid ?? 0, aside ? LOW_PRIORITY : 0);
        let told = '';
        child.stderr.on('data', (chunk: Buffer) => (told = (told + chunk.toString()).slice(-2000)));
        const [code] = await once(child, 'close') as [number | null];
        if (code !== 0) {
            throw new Error(`${args.join(' ')} ended with ${code}:\n${told}`);
        }

        return performance.now() - started;
    }

    async remove(): Promise<void> {

        await this.#query(`drop database ${this.#database}`);
        rmSync(this.folder, { recursive: true });
    }

    async #query(sql: string): Promise<void> {

        if (this.#url) {
            const server = new URL(this.#url);
            server.pathname = '/';
            const connection = await createConnection(server.href);
            await connection.query(sql);
            await connection.end();
        }
    }
}
