/**
 * Requests to processes that may be killed meanwhile, and a ledger of what they can have left.
 */

import type { Random } from './random.js';
import type { ServiceProcess } from './process.js';
import { ADMIN_HEADERS } from './rest.js';
import { until } from './until.js';

const PATIENCE_MS = 60_000;

/** What was answered. */
export interface Reply {
    readonly status: number;
    readonly value: unknown;
    /** The process that has answered. */
    readonly from: ServiceProcess;
}

/** Where requests go: one of the processes that are up. */
export class Traffic {

    /** Take a process out before it is killed. */
    readonly live = new Set<ServiceProcess>();
    /** What went wrong; the first ends it all. */
    readonly faults: string[] = [];
    answered = 0;
    isOver = false;
    readonly #processes: number;

    /** @param processes how many are up when none was taken out */
    constructor(processes: number) {

        this.#processes = processes;
    }

    /** Repeats a piece of work until it is over. */
    async repeat(work: () => Promise<void>): Promise<void> {

        try {
            while (!this.isOver) {
                await work();
            }
        }
        catch (error) {
            this.faults.push(String(error));
            this.isOver = true;
        }
    }

    /** Asks a process that is up, or a given one; null when it was taken out before it answered, once another is up. */
    async ask(random: Random, line: string, body?: unknown, given?: ServiceProcess): Promise<Reply | null> {

        await until(() => this.live.size > 0, PATIENCE_MS);
        const process = given ?? random.pick([...this.live]);
        const [method = '', path = ''] = line.split(' ');
        try {
            const answer = await fetch(process.url + path, {
                method, headers: ADMIN_HEADERS, signal: AbortSignal.timeout(PATIENCE_MS),
                ...body === undefined ? {} : { body: JSON.stringify(body) }
            });
            const text = await answer.text();
            this.answered += 1;
            return { status: answer.status, value: text === '' ? null : JSON.parse(text) as unknown, from: process };
        }
        catch (error) {
            if (error instanceof TypeError && !this.live.has(process)) {
                // What a killed process had sent to its database may still be done: nobody looks before another runs in its place.
                await until(() => this.live.size === this.#processes, PATIENCE_MS);
                return null;
            }

            throw new Error(`${line}: ${String(error)}`, { cause: error });
        }
    }
}

/** What can be stored of an object: the names that its content can have, null for no object. */
export type States = ReadonlySet<string | null>;

const ABSENT: States = new Set([null]);

/** What can be stored, by id. Each id is written by one worker, one request after the other. */
export class Ledger {

    readonly #states = new Map<string, States>();
    readonly #writers = new Map<string, ServiceProcess | null>();

    get ids(): string[] {

        return [...this.#states.keys()];
    }

    of(id: string): States {

        return this.#states.get(id) ?? ABSENT;
    }

    /** The process that has answered the last write; null when none has. */
    writerOf(id: string): ServiceProcess | null {

        return this.#writers.get(id) ?? null;
    }

    set(id: string, ...states: readonly (string | null)[]): void {

        this.#states.set(id, new Set(states));
    }

    /** Notes what a request that wants to leave a state has left. Throws when the answer cannot be true. */
    async write(id: string, state: string | null, ask: () => Promise<Reply | null>): Promise<void> {

        const before = this.of(id);
        this.set(id, ...before, state);
        const reply = await ask();
        this.#writers.set(id, reply && reply.from);
        if (reply?.status === 200) {
            this.set(id, state);
        }
        else if (reply?.status === 404 && before.has(null)) {
            this.set(id, null);
        }
        else if (reply?.status === 503) {
            this.set(id, ...before);
        }
        else if (reply) {
            throw new Error(`writing ${id}, which may be ${[...before].join()}: ${reply.status} ${JSON.stringify(reply.value)}`);
        }
    }

    /** Checks what a retrieval says, and gives back whether the object is there. */
    check(id: string, { status, value }: Pick<Reply, 'status' | 'value'>): boolean {

        const state = status === 404 ? null : String((value as { name?: unknown }).name);
        if (status !== 200 && status !== 404 || !this.of(id).has(state)) {
            throw new Error(`${id} is ${status} ${JSON.stringify(value)}, but may be ${[...this.of(id)].join()}`);
        }

        return status === 200;
    }
}
