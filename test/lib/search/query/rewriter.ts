import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { MAX_CLAUSES, readQuery } from '../../../../lib/search/query/rewriter.js';
import { MAX_QUERY_DEPTH } from '../../../../lib/search/query/parser.js';
import { describeQuery } from '../../../support/query-text.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Query → its meaning; required clauses come first, forbidden ones last. */
const MEANINGS: readonly (readonly [query: string, meaning: string])[] = [
    // Terms
    ['Tess', 'tess'],
    ['tess durbeyfield', 'tess durbeyfield'],
    ['foo-bar', 'foo bar'],
    ['/name:foo-bar', '/name:foo /name:bar'],
    ['+foo-bar x', '+(foo bar) x'],
    ['20.5000.1/abc', '20.5000.1 abc'],
    ['D\'Urbervilles', 'd\'urbervilles'],
    ['a\\ b', 'a b'],
    ['\\u0041bc', 'abc'],
    ['caf\\u00e9', 'café'],
    ['a&&b', 'a b'],
    ['ANDROID ORACLE NOTE TO', 'android oracle note to'],
    ['東京', '東 京'],
    ['a\u3000b', 'a b'],
    ['  a\t\nb ', 'a b'],
    // Neighbours of AND, OR and NOT.
    ['a AND b OR c', '+a +b c'],
    ['a OR b AND c', '+b +c a'],
    ['a OR NOT b', 'a -b'],
    ['NOT a OR b', 'b -a'],
    ['a AND NOT b', '+a -b'],
    ['NOT a AND b', '+b -a'],
    ['a && b || c', '+a +b c'],
    ['a!b', 'a -b'],
    ['a ! b', 'a b'],
    ['a - b', 'a b'],
    ['a -b', 'a -b'],
    ['a+b', 'a b'],
    ['+a +b -c d', '+a +b d -c'],
    ['a AND +b', '+a +b'],
    ['a OR +b', '+b a'],
    // Clauses without words.
    ['a AND & AND b', '+a +b'],
    ['a & b', 'a b'],
    ['&', 'nothing'],
    ['(&)', 'nothing'],
    ['a (&)', 'a'],
    ['"..."', 'nothing'],
    // Forbidden clauses alone.
    ['-type:Schema', '+*:* -type:schema'],
    ['NOT a', '+*:* -a'],
    ['a AND (-b)', '+a +(+*:* -b)'],
    ['*:* -type:Schema', '*:* -type:schema'],
    // Groups
    ['(a)(b)', 'a b'],
    ['(a b) AND c', '+(a b) +c'],
    ['/x:(a +b)', '+/x:b /x:a'],
    ['/x:(a /y:b c)', '/x:a /y:b /x:c'],
    ['((((a))))', 'a'],
    ['(a b)^2 c^3', '(a^2 b^2) c^3'],
    ['(a^2 b)^3', 'a^6 b^3'],
    // Fields
    ['/author/lastName:Hardy', '/author/lastName:hardy'],
    ['f :x', 'f:x'],
    ['f: x', 'f:x'],
    ['/a~1b:x', '/a~1b:x'],
    ['/a\\~1b:x', '/a~1b:x'],
    ['/my\\ prop:x', '/my prop:x'],
    ['/a-b_c.d:x', '/a-b_c.d:x'],
    ['/dc\\:title:x', '/dc:title:x'],
    ['\\/a\\/b:x', '/a/b:x'],
    ['/genre/_:Tragedy', '/genre/_:tragedy'],
    ['metadata/createdBy:admin', 'metadata/createdBy:admin'],
    ['internal.all:x', 'x'],
    ['type:Document', 'type:document'],
    ['type:"Digital Specimen"', 'type:digital specimen'],
    ['id:20.1000/ABC', 'id:20.1000/abc'],
    ['id:20.1000/a-b', 'id:20.1000/a-b'],
    ['aclWrite:20.1000/u7', 'aclWrite:20.1000/u7'],
    ['acl/readers/_:Public', 'acl/readers/_:public'],
    ['elname_scan:true', 'elname_scan:true'],
    ['elatt_scan_filename:scan-1.png', 'elatt_scan_filename:scan elatt_scan_filename:1 elatt_scan_filename:png'],
    ['elatt_scan_mimetype:image/png', 'elatt_scan_mimetype:image/png'],
    ['internal.pointsAt:20.1000/d1', 'internal.pointsAt:20.1000/d1'],
    ['objatt_createdBy:admin', 'metadata/createdBy:admin'],
    ['valid:true', '*:*'],
    ['valid:false', 'nothing'],
    ['facet_/name:"Whole Value"', '/name="Whole Value"'],
    ['facet_createdBy:admin', 'metadata/createdBy="admin"'],
    // Phrases
    ['"Family Poverty"', '"family poverty"~0'],
    ['"a b"~', '"a b"~0'],
    ['"a b"~5', '"a b"~5'],
    ['"a b" ~5', '"a b"~5'],
    ['"a b"~1000000', '"a b"~9998'],
    ['"a b"~2^3', '"a b"~2^3'],
    ['"foo-bar"', '"foo bar"~0'],
    ['"one"', 'one'],
    ['"say \\"hi\\" now"', '"say hi now"~0'],
    ['"a (b"', '"a b"~0'],
    // Ranges
    ['/n:[2 TO 10]', '/n:[2 TO 10]'],
    ['/n:{2 TO 10}', '/n:{2 TO 10}'],
    ['/n:[2 TO 10}', '/n:[2 TO 10}'],
    ['/n:[ A  TO  * ]', '/n:[a TO *]'],
    ['/n:["a b" TO "c]"]', '/n:[a b TO c]]'],
    ['/n:[* TO *]', '/n:exists'],
    ['/n:[-3 TO +5]^2', '/n:[-3 TO +5]^2'],
    ['/t:[2024-01-01T00:00:00Z TO *]', '/t:[2024-01-01t00:00:00z TO *]'],
    ['[* TO *]', '*:*'],
    ['elatt_a_internal.size:[1000 TO 20000]^2', 'elatt_a_internal.size:[1000 TO 20000]^2'],
    // Ranges of timestamps: dates and times in their form.
    ['objcreated:[2023-12-01 TO 2023-12-31]', 'metadata/createdOn:[20231201 TO 202312319]'],
    ['objmodified:{2023-12-01 TO 2023-12-31}', 'metadata/modifiedOn:{202312019 TO 20231231}'],
    ['dtindexed:[2023-12 TO *]', 'dtindexed:[202312 TO *]'],
    ['dtindexed:[* TO 2023-12]', 'dtindexed:[* TO 2023129]'],
    ['objcreated:["2023-12-01T01:30:00+02:00" TO "2023-12-01t10:00:00.12z"}', 'metadata/createdOn:[20231130233000000 TO 20231201100000120}'],
    ['objcreated:["2023-12-01T00:00:00.0005Z" TO "2023-12-01T00:00:00.0015Z"}', 'metadata/createdOn:[202312010000000009 TO 202312010000000019}'],
    ['objcreated:[20231201 TO 2024]', 'metadata/createdOn:[20231201 TO 2024]'],
    ['objcreated:[x-1 TO 2023-12-xx]', 'metadata/createdOn:[x-1 TO 2023-12-xx]'],
    ['/date:[2023-12-01 TO 2023-12-31]', '/date:[2023-12-01 TO 2023-12-31]'],
    ['txnId:[2023-12-01 TO *]', 'metadata/txnId:[2023-12-01 TO *]'],
    // Patterns
    ['*', '*:*'],
    ['*:*', '*:*'],
    ['/x:*', '/x:exists'],
    ['/x:**', '/x:exists'],
    ['Har*', 'har*'],
    ['*report*', '*report*'],
    ['/a:H?rd*y', '/a:h?rd*y'],
    ['foo-b*', 'foo-b*'],
    ['a\\*b*', 'a\\*b*'],
    ['a\\*', 'a'],
    ['AND*', 'and*'],
    ['*~1', '*:*'],
    // Capital sigma is another letter at the end of a word, which may be where a wildcard is.
    ['ΟΔΟΣ*', 'οδοσ* οδος*'],
    ['/t:ΟΔΟΣ?ΟΣ^2', '/t:οδοσ?ος^2 /t:οδος?ος^2'],
    ['+*Σ', '*σ *ς'],
    ['*ΟΔΟΣ', '*οδος'],
    ['οδος*', 'οδος*'],
    ['ΣΟΔ*', 'σοδ*'],
    // Fuzzy
    ['Hardi~', 'hardi~2'],
    ['x~1', 'x~1'],
    ['x~3', 'x~2'],
    ['x~0', 'x'],
    ['abcde~0.8', 'abcde'],
    ['abcdef~0.8', 'abcdef~1'],
    ['x ~1', 'x~1'],
    ['x~ 1', 'x~2 1'],
    ['x~1^2.5', 'x~1^2.5'],
    ['x^2~1', 'x~1^2'],
    // Boosts
    ['a^2', 'a^2'],
    ['a ^2', 'a^2'],
    ['*:*^0', '*:*^0'],
    [`a^${'9'.repeat(400)}`, 'a^1000000000'],
    [`(a^${'9'.repeat(400)} b)^0`, 'a^0 b^0'],
    ['((a^99999999)^99999999 b)^0.5', 'a^1000000000 b^0.5']
];

