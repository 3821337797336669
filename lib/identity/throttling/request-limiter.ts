/**
 * Limits the rate of requests, and of the bytes that they store: by user, and by address for requests without a login. The dispatcher applies
 * it to the requests of all protocols. Administrators and the process itself are not limited, so that they can act when others are.
 *
 * An address cannot lock its users out: requests with valid credentials count for the user alone.
 */

import type { DoipRequest, RateLimitState, Segment } from '../../doip/envelope.js';
import { DoipError, tooLarge, tooManyRequests } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';
import { jsonText } from '../../json/raw-json.js';
import type { Caller } from '../../model/caller.js';
import { RateLimiter } from '../../util/concurrency/rate-limiter.js';
import { sourceOf } from '../../util/net/ip-address.js';

/** Limits; 0 for none. */
export interface RequestRates {
    /** Window of the limits of requests, in seconds. */
    readonly seconds: number;
    /** Maximum number of requests of a user in a window. */
    readonly userRequests: number;
    /** Maximum number of requests without a login from an address in a window. */
    readonly addressRequests: number;
    /** Number of requests as which a change counts. */
    readonly changeCost: number;
    /** Number of requests as which a search counts. */
    readonly searchCost: number;
    /** Window of the limits of bytes, in seconds. */
    readonly bytesSeconds: number;
    /** Maximum number of bytes that a user may send to be stored in a window. */
    readonly userBytes: number;
    /** The same for requests without a login from an address. */
    readonly addressBytes: number;
}

/** What a request does, which determines its cost. */
export type RequestKind = 'read' | 'search' | 'change';

/** For whom requests are counted. */
type Party = 'user' | 'address';

/** The limiters of one kind of party; null for those that are off. */
interface PartyLimits {
    readonly requests: RateLimiter | null;
    readonly bytes: RateLimiter | null;
}

type LimitedRequest = Pick<DoipRequest, 'authentication' | 'transport' | 'input' | 'rawInput' | 'inputBytes'>;

/** Limits the rate of requests. */
export class RequestLimiter {

    readonly #rates: RequestRates;
    readonly #limits: Readonly<Record<Party, PartyLimits>>;

    /** @param now a monotonic clock in milliseconds; for tests */
    constructor(rates: RequestRates, now?: () => number) {

        const limiter = (quota: number, seconds: number): RateLimiter | null =>
            (quota === 0 ? null : new RateLimiter({ quota, seconds, ...now ? { now } : {} }));
        this.#rates = rates;
        this.#limits = {
            user: { requests: limiter(rates.userRequests, rates.seconds), bytes: limiter(rates.userBytes, rates.bytesSeconds) },
            address: { requests: limiter(rates.addressRequests, rates.seconds), bytes: limiter(rates.addressBytes, rates.bytesSeconds) }
        };
    }

    /** True if there is any limit. */
    static isNeeded({ userRequests, addressRequests, userBytes, addressBytes }: RequestRates): boolean {

        return userRequests + addressRequests + userBytes + addressBytes > 0;
    }

    /** Begins with a request, which is not counted yet. */
    begin(request: LimitedRequest, kind: RequestKind): RequestAllowance {

        const { changeCost, searchCost } = this.#rates;
        const cost = kind === 'change' ? changeCost : kind === 'search' ? searchCost : 1;
        return new RequestAllowance(this.#limits, request, cost);
    }
}

/** What is left to the sender of one request. */
export class RequestAllowance {

    readonly #limits: Readonly<Record<Party, PartyLimits>>;
    readonly #request: LimitedRequest;
    readonly #cost: number;
    /** Null if the sender is not limited, or not known yet. */
    #party: Party | null = null;
    #key = '';

    constructor(limits: Readonly<Record<Party, PartyLimits>>, request: LimitedRequest, cost: number) {

        this.#limits = limits;
        this.#request = request;
        this.#cost = cost;
    }

