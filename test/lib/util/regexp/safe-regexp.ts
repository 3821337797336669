import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { SafeRegExp } from '../../../../lib/util/regexp/safe-regexp.js';
import { startBudget } from '../../../../lib/util/concurrency/time-budget.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

/** Patterns whose every meaning must be that of JavaScript. */
const SAME_AS_REGEXP = [
    '', '^$', '^a{2}$', '^a{2,}$', '^a{1,3}?$', 'a{', 'x|y', '^(x|y)$', '(|a)b', '^(?:)$', '^[a-z]+(?:-[a-z]+)*$',
    '^[\\w\\-\\.]+$', '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$', '^(?<y>\\d{4})-(\\d\\d)$', '^https?://[^\\s/$.?#].[^\\s]*$',
    '^\\s+$', '^[^\\S\\n]+$', '^[\\s\\S]*$', '^[^\\s]+$', '^\\W\\D\\S$', '^[^\\d\\W]$', '\\bfoo\\b', '\\B-\\B', '^.$', 'a$', '\\n', '^[\\n\\r]$',
    '\\u00e9', '^\\ud83d\\ude00$', '^\\u{1F600}$', '[\\u0400-\\u04FF]', '\\x41', '\\cA', '^\\0$', '^[\\b]$', '\\/x', '^\\_$', '^\\e$',
    '^\\p{L}+$', '^\\p{Letter}+$', '^\\P{L}+$', '^\\p{Script=Greek}+$', '^[\\p{Lu}_]+$', '^\\p{General_Category=Uppercase_Letter}+$',
    '^[[:alpha:]]$', '^[]a]', '^[^]$', '^[a\\-z]$', '^[\\d-x]$', '^[a-]$', '^[-a]$', '^[+--]$', '^[!-~]+$', '^[à-ü]$', '^\\.$', '^[.]$',
    '^(?:a{0}|x{1,2}){100}', '^(?:|a)(?:b|){500}', '(?:^){900}(?:$){900}', '^(?:\\b){1000}a', '^[^]{0,}$', '(?:abc)[]{1000}|^x$', '^(?:a|a|a){600}', '^(?=(?:a|[^]){1,}y)x',
    '^(?=.*\\d)(?!.*\\s).{4,}$', '^(?!foo|bar)', '^(?!(a|b)c)[ab].$', '^(?=[)]?)x', '^(?!\\))(?=.)'
];

const TEXTS = [
    '', 'a', 'aa', 'aaa', 'x', 'y', 'ac', 'bc', 'xy', 'foo', 'bar', 'fooo', 'foo bar', 'a-z', '-', '.', '+', ',', '_', ':', '$', '!~', '\\', 'a]', '[', ']',
    '\n', '\r', '\t ', '  ', '\u000b', '\u00a0', '\u2028', '\ufeff', '\u3000', '\b', '\0', '\x01', 'é', 'ü', '😀', '😀x', 'АБВ', 'αβγ', 'ABC_', 'a_b', 'A', 'e', 'a1',
    '2020-10', '2020-101', 'abc1', 'ab 12', 'd1ab', '12', '25', '1-a', '/x', ')', 'http://x.y/z', 'user@example.org', 'a{'
];

function regExpOf(source: string): RegExp {

    try {
        return new RegExp(source, 'u');
    }
    catch {
        return new RegExp(source);
    }
}

describe('safe regular expressions', () => {

    beforeEach(startBudget);

    for (const source of SAME_AS_REGEXP) {
        it(`mean what they mean in JavaScript: ${source}`, () => {

            const pattern = SafeRegExp.of(source);
            const regExp = regExpOf(source);
            for (const text of TEXTS) {
                expect(pattern.test(text), JSON.stringify(text)).to.equal(regExp.test(text));
            }
        });
    }

    const refused: [string, string, string | RegExp][] = [
        ['unbalanced groups', '(a', 'is not a valid regular expression'],
        ['an unfinished class', '[a', 'is not a valid regular expression'],
        ['back-references', '^(a)\\1$', 'refers back to a group, which is not supported'],
        ['named back-references', '^(?<x>a)\\k<x>$', 'refers back to a group, which is not supported'],
        ['lookaheads further inside', 'a(?=b)', 'looks around, which is only supported directly after a leading ^'],
        ['lookaheads of one alternative', '^(?=a)b|c', 'looks around, which is only supported directly after a leading ^'],
        ['lookbehinds', '(?<!a)b', 'looks around, which is only supported directly after a leading ^'],
        ['too many repetitions', 'a{1,2000}', 'repeats more than 1000 times; limit the length of a text with maxLength'],
        ['repetitions that multiply', '((a{100}){100}){100}', 'is too large; shorten its repetitions'],
        ['a long text that is repeated', `(?:${'abcd'.repeat(1000)}){999}`, 'is too large; shorten its repetitions'],
        ['conditions that are large together', `^${'(?=a{999})'.repeat(400)}`, 'is too large; shorten its repetitions'],
        ['patterns with too many states', '(abcdefghij){300}', 'is too large; shorten its repetitions'],
        ['very long patterns', 'a'.repeat(5000), 'is longer than 4096 characters'],
        ['properties that the engine does not know', '\\p{Bidi_Mirrored}', 'uses something that is not supported']
    ];
    for (const [title, source, message] of refused) {
        it(`reject ${title}`, () => {

            expect(() => SafeRegExp.of(source)).to.throw(message);
        });
    }

    const hostile: [string, string][] = [
        ['(a+)+$', 'a'.repeat(50_000) + '!'],
        ['^(a|aa)+$', 'a'.repeat(50_000) + '!'],
        ['^(?:.*,){5}x', ','.repeat(50_000)],
        ['^(?=(a+)+$)a', 'a'.repeat(50_000) + '!'],
        ['^([a-z]+\\s?)*$', 'abc '.repeat(10_000) + '!'],
        ['(x+x+)+y', 'x'.repeat(50_000)]
    ];
    for (const [source, text] of hostile) {
        it(`respond quickly where RegExp would not: ${source}`, () => {

            const elapsed = processorTime();

            expect(SafeRegExp.of(source).test(text)).to.be.false();
            expect(elapsed()).to.be.below(10_000);
        });
    }

    it('reject a text that is too long for a pattern with many states', () => {

        expect(() => SafeRegExp.of('^[ab]{1,900}c').test('a'.repeat(100_000))).to.throw(/too long for the pattern/);
    });

    it('stop when many tests together take too long', () => {

        const pattern = SafeRegExp.of('[ab]*a[ab]{400}$');
        const texts = Array.from({ length: 200 }, (_, seed) =>
            Array.from({ length: 10_000 }, (__, i) => (Math.imul(i + seed, 2654435761) >>> 13 & 1 ? 'a' : 'b')).join('') + 'c');

        // As often as it takes: how much can be done in the allowed time depends on the machine.
        const testAll = (): void => {

            for (let i = 0; i < 1000; ++i) {
                texts.forEach((text) => pattern.test(text));
            }
        };

        startBudget();
        const elapsed = processorTime();
        expect(testAll).to.throw(/too large/);
        expect(elapsed()).to.be.below(10_000);
    });

    it('are cached by source', () => {

        expect(SafeRegExp.of('^shared$')).to.shallow.equal(SafeRegExp.of('^shared$'));
        expect(String(SafeRegExp.of('^shared$'))).to.equal('^shared$');
    });
});
