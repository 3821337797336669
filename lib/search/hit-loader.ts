/**
 * Loads the objects of hits. Objects are returned as their stored texts, unless they have to be parsed: for the code of their type,
 * or for a rule that hides parts of them. They are read in small batches with yields to the event loop, and access is checked
 * again, because objects and rules may have changed since the search.
 */

import type { DigitalObject } from '../doip/digital-object.js';
import type { Caller } from '../model/caller.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { ObjectResolution, Reading } from '../objects/read/object-resolution.js';
import { LazyStoredObject } from '../model/lazy-stored-object.js';
import type { StoredObject } from '../model/stored-object.js';
import { toDigitalObject } from '../model/stored-object.js';
import { ForPrimary } from '../errors/for-primary.js';
import type { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import type { SearchHit } from './query/search-request.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';

/** Reads objects as stored texts. */
export type TextReader = Pick<ObjectScan, 'texts' | 'text'>;

/** For whom results are read. */
export interface ResultReading extends Reading {
    /** Aborted when the client disconnects. */
    readonly signal: AbortSignal;
}

/** An object that was found. */
interface Result {
    readonly object: LazyStoredObject;
    readonly score: number | null;
    /** True if code has to do with it, by the same state of the types by which the caller may find it. */
    readonly isConcerned: boolean;
}

/** Batch size for reading objects. */
const BATCH_SIZE = 25;

/** Length of a batch that is passed on, in UTF-16 units; a single object may be longer. */
const LENGTH_PER_BATCH = 64 * 1024;

/** Batch size for the code of types, in objects and in UTF-16 units. */
const RESOLVED_PER_BATCH = 100;
const RESOLVED_LENGTH = 160 * 1024;

export class ResultReader {

    readonly #objects: TextReader;
    readonly #policy: Policy;
    readonly #resolution: ObjectResolution;
    readonly #yielder: EventLoopYielder;
    readonly #mayShow: (type: string) => boolean;

    /** @param parts `mayShow`: false in a worker process for a type whose objects only the primary process can show, at the moment; default always true */
    constructor(parts: {
        objects: TextReader; policy: Policy; resolution: ObjectResolution; yielder: EventLoopYielder; mayShow?: ((type: string) => boolean) | undefined;
    }) {

        this.#objects = parts.objects;
        this.#policy = parts.policy;
        this.#resolution = parts.resolution;
        this.#yielder = parts.yielder;
        this.#mayShow = parts.mayShow ?? (() => true);
    }

    /**
     * Returns the objects of hits; leaves out those that were deleted, may not be found any more, or are withheld by the code of their type. Throws
     * {@link ForPrimary} in a worker when code has to do with them.
     */
    async *load(hits: AsyncIterable<readonly SearchHit[]>, reading: ResultReading): AsyncGenerator<readonly DigitalObject[], void, undefined> {

        let pending: Result[] = [];
        let length = 0;
        for await (const results of this.#read(hits, reading)) {
            const added = results.reduce((sum, { object }) => sum + object.length, 0);
            if (pending.length > 0 && (pending.length + results.length > RESOLVED_PER_BATCH || length + added > RESOLVED_LENGTH)) {
                yield *this.#resolved(pending, reading);
                [pending, length] = [[], 0];
            }

            if (pending.length === 0 && !results.some(({ isConcerned }) => isConcerned)) {
                yield results.map((result) => this.#project(result, reading.caller));
                continue;
            }

            // The code of types is called for many objects at once.
            pending.push(...results);
            length += added;
        }

        if (pending.length > 0) {
            yield *this.#resolved(pending, reading);
        }
    }

    /** Reads the objects of hits that the caller may read, in order: a few at a time, long ones alone. */
    async *#read(blocks: AsyncIterable<readonly SearchHit[]>, { caller, signal }: ResultReading): AsyncGenerator<readonly Result[], void, undefined> {

        const pause = pauses(this.#yielder, signal);
        for await (const block of blocks) {
            for (let start = 0; start < block.length; start += BATCH_SIZE) {
                await pause();
                const hits = block.slice(start, start + BATCH_SIZE);
                const { objects, long } = await this.#objects.texts(hits.map(({ id }) => id));
                const byId = new Map(objects.map((parts) => [parts.id, parts]));
                let results: Result[] = [];
                let length = 0;
                for (const { id, score } of hits) {
                    const isLong = !byId.has(id) && long.includes(id);
                    if (isLong || length >= LENGTH_PER_BATCH) {
                        yield results;
                        [results, length] = [[], 0];
                        await pause();
                    }

                    const parts = isLong ? await this.#objects.text(id) : byId.get(id);
                    const object = parts && new LazyStoredObject(parts);
                    if (object && !this.#mayShow(object.type)) {
                        throw new ForPrimary();
                    }

                    if (object && this.#policy.canFind(caller, object).allowed) {
                        results.push({ object, score, isConcerned: this.#resolution.concerns(object.type) });
                        length += isLong ? LENGTH_PER_BATCH : object.length;
                    }
                }

                yield results;
            }
        }
    }

    /** Calls the code of types; other objects pass unchanged. */
    async *#resolved(found: readonly Result[], { caller, requestContext }: ResultReading): AsyncGenerator<readonly DigitalObject[], void, undefined> {

        // The types may have changed since: one that hid its objects by code may hide them by its rights now.
        const results = found.filter(({ object }) => this.#policy.canFind(caller, object).allowed);
        const concerned = results.filter(({ object }) => this.#resolution.concerns(object.type));
        const outcomes = await this.#resolution.resolveAll(concerned.map(({ object }) => object.read()), { caller, requestContext });
        const outcomeOf = new Map(concerned.map((result, index) => [result, outcomes[index] ?? null]));
        for (let start = 0; start < results.length; start += BATCH_SIZE) {
            if (start > 0) {
                await this.#yielder.yield();
            }

            yield results.slice(start, start + BATCH_SIZE).flatMap((result) => {

                const outcome = outcomeOf.get(result);
                return outcome === null ? [] : [outcome ? this.#toDigital(outcome, caller, result) : this.#project(result, caller)];
            });
        }
    }

    #project(result: Result, caller: Caller): DigitalObject {

        const { object, score } = result;
        return this.#policy.hidesFrom(caller, object) ?
            this.#toDigital(object.read(), caller, result) : object.toWritten(score === null ? null : { score });
    }

    #toDigital(visible: StoredObject, caller: Caller, { object, score }: Result): DigitalObject {

        const found = toDigitalObject(this.#policy.visibleTo(caller, visible, object));
        if (score === null) {
            return found;
        }

        const responseContext = { score };
        return { ...found, attributes: { ...found.attributes, responseContext }, responseContext };
    }
}

/**
 * Returns a function to be called before each piece of work: it yields to the event loop, but not before the first one, and throws when
 * the signal is aborted.
 */
export function pauses(yielder: EventLoopYielder, signal: AbortSignal): () => Promise<void> {

    let isFirst = true;
    return async () => {

        if (!isFirst) {
            await yielder.yield();
        }

        isFirst = false;
        signal.throwIfAborted();
    };
}
