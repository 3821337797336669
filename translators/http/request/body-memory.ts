/**
 * An account of the bytes of bodies that are held as a whole, JSON and forms, as long as their requests last. Bytes are taken
 * as they arrive, after decompression and before anything is parsed. What one address and all unknown callers may hold is
 * bounded, and so is the sum; a request that finds no room is refused and may be sent again.
 */

import type { Request, Server } from '@hapi/hapi';
import { badRequest, tooManyRequests, unavailable } from '../../../lib/errors/errors.js';
import { readBytes } from '../../../lib/doip/segments.js';
import type { HttpLimits } from './translator-options.js';

/** Bytes of each request that are not counted, so that small requests always find room. */
const FREE = 16 * 1024;

/** Share of one address, and share of all callers without credentials together. */
const SHARE = 2;

const RETRY_SECONDS = 1;

/** Takes bytes for a request; throws where there is no room. */
export type TakeBytes = (bytes: number) => void;

/** The bytes that are held. */
export class BodyMemory {

    readonly #most: number;
    readonly #bySource = new Map<string, number>();
    #held = 0;
    #heldByUnknown = 0;

    constructor(most: number) {

        this.#most = most;
    }

    /** Bytes that are counted at this moment. */
    get held(): number {

        return this.#held;
    }

    /**
     * Makes the function by which a request takes bytes. They are given back when it has been answered.
     *
     * @param source where the request comes from
     * @throws DoipError the function does: 429 when the source holds too much, 503 when there is no room
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

/** Answered or broken off, once. */
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

/** The account that all interfaces of a server share. The first that asks says how much there is. */
export function bodyMemoryOf(server: Server, most: number): BodyMemory {

    const key = server.listener;
    let memory = memories.get(key);
    if (!memory) {
        memory = new BodyMemory(most);
        memories.set(key, memory);
    }

    return memory;
}

/** Reads a body into memory, and takes the room for it. */
export function gather(body: AsyncIterable<Uint8Array>, limit: number, { takeBytes }: Pick<HttpLimits, 'takeBytes'>): Promise<Buffer> {

    return readBytes(takeBytes ? counted(body, takeBytes) : body, limit);
}

async function *counted(body: AsyncIterable<Uint8Array>, takeBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {

    for await (const chunk of body) {
        takeBytes(chunk.byteLength);
        yield chunk;
    }
}
