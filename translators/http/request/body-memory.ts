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
export type TakeBytes = (bytes: number) => void;

/** The budget of a server. */
export class BodyMemory {

    readonly #most: number;
    readonly #bySource = new Map<string, number>();
    #held = 0;
    #heldByUnknown = 0;

    constructor(most: number) {

        this.#most = most;
    }

    /** Bytes charged at present. */
    get held(): number {

        return this.#held;
    }

    /**
     * Creates the function that charges the bytes of a request; they are released when the response has ended.
     *
     * @param source address of the client
     * @throws DoipError from that function: 429 when the source exceeds its share, 503 when the budget is exhausted
     */
    forRequest(request: Request, source: string, isKnown: boolean): TakeBytes {

        let read = 0;
        let counted = 0;
        return (bytes) => {

            read += bytes;
            const more = Math.max(0, read - FREE) - counted;
            if (more === 0) {
                return;
            }

            if (!request.active()) {
                throw badRequest('the request ended before its body was read');
            }

            this.#take(source, isKnown, more);
            counted += more;
            if (counted === more) {
                whenDone(request, () => this.#give(source, isKnown, counted));
            }
        };
    }

    #take(source: string, isKnown: boolean, bytes: number): void {

        const ofSource = (this.#bySource.get(source) ?? 0) + bytes;
        if (ofSource > this.#most / SHARE) {
            throw tooManyRequests('too many long bodies from this address at this moment, try again a little later', RETRY_SECONDS);
        }

        if (this.#held + bytes > this.#most || !isKnown && this.#heldByUnknown + bytes > this.#most / SHARE) {
            throw unavailable('too many long bodies at this moment, try again a little later', RETRY_SECONDS);
        }

        this.#bySource.set(source, ofSource);
        this.#held += bytes;
        this.#heldByUnknown += isKnown ? 0 : bytes;
    }

    #give(source: string, isKnown: boolean, bytes: number): void {

        const left = (this.#bySource.get(source) ?? 0) - bytes;
        if (left > 0) {
            this.#bySource.set(source, left);
        }
        else {
            this.#bySource.delete(source);
        }

        this.#held -= bytes;
        this.#heldByUnknown -= isKnown ? 0 : bytes;
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
export function bodyMemoryOf(server: Server, most: number): BodyMemory {

    const key = server.listener;
    let memory = memories.get(key);
    if (!memory) {
        memory = new BodyMemory(most);
        memories.set(key, memory);
    }

    return memory;
}

/** Buffers a body, and charges it to the budget. */
export function gather(body: AsyncIterable<Uint8Array>, limit: number, { takeBytes }: Pick<HttpLimits, 'takeBytes'>): Promise<Buffer> {

    return readBytes(takeBytes ? counted(body, takeBytes) : body, limit);
}

async function *counted(body: AsyncIterable<Uint8Array>, takeBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {

    for await (const chunk of body) {
        takeBytes(chunk.byteLength);
        yield chunk;
    }
}
