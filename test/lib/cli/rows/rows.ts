/** Rows of files and what becomes of them: JSON, CSV and mappings as tables, in chunks of every length. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { csvRows, type CsvOptions } from '../../../../lib/cli/rows/csv-rows.js';
import { jsonRows } from '../../../../lib/cli/rows/json-rows.js';
import { type Field, fieldOf, fieldsOfColumns, mappingOf, objectOfRow, type Mapping } from '../../../../lib/cli/rows/mapping.js';
import { FormatError, type Row } from '../../../../lib/cli/rows/row.js';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { jsonText } from '../../../../lib/json/raw-json.js';
import { parseJson } from '../../../../lib/json/strict-parser.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

async function *chunks(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {

    for (let at = 0; at < bytes.length; at += length) {
        yield bytes.subarray(at, at + length);
    }
}

/** All rows, and the error that ends them. */
async function read(rows: AsyncIterable<Row>): Promise<unknown[]> {

    const found: unknown[] = [];
    try {
        for await (const { line, ...row } of rows) {
            found.push([line, 'value' in row ? row.value : `! ${row.error}`]);
        }
    }
    catch (error) {
        found.push(error instanceof FormatError ? error.message : error);
    }

    return found;
}

const CSV: readonly (readonly [title: string, file: string | Buffer, options: CsvOptions, rows: readonly unknown[]])[] = [
    ['columns by their names', 'a,b\n1,2\n3,4\n', {}, [[2, { a: '1', b: '2' }], [3, { a: '3', b: '4' }]]],
    ['a byte order mark, CRLF and no last line end', '\ufeffa,b\r\n1,2\r\n3,4', {}, [[2, { a: '1', b: '2' }], [3, { a: '3', b: '4' }]]],
    ['cells with delimiters, quotes and line ends', 'a,b\n"x, ""y""","1\n2\r\n3"\nlast,4', {}, [[2, { a: 'x, "y"', b: '1\n2\r\n3' }], [5, { a: 'last', b: '4' }]]],
    ['empty cells, short rows and empty lines', 'a,b,c\n1,,3\n\n4\n', {}, [[2, { a: '1', c: '3' }], [4, { a: '4' }]]],
    ['rows that are too long', 'a\n1\n1,2\n3\n', {}, [
        [2, { a: '1' }], [3, '! it has 2 cells, but there are 1 columns: is the delimiter right, and are texts with it in quotes?'], [4, { a: '3' }]
    ]],
    ['another delimiter', 'a;b\n1,5;2', { delimiter: ';' }, [[2, { a: '1,5', b: '2' }]]],
    ['another encoding', Buffer.from('a\nM\xfcller\n', 'latin1'), { encoding: 'windows-1252' }, [[2, { a: 'Müller' }]]],
    ['names with spaces, and columns without a name', ' a ,,b\n1,2,3\n', {}, [[2, { a: '1', b: '3' }]]],
    ['names that are members of every object', '__proto__,constructor\n1,2\n', {}, [[2, JSON.parse('{"__proto__": "1", "constructor": "2"}')]]],
    ['no rows', 'a,b\n', {}, []],
    ['nothing', '', {}, []],
    ['two columns of one name', 'a,b,a\n1,2,3\n', {}, ['line 1: two columns have the name a']]
];

const JSON_FILES: readonly (readonly [title: string, format: 'json' | 'ndjson', file: string, rows: readonly unknown[]])[] = [
    ['lines, of which some are empty', 'ndjson', '{"a":1}\n\n[2]\r\n"x"', [[1, { a: 1 }], [3, [2]], [4, 'x']]],
    ['broken lines', 'ndjson', '{"a":1}\n{"a":\n{"a":3}\n', [[1, { a: 1 }], [2, '! JSON is malformed in line 1, column 6: a value is missing'], [3, { a: 3 }]]],
    ['an array', 'json', '[\n  {"a": 1},\n  {\n    "a": 2\n  }, {"a": 3}\n]\n', [[2, { a: 1 }], [3, { a: 2 }], [5, { a: 3 }]]],
    ['an object with results', 'json', '{"size": 2,\n"results": [1,\n2]}', [[2, 1], [3, 2]]]
];

