/**
 * Change log tailer (consumer). Changes of this process are reported to it when they are committed; everything else in the log
 * (changes by other nodes, by the previous process, or with an unknown outcome) is replayed: looked up and applied. So no change is
 * missed, regardless of who wrote it and how late it was committed.
 *
 * Rows that are in no batch yet are replayed as well, and remembered until they are found in one.
 *
 * A database may lose its last commits while this process runs, as when it fails over to a replica. Then rows that were known are found no
 * more, and what they were of is looked up again. When a batch that was read is not the same any more, the index has to be built again.
 */

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LogBatch, LogRow } from '../../stores/search/change-log-store.js';
import { digestOf, LOG_ROWS } from '../../stores/search/change-log-store.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';

/** Source of rows. */
export interface LogSource {
    /** Returns rows that are in no batch yet, after a number; fewer than {@link LOG_ROWS} when they are the last ones. */
    unordered(after: number): Promise<LogRow[]>;
    /** Returns batches after a position; empty when there are none. */
    batches(after: number): Promise<LogBatch[]>;
}

export interface TailerOptions {
    /** Looks up the current state of objects and applies it. */
    readonly replay: (ids: readonly string[]) => Promise<void>;
    /** Called when batches were removed before they were read. */
    readonly missed?: () => void;
    /** Called when the log has other batches than those that were read: the database has lost commits. */
    readonly wentBack?: () => void;
    /** Called when the log was read to its end. */
    readonly onRead?: () => void;
    readonly now?: () => number;
}

/** Number of rows after which reading yields to the event loop, because an embedded database answers without a pause. */
const LONG_READING = 100;

/** Number of ids up to which it is remembered of which a state has come to the index, twice. */
const RECORDED_IDS = 5_000;

/** How an own change reaches the index: by its document, or by a lookup that was made or will be made by {@link ChangeLogTailer.catchUp}. */
export type OwnChange = 'apply' | 'replayed' | 'replay';

/** Tailer of one process. */
export class ChangeLogTailer {

    /** Identifies this process in the log. */
    readonly origin = randomUUID();
    readonly #source: LogSource;
    readonly #options: Required<TailerOptions>;
    /** Own changes that were reported as committed, but not found in the log yet: number → id of the object. */
    #committed = new Map<number, string>();
    /** Those of them that were reported before the current reading began, which must therefore find them. */
    #expected = new Map<number, string>();
    /** Own changes that were found in the log before their commit was reported. */
    readonly #uncommitted = new Set<number>();
    /** Rows that were replayed, but not found in a batch yet: by their numbers, which the server may use again if it loses rows. */
    #unbatched = new Map<number, LogRow>();
    /** Those of them that were found before the current reading began, which must therefore find them again. */
    #unbatchedBefore = new Map<number, LogRow>();
    /** Ids of objects that the next reading looks up. */
    readonly #again = new Set<string>();
    /**
     * Ids of which a state has come to the index → the last number of an own change that was given then. Own changes up to it may be older than that
     * state: they are not always reported in the order of their commits, which need not be that of their numbers either.
     */
    #recorded = new Map<string, number>();
    /** Those from before. */
    #recordedBefore = new Map<string, number>();
    /** The last number that was given when they became those from before. */
    #turnedOn = 0;
    /** Own changes up to this number may be older than what is in the index, whatever their object. */
    #forgotten = 0;
    #number = 0;
    #position = 0;
    /** Of the batch at the position; null if it has not been read. */
    #digest: string | null = null;
    readonly #readings = new SingleFlight<void>();
    #readOn = -Infinity;
    /** False while own changes, found in the log before their commit was reported, have not been replayed yet. */
    #isReplayed = true;
    #hasPending = false;
    /** Generation: a restart increments it, which aborts earlier reads. */
    #generation = 0;

    constructor(source: LogSource, options: TailerOptions) {

        this.#source = source;
        this.#options = { now: () => performance.now(), missed: () => {}, wentBack: () => {}, onRead: () => {}, ...options };
    }

    /** Batch up to which everything was reported or replayed. */
    get position(): number {

        return this.#position;
    }

    /** When the log was last read to its end, by the clock of `performance.now()`. */
    get readOn(): number {

        return this.#readOn;
    }

    /**
     * True while committed changes of this process are still being replayed, because they were found in the log before their commit
     * was reported; {@link catchUp} waits for that.
     */
    get hasPending(): boolean {

        return this.#hasPending;
    }

    /** Continues from another position. Reported changes no longer count. */
    restart(position: number): void {

        ++this.#generation;
        this.#position = position;
        this.#digest = null;
        for (const known of [this.#committed, this.#expected, this.#uncommitted, this.#unbatched, this.#unbatchedBefore]) {
            known.clear();
        }

        this.#isReplayed = true;
        this.#hasPending = this.#again.size > 0;
    }

    /** Returns a number for a change of this process that is about to be committed. */
    nextNumber(): number {

        return ++this.#number;
    }

    /**
     * Reports the commit of a change of this process. It is replayed when it was found in the log before, and also when another change of the same
     * object was replayed or reported since the number was given, which may be the newer one.
     */
    markCommitted(number: number, id: string): OwnChange {

        if (this.#uncommitted.delete(number)) {
            this.#hasPending ||= !this.#isReplayed;
            return 'replayed';
        }

        this.#committed.set(number, id);
        if (number > this.#forgotten && number > (this.#recorded.get(id) ?? this.#recordedBefore.get(id) ?? 0)) {
            this.#record(id);
            return 'apply';
        }

        this.#again.add(id);
        this.#hasPending = true;
        return 'replay';
    }

    /** Reads the log to its end; afterwards everything in it was reported or replayed. */
    catchUp(): Promise<void> {

        // A read that started earlier may have missed the newest rows.
        return this.#readings.runFresh(() => this.#readAll());
    }

    async #readAll(): Promise<void> {

        const started = this.#options.now();
        const generation = this.#generation;
        this.#expect();
        // Order matters: a row that is in neither when it is read was committed later.
        await this.#readUnordered(generation);
        await this.#readBatches(generation);
        this.#findLost();
        await this.#replayAgain(generation);
        this.#readOn = started;
        this.#isReplayed = true;
        this.#hasPending = false;
        this.#options.onRead();
    }

