/**
 * The search index in this process: one thread searches, another merges; this one accesses the database for both and coordinates.
 * When the search thread ends, it is restarted from stored segments and the change log.
 */

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { CommitResult, Step } from '../../../db/database.js';
import { DoipError, unavailable } from '../../errors/errors.js';
import { changedObject, type ObjectChange, type WriteParticipant } from '../../model/write-participant.js';
import { WriteThrottle } from './write-throttle.js';
import { IndexSession } from './index-session.js';
import type { StoredState, LocalSearchOptions } from './index-options.js';
import { ChangeLogTailer } from './change-log-tailer.js';
import { LogOrderer } from './change-log-sequencer.js';
import type { SearcherUsage } from './protocol.js';
import type { SearchAnswer, SearchIndex, SearchLoad } from './search-index.js';
import type { SearchRequest } from '../query/search-request.js';
import { SearchRelay } from '../relay/search-relay.js';
import { WorkTally } from '../../util/work-tally.js';
import { resolvesWithin } from '../../util/concurrency/timeout.js';
import { isWorkerExited } from '../../util/workers/worker-client.js';

/** Batch size for reading objects. */
const OBJECTS_PER_BATCH = 50;

/** Maximum age of changes of other nodes that a search may miss, in milliseconds. */
const FRESHNESS_MS = 200;