describe('rows of a file', () => {

    for (const length of [1, 3, 1000]) {
        for (const [title, file, options, rows] of CSV) {
            it(`of CSV in chunks of ${length} bytes: ${title}`, async () => {

                expect(await read(csvRows(chunks(Buffer.from(file as string), length), options))).to.equal([...rows]);
            });
        }

        for (const [title, format, file, rows] of JSON_FILES) {
            it(`of JSON in chunks of ${length} bytes: ${title}`, async () => {

                const found = await read(jsonRows(chunks(Buffer.from(file), length), format));

                const shown = found.map((row) => (Array.isArray(row) && typeof row[1] === 'string' && row[1].startsWith('! ') ? [row[0] as number, '!'] : row));
                expect(shown).to.equal(rows.map((row) => (Array.isArray(row) && typeof row[1] === 'string' && row[1].startsWith('! ') ? [row[0] as number, '!'] : row)));
            });
        }
    }

    it('end where the file is not of its format, after the rows before that', async () => {

        const csv = await read(csvRows(chunks(Buffer.from('a,b\n1,2\n"open,3\n4,5\n'), 5)));
        const latin = await read(csvRows(chunks(Buffer.from('a\nx\nM\xfcller\n', 'latin1'), 5)));
        const array = await read(jsonRows(chunks(Buffer.from('[{"a": 1},\n{"a": 2}\n{"a": 3}]'), 5), 'json'));

        expect([csv[0], array[0]]).to.equal([[2, { a: '1', b: '2' }], [1, { a: 1 }]]);
        expect(csv.at(-1)).to.match(/^the file is no CSV after line 2: Quote Not Closed/);
        expect(latin.at(-1)).to.match(/^after line \d there is text that is not utf-8: name its encoding, such as windows-1252$/);
        expect(array.at(-1)).to.match(/^line 3: /);
    });
});

const SCHEMA = { type: 'object', properties: { year: { type: 'integer' }, tags: { type: 'array', items: { type: 'integer' } }, size: { properties: { height: { type: 'number' } } }, old: { type: 'boolean' } } };

const ROW = { no: '7', Year: '1891', Tags: '1; 2;', Height: '2.50', Old: 'true', Title: ' A map ', Data: '{"a": [1]}' };

const MAPPINGS: readonly (readonly [title: string, row: JsonValue, mapping: Mapping, schema: JsonValue, object: object | string])[] = [
    ['an object as it is', { type: 'A', content: { a: 1 } }, {}, {}, { type: 'A', content: { a: 1 } }],
    ['content of a type', { a: 1 }, { type: 'A' }, {}, { type: 'A', content: { a: 1 } }],
    ['an id from a column', { a: 1, no: 'test/1' }, { type: 'A', id: 'no' }, {}, { type: 'A', id: 'test/1', content: { a: 1, no: 'test/1' } }],
    ['an id by a template', ROW, { type: 'A', id: 'test/{no}-{Year}', fields: [] }, {}, { type: 'A', id: 'test/7-1891', content: {} }],
    ['an id of an empty column', {}, { type: 'A', id: 'test/{no}' }, {}, 'the id needs the column no, which is empty or missing'],
    ['an id of what every object has', {}, { type: 'A', id: 'constructor' }, {}, 'the id needs the column constructor, which is empty or missing'],
    ['fields as the schema says', ROW, { type: 'A', fields: [fieldOf('/year=Year'), fieldOf('/size/height=Height'), fieldOf('/old=Old'), { pointer: '/tags', column: 'Tags', split: ';' }] }, SCHEMA,
        { type: 'A', content: { year: 1891, size: { height: 2.5 }, old: true, tags: [1, 2] } }],
    ['fields of kinds', ROW, { type: 'A', fields: [fieldOf('/y=Year:integer'), fieldOf('/t=Title'), fieldOf('/d=Data:json'), fieldOf('/n=no:text')] }, {},
        { type: 'A', content: { y: 1891, t: ' A map ', d: { a: [1] }, n: '7' } }],
    ['nested objects and arrays', ROW, { type: 'A', fields: [fieldOf('/a/0/b=no'), fieldOf('/a/0/c=Year'), fieldOf('/a/1/b=Old')] }, {},
        { type: 'A', content: { a: [{ b: '7', c: '1891' }, { b: 'true' }] } }],
    ['absent cells', {}, { type: 'A', fields: [fieldOf('/a/b=no')] }, {}, { type: 'A', content: {} }],
    ['no whole number', { Year: '18xx' }, { type: 'A', fields: [fieldOf('/year=Year')] }, SCHEMA, 'column Year: "18xx" is no whole number'],
    ['no truth value', { Old: 'yes' }, { type: 'A', fields: [fieldOf('/old=Old')] }, SCHEMA, 'column Old: "yes" is no truth value, true or false'],
    ['no JSON', { Data: '{' }, { type: 'A', fields: [fieldOf('/d=Data:json')] }, {}, 'column Data: "{" is no JSON value'],
    ['two columns for one value', ROW, { type: 'A', fields: [fieldOf('/a=no'), fieldOf('/a=Year')] }, {}, 'two columns contradict each other at /a'],
    ['a value inside of a text', ROW, { type: 'A', fields: [fieldOf('/a=no'), fieldOf('/a/b=Year')] }, {}, 'two columns contradict each other at /a/b'],
    ['an index beyond the array', ROW, { type: 'A', fields: [fieldOf('/a/0=no'), fieldOf('/a/9=Year')] }, {}, 'two columns contradict each other at /a/9'],
    ['a row that is no object', [1], {}, {}, 'it is no JSON object']
];

