/** Watches over the engine and the index in it: whether they are there, and how old the changes are that the index lacks. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../db/log.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';
import { resolvesWithin } from '../../util/concurrency/timeout.js';
import type { EngineClient } from './engine-client.js';
import { EngineError, SearchEngineError } from './engine-error.js';
import { logPosition } from './feed-state.js';
import type { FeedState, FeedStates } from './feed-state.js';
import { IndexLag } from './index-lag.js';

/** Interval at which each node looks at the engine, in milliseconds, and how long it waits for an answer. */
export const WATCH_MS = 1000;
export const WATCH_TIMEOUT_MS = 3000;

/**
 * Part of the age at which searches are refused, from which on work with many objects waits; at least so many milliseconds, by which an index lags
 * on a busy machine anyway; and milliseconds within which the index must have got a change for that.
 */
const SLOWING_SHARE = 1 / 5;
const MIN_SLOWING_MS = 5000;
const FED_MS = 60_000;

/** Interval while the engine cannot be used, and number of repeated probes at this interval for changes that the index may get in a moment. */
const RETRY_MS = WATCH_MS / 10;
const MAX_REPEATS = 3;

/** Ends of the log that are noted in the time that the index may lag. */
const ENDS = 10;

/** `behind`: the index lacks changes that are too old; `out`: the engine does not answer. */
export type Condition = 'up' | 'building' | 'behind' | 'out';

export interface EngineWatchParts {
    readonly changes: SearchLogStore;
    readonly log: Log;
    /** Age of changes that the index may lack, in milliseconds. */
    readonly maxLagMs: number;
    /** Receives each state that is read. */
    readonly read: (state: FeedState | null) => void;
    /** Called when the engine becomes able, or unable, to answer searches. */
    readonly onState: (state: 'UP' | 'FAILED') => void;
}

/** What is looked at. */
export interface WatchedEngine {
    readonly control: EngineClient;
    readonly states: FeedStates;
    readonly alias: string;
    /** Checks that the engine may be used, unless that was done a moment ago. @throws EngineError, OtherClusterError */
    readonly demand: () => Promise<void>;
}

export class EngineWatch {

    readonly #parts: EngineWatchParts;
    readonly #lag: IndexLag;
    #seen: Condition = 'out';
    /** Position up to which the index has the log, and when that was seen first. */
    #fed = { position: -1, on: -Infinity };
    /** Milliseconds for which the engine could not be used when it was last looked at. */
    #downMs = 0;
    /** Index that was seen to have the history of the database. */
    #known: string | null = null;
    /** True after a report that searches are refused since the index is behind. */
    #isReported = false;
    /** Why the engine must not be used, as was reported last. */
    #refusal: string | null = null;

    constructor(parts: EngineWatchParts) {

        this.#parts = parts;
        this.#lag = new IndexLag(() => parts.changes.snapshot(), parts.maxLagMs / ENDS);
    }

    get condition(): Condition {

        // The process may have been stopped since it looked.
        return this.#seen === 'up' && this.#isBehind ? 'behind' : this.#seen;
    }

    /** Milliseconds for which the engine could not be used, as far as is known; from the start until it can be used. */
    get downMs(): number {

        return this.#downMs;
    }