/** Delay before the threads are restarted: the first one, and the maximum while the database is unavailable. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 5000;

const DEFAULTS = {
    timeout: 10_000, storeAfter: 5000, aliveEvery: 3_600_000, waitMs: 5000, memory: 384 * 1024 * 1024, onState: () => {}, onWentBack: () => {}, socketPath: null
};

export class IndexSupervisor implements SearchIndex {

    readonly participant: WriteParticipant;
    readonly isEventual: boolean;
    readonly #options: Required<LocalSearchOptions>;
    readonly #tailer: ChangeLogTailer;
    readonly #orderer: LogOrderer;
    readonly #throttle = new WriteThrottle();
    readonly #numbers = new WeakMap<ObjectChange, number>();
    readonly #stop = new AbortController();
    /** Takes changes; null while there is none. */
    #session: IndexSession | null = null;
    /** True while searches can be answered without waiting. */
    #isUp = false;
    /** Resolves when searches can be answered. */
    #ready: Promise<void> = Promise.resolve();
    #supervision: Promise<void> = Promise.resolve();
    readonly #searches = new WorkTally();
    /** Number of changes that were replayed. */
    #replayed = 0;
    /** Milliseconds before the next restart of the threads. */
    #pauseMs = RESTART_MS;
    /** Where searches of worker processes arrive; null without them, and until they can be answered. */
    #relay: SearchRelay | null = null;

    constructor(options: LocalSearchOptions) {

        this.#options = { ...DEFAULTS, ...options };
        const { log, logger, isShared } = this.#options;
        this.isEventual = isShared;
        this.#tailer = new ChangeLogTailer(log, {
            replay: (ids) => this.#replay(ids), onRead: () => this.#showReads(),
            missed: () => this.#session?.forget('nothing was heard of this node for too long'), wentBack: () => this.#wentBack()
        });
        this.#orderer = new LogOrderer({
            log, read: () => this.#readLog(),
            failed: (error) => logger.warn({ event: 'search.change-log-failed', err: error }, 'failed to read the change log, retrying')
        });
        this.participant = {
            steps: async (change) => {

                await this.#throttle.wait();
                const number = this.#tailer.nextNumber();
                this.#numbers.set(change, number);
                return log.steps(changedObject(change).id, this.#tailer.origin, number);
            },
            committed: (change) => {

                this.#orderer.wrote();
                const number = this.#numbers.get(change);
                if (number !== undefined && this.#markCommitted(number, changedObject(change).id)) {
                    this.#session?.changed(changedObject(change).id, change);
                }
            }
        };
    }

    async start(): Promise<void> {

        const session = this.#newSession();
        try {
            const state = await session.open(() => this.#activate(session));
            this.#supervision = this.#supervise(session, state);
        }
        catch (error) {
            this.#session = null;
            await session.close();
            throw error;
        }

        this.#orderer.start();
    }

    async search(request: SearchRequest): Promise<SearchAnswer> {

        return await this.#searches.run(() => this.#withSession(async (session) => {

            if (this.#tailer.hasPending || this.#options.isShared && performance.now() - this.#tailer.readOn > FRESHNESS_MS) {
                await this.#tailer.catchUp();
            }

            return await session.search(request);
        }));
    }

    async catchUp(): Promise<void> {

        await this.#withSession(() => this.#tailer.catchUp());
    }

    get load(): SearchLoad {

        return { isUp: this.#isUp, pending: this.#session?.pending ?? 0, searches: this.#searches };
    }

    /** Returns the size of the index and the memory use of the search thread. */
    async usage(): Promise<SearcherUsage> {

        return await (await this.#available()).usage();
    }

    /** Resolves when the index has everything that was stored before; rejects when it could not be opened. */
    async complete(): Promise<void> {

        await this.#ready;
    }

    async reindex(ids: readonly string[], along: readonly Step[] = []): Promise<CommitResult> {

        await this.#throttle.wait();
        const numbers = ids.map(() => this.#tailer.nextNumber());
        const result = await this.#options.log.append(ids.map((id, i) => ({ objectId: id, origin: this.#tailer.origin, number: numbers[i] ?? 0 })), along);
        if (result.ok) {
            ids.forEach(() => this.#orderer.wrote());
            await this.#applyStored(ids.filter((id, i) => this.#markCommitted(numbers[i] ?? 0, id)));
        }

        return result;
    }

    /** Runs work, and retries it once with the next session if the session ends meanwhile: with its thread, or to rebuild the index. */
    async #withSession<T>(work: (session: IndexSession) => Promise<T>): Promise<T> {

        const session = await this.#available();
        try {
            return await work(session);
        }
        catch (error) {
            if (!session.isOver || this.#stop.signal.aborted || error instanceof DoipError && !isWorkerExited(error)) {
                throw error;
            }
        }

        await session.ended;
        await setImmediate();
        return await work(await this.#available());
    }

    /** Reports a commit; false when the tailer looks it up, or has done so. A search of a worker that is sent afterwards must see it. */
    #markCommitted(number: number, id: string): boolean {

        const isNew = this.#tailer.markCommitted(number, id) === 'apply';
        if (!isNew) {
            this.#showReads();
        }

        return isNew;
    }

    /** Shows to the search thread how far the log was read. */
    #showReads(): void {

        const progress = this.#session?.progress;
        if (this.#options.socketPath !== null && progress) {
            progress.isBehind = this.#tailer.hasPending;
            progress.read(performance.now() - this.#tailer.readOn);
        }
    }

    /** Lets a session that has everything answer searches of worker processes. */
    #openRelay(session: IndexSession): void {

        const { socketPath, isShared, logger } = this.#options;
        if (socketPath === null) {
            return;
        }

        const read = (): Promise<boolean> => this.#tailer.catchUp().then(() => true, () => false);
        this.#showReads();
        session.progress.isOpen = true;
        this.#relay ??= new SearchRelay(socketPath, logger);
        this.#relay.connect((calls) => session.admit(calls, isShared ? FRESHNESS_MS : null, read));
    }

    /** The database has lost changes that the index has: nobody knows which. */
    #wentBack(): void {

        if (this.#session?.isOver === false) {
            this.#session.forget('the database has lost changes that are in the index');
            this.#options.onWentBack();
        }
    }

    async #replay(ids: readonly string[]): Promise<void> {

        this.#replayed += ids.length;
        await this.#applyStored(ids);
    }

    async #applyStored(ids: readonly string[]): Promise<void> {

        for (let start = 0; start < ids.length; start += OBJECTS_PER_BATCH) {
            await this.#session?.applyStored(ids.slice(start, start + OBJECTS_PER_BATCH));
            // There may be many; yield to the other work of the process.
            await setImmediate();
        }
    }

    async stop(): Promise<void> {

        if (this.#isUp) {
            await this.#session?.storeBeforeClosing();
        }

        this.#stop.abort();
        this.#throttle.release();
        await Promise.all([this.#supervision, this.#orderer.stop(), this.#relay?.close()]);
    }

    #newSession(): IndexSession {

        return new IndexSession({ options: this.#options, tailer: this.#tailer, orderer: this.#orderer, throttle: this.#throttle });
    }

    #activate(session: IndexSession): void {

        this.#session = session;
    }

    /** Keeps a session running until the index is stopped. Never rejects. */
    async #supervise(first: IndexSession, state: StoredState): Promise<void> {

        const { logger } = this.#options;
        const { signal } = this.#stop;
        const stopped = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
        this.#ready = this.#complete(first, state);
        for (let session = first; ;) {
            const current = session;
            const failed = this.#ready.then(() => {

                this.#isUp = this.#session === current;
                if (this.#isUp && !current.isOver) {
                    this.#openRelay(current);
                }

                this.#pauseMs = RESTART_MS;
                this.#options.onState('UP');
                return new Promise<never>(() => {});
            }).catch(toError);
            const error = signal.aborted ? null : await Promise.race([stopped, session.ended, failed]);
            this.#session = null;
            this.#isUp = false;
            this.#throttle.release();
            if (error === null) {
                await this.#end(session, this.#ready);
                return;
            }

            this.#options.onState('FAILED');
            logger.error({ event: 'search.thread-exited', err: error }, 'search thread exited, restarting');
            const next = this.#newSession();
            this.#ready = this.#succeed(session, next, this.#ready);
            session = next;
        }
    }

    async #end(session: IndexSession, ready: Promise<void>): Promise<void> {

        await session.close();
        await ready.catch(() => {
            // It failed because the session has ended.
        });
    }

    /** Replaces a session. Resolves when the next one has everything. */
    async #succeed(last: IndexSession, next: IndexSession, ready: Promise<void>): Promise<void> {

        await this.#end(last, ready);
        await sleep(this.#pauseMs, undefined, { signal: this.#stop.signal });
        this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_RESTART_MS);
        await this.#complete(next, await next.open(() => this.#activate(next)));
    }

    /** Resolves when the index has everything. */
    async #complete(session: IndexSession, state: StoredState): Promise<void> {

        if (state === 'none') {
            await session.build();
            return;
        }

        await this.#tailer.catchUp();
        if (state === 'outdated') {
            session.renew();
        }
    }

    async #available(): Promise<IndexSession> {

        const isReady = this.#isUp || await resolvesWithin(this.#ready, this.#options.waitMs);
        if (isReady && this.#session) {
            return this.#session;
        }

        throw unavailable('the search index is being built, try again later', 10);
    }

    /** Returns whether there were changes to replay. */
    async #readLog(): Promise<boolean> {

        await this.#ready;
        await this.#session?.sendHeartbeat();
        const before = this.#replayed;
        await this.#tailer.catchUp();
        return this.#replayed > before;
    }
}

function toError(error: unknown): Error {

    return error instanceof Error ? error : new Error(String(error));
}