describe('a JSON file of 300,000 short rows', () => {

    it('is read in seconds, with the line of each row', async () => {

        let last: Row | null = null;
        for await (const row of jsonRows(chunks(Buffer.from(`[${'1,\n'.repeat(300_000)}2]`), 10_000_000), 'json')) {
            last = row;
        }

        expect<unknown>(last).to.equal({ line: 300_001, value: 2 });
    });
});

describe('a CSV file of 300,000 columns', () => {

    it('is read in seconds, as no column is compared with all others', async () => {

        const names = Array.from({ length: 300_000 }, (_, index) => `c${index}`).join(',');

        expect(await read(csvRows(chunks(Buffer.from(`${names}\n1\n`), 65_536)))).to.equal([[2, { c0: '1' }]]);
    });
});

describe('a mapping', () => {

    for (const [title, row, mapping, schema, object] of MAPPINGS) {
        it(`${typeof object === 'string' ? 'rejects' : 'makes'} ${title}`, () => {

            if (typeof object === 'string') {
                expect(() => objectOfRow(row, mapping, schema)).to.throw(TypeError, object);
            }
            else {
                expect<unknown>(objectOfRow(row, mapping, schema)).to.equal(object, { symbols: false });
            }
        });
    }

    it('keeps the text of numbers in rows of JSON', () => {

        const row = parseJson('{"price": 1.10, "big": 12345678901234567890}');

        expect(jsonText(objectOfRow(row, { type: 'A' }))).to.equal('{"type":"A","content":{"price":1.10,"big":12345678901234567890}}');
    });

    const EXACT: readonly (readonly [title: string, row: string, mapping: Mapping, object: string])[] = [
        ['cells of tables', '{"n": "123456789012345678", "p": "1.10"}', { fields: [fieldOf('/n=n:integer'), fieldOf('/p=p:number')] }, '{"n":123456789012345678,"p":1.10}'],
        ['cells of JSON', '{"n": "9007199254740993", "p": "{\\"a\\": 1.10}"}', { fields: [fieldOf('/n=n:json'), fieldOf('/p=p:json')] }, '{"n":9007199254740993,"p":{"a":1.10}}'],
        ['cells that are split', '{"n": "1.10; 2; 9007199254740993"}', { fields: [{ pointer: '/a/n', column: 'n', kind: 'number', split: ';' }] }, '{"a":{"n":[1.10,2,9007199254740993]}}'],
        ['rows of JSON', '{"n": 9007199254740993, "p": 1.10, "q": 2}', { fields: [fieldOf('/a/0=n'), fieldOf('/a/1=p'), fieldOf('/q=q')] }, '{"a":[9007199254740993,1.10],"q":2}'],
        ['rows with numbers in a cell', '{"o": {"a": 1.10}, "p": 2.20}', { fields: [fieldOf('/o=o'), fieldOf('/o/p=p')] }, '{"o":{"a":1.10,"p":2.20}}'],
        ['a text that is a number', '{"n": "1.10"}', { fields: [fieldOf('/n=n')] }, '{"n":"1.10"}']
    ];

    for (const [title, row, mapping, content] of EXACT) {
        it(`keeps the text of numbers in ${title}`, () => {

            expect(jsonText(objectOfRow(parseJson(row), { type: 'A', ...mapping }))).to.equal(`{"type":"A","content":${content}}`);
        });
    }

    it('makes the ids of numbers of their texts, which differ where their doubles are equal', () => {

        const idOf = (row: string): JsonValue | undefined => objectOfRow(parseJson(row), { type: 'A', id: 'test/{no}' })['id'];

        expect<unknown>(['9007199254740992', '9007199254740993', '1.10', '7'].map((no) => idOf(`{"no": ${no}}`))).to.equal(
            ['test/9007199254740992', 'test/9007199254740993', 'test/1.10', 'test/7']);
    });

    it('takes a time by the number of columns for rows of numbers', () => {

        const row = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`c${index}`, '1.10']));
        const fields = fieldsOfColumns(row).map((field): Field => ({ ...field, kind: 'number' }));
        const spent = processorTime();
        const text = jsonText(objectOfRow(row, { type: 'A', fields }));

        expect(text).to.endWith('"c99999":1.10}}');
        expect(spent()).to.be.below(10_000);
    });

    it('has a property for each column, unless a column is a pointer', () => {

        expect(fieldsOfColumns({ 'a/b': '1', '/c/d': '2', 'e~f': '3' }).map(({ pointer }) => pointer)).to.equal(['/a~1b', '/c/d', '/e~0f']);
    });

    it('never changes a prototype', () => {

        objectOfRow({ x: '1' }, { type: 'A', fields: [{ pointer: '/__proto__/polluted', column: 'x' }, { pointer: '/constructor/prototype/polluted', column: 'x' }] });

        expect(({} as Record<string, unknown>)['polluted']).to.be.undefined();
    });

    it('is read from JSON', () => {

        expect(mappingOf({ type: 'A', id: 'test/{no}', content: { '/a': 'A', '/b': { column: 'B', kind: 'integer', split: ',' } } })).to.equal({
            type: 'A', id: 'test/{no}', fields: [{ pointer: '/a', column: 'A' }, { pointer: '/b', column: 'B', kind: 'integer', split: ',' }]
        });
        const wrong: [JsonValue, string][] = [
            [[], 'a mapping must be a JSON object'], [{ typ: 'A' }, 'unknown member typ'], [{ type: 7 }, 'type and id must be texts'], [{ content: { a: 'A' } }, 'a must be a JSON pointer'],
            [{ content: { '/a': { column: 'A', kind: 'date' } } }, '/a must be a JSON pointer'], [{ content: { '/a': { column: 'A', split: '' } } }, '/a must be'],
            [{ content: { '/a': { columm: 'A' } } }, '/a must be'], [{ content: { '/a': 7 } }, '/a must be']
        ];
        for (const [value, message] of wrong) {
            expect(() => mappingOf(value), message).to.throw(TypeError, new RegExp(message));
        }

        for (const text of ['a=A', '/a', '/a=', '=A']) {
            expect(() => fieldOf(text), text).to.throw(TypeError, /must be POINTER=COLUMN/);
        }

        expect(fieldOf('/a=x:y:integer')).to.equal({ pointer: '/a', column: 'x:y', kind: 'integer' });
        expect(fieldOf('/a=x:date')).to.equal({ pointer: '/a', column: 'x:date' });
    });
});
