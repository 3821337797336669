import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { analyse, compareText, cutAt, keywordOf } from '../../../../lib/search/analysis/analyzer.js';
import { seeded } from '../../../support/random.js';
import { processorTime } from '../../../support/processor-time.js';

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
    ['emoji 😀here &', 'emoji|😀|here'],
    ['👍🏽👩\u200d👧 🇩🇪🇫🇷 ❤\ufe0f ©', '👍🏽|👩\u200d👧|🇩🇪|🇫🇷|❤\ufe0f'],
    ['&', ''],
    ['𝒳yz 𠀀', '𝒳yz|𠀀'],
    ['', '']
];

describe('the analyzer', () => {

    for (const [text, words] of WORDS) {
        it(`finds ${words || 'nothing'} in ${JSON.stringify(text)}`, () => {

            expect(analyse(text).map(({ term }) => term).join('|')).to.equal(words);
        });
    }

    it('numbers the words, and splits those that are too long', () => {

        expect(analyse(`a ${'x'.repeat(256)} b`)).to.equal([
            { term: 'a', position: 0 }, { term: 'x'.repeat(255), position: 1 }, { term: 'x', position: 2 }, { term: 'b', position: 3 }
        ]);
        expect(analyse('x'.repeat(255))).to.have.length(1);
    });

    it('processes a long text in linear time', () => {

        const elapsed = processorTime();

        expect(analyse('Zażółć gęślą jaźń. '.repeat(50_000))).to.have.length(150_000);
        expect(elapsed()).to.be.below(3000);
    });

    it('finds the same words in a text that is read in chunks', () => {

        const random = seeded(7);
        const units = ['word', ' ', '. ', '-', '3.14', '1,0', 'a.b', '東', 'カナ', 'ひ', 'e\u0301', '_', 'x_y', '\u{1f600}', '𝒳', '\u200d', '\'', '\n', '½'];
        const text = Array.from({ length: 300_000 }, () => random.pick(units)).join('');
        const half = text.indexOf(' ', text.length / 2);
        expect(text.length).to.be.above(512 * 1024);
        expect(half).to.be.below(512 * 1024);

        const [first, second] = [analyse(text.slice(0, half)), analyse(text.slice(half))];
        const count = (first.at(-1)?.position ?? 0) + 1;
        expect(analyse(text)).to.equal([...first, ...second.map(({ term, position }) => ({ term, position: position + count }))]);
    });

    for (const unit of ['x', 'a.', '1,', 'カ', 'カ\u3099', '_a', 'e\u0301', '𝒳', 'a\'', 'a\u200d']) {
        it(`processes a long text without word breaks, repeating ${JSON.stringify(unit)}`, () => {

            const words = analyse(`before 東${unit.repeat(8_000_000 / unit.length)} after`);

            expect(words.slice(0, 2)).to.equal([{ term: 'before', position: 0 }, { term: '東', position: 1 }]);
            expect(words.at(-1)).to.equal({ term: 'after', position: 3 });
        });
    }

    it('keeps whole values in lower case, within a limit', () => {

        expect(keywordOf('20.1000/ABC def')).to.equal('20.1000/abc def');
        expect(keywordOf('x'.repeat(2000))).to.have.length(1024);
        expect(cutAt('a😀', 2)).to.equal('a');
    });

    it('sorts texts by case-insensitive keys, then by case', () => {

        expect(['b', 'a', 'B', 'A', 'ab', ''].sort(compareText)).to.equal(['', 'A', 'a', 'ab', 'B', 'b']);
    });
});