/** Query → the character at which it goes wrong, 1-based. */
const FAULTS: readonly (readonly [query: string, at: number])[] = [
    ['+', 2],
    ['-', 2],
    ['a +', 4],
    ['AND', 1],
    ['OR a', 1],
    ['a OR', 5],
    ['a AND', 6],
    ['a AND OR b', 7],
    ['NOT', 4],
    ['NOT NOT a', 5],
    ['!!a', 3],
    ['+-a', 3],
    ['(a OR', 6],
    ['(a', 3],
    ['a)', 2],
    ['()', 2],
    ['"unclosed', 10],
    ['a:b:c', 4],
    ['a:', 3],
    [':a', 1],
    ['/n:-3', 5],
    ['/n:+x', 5],
    ['f:AND', 3],
    ['ti*:x', 4],
    ['a^2^3', 4],
    ['a^', 3],
    ['a^b', 3],
    ['a^ 2', 3],
    ['a^.5', 3],
    ['x~1.5', 2],
    ['~2', 1],
    ['[a to b]', 4],
    ['[a b]', 4],
    ['[a TO b', 8],
    ['[a TO]', 6],
    ['\\u00zz', 1],
    ['a\\', 3],
    ['x \\\\/re/', 3],
    ['a]', 2],
    ['a}', 2]
];

