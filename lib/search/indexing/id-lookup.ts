/**
 * From the id of an object to its document in a segment.
 */

import { keywordOf } from '../analysis/analyzer.js';
import { hasBit } from '../docset/bit-set.js';
import type { LiveSegment } from '../searcher/live-segment.js';

/** The number of an object's living document, -1 when there is none. */
export function findDocument({ segment, dead }: LiveSegment, id: string): number {

    const keyword = segment.space('keyword');
    const term = keyword.find(keywordOf(id));
    const entry = term === -1 ? -1 : keyword.entry(term, segment.field('id'));
    if (entry === -1) {
        return -1;
    }

    // Ids that differ by case share a term.
    const documents = new Uint32Array(keyword.postings.count(entry));
    keyword.postings.read(entry, documents, documents.slice());
    const column = segment.column('id');
    const ranks = column?.ranks();
    return documents.find((document) => !hasBit(dead, document) && column?.value((ranks?.[document] ?? 0) - 1) === id) ?? -1;
}
