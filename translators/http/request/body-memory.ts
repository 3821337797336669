/**
 * Memory budget for bodies that are buffered as a whole (JSON and forms) for the duration of their requests. Bytes are charged as they
 * arrive, after decompression and before parsing. There are limits per address, for all callers without credentials together, and in total;
 * a request beyond them is rejected and may be retried.
 */

import type { Request, Server } from '@hapi/hapi';
import { badRequest, tooManyRequests, unavailable } from '../../../lib/errors/errors.js';
import { readBytes } from '../../../lib/doip/segments.js';
import type { HttpLimits } from './translator-options.js';

/** Bytes of each request that are not charged, so that small requests are never rejected. */
const FREE = 16 * 1024;

/** Fraction of the budget for one address, and for all callers without credentials together. */
const SHARE = 2;

const RETRY_SECONDS = 1;

/** Charges bytes to the budget; throws when they exceed it. */
export type ReserveBytes = (bytes: number) => void;

/** What one request has charged to the budget. */
export interface BodyAccount {
    /**
     * Adds bytes; true if some of them were charged, as those of small requests are not.
     *
     * @throws DoipError 429 when the source exceeds its share, 503 when the budget is exhausted
     */
    readonly reserve: (bytes: number) => boolean;
    /** Releases everything. To be called when the response has ended. */
    readonly release: () => void;
}

/** The budget of a server. */
export class BodyMemory {

    readonly #max: number;
    readonly #bySource = new Map<string, number>();
    #used = 0;
    #usedByAnonymous = 0;

    constructor(max: number) {

        this.#max = max;
    }

    /** Bytes charged at present. */
    get used(): number {

        return this.#used;
    }

    /** Opens the account of one request. `source` is the address of the client. */
    open(source: string, isAuthenticated: boolean): BodyAccount {

        let read = 0;
        let counted = 0;
        return {
            reserve: (bytes) => {

                read += bytes;
                const more = Math.max(0, read - FREE) - counted;
                if (more === 0) {
                    return false;
                }

                this.#reserve(source, isAuthenticated, more);
                counted += more;
                return true;
            },
            release: () => {

                if (counted > 0) {
                    this.#release(source, isAuthenticated, counted);
                    counted = 0;
                }
            }
        };
    }

    /**
     * Creates the function that charges the bytes of an HTTP request; they are released when the response has ended.
     *
     * @throws DoipError from that function, like {@link BodyAccount.reserve}
     */
    forRequest(request: Request, source: string, isAuthenticated: boolean): ReserveBytes {

        const account = this.open(source, isAuthenticated);
        let isWatched = false;
        return (bytes) => {

            if (!account.reserve(bytes)) {
                return;
            }

            if (!request.active()) {
                account.release();
                throw badRequest('the request ended before its body was read');
            }

            if (!isWatched) {
                isWatched = true;
                whenDone(request, account.release);
            }
        };
    }

    #reserve(source: string, isAuthenticated: boolean, bytes: number): void {

        const ofSource = (this.#bySource.get(source) ?? 0) + bytes;
        if (ofSource > this.#max / SHARE) {
            throw tooManyRequests('too many long bodies from this address at this moment, try again a little later', RETRY_SECONDS);
        }

        if (this.#used + bytes > this.#max || !isAuthenticated && this.#usedByAnonymous + bytes > this.#max / SHARE) {
            throw unavailable('too many long bodies at this moment, try again a little later', RETRY_SECONDS);
        }

        this.#bySource.set(source, ofSource);
        this.#used += bytes;
        this.#usedByAnonymous += isAuthenticated ? 0 : bytes;
    }

    #release(source: string, isAuthenticated: boolean, bytes: number): void {

        const left = (this.#bySource.get(source) ?? 0) - bytes;
        if (left > 0) {
            this.#bySource.set(source, left);
        }
        else {
            this.#bySource.delete(source);
        }

        this.#used -= bytes;
        this.#usedByAnonymous -= isAuthenticated ? 0 : bytes;
    }
}

/** Runs the action once, when the response has finished or the connection has closed. */
function whenDone(request: Request, action: () => void): void {

    let isDone = false;
    const done = (): void => {

        if (!isDone) {
            isDone = true;
            action();
        }
    };

    request.raw.res.once('finish', done);
    request.raw.res.once('close', done);
}

const memories = new WeakMap<object, BodyMemory>();

/** The budget shared by all interfaces of a server; the first caller sets its size. */
export function bodyMemoryOf(server: Server, max: number): BodyMemory {

    const key = server.listener;
    let memory = memories.get(key);
    if (!memory) {
        memory = new BodyMemory(max);
        memories.set(key, memory);
    }

    return memory;
}

/** Buffers a body, and charges it to the budget. */
export function bufferBody(body: AsyncIterable<Uint8Array>, limit: number, { reserveBytes }: Pick<HttpLimits, 'reserveBytes'>): Promise<Buffer> {

    return readBytes(reserveBytes ? counted(body, reserveBytes) : body, limit);
}

async function *counted(body: AsyncIterable<Uint8Array>, reserveBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {

    for await (const chunk of body) {
        reserveBytes(chunk.byteLength);
        yield chunk;
    }
}