    /** Notes which known rows the reading that begins must find. */
    #expect(): void {

        // Those of a reading that failed are still expected.
        this.#committed.forEach((id, number) => this.#expected.set(number, id));
        this.#committed = new Map();
        this.#unbatched.forEach((row, seq) => this.#unbatchedBefore.set(seq, row));
        this.#unbatched = new Map();
    }

    /** Has the objects looked up again whose rows were not found: they were lost, or removed behind the batch that has them. */
    #findLost(): void {

        this.#expected.forEach((id) => this.#again.add(id));
        this.#expected.clear();
        this.#unbatchedBefore.forEach(({ objectId }) => this.#again.add(objectId));
        this.#unbatchedBefore.clear();
    }

    async #replayAgain(generation: number): Promise<void> {

        while (this.#again.size > 0) {
            const ids = [...this.#again];
            this.#again.clear();
            ids.forEach((id) => this.#record(id));
            try {
                await this.#options.replay(ids);
            }
            catch (error) {
                ids.forEach((id) => this.#again.add(id));
                throw error;
            }

            this.#checkGeneration(generation);
        }
    }

    async #readUnordered(generation: number): Promise<void> {

        for (let after: number | null = 0; after !== null;) {
            const rows: LogRow[] = await this.#source.unordered(after);
            this.#checkGeneration(generation);
            await this.#replayUnknown(rows, generation);
            rows.forEach((row) => this.#keepUnbatched(row));
            after = rows.length < LOG_ROWS ? null : rows.at(-1)?.seq ?? null;
        }
    }

    async #readBatches(generation: number): Promise<void> {

        for (let isFirst = true; ; isFirst = false) {
            // At first with the last one that was read before, which must still be the same.
            const batches = await this.#source.batches(isFirst ? Math.max(0, this.#position - 1) : this.#position);
            this.#checkGeneration(generation);
            if (isFirst) {
                this.#checkLast(batches);
            }

            const next = batches.filter(({ position }) => position > this.#position);
            if (next.length === 0) {
                return;
            }

            for (const batch of next) {
                await this.#readBatch(batch, generation);
            }
        }
    }

    async #readBatch(batch: LogBatch, generation: number): Promise<void> {

        const { position, rows } = batch;
        if (position !== this.#position + 1) {
            this.#options.missed();
            throw new Error('changes were removed from the log before they were read');
        }

        await this.#replayUnknown(rows, generation);
        for (const row of rows) {
            forget(this.#unbatched, row);
            forget(this.#unbatchedBefore, row);
        }

        this.#position = position;
        this.#digest = digestOf(batch);
    }

    /** @throws Error when the batch at the position is not the one that was read */
    #checkLast([first]: readonly LogBatch[]): void {

        const digest = first?.position === this.#position ? digestOf(first) : null;
        this.#digest ??= digest;
        // A later batch without it shows that it was removed by other nodes, which were behind it.
        if (digest !== this.#digest && (first === undefined || first.position === this.#position)) {
            this.#options.wentBack();
            throw new Error('the database has lost changes that were read from the log');
        }
    }

    /** Replays rows that are not known. */
    async #replayUnknown(rows: readonly LogRow[], generation: number): Promise<void> {

        const unknown = rows.filter((row) => !this.#isUnbatched(row) && this.#isUnknown(row));
        // Recorded first: an own change that is reported from now on may be older than what is found.
        unknown.forEach(({ objectId }) => this.#record(objectId));
        await this.#options.replay([...new Set(unknown.map(({ objectId }) => objectId))]);
        this.#checkGeneration(generation);
        if (rows.length > LONG_READING) {
            await setImmediate();
            this.#checkGeneration(generation);
        }
    }

    #checkGeneration(generation: number): void {

        if (generation !== this.#generation) {
            throw new Error('the log is read from another place now');
        }
    }

    /** Returns whether a row was replayed when it was in no batch yet. */
    #isUnbatched(row: LogRow): boolean {

        return isSame(this.#unbatched.get(row.seq), row) || isSame(this.#unbatchedBefore.get(row.seq), row);
    }

    #keepUnbatched(row: LogRow): void {

        forget(this.#unbatchedBefore, row);
        this.#unbatched.set(row.seq, row);
    }

    /** Records that a state of an object comes to the index. */
    #record(id: string): void {

        if (this.#recorded.size >= RECORDED_IDS) {
            [this.#recorded, this.#recordedBefore] = [new Map<string, number>(), this.#recorded];
            [this.#turnedOn, this.#forgotten] = [this.#number, this.#turnedOn];
        }

        this.#recorded.set(id, this.#number);
    }

    #isUnknown({ origin, number }: LogRow): boolean {

        if (origin !== this.origin) {
            return true;
        }

        if (this.#committed.delete(number) || this.#expected.delete(number)) {
            return false;
        }

        this.#uncommitted.add(number);
        this.#isReplayed = false;
        return true;
    }
}

/** Forgets a row, unless its number is that of another one now. */
function forget(rows: Map<number, LogRow>, row: LogRow): void {

    if (isSame(rows.get(row.seq), row)) {
        rows.delete(row.seq);
    }
}

function isSame(known: LogRow | undefined, { origin, number }: LogRow): boolean {

    return known?.origin === origin && known.number === number;
}
