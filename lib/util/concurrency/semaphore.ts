/**
 * Keyed semaphore: a limited number of permits, in total and for each key, such as a caller. Waiting calls are served FIFO for each key,
 * and fairly between keys.
 */

import { FairQueue } from './fair-queue.js';

/** Gives a permit back; idempotent. */
export type Release = () => void;

/** Why no permit was granted: too many calls wait with the key, or in total, or the wait was too long. */
export type RejectionReason = 'key full' | 'full' | 'timeout';

/** Numbers that are absent are unlimited. */
export interface SemaphoreOptions {
    /** Permits in total. */
    readonly permits?: number;
    /** Extra permits for keys that hold none, so that a few keys cannot lock out the others. */
    readonly spare?: number;
    readonly permitsPerKey?: number;
    readonly maxWaiting?: number;
    readonly maxWaitingPerKey?: number;
    /**
     * Serves the key whose last turn was longest ago, and makes room for it at the expense of the key with the most waiting calls. By
     * default keys are served round-robin, and a call is rejected when too many wait.
     */
    readonly newcomersFirst?: boolean;
    readonly rejection: (why: RejectionReason, key: string) => Error;
}

export interface AcquireOptions {
    /** Maximum wait. */
    readonly timeoutMs?: number | undefined;
    /** Ends the wait with its reason. */
    readonly signal?: AbortSignal;
    /** Overrides the general limit. */
    readonly maxWaitingPerKey?: number;
}

/** Ends a wait: with a permit, or with an error. */
type Waiter = (error?: Error) => void;

export class Semaphore {

    readonly #options: Required<SemaphoreOptions>;
    readonly #acquired = new Map<string, number>();
    readonly #queue: FairQueue<Waiter>;
    /** End of the suspension by key, as `performance.now()`. */
    readonly #suspended = new Map<string, number>();
    #inUse = 0;
    #isClosed = false;

    constructor(options: SemaphoreOptions) {

        this.#options = {
            permits: Infinity, spare: 0, permitsPerKey: Infinity, maxWaiting: Infinity, maxWaitingPerKey: Infinity, newcomersFirst: false, ...options
        };
        this.#queue = new FairQueue(this.#options.newcomersFirst);
    }

    /** Waits for a permit; resolves to the function that gives it back. Rejects with the error of `rejection`, or with the reason of the signal. */
    async acquire(key: string, options: AcquireOptions = {}): Promise<Release> {

        options.signal?.throwIfAborted();
        if (this.#isClosed) {
            throw this.#options.rejection('full', key);
        }

        if (this.#isReady(key)) {
            this.#take(key);
        }
        else {
            await this.#wait(key, options);
        }

        let isAcquired = true;
        return () => {

            if (isAcquired) {
                isAcquired = false;
                this.#release(key);
            }
        };
    }

    /** Runs work while holding a permit. */
    async run<T>(key: string, work: () => Promise<T>, options?: AcquireOptions): Promise<T> {

        const release = await this.acquire(key, options);
        try {
            return await work();
        }
        finally {
            release();
        }
    }

    /** Number of permits that are held. */
    get inUse(): number {

        return this.#inUse;
    }

    /** Number of permits that a key holds. */
    heldBy(key: string): number {

        return this.#acquired.get(key) ?? 0;
    }

    /** Number of waiting calls. */
    get waiting(): number {

        return this.#queue.size;
    }

    /** Number of waiting calls of a key. */
    waitingOf(key: string): number {

        return this.#queue.sizeOf(key);
    }

    /** Grants a key no permit for some milliseconds, even if there are any. */
    suspend(key: string, ms: number): void {

        this.#suspended.set(key, performance.now() + ms);
        this.#wake(key);
    }

    /** Rejects all waiting calls, and all later ones. */
    close(): void {

        this.#isClosed = true;
        for (let key = this.#queue.longest(); key !== undefined; key = this.#queue.longest()) {
            this.#queue.pop(key)?.(this.#options.rejection('full', key));
        }
    }

    #isReady(key: string): boolean {

        const { permits, spare, permitsPerKey } = this.#options;
        const acquired = this.#acquired.get(key) ?? 0;
        return acquired < permitsPerKey && this.#inUse < (acquired === 0 ? permits + spare : permits) && !this.#suspended.has(key);
    }

    #take(key: string): void {

        ++this.#inUse;
        this.#acquired.set(key, (this.#acquired.get(key) ?? 0) + 1);
        this.#queue.recordTurn(key);
    }

    #release(key: string): void {

        --this.#inUse;
        const acquired = (this.#acquired.get(key) ?? 1) - 1;
        if (acquired === 0) {
            this.#acquired.delete(key);
        }
        else {
            this.#acquired.set(key, acquired);
        }

        this.#grant(key);
    }

    async #wait(key: string, { timeoutMs, signal, maxWaitingPerKey = this.#options.maxWaitingPerKey }: AcquireOptions): Promise<void> {

        const { maxWaiting, rejection } = this.#options;
        const own = this.#queue.sizeOf(key);
        if (own >= maxWaitingPerKey) {
            throw rejection('key full', key);
        }

        if (this.#queue.size >= maxWaiting && !this.#evict(own)) {
            throw rejection('full', key);
        }

        await new Promise<void>((resolve, reject) => {

            const end: Waiter = (error) => {

                clearTimeout(timer);
                signal?.removeEventListener('abort', abort);
                if (error) {
                    reject(error);
                }
                else {
                    resolve();
                }
            };

            const abandon = (error: Error): void => {

                this.#queue.remove(key, end);
                end(error);
            };

            const abort = (): void => abandon(signal?.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal?.reason }));
            const timer = timeoutMs === undefined ? undefined : setTimeout(() => abandon(rejection('timeout', key)), timeoutMs);
            signal?.addEventListener('abort', abort, { once: true });
            this.#queue.push(key, end);
        });
    }

    /** Rejects the latest call of the key with the most waiting calls, if it has more than the newcomer. */
    #evict(own: number): boolean {

        const longest = this.#options.newcomersFirst ? this.#queue.longest() : undefined;
        if (longest === undefined || this.#queue.sizeOf(longest) <= own + 1) {
            return false;
        }

        this.#queue.pop(longest)?.(this.#options.rejection('full', longest));
        return true;
    }

    /** Grants free permits to waiting calls. Where only keys are limited, a permit that is given back concerns its own key alone. */
    #grant(key: string): void {

        const { permits, spare } = this.#options;
        const next = (): string | undefined => this.#queue.next((each) => this.#isReady(each));
        const own = (): string | undefined => (this.#queue.sizeOf(key) > 0 && this.#isReady(key) ? key : undefined);
        const choose = permits === Infinity ? own : next;
        for (let chosen = choose(); chosen !== undefined; chosen = this.#inUse < permits + spare ? choose() : undefined) {
            const waiter = this.#queue.shift(chosen);
            this.#take(chosen);
            waiter?.();
        }
    }

    #wake(key: string): void {

        const left = (this.#suspended.get(key) ?? 0) - performance.now();
        if (left > 0) {
            setTimeout(() => this.#wake(key), left).unref();
            return;
        }

        this.#suspended.delete(key);
        this.#grant(key);
    }
}
