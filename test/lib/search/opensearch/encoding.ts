import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { compareText } from '../../../../lib/search/analysis/analyzer.js';
import { codeOf, exactKey, numberKey, sortKey, textKey, textOfKey, tokenOf } from '../../../../lib/search/opensearch/encoding.js';
import { randomFrom } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { describe, it } = lab;

const PARTS = ['', 'a', 'A', 'b', 'ß', 'İ', 'é', '\0', '\u0001', '東', '\ue000', '\uffff', 'ﬁ', '😀', '\u{10fffe}'];

/** The order of the engine. */
function compareBytes(a: string, b: string): number {

    return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

describe('terms for OpenSearch', () => {

    it('have texts in the order of sorting, and give them back', () => {

        const random = randomFrom(1);
        const text = (): string => Array.from({ length: 3 }, () => PARTS[Math.floor(random() * PARTS.length)]).join('');
        for (let i = 0; i < 5000; ++i) {
            const [a, b] = [text(), text()];
            expect(compareBytes(textKey(a), textKey(b)), JSON.stringify([a, b])).to.equal(Math.sign(compareText(a, b)));
            expect(textOfKey(codeOf('column', '/x') + textKey(a)), JSON.stringify(a)).to.equal(a);
        }
    });

    it('have numbers in their order, before texts', () => {

        const numbers = [-Infinity, -1e21, -5.5, -5, -1e-300, 0, 5e-324, 0.1, 1, 2, 10, 1_700_000_000_000_000, 1e21, Infinity];

        expect(numbers.map(numberKey)).to.equal(numbers.map(numberKey).toSorted(compareBytes));
        expect(numberKey(-0)).to.equal(numberKey(0));
        expect(compareBytes(sortKey(Infinity), sortKey(''))).to.equal(-1);
    });

    it('are digests where they are too long', () => {

        const long = 'x'.repeat(2000);

        expect([tokenOf('!', 'word'), tokenOf('!', long).length, exactKey('test/u1'), exactKey(long).length]).to.equal(['!word', 44, 'test/u1', 44]);
        expect(new Set([codeOf('word', '/a'), codeOf('keyword', '/a'), codeOf('column', '/a'), codeOf('word', '/b')]).size).to.equal(4);
    });
});
