/** What the editor of types does without a browser: fields of schemas, schemas of examples, tables, places in texts, files of types. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { ExactNumber, type Json, type JsonMap } from '../../../ui/src/json/exact-number.js';
import { parseJson } from '../../../ui/src/json/parse-json.js';
import { writeJson } from '../../../ui/src/json/write-json.js';
import { readTable } from '../../../ui/src/types/model/csv.js';
import { differences } from '../../../ui/src/types/model/differences.js';
import { FieldModel, KINDS, type Field } from '../../../ui/src/types/model/field.js';
import { schemaOfExamples, schemaOfRows } from '../../../ui/src/types/model/infer-schema.js';
import { locate } from '../../../ui/src/json/locate.js';
import { readTypeFile } from '../../../ui/src/types/model/type-file.js';

export const lab = Lab.script();
const { describe, it } = lab;

const model = new FieldModel('cordra');

const SCHEMA: JsonMap = {
    type: 'object', required: ['name'], 'x-own': { deep: [1] },
    properties: {
        name: { type: 'string', title: 'Name', cordra: { preview: { showInPreview: true, isPrimary: true }, search: { altFieldName: 'title' } } },
        size: { type: 'number', maximum: new ExactNumber('1.10'), 'x-unit': 'm' },
        see: { type: 'array', items: { type: 'string', cordra: { type: { handleReference: { types: ['Note'], name: '{{name}}' } } } } },
        odd: { oneOf: [{ type: 'string' }, { type: 'number' }] }
    }
};

function fieldOf(schema: Json, name: string): Field {

    const field = model.fieldsOf(schema).find((each) => each.name === name);
    if (!field) {
        throw new Error(`there is no field ${name}`);
    }

    return field;
}

describe('the fields of a type', () => {

    it('are described by kind, list, required, title and preview', () => {

        expect(model.fieldsOf(SCHEMA).map(({ name, kind, isList, isRequired, isTitle, isPreview }) => [name, kind, isList, isRequired, isTitle, isPreview])).to.equal([
            ['name', 'text', false, true, true, true], ['size', 'number', false, false, false, false],
            ['see', 'reference', true, false, false, false], ['odd', 'other', false, false, false, false]
        ]);
    });

    it('keep keywords that the table does not know, and exact numbers, through every change', () => {

        let schema: Json = model.require(SCHEMA, 'size', true);
        schema = model.rename(schema, 'size', 'length');
        schema = model.withProperty(schema, 'length', model.withKeyword(fieldOf(schema, 'length'), 'minimum', 0));
        schema = model.withTitle(schema, null);
        schema = model.move(schema, 'odd', -1);

        expect(writeJson(schema)).to.equal('{"type":"object","required":["name","length"],"x-own":{"deep":[1]},"properties":{' +
            '"name":{"type":"string","title":"Name","cordra":{"preview":{"showInPreview":true},"search":{"altFieldName":"title"}}},' +
            '"length":{"type":"number","maximum":1.10,"x-unit":"m","minimum":0},"odd":{"oneOf":[{"type":"string"},{"type":"number"}]},' +
            '"see":{"type":"array","items":{"type":"string","cordra":{"type":{"handleReference":{"types":["Note"],"name":"{{name}}"}}}}}}}');
    });

    it('have the kind that was chosen, whatever they had before', () => {

        for (const from of Object.values(SCHEMA['properties'] as JsonMap)) {
            for (const kind of KINDS.filter((each) => each !== 'other')) {
                for (const isList of kind === 'generated' ? [false] : [false, true]) {
                    expect(model.kindOf(model.withKind(from, kind, isList)), `${writeJson(from)} → ${kind}`).to.equal({ kind, isList });
                }
            }
        }
    });

    it('keep choices, fields of objects and types of references when they become a list, and a value again', () => {

        const properties: readonly JsonMap[] = [
            { type: 'string', enum: ['a', 'b'], title: 'Choice' }, { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
            { type: 'string', cordra: { type: { handleReference: { types: ['Note'] } }, preview: { showInPreview: true } } }
        ];
        for (const property of properties) {
            const { kind } = model.kindOf(property);
            const list = model.withKind(property, kind, true);

            expect(model.kindOf(list)).to.equal({ kind, isList: true });
            expect<unknown>(model.withKind(list, kind, false)).to.equal(property);
        }

        expect<unknown>(model.withKind(properties[0] ?? {}, 'choice', true)).to.equal({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, title: 'Choice' });
        expect(model.referenceTypes({ isList: true, property: model.withKind(properties[2] ?? {}, 'reference', true) })).to.equal(['Note']);
    });

    it('are what they were before when their kind is chosen again', () => {

        const choice: JsonMap = { type: 'string', enum: ['a', 'b'], title: 'Choice' };
        const text = model.withKind(choice, 'text', false);

        expect<unknown>(text).to.equal({ type: 'string', title: 'Choice' });
        expect<unknown>(model.withKind(text, 'choice', false, choice)).to.equal(choice);
    });

    it('keep annotations when the kind changes', () => {

        const property = model.withKind(fieldOf(SCHEMA, 'name').property, 'date', false);

        expect(writeJson(property)).to.equal('{"type":"string","format":"date","title":"Name","cordra":{"preview":{"showInPreview":true,"isPrimary":true},"search":{"altFieldName":"title"}}}');
    });

    it('change the types of a reference where its rule is, and nothing else of it', () => {

        const changed = model.withReferenceTypes(fieldOf(SCHEMA, 'see'), ['Map']);

        expect(writeJson(changed)).to.equal('{"type":"array","items":{"type":"string","cordra":{"type":{"handleReference":{"types":["Map"],"name":"{{name}}"}}}}}');
        expect(model.referenceTypes({ isList: true, property: changed })).to.equal(['Map']);
    });

    it('leave no empty list of required properties, which draft 4 forbids', () => {

        expect<object>(model.require(SCHEMA, 'name', false) as object).to.not.include('required');
        expect<object>(model.remove(SCHEMA, 'name') as object).to.not.include('required');
    });
});

describe('a schema of examples', () => {

    it('has the kinds of all examples, and a title field', () => {

        const examples = [parseJson('{"id": 7, "title": "Tess", "on": "2024-05-01", "tags": ["a"], "parts": [{"n": 1.5}], "ok": true}'), parseJson('{"id": 8, "more": null}')];

        expect<unknown>(schemaOfExamples(examples, 'cordra')).to.equal({
            type: 'object', properties: {
                id: { type: 'integer' }, title: { type: 'string', cordra: { preview: { showInPreview: true, isPrimary: true } } }, on: { type: 'string', format: 'date' },
                tags: { type: 'array', items: { type: 'string' } }, parts: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } }, ok: { type: 'boolean' }, more: {}
            }
        });
        expect(() => schemaOfExamples([7], 'cordra')).to.throw(TypeError);
    });

    it('is made of the columns of a table, with quotes and other delimiters', () => {

        const { columns, rows } = readTable('\uFEFFNumber;"Title; long";Year\r\n1;"Tess ""of"" d’U";1891\r\n2;Jude;1895\r\n');

        expect(columns).to.equal(['Number', 'Title; long', 'Year']);
        expect(rows[0]).to.equal(['1', 'Tess "of" d’U', '1891']);
        expect<unknown>(schemaOfRows(columns, rows, 'cordra')['properties']).to.equal({
            'Number': { type: 'integer' }, 'Title; long': { type: 'string', cordra: { preview: { showInPreview: true, isPrimary: true } } }, 'Year': { type: 'integer' }
        });
    });
});

describe('places of errors', () => {

    it('are found in the text, or where the way to them ends', () => {

        const text = '{\n  "a": [1, {"b\\"c": "x, }"}],\n  "d": {"e": true}\n}';
        const found = locate(text, ['/a/1/b"c', '/d/e', '/a/0', '/d/nothing', '/a/1/none/at/all', '/d/e', '']);

        expect(found.slice(0, 3).map(({ from, to }) => text.slice(from, to))).to.equal(['"x, }"', 'true', '1']);
        expect(found.slice(3).map(({ from }) => from)).to.equal([text.indexOf('{"e"'), text.indexOf('{"b'), text.indexOf('true'), 0]);
    });
});

describe('files of types', () => {

    it('are Schema objects in JSON or JSON lines, or schemas by their names', () => {

        const object = '{"id": "test/t", "type": "Schema", "content": {"identifier": "test/t", "name": "Book", "schema": {}, "javascript": "1"}}';
        const files = [`{"results": [${object}, {"id": "test/1", "type": "Book", "content": {}}]}`, `${object}\n{"id": "test/1", "type": "Book", "content": {}}\n`, `[${object}]`];

        expect(files.map((text) => readTypeFile(text).types.map(({ name, isWhole }) => [name, isWhole]))).to.equal([[['Book', true]], [['Book', true]], [['Book', true]]]);
        expect(files.map((text) => readTypeFile(text).others)).to.equal([1, 1, 0]);
        expect(readTypeFile('{"Book": {"type": "object"}, "Map": {}}').types.map(({ name, isWhole }) => [name, isWhole])).to.equal([['Book', false], ['Map', false]]);
    });

    it('differ from what is stored by pointer', () => {

        expect<unknown>(differences({ a: { b: 1 }, c: [1] }, { a: { b: 2 }, d: null })).to.equal([
            { pointer: '/a/b', before: 1, after: 2 }, { pointer: '/c', before: [1], after: undefined }, { pointer: '/d', before: undefined, after: null }
        ]);
    });
});
