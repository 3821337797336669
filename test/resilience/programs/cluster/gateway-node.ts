/** A node of the installation: a process of the service that can be killed, stopped, and started again on another port, and what its clients see. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../../../support/database.js';
import { startProcess, type ServiceProcess } from '../../../support/process.js';
import { ADMIN_HEADERS } from '../../../support/rest.js';
import type { Checker } from './checker.js';

/** Milliseconds after which a client gives up: longer than the ten seconds after which a write that conflicts is answered. */
const TIMEOUT_MS = 15_000;

/** Of the message of a response 500 that says that the outcome is not known. Any other 500 is no answer to a fault: the service has to know what is wrong. */
const UNKNOWN_OUTCOME = 'look whether it was stored';

/** Milliseconds until what a process logs has arrived, and characters of it that are shown for a request. */
const [LOG_MS, MAX_LOGGED] = [300, 4000];

/** Passwords go by HTTPS only, or by a proxy that says so, as which a client counts here. */
const FORWARDED = { 'x-forwarded-proto': 'https' };

/** What came of a request. */
export interface Reply {
    /** 0 without an answer: it may have been carried out. -1 where it cannot have been, as no connection was made. */
    readonly status: number;
    readonly bytes: Buffer;
    readonly etag: string | null;
    /** When it was sent, by `performance.now()`. */
    readonly from: number;
    /** The process that has answered, by its number. */
    readonly incarnation: number;
    /** Of JSON. */
    json(): unknown;
}

/** Headers, and a body, which is sent as JSON unless it is of bytes. */
export interface Request {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
}

export interface NodeOptions {
    readonly name: string;
    readonly database: TestDatabase;
    readonly env: NodeJS.ProcessEnv;
    /** Program before that of the service, such as `ip netns exec …`, and the host by which the clients reach it. */
    readonly launcher?: readonly string[];
    readonly host?: string;
}

export class GatewayNode {

    readonly name: string;
    /** Answers by status; 0 for none. */
    readonly statuses = new Map<number, number>();
    /** When the last write was acknowledged, by `performance.now()`. */
    lastWrite = 0;
    /** Called at each acknowledged write. */
    onWrite: () => void = () => undefined;
    /** Called at each answer. */
    onReply: (status: number) => void = () => undefined;
    readonly #options: NodeOptions;
    readonly #checker: Checker;
    #process: ServiceProcess | null = null;
    #incarnation = 0;
    #log = '';

    constructor(options: NodeOptions, checker: Checker) {

        this.name = options.name;
        this.#options = options;
        this.#checker = checker;
    }

    get url(): string {

        const url = new URL(this.#process?.url ?? 'http://127.0.0.1:1');
        url.hostname = this.#options.host ?? url.hostname;
        return url.origin;
    }

    get incarnation(): number {

        return this.#incarnation;
    }

    /** What all processes so far have logged. */
    get log(): string {

        return this.#log + (this.#process?.log() ?? '');
    }

    async start(more: NodeJS.ProcessEnv = {}): Promise<void> {

        const { database, env, launcher } = this.#options;
        this.#process = await startProcess(database, { ...env, ...more }, undefined, launcher);
        this.#incarnation += 1;
    }

    signal(name: NodeJS.Signals): void {

        this.#process?.signal(name);
    }

    async kill(): Promise<void> {

        await this.#process?.kill();
        this.#forget();
    }

    /** Asks it to stop, and kills it where it does not. */
    async stop(timeoutMs = 60_000): Promise<void> {

        const timer = setTimeout(() => {

            this.#checker.find('stuck', `${this.name} does not stop`);
            this.#process?.signal('SIGKILL');
        }, timeoutMs);
        await this.#process?.stop();
        clearTimeout(timer);
        this.#forget();
    }

    #forget(): void {

        this.#log += this.#process?.log() ?? '';
        this.#process = null;
    }

    /** Asks, by default as the administrator. */
    async ask(line: string, { headers = {}, body }: Request = {}): Promise<Reply> {

        const [method = '', path = ''] = line.split(' ');
        const from = performance.now();
        const incarnation = this.#incarnation;
        let reply = { status: 0, bytes: Buffer.alloc(0), etag: null as string | null };
        let requestId: string | null = null;
        try {
            const response = await fetch(this.url + path, {
                method, signal: AbortSignal.timeout(TIMEOUT_MS),
                headers: { ...ADMIN_HEADERS, ...FORWARDED, ...body !== undefined && !(body instanceof Buffer) ? { 'content-type': 'application/json' } : {}, ...headers },
                ...body === undefined ? {} : { body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body) }
            });
            reply = { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), etag: response.headers.get('etag') };
            requestId = response.headers.get('request-id');
        }
        catch (error) {
            const { code } = (error as { cause?: { code?: string } }).cause ?? {};
            reply.status = code === 'ECONNREFUSED' ? -1 : 0;
        }

        const { status, bytes } = reply;
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        this.onReply(status);
        if (status === 500 && !bytes.includes(UNKNOWN_OUTCOME)) {
            await sleep(LOG_MS);
            this.#checker.find('unexpected', `${this.name}: ${line} ${status} ${bytes.toString().slice(0, 300)}\n${this.#loggedFor(requestId)}`);
        }

        return { ...reply, from, incarnation, json: () => JSON.parse(bytes.toString()) as unknown };
    }

    /** The lines of the log about a request. */
    #loggedFor(requestId: string | null): string {

        return requestId === null ? '' : this.log.split('\n').filter((line) => line.includes(requestId)).join('\n').slice(0, MAX_LOGGED);
    }

    /** Records that a write was acknowledged. */
    written(): void {

        this.lastWrite = performance.now();
        this.#checker.writes += 1;
        this.onWrite();
    }
}