describe('the query parser', () => {

    for (const [query, meaning] of MEANINGS) {
        it(`reads ${JSON.stringify(query)} as ${meaning}`, () => {

            expect(describeQuery(readQuery(query))).to.equal(meaning);
        });
    }

    for (const [query, at] of FAULTS) {
        it(`rejects ${JSON.stringify(query)} at character ${at}`, () => {

            expect(() => readQuery(query)).to.throw(DoipError, new RegExp(`^Query parse failure at character ${at}: `));
        });
    }

    for (const blank of ['', '  ', '\u3000']) {
        it(`rejects ${JSON.stringify(blank)}`, () => {

            expect(() => readQuery(blank)).to.throw(DoipError, 'Query parse failure: the query is empty');
        });
    }

    it('names the misplaced token', () => {

        expect(() => readQuery('a b)')).to.throw(DoipError, 'Query parse failure at character 4: unexpected ")"');
        expect(() => readQuery('(a b')).to.throw(DoipError, 'Query parse failure at character 5: unexpected end of the query');
    });
});

describe('the query parser with hostile queries', () => {

    it('reads groups up to the allowed depth', () => {

        const nested = '('.repeat(MAX_QUERY_DEPTH) + 'a' + ')'.repeat(MAX_QUERY_DEPTH);

        expect(describeQuery(readQuery(nested))).to.equal('a');
    });

    it('rejects deeper groups, in any number', () => {

        for (const depth of [MAX_QUERY_DEPTH + 1, 50_000]) {
            expect(() => readQuery('('.repeat(depth) + 'a' + ')'.repeat(depth))).to.throw(DoipError, /more than 200 groups/);
        }
    });

    it('does not count quoted or escaped parentheses', () => {

        expect(describeQuery(readQuery('"' + '('.repeat(1000) + 'a"'))).to.equal('a');
        expect(describeQuery(readQuery('\\('.repeat(1000) + 'a'))).to.equal('a');
    });

    it('rejects more clauses than allowed, written or analyzed from one text', () => {

        expect(() => readQuery('a '.repeat(MAX_CLAUSES + 1))).to.throw(DoipError, /more than 4096 clauses/);
        expect(() => readQuery('a-'.repeat(MAX_CLAUSES + 1))).to.throw(DoipError, /more than 4096 clauses/);
        expect(() => readQuery('"' + 'a '.repeat(MAX_CLAUSES + 1) + '"')).to.throw(DoipError, /more than 4096 clauses/);
    });

    it('rejects a text that is too long', () => {

        expect(() => readQuery('a'.repeat(150_000))).to.throw(DoipError, /longer than 131072 characters/);
    });

    for (const [name, query] of [
        ['open groups', '('.repeat(200)], ['closed groups', ')'.repeat(125_000)], ['signs', '+'.repeat(125_000)], ['wildcards', '*?'.repeat(60_000)],
        ['tildes', '~'.repeat(125_000)], ['quotes', '"'.repeat(125_001)], ['brackets', '[['.repeat(60_000)], ['backslashes', '\\'.repeat(125_001)],
        ['fields', 'a:'.repeat(60_000)], ['words in one group', '(' + 'a '.repeat(60_000)], ['names that are no fields', 'a~1'.repeat(40_000)],
        ['pointers that are no fields', '/a~1'.repeat(30_000)], ['dots', 'a.'.repeat(60_000)], ['marks', 'a' + '\u0301'.repeat(125_000)], ['joiners', '_'.repeat(125_000)]
    ] as const) {
        it(`reads or rejects many ${name} in no time`, () => {

            const elapsed = processorTime();
            try {
                readQuery(query);
            }
            catch (error) {
                expect(error).to.be.instanceof(DoipError);
            }

            // Of the processor, however busy it is with others; a slow one takes two seconds for some of them.
            expect(elapsed()).to.be.below(6000);
        });
    }
});
