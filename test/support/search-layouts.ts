/**
 * Segments of the same documents in different layouts.
 */

import { emptyBits, setBit } from '../../lib/search/docset/bit-set.js';
import type { IndexDocument } from '../../lib/search/mapping/index-document.js';
import type { LruCache } from '../../lib/util/cache/lru-cache.js';
import { mergeSegments } from '../../lib/search/indexing/merge/segment-merger.js';
import { Segment } from '../../lib/search/segment/segment-reader.js';
import { SectionsInMemory } from '../../lib/search/segment/section-reader.js';
import type { ByteReader } from '../../lib/search/segment/section-reader.js';
import { SegmentBuilder } from '../../lib/search/indexing/segment-builder.js';
import type { SearchCorpus } from './search-corpus.js';
import type { LiveSegment } from '../../lib/search/searcher/live-segment.js';

/** One segment of all these documents, the ones marked as gone noted as such. */
export function build(documents: readonly { readonly document: IndexDocument; readonly isGone: boolean }[], memory?: LruCache): LiveSegment {

    const builder = new SegmentBuilder();
    documents.forEach(({ document }) => builder.add(document));
    const segment = Segment.of(builder.finish(), memory);
    const dead = emptyBits(segment.documents);
    documents.forEach(({ isGone }, number) => isGone && setBit(dead, number));
    return { segment, deleted: dead };
}

/** Gives each piece by itself, as short as it was asked for, in place of the one before. */
class PieceByPiece extends SectionsInMemory {

    override reader(name: string): ByteReader {

        const reader = {
            bytes: new Uint8Array(0),
            open: (start: number, end: number) => {

                reader.bytes = this.slice(name, start, Math.min(end, this.size(name))).slice();
                return 0;
            },
            offsetOf: () => -1
        };
        return reader;
    }
}

export function readInPieces({ segment, deleted: dead }: LiveSegment): LiveSegment {

    return { segment: new Segment(new PieceByPiece((segment.source as SectionsInMemory).sections)), deleted: dead };
}

export function merge(segments: readonly LiveSegment[]): LiveSegment {

    const { sections, documents } = mergeSegments(segments);
    return { segment: Segment.of(sections), deleted: emptyBits(documents) };
}

/** The same documents, spread over segments in different ways. */
export function layouts(corpus: SearchCorpus, count: number): { current: IndexDocument[]; layouts: Record<string, LiveSegment[]> } {

    const ids = Array.from({ length: count }, (_, i) => `test/${i}`);
    // Some documents are old states of others, or deleted ones.
    const history = ids.flatMap((id) => Array.from({ length: 1 + corpus.below(2) }, () => corpus.document(id)))
        .sort((a, b) => a.metadata.txnId - b.metadata.txnId);
    const deleted = new Set(ids.filter(() => corpus.once(8)));
    const last = new Map(history.map((document) => [document.id, document]));
    const noted = history.map((document) => ({ document, isGone: last.get(document.id) !== document || deleted.has(document.id) }));
    const current = noted.filter(({ isGone }) => !isGone);
    const many: LiveSegment[] = [];
    for (let start = 0; start < noted.length;) {
        const size = 1 + corpus.below(15);
        many.push(build(noted.slice(start, start + size)));
        start += size;
    }

    const halves = [merge(many.slice(0, many.length >> 1)), merge(many.slice(many.length >> 1))];
    return {
        current: current.map(({ document }) => document),
        layouts: {
            'one segment': [build(current)],
            'one segment with gone documents': [build(noted)],
            'many segments': many,
            'one segment that is read in pieces': [readInPieces(build(noted))],
            'segment by document': noted.map((document) => build([document])),
            'merged segments': halves,
            'segments merged twice': [merge(halves)]
        }
    };
}
