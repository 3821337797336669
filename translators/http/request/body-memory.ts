/**
 * Memory budget for bodies that are buffered as a whole (JSON and forms), for the duration of their requests, and for the items of long bodies
 * until each is done. Bytes are charged as they arrive, after decompression and before parsing. There are limits for each source, which is an
 * address or a /64 network of IPv6, for all callers without credentials together, and in total; a request beyond them is rejected and may be
 * retried.
 */

import type { Request, Server } from '@hapi/hapi';
import type { MemoryAccount } from '../../../lib/doip/envelope.js';
import { badRequest, type DoipError, tooManyRequests, unavailable } from '../../../lib/errors/errors.js';
import { sourceOf } from '../../../lib/util/net/ip-address.js';

/** Bytes of each request that are not charged, so that small requests are never rejected. */
const FREE = 16 * 1024;

/**
 * Whose bytes are charged: of requests without credentials, or whose credentials are not verified; of beginnings of requests that may have
 * credentials, which are verified later; and of requests whose caller was admitted.
 */
export type MemoryShare = 'anonymous' | 'unverified' | 'verified';

/** Fractions of the budget: for one source, and for all sources together. Those of `unverified` leave room for those of others. */
const OF_SOURCE: Readonly<Record<MemoryShare, number>> = { anonymous: 1 / 2, unverified: 1 / 4, verified: 1 / 2 };
const OF_ALL: Readonly<Record<MemoryShare, number>> = { anonymous: 1 / 2, unverified: 1 / 2, verified: 1 };

/** Fraction of the budget for `anonymous` and `unverified` together. */
const OF_STRANGERS = 3 / 4;

const RETRY_SECONDS = 1;

/** What one request has charged to the budget. */
export interface BodyAccount extends MemoryAccount {
    /**
     * Adds bytes; true if some of them were charged, as those of small requests are not.
     *
     * @throws DoipError 429 when the source exceeds its share, 503 when the budget is exhausted, 400 when the account is closed
     */
    readonly reserve: (bytes: number) => boolean;
    /** Releases everything. To be called when the response has ended. */
    readonly close: () => void;
}

/** Bytes charged, by share. */
type Charges = Record<MemoryShare, number>;

/** The budget of a server. */
export class BodyMemory {

    readonly #max: number;
    readonly #bySource = new Map<string, Charges>();
    readonly #charges = noCharges();

    constructor(max: number) {

        this.#max = max;
    }

    /** Bytes charged at present. */
    get used(): number {

        return total(this.#charges);
    }

    /** Opens the account of one request. */
    open(remoteAddress: string, share: MemoryShare): BodyAccount {

        let source: string | null = null;
        let isOpen = true;
        let held = 0;
        let charged = 0;
        const lower = (bytes: number): void => {

            held = bytes;
            const less = charged - chargeable(held);
            if (source !== null && less > 0) {
                this.#release(source, share, less);
                charged -= less;
            }
        };

        return {
            reserve: (bytes) => {

                if (!isOpen) {
                    throw requestEnded();
                }

                const more = chargeable(held + bytes) - charged;
                if (more > 0) {
                    source ??= sourceOf(remoteAddress);
                    this.#reserve(source, share, more);
                    charged += more;
                }

                held += bytes;
                return more > 0;
            },
            release: (bytes) => lower(Math.max(0, held - bytes)),
            close: () => {

                isOpen = false;
                lower(0);
            }
        };
    }

    /**
     * Opens the account of an HTTP request, which is closed when the response has ended.
     *
     * @throws DoipError from its functions, like {@link BodyAccount.reserve}
     */
    forRequest(request: Request, remoteAddress: string, share: MemoryShare): MemoryAccount {

        const { reserve, release, close } = this.open(remoteAddress, share);
        let isWatched = false;
        return {
            release,
            reserve: (bytes) => {

                if (!reserve(bytes)) {
                    return;
                }

                if (!request.active()) {
                    close();
                    throw requestEnded();
                }

                if (!isWatched) {
                    isWatched = true;
                    whenDone(request, close);
                }
            }
        };
    }

    #reserve(source: string, share: MemoryShare, bytes: number): void {

        const max = this.#max;
        const ofSource = this.#bySource.get(source) ?? noCharges();
        if (total(ofSource) + bytes > max * OF_SOURCE.verified || ofSource[share] + bytes > max * OF_SOURCE[share]) {
            throw tooManyRequests('too many long bodies from this address at this moment, try again a little later', RETRY_SECONDS);
        }

        const all = this.#charges;
        const ofStrangers = all.anonymous + all.unverified + bytes;
        if (this.used + bytes > max || all[share] + bytes > max * OF_ALL[share] || share !== 'verified' && ofStrangers > max * OF_STRANGERS) {
            throw unavailable('too many long bodies at this moment, try again a little later', RETRY_SECONDS);
        }

        ofSource[share] += bytes;
        this.#bySource.set(source, ofSource);
        all[share] += bytes;
    }

    #release(source: string, share: MemoryShare, bytes: number): void {

        this.#charges[share] -= bytes;
        const ofSource = this.#bySource.get(source);
        if (ofSource) {
            ofSource[share] -= bytes;
            if (total(ofSource) === 0) {
                this.#bySource.delete(source);
            }
        }
    }
}

/** How many of the bytes that a request holds are charged. */
function chargeable(bytes: number): number {

    return Math.max(0, bytes - FREE);
}

function requestEnded(): DoipError {

    return badRequest('the request ended before its body was read');
}

function noCharges(): Charges {

    return { anonymous: 0, unverified: 0, verified: 0 };
}

function total({ anonymous, unverified, verified }: Charges): number {

    return anonymous + unverified + verified;
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
