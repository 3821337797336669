/**
 * The objects that the search benchmark is about: bibliographic records made from a seed, so that every run, every machine and
 * the program for Lucene see the same ones. Words are as frequent as in natural text (Zipf), out of 200,000.
 */

import type { StoredObject } from '../../../lib/model/stored-object.js';
import { randomFrom } from '../../support/search-corpus.js';

const VOCABULARY = 200_000;
/** Rank by rank words become rarer a little slower than by its inverse. */
const EXPONENT = 0.95;
const USERS = 1000;
const READERS = 3;
const SURNAMES = 20_000;
const FORENAMES = 2000;
const PUBLISHERS = 500;
const JOURNALS = 2000;
const PLACES = 1000;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'];

/** Share of each type. */
const TYPES: readonly (readonly [type: string, share: number])[] = [
    ['Article', 0.5], ['Book', 0.25], ['Report', 0.13], ['Thesis', 0.08], ['Map', 0.04]
];

const SYLLABLES = ['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'je', 'ki', 'lo', 'mu', 'na', 'pe', 'qi', 'ro', 'su', 'ta', 've', 'wi', 'xo', 'zu',
    'bra', 'cle', 'dri', 'flo', 'gru', 'spe', 'tri', 'sto', 'plu', 'kra', 'al', 'en', 'ir', 'on', 'ur', 'man', 'ten', 'lis', 'ros', 'dum'];

/** The word of a rank; 0 is the most frequent one. All are different. */
export function word(rank: number): string {

    // Neighbours in rank are not neighbours in the dictionary.
    let rest = (rank * 7919 + 13) % (SYLLABLES.length ** 4);
    let text = '';
    for (let i = 0; i < 4; ++i) {
        text += SYLLABLES[rest % SYLLABLES.length];
        rest = Math.floor(rest / SYLLABLES.length);
    }

    return text + (rank < 26 ? 'x' : '');
}

/** The readers are users by number. */
export function userId(number: number): string {

    return `bench/user-${number}`;
}

/** Makes the objects one after the other. */
export class BenchCorpus {

    readonly #random: () => number;
    readonly #shares = zipf(VOCABULARY);
    #number = 0;

    constructor(seed: number) {

        this.#random = randomFrom(seed);
    }

    /** The next object; ids and transaction numbers count from 1. */
    next(): StoredObject {

        const txnId = ++this.#number;
        const modifiedOn = 1_600_000_000_000 + txnId * 1000;
        return {
            id: `bench/${txnId}`, type: this.#type(),
            content: this.#content(txnId),
            acl: { readers: Array.from({ length: READERS }, () => userId(this.#below(USERS))), writers: [] },
            userMetadata: null, elements: [],
            metadata: { createdOn: modifiedOn, createdBy: 'admin', modifiedOn, modifiedBy: 'admin', txnId }
        };
    }

    #content(number: number): StoredObject['content'] {

        const year = 1900 + Math.floor(120 * Math.sqrt(this.#random()));
        return {
            title: this.#text(6 + this.#below(6)),
            abstract: this.#text(24 + this.#below(16)),
            authors: Array.from({ length: 1 + this.#below(4) }, () => ({
                name: `${word(this.#below(FORENAMES))} ${word(FORENAMES + this.#below(SURNAMES))}`
            })),
            year,
            pages: 1 + this.#below(900),
            date: `${year}-${two(1 + this.#below(12))}-${two(1 + this.#below(28))}`,
            language: LANGUAGES[Math.floor(LANGUAGES.length * this.#random() ** 2)] ?? 'en',
            publisher: `${word(1000 + this.#below(PUBLISHERS))} press`,
            journal: `journal of ${word(3000 + this.#below(JOURNALS))}`,
            place: word(6000 + this.#below(PLACES)),
            keywords: Array.from({ length: 3 }, () => this.#word()),
            identifier: `bib${number}`,
            volume: 1 + this.#below(120)
        };
    }

    #type(): string {

        let left = this.#random();
        for (const [type, share] of TYPES) {
            left -= share;
            if (left < 0) {
                return type;
            }
        }

        return 'Map';
    }

    #text(words: number): string {

        return Array.from({ length: words }, () => this.#word()).join(' ');
    }

    #word(): string {

        const wanted = this.#random();
        let low = 0;
        let high = VOCABULARY - 1;
        while (low < high) {
            const middle = (low + high) >>> 1;
            if ((this.#shares[middle] as number) < wanted) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }

        return word(low);
    }

    #below(limit: number): number {

        return Math.floor(this.#random() * limit);
    }
}

/** Sums of the shares of all words up to each rank. */
function zipf(count: number): Float64Array {

    const sums = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; ++rank) {
        sum += 1 / (rank + 2) ** EXPONENT;
        sums[rank] = sum;
    }

    return sums.map((part) => part / sum);
}

function two(number: number): string {

    return String(number).padStart(2, '0');
}
