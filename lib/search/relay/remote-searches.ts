/**
 * Searches of worker processes in the search thread: each waits until the index has what was acknowledged before it arrived. Where the main
 * thread has to do something for that, it is asked to; where the index is not ready, the primary process answers the request.
 */

import { ForPrimary } from '../../errors/for-primary.js';
import type { IndexProgress } from './index-progress.js';

/** What the thread asks the main thread for: to send the changes that it was given, or to read the log; it reports the end of a read by its number. */
export type Need = { readonly kind: 'changes' } | { readonly kind: 'read'; readonly read: number };

export interface RemoteSearchOptions {
    readonly progress: IndexProgress;
    /** Maximum age in milliseconds of changes of other nodes that a search may miss; null for a single node. */
    readonly freshnessMs: number | null;
    readonly ask: (need: Need) => void;
}

/** Maximum number of searches that wait for changes; the primary process answers further ones. */
const MAX_WAITING = 1000;

interface Waiting {
    /** Number of the change that it has to see. */
    readonly change: number;
    /** Number of the read of the log that has to end first; 0 for none. */
    read: number;
    readonly serve: () => void;
    readonly reject: (error: unknown) => void;
}

/** Admits searches of worker processes. */
export class RemoteSearches {

    readonly #options: RemoteSearchOptions;
    #waiting: Waiting[] = [];
    /** Number of the last read of the log that was requested, and that has ended. */
    #requestedRead = 0;
    #endedRead = 0;
    /** True while changes are requested. */
    #isRequested = false;

    constructor(options: RemoteSearchOptions) {

        this.#options = options;
    }

    /** Calls `serve` once the search may begin, or `reject` with {@link ForPrimary}. */
    admit(serve: () => void, reject: (error: unknown) => void): void {

        const { progress } = this.#options;
        progress.countSearch();
        const search = { change: progress.given, read: 0, serve, reject };
        if (!progress.isOpen) {
            reject(new ForPrimary());
        }
        else if (this.#mayBegin(search)) {
            serve();
        }
        else if (this.#waiting.length >= MAX_WAITING) {
            reject(new ForPrimary());
        }
        else {
            this.#waiting.push(search);
        }
    }

    /** To be called when changes were applied. */
    applied(): void {

        this.#isRequested = false;
        this.#beginAll();
    }

    /** To be called when a read of the log has ended, or failed. */
    hasRead(read: number, isRead: boolean): void {

        this.#endedRead = read;
        if (isRead) {
            this.#beginAll();
            return;
        }

        const waiting = this.#waiting;
        this.#waiting = [];
        waiting.forEach(({ reject }) => reject(new ForPrimary()));
    }

    #beginAll(): void {

        const waiting = this.#waiting;
        this.#waiting = [];
        for (const search of waiting) {
            if (this.#mayBegin(search)) {
                search.serve();
            }
            else {
                this.#waiting.push(search);
            }
        }
    }

    /** Asks for what is missing. */
    #mayBegin(search: Waiting): boolean {

        const { progress, ask } = this.#options;
        const hasWaited = search.read > 0 && search.read <= this.#endedRead;
        if (!hasWaited && this.#isStale()) {
            // A read that has begun already may not see everything.
            search.read ||= this.#requestedRead + 1;
            this.#requestRead();
            return false;
        }

        if (progress.wasApplied(search.change)) {
            return true;
        }

        if (!this.#isRequested && !progress.wasSent(search.change)) {
            this.#isRequested = true;
            ask({ kind: 'changes' });
        }

        return false;
    }

    #isStale(): boolean {

        const { progress, freshnessMs } = this.#options;
        return progress.isBehind || freshnessMs !== null && progress.age > freshnessMs;
    }

    #requestRead(): void {

        if (this.#requestedRead === this.#endedRead) {
            this.#requestedRead += 1;
            this.#options.ask({ kind: 'read', read: this.#requestedRead });
        }
    }
}
