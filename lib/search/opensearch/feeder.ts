/**
 * Feeds an index of OpenSearch from the change log, and builds new indexes from the objects. One node at a time does this, in a job that
 * never ends; another one continues from the stored state when it ends. Everything is done at least once and can be repeated.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../db/log.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';
import type { IndexSource } from '../mapping/document-source.js';
import type { EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { FORMAT } from './engine-document.js';
import { indexBody } from './engine-mapping.js';
import { writeAlias } from './engine-writer.js';
import type { EngineWriter } from './engine-writer.js';
import type { BuildState, FeedState, FeedStates, StoredFeedState } from './feed-state.js';

export interface FeederParts {
    /** Used by nothing else: its requests are aborted with the work. */
    readonly client: EngineClient;
    readonly states: FeedStates;
    readonly writer: EngineWriter;
    readonly source: IndexSource;
    readonly changes: SearchLogStore;
    readonly log: Log;
    readonly prefix: string;
    readonly shards: number;
    /** Puts committed rows of the log into batches. */
    readonly order: () => Promise<void>;
    /** Receives each state that is reached. */
    readonly reached: (state: FeedState) => void;
}

/** Milliseconds between two looks at the log for changes of other nodes, and before a retry while the engine does not answer. */
const POLL_MS = 100;
const RETRY_MS = 1000;

/** Milliseconds between two reports of the progress of a build. */
const REPORT_MS = 2000;

/** Milliseconds between two looks whether the index is still there. */
const CHECK_MS = 5000;

/** Batches of the log that are kept behind what was fed: a node with another engine may still need them. */
const SPARE_BATCHES = 200;

/** Batches after which old ones are removed from the log. */
const PRUNE_EVERY = 100;

/** Returns the name under which the index is searched. */
export function searchAlias(prefix: string): string {

    return `${prefix}-v${FORMAT}`;
}

/** Feeds as long as it may. */
export class Feeder {

    readonly #parts: FeederParts;
    #wake: () => void = () => {};
    #isAwake = false;
    #prunedAt = 0;
    #reportedOn = 0;
    #checkedOn = 0;

    constructor(parts: FeederParts) {

        this.#parts = parts;
    }

    /** Looks at the log now. */
    wake(): void {

        this.#isAwake = true;
        this.#wake();
    }

    /** Feeds until the signal is aborted, or another node does. @throws EngineError `conflict` when another node does */
    async run(signal: AbortSignal): Promise<void> {

        const abort = (): void => this.#parts.client.abort();
        signal.addEventListener('abort', abort);
        try {
            await this.#run(signal);
        }
        finally {
            signal.removeEventListener('abort', abort);
        }
    }

    async #run(signal: AbortSignal): Promise<void> {

        let stored: StoredFeedState | null = null;
        let isOut = false;
        while (!signal.aborted) {
            try {
                stored ??= await this.#begin();
                const next = await this.#work(stored, signal);
                if (isOut) {
                    this.#parts.log.info({ event: 'search.engine-back' }, 'the search engine answers again');
                    isOut = false;
                }

                const isIdle = next === stored;
                stored = await this.#isLost(next) ? null : next;
                if (isIdle) {
                    await this.#pause(POLL_MS, signal);
                }
            }
            catch (error) {
                signal.throwIfAborted();
                if (!(error instanceof EngineError) || error.failure === 'conflict') {
                    throw error;
                }

                if (!isOut) {
                    this.#parts.log.error({ event: 'search.engine-failed', err: error }, 'the search engine could not be fed, retrying');
                    isOut = true;
                }

                // What was built may be gone.
                stored = null;
                await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
            }
        }

