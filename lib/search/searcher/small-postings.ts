/**
 * A short list of documents and how often a word occurs in each.
 */

import { hasDocument } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { Postings } from '../segment/postings.js';

export class SmallPostings {

    readonly documents: Uint32Array;
    readonly frequencies: Uint32Array;
    end = 0;

    /** @param most documents that it has room for */
    constructor(most: number) {

        this.documents = new Uint32Array(most);
        this.frequencies = new Uint32Array(most);
    }

    /**
     * Adds the documents of an entry to those that are in the list from a place on; of documents that are there already the
     * occurrences are summed up. False when there is no room.
     *
     * @param options `allowed`: only these; null for all
     */
    add(postings: Postings, entry: number, { start, allowed }: { readonly start: number; readonly allowed: DocumentSet | null }): boolean {

        const { documents, frequencies, end } = this;
        if (end + postings.count(entry) > documents.length) {
            return false;
        }

        this.end += postings.read(entry, documents, frequencies, end);
        if (allowed) {
            this.keep(end, allowed);
        }

        if (end > start && this.end > end) {
            this.#merge(start, end);
        }

        return true;
    }

    /** Removes documents from a place on that are not in a set. */
    keep(start: number, set: DocumentSet): void {

        if (set.kind === 'many' && set.kept?.isAll) {
            return;
        }

        const { documents, frequencies } = this;
        let kept = start;
        for (let i = start; i < this.end; ++i) {
            const document = documents[i] as number;
            if (hasDocument(set, document)) {
                documents[kept] = document;
                frequencies[kept++] = frequencies[i] as number;
            }
        }

        this.end = kept;
    }

    /** Makes one run of two in order: one up to a place and one from there on. */
    #merge(start: number, middle: number): void {

        const { documents, frequencies } = this;
        const [first, second] = [documents.slice(start, middle), documents.slice(middle, this.end)];
        const [often, oftenToo] = [frequencies.slice(start, middle), frequencies.slice(middle, this.end)];
        let end = start;
        for (let i = 0, j = 0; i < first.length || j < second.length; ++end) {
            const [left, right] = [first[i] ?? Infinity, second[j] ?? Infinity];
            documents[end] = Math.min(left, right);
            frequencies[end] = (left <= right ? often[i++] as number : 0) + (right <= left ? oftenToo[j++] as number : 0);
        }

        this.end = end;
    }
}
