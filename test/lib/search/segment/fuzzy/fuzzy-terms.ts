import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { compareBytes, encodeText } from '../../../../../lib/search/segment/byte-buffers.js';
import { Deadline } from '../../../../../lib/search/query/query-deadline.js';
import { candidatesOf, forEachSimilar } from '../../../../../lib/search/segment/fuzzy/fuzzy-terms.js';
import type { SortedTerms } from '../../../../../lib/search/analysis/term-bytes.js';
import { seeded } from '../../../../support/random.js';
import type { Random } from '../../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Letters of which some are rare, some are beyond ASCII and some share a place in signatures. */
const LETTERS = ['a', 'a', 'a', 'e', 'e', 'i', 'o', 'u', 'n', 'r', 's', 't', 'b', 'ä', 'é', 'ж', '漢', '𝒳', '0', '7'];

function randomWord(random: Random): string {

    return Array.from({ length: random.integer(1, random.chance(0.02) ? 90 : 9) }, () => random.pick(LETTERS)).join('');
}

function changed(word: string, random: Random): string {

    const letters = [...word];
    const place = random.integer(0, letters.length - 1);
    const others = [
        () => letters.splice(place, 1), () => letters.splice(place, 0, random.pick(LETTERS)), () => letters.splice(place, 1, random.pick(LETTERS)),
        () => letters.splice(place, 2, ...letters.slice(place, place + 2).reverse())
    ];
    random.pick(others)();
    return letters.join('');
}

/** Edits by the textbook. */
function distance(a: readonly string[], b: readonly string[]): number {

    const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_unused, j) => (i === 0 ? j : j === 0 ? i : 0)));
    const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
    for (let i = 1; i <= a.length; ++i) {
        for (let j = 1; j <= b.length; ++j) {
            let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
                least = Math.min(least, at(i - 2, j - 2) + 1);
            }

            (table[i] as number[])[j] = least;
        }
    }

    return at(a.length, b.length);
}

function sortedTerms(words: readonly string[]): SortedTerms {

    const texts = words.map(encodeText).sort(compareBytes);
    const at = new Uint32Array(texts.length + 1);
    texts.forEach((text, i) => {

        at[i + 1] = (at[i] ?? 0) + text.length;
    });
    return { bytes: Buffer.concat(texts), starts: at, ends: at.subarray(1), count: texts.length };
}

describe('the fuzzy index', () => {

    // With few terms there is one group of them, with many there are thousands.
    for (const count of [1, 7, 40, 700, 20_000]) {
        it(`finds exactly the terms within the edit distance, among ${count} words`, () => {

            const random = seeded(count);
            const words = new Set<string>();
            while (words.size < count) {
                const word = randomWord(random);
                words.add(word);
                if (words.size < count) {
                    words.add(changed(word, random));
                }

                words.delete('');
            }

            const all = [...words];
            const terms = sortedTerms(all);
            const candidates = [1, 2].map((edits) => candidatesOf(terms, edits));
            let similar = 0;
            for (let round = 0; round < (count > 1000 ? 6 : 30); ++round) {
                const word = round % 3 === 0 ? randomWord(random) : changed(random.pick(all), random) || 'a';
                const edits = 1 + round % 2;
                const letters = [...word];
                const expected = all.filter((candidate) => {

                    const other = [...candidate];
                    return Math.abs(other.length - letters.length) <= edits && distance(letters, other) <= edits;
                });
                const found: string[] = [];
                forEachSimilar(terms, candidates[edits - 1]!, { word, edits, deadline: new Deadline(60_000) }, (term) => {

                    found.push(Buffer.from(terms.bytes.subarray(terms.starts[term], terms.ends[term])).toString());
                });
                expect(found.sort(), `${word}~${edits}`).to.equal(expected.sort());
                similar += found.length;
            }

            expect(similar > 0 || count < 40).to.be.true();
        });
    }
});