        signal.throwIfAborted();
    }

    /** Reads the state, and begins to build an index where there is none that can be used. */
    async #begin(): Promise<StoredFeedState> {

        const { states, changes, prefix, log } = this.#parts;
        const stored = await states.read();
        const { state } = stored;
        const last = await changes.last();
        const building = state?.building && await this.#exists(state.building.index) ? state.building : null;
        if (state?.index && state.position <= last && await this.#exists(state.index)) {
            // A node may have ended between two steps.
            await this.#switchTo(state.index);
            const isRenewed = building === null && state.shards !== this.#parts.shards;
            const next = isRenewed ? { ...state, building: await this.#newBuild() } : { ...state, building };
            return isRenewed || building !== state.building ? await this.#write(next, stored) : this.#reach(stored);
        }

        if (state?.index) {
            log.warn({ event: 'search.index-lost', index: state.index }, 'the search index is gone or does not belong to this state of the database, it is built again');
        }

        if (building && building.position <= last) {
            return await this.#write({ index: null, position: 0, shards: this.#parts.shards, building }, stored);
        }

        await this.#removeAlias(searchAlias(prefix));
        return await this.#write({ index: null, position: 0, shards: this.#parts.shards, building: await this.#newBuild() }, stored);
    }

    /** Returns whether the index is gone, which is looked for at intervals. */
    async #isLost({ state }: StoredFeedState): Promise<boolean> {

        if (!state?.index || performance.now() - this.#checkedOn < CHECK_MS) {
            return false;
        }

        this.#checkedOn = performance.now();
        return !await this.#exists(state.index);
    }

    /** Does some work; returns the same state when there is nothing to do. */
    async #work(stored: StoredFeedState, signal: AbortSignal): Promise<StoredFeedState> {

        let current = stored;
        const { order } = this.#parts;
        this.#isAwake = false;
        await order();
        const { state } = current;
        if (state?.index) {
            const position = await this.#feed(state.index, state.position, signal);
            if (position === null) {
                // Changes are missing that no index will get: a new one has to be built.
                return await this.#write({ ...state, index: null, building: await this.#newBuild() }, current);
            }

            if (position !== state.position) {
                current = await this.#write({ ...state, position }, current);
            }
        }

        await this.#prune(current.state);
        return current.state?.building ? await this.#build(current, current.state.building, signal) : current;
    }

    /** Applies the next batches after a position; returns the last one, null when some are missing. */
    async #feed(index: string, after: number, signal: AbortSignal): Promise<number | null> {

        const batches = await this.#parts.changes.batches(after);
        if (batches.some((batch, i) => batch.position !== after + i + 1)) {
            return null;
        }

        const ids = new Set(batches.flatMap(({ rows }) => rows.map(({ objectId }) => objectId)));
        await this.#parts.writer.apply(index, [...ids], signal);
        return after + batches.length;
    }

    /** Stores the next page of objects in a new index; behind the last one, applies the changes since, and uses the index. */
    async #build(stored: StoredFeedState, building: BuildState, signal: AbortSignal): Promise<StoredFeedState> {

        const { source, writer } = this.#parts;
        const state = stored.state;
        if (state === null) {
            return stored;
        }

        const documents = await source.after(building.after);
        if (documents.length > 0) {
            await writer.store(building.index, documents, signal);
            const next: FeedState = { ...state, building: { ...building, after: documents.at(-1)?.id ?? '' } };
            if (performance.now() - this.#reportedOn < REPORT_MS) {
                return { state: next, mark: stored.mark };
            }

            this.#reportedOn = performance.now();
            return await this.#write(next, stored);
        }

        const position = await this.#feed(building.index, building.position, signal);
        if (position === null) {
            return await this.#write({ ...state, building: await this.#newBuild() }, stored);
        }

        if (position !== building.position) {
            return await this.#write({ ...state, building: { ...building, position } }, stored);
        }

        // Both indexes have the same changes now, unless there was none to search before.
        if (state.index !== null && position < state.position) {
            return { ...stored };
        }

        await this.#parts.client.send({ method: 'POST', path: `/${building.index}/_refresh` });
        const done = await this.#write({ index: building.index, position, shards: this.#parts.shards, building: null }, stored);
        await this.#switchTo(building.index);
        this.#parts.reached(done.state ?? state);
        return done;
    }

    async #newBuild(): Promise<BuildState> {

        const { client, changes, prefix, shards, log, order } = this.#parts;
        await order();
        const position = await changes.last();
        const index = `${searchAlias(prefix)}-${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
        await client.send({ method: 'PUT', path: `/${index}`, body: { ...indexBody(shards), aliases: { [writeAlias(index)]: {} } }, timeoutMs: 60_000 });
        log.info({ event: 'search.index-begun', index }, 'building a search index');
        return { index, after: '', position };
    }

    /** Lets searches use an index, and removes the others of this format. */
    async #switchTo(index: string): Promise<void> {

        const { client, prefix, log } = this.#parts;
        const alias = searchAlias(prefix);
        const all = Object.entries(await client.send<Record<string, { aliases: object }>>({ method: 'GET', path: `/${alias}-*/_alias` }));
        const old = all.filter(([name]) => name !== index);
        const isUsed = all.some(([name, { aliases }]) => name === index && alias in aliases);
        if (!isUsed || old.some(([, { aliases }]) => alias in aliases)) {
            const actions = [
                ...old.filter(([, { aliases }]) => alias in aliases).map(([name]) => ({ remove: { index: name, alias } })), { add: { index, alias } }
            ];
            await client.send({ method: 'POST', path: '/_aliases', body: { actions } });
            log.info({ event: 'search.index-used', index }, 'searches use the new index');
            for (const [name] of old) {
                await client.send({ method: 'DELETE', path: `/${name}`, query: { ignore_unavailable: true } });
            }
        }
    }

    async #removeAlias(alias: string): Promise<void> {

        await this.#parts.client.send({ method: 'DELETE', path: `/${alias}-*/_alias/${alias}` }).catch(ignoreMissing);
        const all = Object.keys(await this.#parts.client.send<object>({ method: 'GET', path: `/${alias}-*/_alias` }));
        for (const name of all) {
            await this.#parts.client.send({ method: 'DELETE', path: `/${name}` }).catch(ignoreMissing);
        }
    }

    async #exists(index: string): Promise<boolean> {

        try {
            await this.#parts.client.send({ method: 'GET', path: `/${writeAlias(index)}/_alias` });
            return true;
        }
        catch (error) {
            ignoreMissing(error);
            return false;
        }
    }

    async #write(state: FeedState, stored: StoredFeedState): Promise<StoredFeedState> {

        return this.#reach(await this.#parts.states.write(state, stored));
    }

    #reach(stored: StoredFeedState): StoredFeedState {

        if (stored.state) {
            this.#parts.reached(stored.state);
        }

        return stored;
    }

    async #prune(state: FeedState | null): Promise<void> {

        const positions = [state?.index ? state.position : Infinity, state?.building ? state.building.position : Infinity];
        const below = Math.min(...positions) - SPARE_BATCHES;
        if (Number.isFinite(below) && below - this.#prunedAt >= PRUNE_EVERY) {
            this.#prunedAt = below;
            await this.#parts.changes.prune(below);
        }
    }

    async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {

        if (this.#isAwake || signal.aborted) {
            return;
        }

        await new Promise<void>((resolve) => {

            const end = (): void => {

                clearTimeout(timer);
                signal.removeEventListener('abort', end);
                resolve();
            };

            const timer = setTimeout(end, milliseconds);
            signal.addEventListener('abort', end);
            this.#wake = end;
        });
        this.#wake = () => {};
    }
}

function ignoreMissing(error: unknown): void {

    if (!(error instanceof EngineError) || error.failure !== 'missing') {
        throw error;
    }
}