    /** Counts a request without credentials for its address, before its caller is determined. @throws DoipError 429 */
    countAnonymous(): void {

        if (hasNoCredentials(this.#request)) {
            this.#count('address', sourceOf(this.#request.transport.remoteAddress));
        }
    }

    /** Counts a request for its caller, unless it was counted before. @throws DoipError 429 */
    countCaller({ userId, isAdmin }: Caller): void {

        if (this.#party !== null || isAdmin) {
            return;
        }

        if (userId === null) {
            this.#count('address', sourceOf(this.#request.transport.remoteAddress));
        }
        else {
            this.#count('user', userId);
        }
    }

    /** Counts a request with wrong credentials for its address. @throws DoipError 429 */
    countFailure(error: unknown): void {

        const isWrong = error instanceof DoipError && (error.status === Status.unauthenticated || error.status === Status.forbidden);
        if (isWrong && this.#party === null) {
            this.#count('address', sourceOf(this.#request.transport.remoteAddress));
        }
    }

    /**
     * Returns the input of a change, whose bytes are counted: at once if their number is announced, otherwise as they are read.
     *
     * @throws DoipError 429, or 413 for more than may ever be stored in a window
     */
    counted(): Pick<DoipRequest, 'input' | 'rawInput'> {

        const bytes = this.#party && this.#limits[this.#party].bytes;
        const { input, rawInput, inputBytes } = this.#request;
        if (bytes && inputBytes !== undefined) {
            this.#take(bytes, inputBytes, inputBytes);
        }

        if (!bytes || inputBytes !== undefined) {
            return { input, rawInput };
        }

        const count = new ByteCount((more, total) => this.#take(bytes, more, total));
        return { input: count.of(input), rawInput: rawInput && count.of(rawInput) };
    }

    /** What is left, by each limit that applies to the sender. */
    get states(): readonly RateLimitState[] {

        if (this.#party === null) {
            return [];
        }

        const { requests, bytes } = this.#limits[this.#party];
        return [
            ...requests ? [stateOf(requests, this.#key, { policy: this.#party, unit: 'requests' })] : [],
            ...bytes ? [stateOf(bytes, this.#key, { policy: `${this.#party}-bytes`, unit: 'content-bytes' })] : []
        ];
    }

    #count(party: Party, key: string): void {

        if (this.#request.transport.remoteAddress === '') {
            return;                                         // This process
        }

        this.#party = party;
        this.#key = key;
        const { requests } = this.#limits[party];
        const cost = Math.min(this.#cost, requests?.quota ?? 0);
        if (requests && !requests.take(key, cost)) {
            const wait = requests.secondsUntil(key, cost);
            throw tooManyRequests(party === 'user' ?
                `a user may send at most ${requests.quota} requests in ${inSeconds(requests.seconds)}: try again in ${inSeconds(wait)}` :
                `an address may send at most ${requests.quota} requests without a login in ${inSeconds(requests.seconds)}: ` +
                    `log in, or try again in ${inSeconds(wait)}`, wait);
        }
    }

    /** @param total all bytes of the request so far */
    #take(limiter: RateLimiter, bytes: number, total: number): void {

        const { quota, seconds } = limiter;
        const who = this.#party === 'user' ? 'a user may store' : 'an address may store without a login';
        const limit = `${who} at most ${quota} bytes in ${inSeconds(seconds)}`;
        if (total > quota) {
            throw tooLarge(`${limit}: send less at a time`);
        }

        if (!limiter.take(this.#key, bytes)) {
            const wait = limiter.secondsUntil(this.#key, bytes);
            throw tooManyRequests(`${limit}: try again in ${inSeconds(wait)}`, wait);
        }
    }
}

/** Counts the bytes of an input as it is read. */
class ByteCount {

    readonly #take: (bytes: number, total: number) => void;
    #total = 0;

    constructor(take: (bytes: number, total: number) => void) {

        this.#take = take;
    }

    async *of(input: AsyncIterable<Segment>): AsyncGenerator<Segment> {

        for await (const segment of input) {
            if (segment.kind === 'json') {
                this.#add(Buffer.byteLength(jsonText(segment.value)));
                yield segment;
            }
            else {
                yield { ...segment, body: this.#body(segment.body) };
            }
        }
    }

    async *#body(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

        for await (const chunk of body) {
            this.#add(chunk.byteLength);
            yield chunk;
        }
    }

    #add(bytes: number): void {

        this.#total += bytes;
        this.#take(bytes, this.#total);
    }
}

function inSeconds(seconds: number): string {

    return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

function hasNoCredentials({ authentication, transport: { clientCertificate, localToken } }: LimitedRequest): boolean {

    return clientCertificate === undefined && localToken === undefined && Object.keys(authentication).length === 0;
}

function stateOf(limiter: RateLimiter, key: string, { policy, unit }: Pick<RateLimitState, 'policy' | 'unit'>): RateLimitState {

    const { quota, seconds } = limiter;
    return { policy, unit, quota, seconds, remaining: limiter.remaining(key), secondsToComplete: limiter.secondsToComplete(key) };
}
