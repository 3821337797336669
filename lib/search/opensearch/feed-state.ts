/**
 * What is in the engine of the change log: the index in use, and the batch up to which it has all changes. Kept in the engine itself, so that
 * both are lost, restored and copied together. Changed by the feeding node only; a node that was replaced meanwhile fails.
 */

import type { EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { FORMAT } from './engine-document.js';

/** An index that is being built. */
export interface BuildState {
    readonly index: string;
    /** Id of the last object that is stored in it. */
    readonly after: string;
    /** Batch of the log behind which the index lacks changes. */
    readonly position: number;
}

/** The state of the indexes of one format. */
export interface FeedState {
    /** Null while there is none that can be searched. */
    readonly index: string | null;
    /** Batch of the log up to which the index has all changes. */
    readonly position: number;
    readonly shards: number;
    readonly building: BuildState | null;
}

/** A state as read, with what its replacement has to name. */
export interface StoredFeedState {
    readonly state: FeedState | null;
    readonly mark: { readonly seqNo: number; readonly term: number } | null;
}

interface StoredDocument {
    readonly _source: FeedState;
    readonly _seq_no: number;
    readonly _primary_term: number;
}

interface WrittenDocument {
    readonly _seq_no: number;
    readonly _primary_term: number;
}

const ID = `feed-${FORMAT}`;

/** Reads and writes the state. */
export class FeedStates {

    readonly #client: EngineClient;
    readonly #meta: string;

    /** @param meta name of the index with the state */
    constructor(client: EngineClient, meta: string) {

        this.#client = client;
        this.#meta = meta;
    }

    /** Returns the newest state. @throws EngineError */
    async read(timeoutMs?: number): Promise<StoredFeedState> {

        try {
            const { _source: state, _seq_no: seqNo, _primary_term: term } = await this.#client.send<StoredDocument>({
                method: 'GET', path: `/${this.#meta}/_doc/${ID}`, ...timeoutMs === undefined ? {} : { timeoutMs }
            });
            return { state, mark: { seqNo, term } };
        }
        catch (error) {
            if (error instanceof EngineError && error.failure === 'missing') {
                return { state: null, mark: null };
            }

            throw error;
        }
    }

    /** Replaces a state. @throws EngineError `conflict` when it is not the newest any more */
    async write(state: FeedState, { mark }: StoredFeedState): Promise<StoredFeedState> {

        const { _seq_no: seqNo, _primary_term: term } = await this.#client.send<WrittenDocument>({
            method: 'PUT', path: `/${this.#meta}/${mark ? '_doc' : '_create'}/${ID}`, body: state,
            query: mark ? { if_seq_no: mark.seqNo, if_primary_term: mark.term } : {}
        });
        return { state, mark: { seqNo, term } };
    }
}
