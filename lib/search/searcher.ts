/**
 * The work of the thread that searches: keeps the segments, applies changes, answers searches and hands out further hits.
 */

import { SearchEngine } from './engine.js';
import type { HitStream } from './hits.js';
import { Memory } from './memory.js';
import type { SearcherAnswers, SearcherCall, SearcherOptions } from './messages.js';
import { fetchThrough } from './section-port.js';
import { SegmentSet } from './segment-set.js';
import type { Change } from './segment-set.js';

/** Searches whose hits have not all been fetched; the one that was not asked for longest is ended when there are more. */
const MAX_CURSORS = 1000;

export class Searcher {

    readonly #memory: Memory;
    readonly #segments: SegmentSet;
    readonly #engine = new SearchEngine();
    readonly #cursors = new Map<number, HitStream>();
    #nextCursor = 1;

    constructor({ sections, memory }: SearcherOptions) {

        this.#memory = new Memory(memory);
        this.#segments = new SegmentSet(this.#memory, fetchThrough(sections));
    }

    handle(call: SearcherCall): SearcherAnswers[SearcherCall['kind']] {

        switch (call.kind) {
            case 'apply':
                (JSON.parse(call.changes) as readonly Change[]).forEach((change) => this.#segments.apply(change));
                return { documents: this.#segments.unstored, bytes: this.#segments.unstoredBytes };
            case 'search':
                return this.#search(call);
            case 'more':
                return this.#more(call.cursor, call.count);
            case 'forget':
                this.#cursors.delete(call.cursor);
                return null;
            case 'add':
                this.#segments.add(call.segment, call.dead);
                return null;
            case 'seal':
                return { ...this.#segments.seal(), sizes: this.#segments.sizes() };
            case 'unseal':
                this.#segments.unseal();
                return null;
            case 'copies':
                return this.#segments.copies(call.names);
            case 'replace':
                this.#segments.replace(call.sources, call.added);
                return this.#segments.sizes();
            case 'usage':
                return {
                    unstored: this.#segments.unstoredBytes, kept: this.#memory.bytes, room: this.#engine.bytes, heap: process.memoryUsage().heapUsed
                };
        }
    }

    #search({ request, first, milliseconds }: SearcherCall & { kind: 'search' }): SearcherAnswers['search'] {

        const { size, facets, hits: stream } = this.#engine.search(request, this.#segments.snapshot(), milliseconds);
        const hits = stream.take(first);
        return { size, facets, hits, cursor: stream.isDone ? null : this.#keep(stream) };
    }

    #more(cursor: number, count: number): SearcherAnswers['more'] {

        const stream = this.#cursors.get(cursor);
        if (!stream) {
            throw new Error(`there is no search ${cursor}`);
        }

        this.#cursors.delete(cursor);
        const hits = stream.take(count);
        if (!stream.isDone) {
            this.#cursors.set(cursor, stream);
        }

        return { hits, isDone: stream.isDone };
    }

    #keep(stream: HitStream): number {

        const cursor = this.#nextCursor++;
        this.#cursors.set(cursor, stream);
        if (this.#cursors.size > MAX_CURSORS) {
            const [oldest = cursor] = this.#cursors.keys();
            this.#cursors.delete(oldest);
        }

        return cursor;
    }
}
