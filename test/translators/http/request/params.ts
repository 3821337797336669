import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Params } from '../../../../translators/http/request/params.js';

export const lab = Lab.script();
const { describe, it } = lab;

const query = (text: string): Params => Params.fromPairs(new URLSearchParams(text));

describe('parameters of REST requests', () => {

    const flags: [string, boolean][] = [
        ['', false],
        ['full', true],
        ['full=', true],
        ['full=true', true],
        ['full=True', true],
        ['full=TRUE', true],
        ['full=false', false],
        ['full=False', false],
        ['full=0', false],
        ['full=1', false],
        ['full=yes', false]
    ];
    for (const [text, expected] of flags) {
        it(`are flags: "?${text}" is ${expected}`, () => {

            expect(query(text).flag('full')).to.equal(expected);
        });
    }

    it('are flags with a given default', () => {

        expect(query('').flag('lockObjects', true)).to.be.true();
        expect(query('lockObjects=False').flag('lockObjects', true)).to.be.false();
    });

    const integers: [string, number | undefined][] = [
        ['', undefined], ['n=0', 0], ['n=-1', -1], ['n=10', 10], ['n=%2B10', 10]
    ];
    for (const [text, expected] of integers) {
        it(`are integers in "?${text}"`, () => {

            expect(query(text).integer('n')).to.equal(expected);
        });
    }

    for (const text of ['n=', 'n=ten', 'n=1.5', 'n=1e3', 'n=0x10', 'n=99999999999999999999', 'n= 1']) {
        it(`are not integers in "?${text}"`, () => {

            expect(() => query(text).integer('n')).to.throw(/^parameter n must be an integer, got "/);
        });
    }

    const lists: [string, string[] | undefined][] = [
        ['', undefined],
        ['filter=["/id","/name"]', ['/id', '/name']],
        ['filter=[\'/id\', \'/name\']', ['/id', '/name']],
        ['filter= ["/id"]', ['/id']],
        ['filter=[]', []],
        ['filter=/id', ['/id']],
        ['filter=', ['']]
    ];
    for (const [text, expected] of lists) {
        it(`are lists in "?${text}"`, () => {

            expect(query(text).textList('filter')).to.equal(expected);
        });
    }

    for (const text of ['filter=[1]', 'filter=["/a"', 'filter=[["/a"]]']) {
        it(`are not lists of strings in "?${text}"`, () => {

            expect(() => query(text).textList('filter')).to.throw(/filter/);
        });
    }

    it('have the first value of several', () => {

        const params = query('x=1&x=2&requestContext={"a":1}&requestContext={}');

        expect<unknown>([params.text('x'), params.integer('x'), params.json('x')]).to.equal(['1', 1, 1]);
        expect<unknown>(params.list('x')).to.equal(['1']);
        expect(query('x=true&x=false').flag('x')).to.be.true();
        expect<unknown>(params.requestContext()).to.equal({ requestContext: { a: 1 } });
    });

    it('keep all values of a repeatable parameter, in order', () => {

        expect(query('p=b&p=a&p=b').texts('p')).to.equal(['b', 'a', 'b']);
        expect(query('').texts('p')).to.equal([]);
        expect(Params.fromJson({ p: ['b', 'a'] }).texts('p')).to.equal(['b', 'a']);
    });

    it('are merged from a query string and a form', () => {

        const params = query('a=1&b=2').and(query('c=3'));

        expect([params.text('a'), params.text('b'), params.text('c')]).to.equal(['1', '2', '3']);
        expect(query('a=1').and(query('a=2')).text('a')).to.equal('1');
    });

    it('may be native types or text in a JSON body', () => {

        const params = Params.fromJson({
            full: false, ids: 'true', pageNum: 3, pageSize: '4', query: 5, filter: ['/id'], facets: '[{"field":"type"}]',
            queryJson: { name: 'x' }, sortFields: null
        });

        expect(params.flag('full')).to.be.false();
        expect(params.flag('ids')).to.be.true();
        expect(params.integer('pageNum')).to.equal(3);
        expect(params.integer('pageSize')).to.equal(4);
        expect(params.text('query')).to.equal('5');
        expect(params.textList('filter')).to.equal(['/id']);
        expect<unknown>(params.list('facets')).to.equal([{ field: 'type' }]);
        expect<unknown>(params.json('queryJson')).to.equal({ name: 'x' });
        expect(params.has('sortFields')).to.be.false();
        expect(() => params.text('queryJson')).to.throw('parameter queryJson must be a string');
    });

    it('are named when they are not JSON', () => {

        expect(() => query('queryJson={').json('queryJson')).to.throw(/parameter queryJson/);
        expect(() => query('attributes=[]').object('attributes')).to.throw('parameter attributes must be a JSON object');
    });

    const contexts: [string, object][] = [
        ['', {}],
        ['requestContext=', {}],
        ['requestContext={}', { requestContext: {} }],
        ['requestContext={"a":[1]}', { requestContext: { a: [1] } }],
        ['requestContext={\'a\': True}', { requestContext: { a: true } }]
    ];
    for (const [text, expected] of contexts) {
        it(`include the request context in "?${text}"`, () => {

            expect(query(text).requestContext()).to.equal(expected);
        });
    }

    for (const value of ['x', '[]', '1', 'null', '"a"', '{', '{"a":1}}', '{"__proto__":{}}']) {
        it(`reject "${value}" as a request context`, () => {

            const params = Params.fromPairs([['requestContext', value]]);

            expect(() => params.requestContext()).to.throw(/^Unable to parse requestContext/);
        });
    }
});
