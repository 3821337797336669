/** Logic of the search of the web UI: addresses, filters, fields of types, hints, suggestions, CSV, code. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { dateText, dayIn, timeIn } from '../../../ui/src/i18n/dates.js';
import { codeFor } from '../../../ui/src/search/code.js';
import type { Json } from '../../../ui/src/json/exact-number.js';
import { parseJson } from '../../../ui/src/json/parse-json.js';
import { daysFilter, daysIn } from '../../../ui/src/search/days.js';
import { cell, columnsOf, headerRow, row } from '../../../ui/src/search/export/csv.js';
import { facetFields, fieldsOf, pointersOf, previewOf, rangeFields, titleOf, valuesAt } from '../../../ui/src/search/fields.js';
import { errorPlace, fieldHints, namesIn, wordsIn } from '../../../ui/src/search/hints.js';
import { filterQueriesOf, paramsOf, rangeFilter, rangeIn, readState, sortIn, sortText, typeOf, valueIn } from '../../../ui/src/search/state.js';
import { suggest } from '../../../ui/src/search/suggest.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SCHEMA = {
    type: 'object', properties: {
        id: { type: 'string' },
        title: { type: 'string', title: 'Title', ext: { preview: { isPrimary: true, showInPreview: true } } },
        genre: { type: 'string', enum: ['novel', 'poetry'] },
        year: { type: 'integer', ext: { preview: { showInPreview: true } } },
        secret: { type: 'string', ext: { secureProperty: true } },
        authors: { type: 'array', items: { $ref: '#/definitions/person' } },
        place: { type: 'object', properties: { 'a/b~c': { type: 'string', ext: { preview: { showInPreview: true, excludeTitle: true } } } } }
    },
    definitions: { person: { type: 'object', properties: { name: { type: 'string' }, of: { $ref: '#/definitions/person' } } } }
};

const FIELDS = fieldsOf(SCHEMA, 'ext');

describe('the address of a search', () => {

    it('may hold times that are none', () => {

        for (const filter of ['objmodified:[* TO 99999999}', '/when:[0000-00-00 TO 2024-99-99}']) {
            const range = rangeIn(filter);

            expect(range && daysIn(range).to).to.equal('');
        }

        expect(daysIn({ field: 'objmodified', from: '20240101', to: '20240302', isBefore: true })).to.equal({ from: '2024-01-01', to: '2024-03-01' });
        expect(daysFilter('/when', 'time', '', '275760-09-14')).to.be.null();
    });

    for (const [zone, from, to] of [['Asia/Tokyo', '2018-11-03T15:00:00Z', '2018-11-04T15:00:00Z'], ['America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z']] as const) {
        it(`has days as they are in ${zone}`, () => {

            const { TZ } = process.env;
            process.env['TZ'] = zone;
            try {
                const day = '2018-11-04';
                const filters = ['/when', 'objmodified'].map((name) => daysFilter(name, 'time', day, day));
                const compact = (time: string): string => time.replace('Z', '.000').replaceAll(/\D/g, '');

                expect(filters).to.equal([`/when:[${from} TO ${to}}`, `objmodified:[${compact(from)} TO ${compact(to)}}`]);
                expect(filters.map((filter) => rangeIn(filter ?? '')).map((range) => range && daysIn(range))).to.equal([{ from: day, to: day }, { from: day, to: day }]);
                expect(daysFilter('/day', 'date', day, day)).to.equal(`/day:[${day} TO ${day}]`);
            }
            finally {
                process.env['TZ'] = TZ;
                if (TZ === undefined) {
                    delete process.env['TZ'];
                }
            }
        });
    }

    it('is not limited to a type that it excludes', () => {

        expect([typeOf({ query: 'a NOT type:Book', filters: [] }), typeOf({ query: 'a !type:Book', filters: [] }), typeOf({ query: '"a!" type:Book', filters: [] })])
            .to.equal([null, null, 'Book']);
    });

    it('keeps its state, and leaves out what is the default', () => {

        const state = { query: 'a b', sort: '/year DESC', page: 3, size: 50, filters: ['type:"Book"', 'facet_/genre:"x"'], view: 'cards' as const };
        const pairs = Object.entries(paramsOf(state)).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));

        expect(readState(new URLSearchParams(pairs as [string, string][]))).to.equal(state);
        expect(paramsOf(readState(new URLSearchParams('page=-1&size=x&view=nope')))).to.equal({
            query: undefined, filter: [], sort: undefined, size: undefined, page: undefined, view: undefined
        });
    });

    it('understands bookmarks of Cordra', () => {

        const { sort, page, size, filters } = readState(new URLSearchParams('query=*:*&sortFields=/name&pageNum=1&pageSize=5000&filter=Document&filterQueries=["a:b",7]'));

        expect({ sort, page, size, filters }).to.equal({ sort: '/name', page: 2, size: 200, filters: ['type:"Document"', 'a:b'] });
    });

    it('has values of the same field as alternatives', () => {

        const filters = ['facet_/g:"a"', '/year:[1 TO 2]', 'facet_/g:"b \\" c"'];

        expect(filterQueriesOf(filters)).to.equal(['facet_/g:"a" OR facet_/g:"b \\" c"', '/year:[1 TO 2]']);
        expect(filterQueriesOf(filters, '/g')).to.equal(['/year:[1 TO 2]']);
        expect({ ...valueIn('facet_/g:"b \\" c"') }).to.equal({ field: '/g', value: 'b " c' });
        expect(valueIn('type:"a" OR type:"b"')).to.be.null();
    });

    it('writes and reads ranges', () => {

        const range = { field: '/a b', from: '2', to: null, isBefore: false };

        expect(rangeFilter(range)).to.equal('/a\\ b:[2 TO *]');
        expect(rangeIn('/year:[1 TO 5}')).to.equal({ field: '/year', from: '1', to: '5', isBefore: true });
        expect(rangeFilter({ ...range, from: null })).to.be.null();
    });

    it('tells to which type it is limited', () => {

        expect(typeOf({ query: '+type:"Book" x', filters: [] })).to.equal('Book');
        expect(typeOf({ query: 'type:A OR type:A', filters: [] })).to.be.null();
        expect(typeOf({ query: 'x', filters: ['type:"A"', 'facet_type:"B"'] })).to.be.null();
    });

    it('reads orders as text and as JSON', () => {

        expect(sortIn('/year DESC,/name')).to.equal({ field: '/year', isDescending: true });
        expect(sortIn('[{"name": "/year", "reverse": true}]')).to.equal({ field: '/year', isDescending: true });
        expect(sortText({ field: '/year', isDescending: true })).to.equal('/year DESC');
    });
});

describe('fields of a type', () => {

    it('are found inside others, behind references and in lists, without an end to recursion', () => {

        expect(FIELDS.map(({ name }) => name).slice(0, 7)).to.equal(['/id', '/title', '/genre', '/year', '/secret', '/authors', '/authors/_/name']);
        expect(FIELDS.length).to.be.below(20);
    });

    it('make the preview, the facets and the ranges', () => {

        const preview = previewOf(FIELDS);

        expect(preview.title?.name).to.equal('/title');
        expect(preview.fields.map(({ name }) => name)).to.equal(['/year', '/place/a~1b~0c']);
        expect(pointersOf(preview)).to.equal(['/content/title', '/content/year', '/content/place/a~1b~0c']);
        expect(facetFields(FIELDS)[0]?.name).to.equal('/genre');
        expect(facetFields(FIELDS).map(({ name }) => name)).to.not.include('/secret');
        expect(rangeFields(FIELDS).map(({ name }) => name)).to.equal(['/year']);
    });

    it('of a schema with many properties of its own kind are found in a moment', () => {

        const schema = { type: 'object', properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`part${i}`, { $ref: '#/definitions/part' }])) };
        const elapsed = processorTime();
        fieldsOf({ definitions: { part: schema }, ...schema }, 'cordra');

        expect(elapsed()).to.be.below(1000);
    });

    it('have values in a content, also in lists', () => {

        expect(JSON.stringify(valuesAt({ authors: [{ name: 'A' }, {}, { name: 'B' }] }, ['authors', '_', 'name']))).to.equal('["A","B"]');
        expect(valuesAt({}, ['constructor']).length).to.equal(0);
        expect(titleOf({ name: ' ', label: 'L' }, { title: null, fields: [] })).to.equal('L');
    });
});

describe('help with a query', () => {

    it('names fields that were probably meant', () => {

        const hints = fieldHints('x title:river -"y z:1" /titel:b type:c', ['/title', '/authors/_/name']);

        expect(hints.map(({ wrong, right }) => [wrong, right])).to.equal([['title', '/title'], ['/titel', '/title']]);
        expect(hints[0]?.query).to.equal('x /title:river -"y z:1" /titel:b type:c');
        expect(fieldHints('zzzzz:1 body:x', ['/title'], ['body'])).to.equal([]);
        expect(namesIn('a:(b c:d)').map(({ name }) => name)).to.equal(['a', 'c']);
        expect(wordsIn('+/a:"b c" AND NOT d~2 [1 TO 2]')).to.equal('b c d 2 1 2');
    });

    it('finds the place of an error', () => {

        expect(errorPlace('Query parse failure at character 3: unexpected ")"', 'ab)')).to.equal(2);
        expect(errorPlace('something else', 'ab)')).to.be.null();
    });

    it('suggests fields after a slash, values after a field, and syntax when it is asked for', () => {

        const options = { fields: FIELDS, special: [['type', 'Type']] as const, syntax: [{ label: '"…"', detail: 'phrase', insert: '"|"' }], isAsked: false };

        expect(suggest('x /ti', 5, options)[0]).to.include({ label: '/title:', text: 'x /title:', caret: 9 });
        expect(suggest('/genre:no', 9, options)).to.equal([{ label: 'novel', detail: 'Genre', text: '/genre:novel', caret: 12 }]);
        expect(suggest('"/ti', 4, options)).to.equal([]);
        expect(suggest('/sec', 4, options)).to.equal([]);
        expect(suggest('', 0, { ...options, isAsked: true })[0]).to.include({ text: '""', caret: 1 });
    });

    it('writes a search as code whose texts are safe', () => {

        expect(codeFor('curl', 'http://h', { query: 'it\'s', pageSize: 1 })).to.contain('\'query=it\'\\\'\'s\'');
        expect(codeFor('Python', 'http://h', { query: 'é', ids: true })).to.contain('"\\u00e9"').and.contain('True');
        expect(codeFor('Python', 'http://h', { query: '/done: true' })).to.contain('"/done: true"');
    });
});

describe('dates in results', () => {

    const inZone = <T>(zone: string, read: () => T): T => {

        const { TZ } = process.env;
        process.env['TZ'] = zone;
        try {
            return read();
        }
        finally {
            process.env['TZ'] = TZ;
            if (TZ === undefined) {
                delete process.env['TZ'];
            }
        }
    };

    for (const text of ['Heft 12', 'um 1850', '1850', '1850-05', '2023-02-30', '2023-02-30T10:00:00Z', '1999-00-00', '0000-01-01', '0000-01-01T00:00:00Z', '12/5/2001', 'May 1, 2024', '+012024-01-01T00:00:00Z', '']) {
        it(`are none of those that nobody has entered, as of “${text}”`, () => {

            expect([dateText(text, 'date'), dateText(text, 'time')]).to.equal([null, null]);
        });
    }

    for (const zone of ['America/New_York', 'Asia/Tokyo', 'Pacific/Apia', 'UTC']) {
        it(`are the days that were entered, in ${zone}`, () => {

            const days = ['2024-02-29', '1850-01-01', '0001-01-01', '2011-12-30'].map((text) => inZone(zone, () => dateText(text, 'date')));

            expect(days).to.equal(['Feb 29, 2024', 'Jan 1, 1850', 'Jan 1, 1', 'Dec 30, 2011']);
        });
    }

    it('are times where there is a clock', () => {

        const time = Date.UTC(2024, 1, 29, 23, 5);

        expect(['2024-02-29T23:05Z', '2024-02-29T23:05:00.000Z', '2024-02-29t23:05:00z', '2024-03-01 01:05:00+02:00'].map(timeIn)).to.equal([time, time, time, time]);
        expect(inZone('America/New_York', () => timeIn('2024-02-29T18:05'))).to.equal(time);
        expect(timeIn('2024-02-29')).to.be.null();
        expect(dayIn('2024-02-29T23:05Z')).to.be.null();
        expect(dateText('2024-02-29T23:05', 'time') ?? '').to.startWith('Feb 29, 2024');
    });
});

describe('results as CSV', () => {

    it('have a cell for each column and lose nothing', () => {

        const columns = columnsOf([FIELDS.filter(({ name }) => name === '/title' || name === '/authors/_/name')]);
        const result = { id: 't/1', type: 'Book', content: { id: 't/1', title: 'A "b", c', authors: [{ name: 'x' }, { name: 'y' }], other: 7 }, metadata: { createdOn: 0 } };

        expect(headerRow(columns, true)).to.equal('id,type,title,authors/_/name,createdOn,createdBy,modifiedOn,modifiedBy,other\r\n');
        expect(row(result, columns, true)).to.equal('t/1,Book,"A ""b"", c","x; y",1970-01-01T00:00:00.000Z,,,,"{""other"":7}"\r\n');
    });

    it('have what is beside a column in the last cell, also inside of objects and lists, and where a value is of another kind than the type says', () => {

        const columns = columnsOf([FIELDS.filter(({ name }) => name === '/title' || name === '/authors/_/name' || name === '/place/a~1b~0c')]);
        const restOf = (content: Json): string => (/,,,,(?:"(.*)")?\r\n$/.exec(row({ id: 't/1', type: 'Book', content }, columns, true))?.[1] ?? '').replaceAll('""', '"');

        expect(restOf(parseJson('{"id":"t/1","title":"A","authors":[{"name":"x"},{"name":"y","born":1.10}],"place":{"a/b~c":"here","zip":"04"}}')))
            .to.equal('{"authors":[null,{"born":1.10}],"place":{"zip":"04"}}');
        expect(restOf({ id: 't/2', title: 'A', authors: 'nobody', place: [{ zip: '04' }] })).to.equal('{"id":"t/2","authors":"nobody","place":[{"zip":"04"}]}');
        expect(restOf({ title: ['A', 'B'], authors: [{ name: 'x' }, 'y'], place: {} })).to.equal('{"authors":[null,"y"]}');
        expect(restOf({ title: 'A', authors: [], place: { 'a/b~c': null } })).to.equal('');
    });

    it('are no formulas, unless that is wanted', () => {

        expect(cell('=1+1', true)).to.equal('\'=1+1');
        expect(cell('=1+1', false)).to.equal('=1+1');
        expect(cell('-12.5', true)).to.equal('-12.5');
    });

    for (const [text, written] of [
        ['x;=1+1;y', '"x;\'=1+1;y"'],
        ['line\n=1+1\nz', '"line\n\'=1+1\nz"'],
        ['line\r\n  @SUM(1)', '"line\r\n  \'@SUM(1)"'],
        ['x\t+1+1', 'x\t\'+1+1'],
        ['x, -y', '"x, \'-y"'],
        ['x;"=1+1;y', '"x;""\'=1+1;y"'],
        ['x;\uff1d1', '"x;\'\uff1d1"'],
        ['=1;=2', '"\'=1;\'=2"'],
        ['x;-2+3', '"x;\'-2+3"'],
        ['x;=1', '"x;\'=1"'],
        // Numbers, and signs where no cell begins.
        ['1; -2.5; +3e-7', '"1; -2.5; +3e-7"'],
        ['{"list":[1,-2],"next":[0,-1.5e3]}', '"{""list"":[1,-2],""next"":[0,-1.5e3]}"'],
        ['a=b; c-d, e+f', '"a=b; c-d, e+f"'],
        ['one - two', 'one - two']
    ] as const) {
        it(`are no formulas either where ${JSON.stringify(text)} is split into cells in another way`, () => {

            expect(cell(text, true)).to.equal(written);
            expect(cell(text, false).replaceAll('""', '"')).to.include(text);
        });
    }

    it('are protected in a time that grows with their length', () => {

        const long = 200_000;
        const texts = ['\n'.repeat(long), ` ${'\n'.repeat(long)}=`, '-'.repeat(long), `x;-${'1'.repeat(long)}x`, ';-1'.repeat(long), `;-1${' '.repeat(long)}x`];
        const elapsed = processorTime();
        texts.forEach((text) => cell(text, true));

        expect(elapsed()).to.be.below(2000);
    });
});
