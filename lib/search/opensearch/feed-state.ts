/**
 * What of the change log is in the engine: the index in use, and the batch up to which it has all changes. Kept in the engine itself, so that
 * both are lost, restored and copied together. Changed by the feeding node only; a node that was replaced meanwhile fails.
 */

import { digestOf, type LogBatch, type SearchLogStore } from '../../stores/search/change-log-store.js';
import type { EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { hasIndex } from './engine-indexes.js';
import { FORMAT } from './engine-document.js';

/** A batch of the change log. */
export interface LogPosition {
    readonly position: number;
    /** Digest of the batch: after a restore, or where the database has lost its last commits, another one may have its position. Empty for the beginning of the log. */
    readonly digest: string;
}

/** What of the log an index has. */
export interface FedPosition extends LogPosition {
    /** The last batch of those that were being applied, which the index may have as well: null or absent when all are known that it has. */
    readonly applying?: LogPosition | null;
}

/** An index that is being built. */
export interface BuildState extends FedPosition {
    readonly index: string;
    readonly shards: number;
    /** Id of the last object that is stored in it. */
    readonly after: string;
}

/** An index that was searched before. */
export interface FormerIndex {
    readonly index: string;
    /** When it was given up, or another one took its place, in milliseconds since the epoch. */
    readonly replaced: number;
}

/** The state of the indexes of one format, with the batch of the log up to which the index in use has all changes. */
export interface FeedState extends FedPosition {
    /** Null while there is none that can be searched. */
    readonly index: string | null;
    readonly shards: number;
    readonly building: BuildState | null;
    /** Kept for a while, for searches in progress. Absent in what earlier versions have stored. */
    readonly former?: readonly FormerIndex[];
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

const ID_PREFIX = 'feed-';
const ID = `${ID_PREFIX}${FORMAT}`;

/** More states than formats. */
const MAX_STATES = 100;

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

    /**
     * Returns the lowest position of the log that an index of another format has not passed, as it was a moment ago; Infinity without others.
     *
     * @throws EngineError
     */
    async lowestOfOthers(): Promise<number> {

        const { hits: { hits } } = await this.#client.send<{ hits: { hits: readonly { readonly _id: string; readonly _source: Partial<FeedState> }[] } }>({
            method: 'GET', path: `/${this.#meta}/_search`, query: { size: MAX_STATES }
        });
        const others = hits.filter(({ _id: id }) => id.startsWith(ID_PREFIX) && id !== ID).map(({ _source: state }) => state);
        // Where the indexes of a former version were deleted, the state is left.
        const positions = others.flatMap(({ index, position = 0, building }) => [...index ? [{ index, position }] : [], ...building ? [building] : []])
            .map(async ({ index, position }) => (await hasIndex(this.#client, index) ? position : Infinity));
        return Math.min(...await Promise.all(positions));
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

/** Returns the position behind which an index still needs the log; Infinity if none does. */
export function lowestPosition({ index, position = 0, building }: Partial<FeedState>): number {

    return Math.min(index ? position : Infinity, building ? building.position : Infinity);
}

/** Returns a position of the log with the digest of its batch, which is empty if there is none. */
export async function logPosition(changes: SearchLogStore, position: number): Promise<LogPosition> {

    const [batch] = position > 0 ? await changes.batches(position - 1) : [];
    return { position, digest: batch?.position === position ? digestOf(batch) : '' };
}

/** Returns whether the log has another batch than one that was applied, or that may have been, or ends before it: the database has lost commits. */
export function hasGoneBack(after: FedPosition, read: readonly LogBatch[]): boolean {

    return [after, after.applying].some((applied) => {

        // A later batch without it shows that it was removed as an old one.
        const found = read.find(({ position }) => position >= (applied?.position ?? Infinity));
        return applied && applied.digest !== '' && (found === undefined || found.position === applied.position && digestOf(found) !== applied.digest);
    });
}