    /** True while the index gets changes, but lacks some of a part of the age at which searches are refused. */
    get isFallingBehind(): boolean {

        const isFed = performance.now() - this.#fed.on < FED_MS;
        return isFed && (this.#seen === 'up' || this.#seen === 'behind') && this.#lag.ms > Math.max(MIN_SLOWING_MS, this.#parts.maxLagMs * SLOWING_SHARE);
    }

    /** Maximum age of changes that the index lacks, in milliseconds; Infinity when that is not known. */
    get lagMs(): number {

        return this.#lag.ms;
    }

    /** Watches until the signal is aborted. Never rejects. */
    async run(engine: WatchedEngine, signal: AbortSignal): Promise<void> {

        const { onState } = this.#parts;
        let reported: 'UP' | 'FAILED' | null = null;
        let repeats = 0;
        let upOn = performance.now();
        while (!signal.aborted) {
            const now = await this.#probe(engine);
            this.#seen = now;
            upOn = now === 'up' ? performance.now() : upOn;
            this.#downMs = performance.now() - upOn;
            // While the first index is built, or brought up to date after a start, the service is starting.
            const state: 'UP' | 'FAILED' | null = now === 'up' ? 'UP' : now === 'out' || reported !== null ? 'FAILED' : null;
            if (state !== null && state !== reported && !signal.aborted) {
                onState(state);
                reported = state;
            }

            if (reported !== null) {
                this.#report(now);
            }

            repeats = now === 'up' && (this.#lag.hasReachedAll || repeats >= MAX_REPEATS) ? 0 : repeats + 1;
            await sleep(repeats === 0 ? WATCH_MS : RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
        }
    }

    get #isBehind(): boolean {

        return this.#lag.ms > this.#parts.maxLagMs;
    }

    #report(now: Condition): void {

        const { log, maxLagMs } = this.#parts;
        if (now === 'behind' && !this.#isReported) {
            this.#isReported = true;
            log.error({ event: 'search.index-behind', maxLagMs }, 'the search engine lacks changes that are too old, refusing searches');
        }
        else if (now === 'up' && this.#isReported) {
            this.#isReported = false;
            log.info({ event: 'search.index-current' }, 'the search engine has the changes that it lacked');
        }
    }

    /** Reports once that an engine that answers again must not be used. */
    #reportRejected(error: unknown): void {

        const refusal = error instanceof EngineError ? error.cause : error;
        if (refusal instanceof SearchEngineError && refusal.message !== this.#refusal) {
            this.#refusal = refusal.message;
            this.#parts.log.error({ event: 'search.engine-refused', reason: refusal.message }, 'the search engine must not be used, refusing searches');
        }
    }

    async #probe({ control, states, alias, demand }: WatchedEngine): Promise<Condition> {

        // It is not the fault of the engine when the database does not answer; but meanwhile the lag grows.
        await resolvesWithin(this.#lag.update(), WATCH_TIMEOUT_MS);
        const wasUp = this.condition === 'up';
        try {
            await demand();
            const { state } = await states.read(WATCH_TIMEOUT_MS);
            this.#parts.read(state);
            if (state && state.position !== this.#fed.position) {
                this.#fed = { position: state.position, on: performance.now() };
            }

            if (!state?.index || !await this.#isOurs(state.index, state)) {
                return 'building';
            }

            const used = await control.send<object>({ method: 'GET', path: `/${alias}/_alias`, timeoutMs: WATCH_TIMEOUT_MS });
            // The engine may refuse that searches use it in place of a former one.
            const isUsed = state.index in used;
            if (isUsed) {
                this.#lag.has(state.position);
            }

            if (this.#isBehind) {
                return 'behind';
            }

            // The former one may be of another history, unless it could be searched until now: then it is as good as its age.
            if (!isUsed && !wasUp) {
                return 'building';
            }

            // What the index has got since may be as old as what was refused before, and searches find it only after a refresh.
            if (!wasUp) {
                await control.send({ method: 'POST', path: `/${alias}/_refresh`, timeoutMs: WATCH_TIMEOUT_MS });
            }

            return 'up';
        }
        catch (error) {
            this.#reportRejected(error);
            return error instanceof EngineError && error.failure === 'missing' ? 'building' : 'out';
        }
    }

    /** Returns whether an index has the history of this database, which may have been restored since. Looked at once for each index. */
    async #isOurs(index: string, { position, digest }: FeedState): Promise<boolean> {

        if (index !== this.#known && (await logPosition(this.#parts.changes, position)).digest === digest) {
            this.#known = index;
        }

        return index === this.#known;
    }
}
