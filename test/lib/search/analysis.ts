import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { analyse, compareText, cutAt, keywordOf } from '../../../lib/search/analysis.js';

export const lab = Lab.script();
const { describe, it } = lab;

const WORDS: readonly (readonly [text: string, words: string])[] = [
    ['The quick, brown FOX!', 'the|quick|brown|fox'],
    ['foo-bar', 'foo|bar'],
    ['Tess of the D\'Urbervilles', 'tess|of|the|d\'urbervilles'],
    ['20.5000.1/abc', '20.5000.1|abc'],
    ['see example.com.', 'see|example.com'],
    ['a_b __c__ __', 'a_b|__c__'],
    ['me@example.com', 'me|example.com'],
    ['3.14 1,000 -5 v2.0', '3.14|1,000|5|v2.0'],
    ['a.1 1.a', 'a|1|1|a'],
    ['2004-05-01T10:00', '2004|05|01t10|00'],
    ['Ärzte ẞtraße naïve', 'ärzte|ßtraße|naïve'],
    ['e\u0301te\u0301', 'e\u0301te\u0301'],
    ['東京 ひらがな カタカナー 한국어', '東|京|ひ|ら|が|な|カタカナー|한국어'],
    ['שלום עולם', 'שלום|עולם'],
    ['a\u00adb', 'a\u00adb'],
    ['😀 &', ''],
    ['𝒳yz 𠀀', '𝒳yz|𠀀'],
    ['', '']
];

describe('analysis', () => {

    for (const [text, words] of WORDS) {
        it(`finds ${words || 'nothing'} in ${JSON.stringify(text)}`, () => {

            expect(analyse(text).map(({ term }) => term).join('|')).to.equal(words);
        });
    }

    it('numbers the words, also around those that are too long', () => {

        expect(analyse(`a ${'x'.repeat(256)} b`)).to.equal([{ term: 'a', position: 0 }, { term: 'b', position: 2 }]);
        expect(analyse('x'.repeat(255))).to.have.length(1);
    });

    it('takes a long text in linear time', () => {

        const start = performance.now();

        expect(analyse('Zażółć gęślą jaźń. '.repeat(50_000))).to.have.length(150_000);
        expect(performance.now() - start).to.be.below(3000);
    });

    it('keeps whole values in lower case and within bounds', () => {

        expect(keywordOf('20.1000/ABC def')).to.equal('20.1000/abc def');
        expect(keywordOf('x'.repeat(2000))).to.have.length(1024);
        expect(cutAt('a😀', 2)).to.equal('a');
    });

    it('sorts texts without regard to case, then with', () => {

        expect(['b', 'a', 'B', 'A', 'ab', ''].sort(compareText)).to.equal(['', 'A', 'a', 'ab', 'B', 'b']);
    });
});
