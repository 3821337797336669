/** What of a schema applies to a value, for the form. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Json, JsonMap } from '../../../ui/src/json/exact-number.js';
import { SchemaReader } from '../../../ui/src/form/model/effective-schema.js';
import { extensionOf, idOfValue, valueOfId } from '../../../ui/src/form/model/extension.js';
import { fieldKind } from '../../../ui/src/form/model/field-kind.js';
import { InitialValues } from '../../../ui/src/form/model/initial-value.js';
import { optionLabel, summaryOf } from '../../../ui/src/form/model/labels.js';
import { fieldsOf, nameProblem, offersAdditional } from '../../../ui/src/form/model/object-fields.js';
import { matchesPattern } from '../../../ui/src/form/model/safe-pattern.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const namesOf = (schema: JsonMap, value?: Json): string[] => fieldsOf(new SchemaReader(schema).effective(schema, value).schema, value).map(({ name }) => name);

const TEXT = { type: 'string' };

describe('the effective schema of a form', () => {

    const FIELDS: readonly (readonly [title: string, schema: JsonMap, value: Json | undefined, names: readonly string[]])[] = [
        ['of allOf has the properties of all', { properties: { a: TEXT }, allOf: [{ properties: { b: TEXT } }, { $ref: '#/$defs/c' }], $defs: { c: { properties: { c: TEXT } } } }, {}, ['a', 'b', 'c']],
        ['follows a reference to a reference', { $ref: '#/definitions/x', definitions: { x: { $ref: '#/definitions/y' }, y: { properties: { a: TEXT } } } }, {}, ['a']],
        ['follows a reference by an anchor', { $ref: '#there', $defs: { x: { $anchor: 'there', properties: { a: TEXT } } } }, {}, ['a']],
        ['follows a reference by an id of draft 4', { $ref: '#there', definitions: { x: { id: '#there', properties: { a: TEXT } } } }, {}, ['a']],
        ['ends where a reference leads to itself', { $ref: '#', properties: { a: TEXT } }, {}, ['a']],
        ['ends where references lead to each other', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, {}, []],
        ['keeps what a broken reference says nothing about', { $ref: '#/nowhere', properties: { a: TEXT } }, { b: 1 }, ['a', 'b']],
        ['has the branch of then', { if: { properties: { a: { const: 1 } }, required: ['a'] }, then: { properties: { b: TEXT } }, else: { properties: { c: TEXT } } }, { a: 1 }, ['b', 'a']],
        ['has the branch of else', { if: { properties: { a: { const: 1 } }, required: ['a'] }, then: { properties: { b: TEXT } }, else: { properties: { c: TEXT } } }, { a: 2 }, ['c', 'a']],
        ['has the branch of dependentSchemas', { dependentSchemas: { a: { properties: { b: TEXT } } } }, { a: 1 }, ['b', 'a']],
        ['has required properties of dependencies', { dependencies: { a: ['z'] } }, { a: 1 }, ['a', 'z']],
        ['has the branch of oneOf that the value fits', { oneOf: [{ properties: { k: { const: 'x' }, a: TEXT } }, { properties: { k: { const: 'y' }, b: TEXT } }] }, { k: 'y' }, ['k', 'b']],
        ['has the branch of oneOf that an unfinished value resembles', { oneOf: [{ properties: { k: { const: 'x' }, a: TEXT }, required: ['a'] }, { properties: { k: { const: 'y' }, b: TEXT }, required: ['b'] }] }, { k: 'y' }, ['k', 'b']],
        ['has no fields for branches that only constrain', { properties: { a: TEXT, b: TEXT }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, ['a', 'b']],
        ['does not show a property that is forbidden', { properties: { a: false, b: TEXT } }, {}, ['b']],
        ['shows a property that is forbidden, where there is one', { properties: { a: false, b: TEXT } }, { a: 1 }, ['a', 'b']]
    ];
    for (const [title, schema, value, names] of FIELDS) {
        it(title, () => {

            expect(namesOf(schema, value).join()).to.equal(names.join());
        });
    }

    it('follows references to other types', () => {

        const person = { definitions: { name: { properties: { first: TEXT } } }, properties: { name: { $ref: '#/definitions/name' } } };
        for (const ref of ['Person#/properties/name', 'Person.schema.json#/properties/name', 'https://example.org/schemas/Person#/properties/name']) {
            const schema = { $ref: ref };
            const reader = new SchemaReader(schema, (name) => (name === 'Person' ? person : null));

            expect(Object.keys(reader.effective(schema, {}).schema['properties'] as JsonMap), ref).to.equal(['first']);
        }
    });

    it('of a property that two parts describe demands both', () => {

        const schema = { properties: { a: { title: 'A' } }, allOf: [{ properties: { a: { type: 'integer' } } }] };
        const reader = new SchemaReader(schema);
        const property = (reader.effective(schema, {}).schema['properties'] as JsonMap)['a'] as JsonMap;

        expect(reader.effective(property, 1).schema as object).to.equal({ title: 'A', type: 'integer' });
        // What depends on it must not change with each reading.
        expect((reader.effective(schema, {}).schema['properties'] as JsonMap)['a'] === property).to.be.true();
    });

    it('offers a choice, which the user may take', () => {

        const schema = { oneOf: [{ title: 'Text', type: 'string' }, { $ref: '#/$defs/Place' }, { type: 'null' }], $defs: { Place: { properties: { a: TEXT } } } };
        const reader = new SchemaReader(schema);
        const { choices } = reader.effective(schema, 'x');
        const picked = reader.effective(schema, 'x', new Map([[choices[0]!.key, 1]]));

        expect(choices[0]!.current).to.equal(0);
        expect(choices[0]!.options.map(optionLabel)).to.equal(['Text', 'Place', 'null']);
        expect(picked.schema['properties']).to.exist();
    });

    it('takes branches of constants for one choice of values, with their names', () => {

        const schema = { oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }, { enum: ['c', 'd'] }] };
        const { schema: merged, choices } = new SchemaReader(schema).effective(schema, undefined);

        expect(choices).to.be.empty();
        expect(merged as object).to.equal({ enum: ['a', 'b', 'c', 'd'], enumNames: ['First', null, null, null] });
    });

    const LANGUAGES = { enum: ['en', 'de', 'fr'], enumNames: ['English', 'Deutsch', 'Français'] };
    const NAMED: readonly (readonly [title: string, schema: JsonMap, values: readonly Json[], names: readonly (string | null)[] | undefined])[] = [
        ['of oneOf in another order', { type: 'string', enum: ['b', 'a'], oneOf: [{ const: 'a', title: 'Alpha' }, { const: 'b', title: 'Beta' }] }, ['b', 'a'], ['Beta', 'Alpha']],
        ['of a part that has more', { enum: ['de', 'fr'], allOf: [{ $ref: '#/$defs/lang' }], $defs: { lang: LANGUAGES } }, ['de', 'fr'], ['Deutsch', 'Français']],
        ['of the first part, where the second has fewer', { ...LANGUAGES, allOf: [{ enum: ['fr', 'en'] }] }, ['en', 'fr'], ['English', 'Français']],
        ['of both parts, those of the first before', { enum: ['fr', 'de'], enumNames: ['French'], allOf: [LANGUAGES] }, ['fr', 'de'], ['French', 'Deutsch']],
        ['of three parts', { enum: ['fr', 'en', 'x'], allOf: [{ enum: ['x', 'en', 'fr'] }, LANGUAGES] }, ['fr', 'en'], ['Français', 'English']],
        ['that stand beside a reference', { $ref: '#/$defs/all', enumNames: ['One', 'Two'], $defs: { all: { enum: [1, 2, 3] } } }, [1, 2, 3], ['One', 'Two']],
        ['over those of a reference', { $ref: '#/$defs/lang', enumNames: ['A', null, 'C'], $defs: { lang: LANGUAGES } }, ['en', 'de', 'fr'], ['A', 'Deutsch', 'C']],
        ['of objects, lists and other scalars', { enum: [true, '1', 1, { a: [1] }, null], allOf: [{ enum: [null, { a: [1] }, 1, '1'], enumNames: ['none', 'object', 'number', 'text'] }] },
            ['1', 1, { a: [1] }, null], ['text', 'number', 'object', 'none']],
        ['of the first, where none is common', { ...LANGUAGES, allOf: [{ enum: ['x'], enumNames: ['X'] }] }, LANGUAGES.enum, LANGUAGES.enumNames],
        ['of nobody', { enum: [1, 2], allOf: [{ enum: [2, 1] }] }, [1, 2], undefined]
    ];
    for (const [title, schema, values, names] of NAMED) {
        it(`has the names of its constants: ${title}`, () => {

            const { enum: constants, enumNames } = new SchemaReader(schema).effective(schema, undefined).schema;

            expect(constants as unknown).to.equal(values);
            expect(enumNames as unknown).to.equal(names);
        });
    }

    it('may have hundreds of thousands of constants in two parts', () => {

        const values = Array.from({ length: 100_000 }, (_, i) => `value ${i}`);
        const schema = { enum: values, allOf: [{ enum: [...values].reverse(), enumNames: [...values].reverse() }] };
        const elapsed = processorTime();
        const merged = new SchemaReader(schema).effective(schema, undefined).schema;

        expect(merged['enumNames'] as unknown).to.equal(values);
        expect(elapsed()).to.be.below(5000);
    });

    it('does not run patterns that may take exponential time', () => {

        expect(matchesPattern('^(a+)+$', `${'a'.repeat(60)}b`)).to.be.undefined();
        expect(matchesPattern('^(a|a)*$', `${'a'.repeat(60)}b`)).to.be.undefined();
        expect(matchesPattern('(x+x+)+y', 'x'.repeat(60))).to.be.undefined();
        expect(matchesPattern('^(a+){30}$', `${'a'.repeat(60)}b`)).to.be.undefined();
        expect(matchesPattern('^(a|b|ab){30}$', 'ab'.repeat(30))).to.be.undefined();
        expect(matchesPattern('^(a?){50}a{50}$', 'a'.repeat(49))).to.be.undefined();
        expect(matchesPattern(`^${'a?'.repeat(50)}${'a'.repeat(50)}$`, 'a'.repeat(49))).to.be.undefined();
        expect(matchesPattern('^a*a*a*a*a*$', `${'a'.repeat(200)}b`)).to.be.undefined();
        expect(matchesPattern('^(?:\\d{4}-){2}(?=x)x??y?$', '2020-2021-x')).to.be.undefined();
        expect(matchesPattern('^https?://[^/]+(?:/.*)?$', 'https://example.org/a')).to.be.true();
        expect(matchesPattern('^[^@ ]+@[^@ ]+\\.[a-z]{2,}$', 'a@example.org')).to.be.true();
        expect(matchesPattern('^(?:19|20)\\d{2}-(?:0[1-9]|1[0-2])$', '2020-12')).to.be.true();
        expect(matchesPattern('^x-[a-z]+$', 'x-abc')).to.be.true();
        expect(matchesPattern('^x-[a-z]+$', 'y')).to.be.false();
        expect(matchesPattern('[', 'y')).to.be.undefined();
    });

    it('may have hundreds of thousands of constants', () => {

        const schema = { enum: Array.from({ length: 300_000 }, (_, i) => `value ${i}`) };

        expect((new SchemaReader(schema).effective(schema, undefined).schema['enum'] as readonly string[]).length).to.equal(300_000);
    });

    it('of deeply nested alternatives is found in a moment', () => {

        let schema: JsonMap = TEXT;
        for (let depth = 0; depth < 30; ++depth) {
            schema = { anyOf: [schema, { properties: { next: schema } }] };
        }

        const elapsed = processorTime();
        new SchemaReader(schema).effective(schema, { next: { next: 'x' } });

        expect(elapsed()).to.be.below(1000);
    });
});

describe('fields of a form', () => {

    const kindOf = (schema: JsonMap, value?: Json): string => {

        const reader = new SchemaReader(schema);
        const own = reader.effective(schema, value).schema;
        const items = typeof own['items'] === 'object' ? reader.effective(own['items'] as JsonMap, undefined).schema : {};
        return fieldKind({ schema: own, extension: extensionOf(own, 'cordra'), value, items, itemExtension: extensionOf(items, 'cordra') });
    };

    const KINDS: readonly (readonly [kind: string, schema: JsonMap, value?: Json])[] = [
        ['string', TEXT], ['string', TEXT, 'short'], ['text', TEXT, 'two\nlines'], ['text', TEXT, 'x'.repeat(200)], ['text', { type: 'string', format: 'markdown' }],
        ['json', TEXT, 5], ['json', { type: 'object' }, [1]], ['json', { type: 'integer' }, 1.5], ['number', { type: 'integer' }, 3], ['number', { minimum: 1 }],
        ['boolean', { type: 'boolean' }], ['date', { type: 'string', format: 'date' }, '2026-01-02'], ['string', { type: 'string', format: 'date' }, 'soon'],
        ['date-time', { type: 'string', format: 'date-time' }, '2026-01-02T03:04:05Z'], ['string', { type: 'string', format: 'date-time' }, 'soon'],
        ['date', { type: 'string', format: 'date' }, ''], ['date', { type: 'string', format: 'date' }, '2024-02-29'], ['date', { type: 'string', format: 'date' }, '0001-01-01'],
        ['string', { type: 'string', format: 'date' }, '1999-00-00'], ['string', { type: 'string', format: 'date' }, '2023-02-30'], ['string', { type: 'string', format: 'date' }, '0000-01-01'],
        ['string', { type: 'string', format: 'date-time' }, '2023-02-30T10:00:00Z'], ['string', { type: 'string', format: 'date-time' }, '0000-06-01T10:00:00Z'],
        ['date-time', { type: 'string', format: 'date-time' }, '2026-01-02 03:04:05z'],
        ['secret', { type: 'string', cordra: { secureProperty: true } }], ['secret', { 'type': 'string', 'net.cnri.repository': { auth: 'password' } }],
        ['reference', { type: 'string', cordra: { type: { handleReference: {} } } }], ['references', { type: 'array', items: TEXT, cordra: { type: { handleReference: {} } } }],
        ['references', { type: 'array', items: { type: 'string', cordra: { type: { handleReference: { types: 'A' } } } } }], ['references', { type: 'array', items: TEXT, cordra: { auth: 'usersList' } }],
        ['tags', { type: 'array', items: TEXT }, ['a']], ['list', { type: 'array', items: TEXT }, ['a\nb']], ['list', { type: 'array', items: TEXT }, ['a', 1]],
        ['enum-list', { type: 'array', items: { enum: ['a', 'b'] } }, ['b']], ['list', { type: 'array', items: { enum: ['a', 'b'] } }, ['b', 'b']], ['list', { type: 'array', items: { type: 'object' } }],
        ['enum', { enum: ['a', 1, null] }], ['json', { enum: [{ a: 1 }] }], ['json', { enum: ['a'] }, { x: 1 }], ['constant', { const: 5 }], ['json', { const: 5 }, 6],
        ['unset', {}], ['string', {}, 'x'], ['object', {}, { a: 1 }], ['list', {}, [1]], ['null', { type: ['string', 'null'] }, null], ['string', { type: ['string', 'null'] }]
    ];
    for (const [kind, schema, value] of KINDS) {
        it(`are of kind ${kind} for ${JSON.stringify(value)?.slice(0, 30)} by ${JSON.stringify(schema).slice(0, 90)}`, () => {

            expect(kindOf(schema, value)).to.equal(kind);
        });
    }

    it('may be added where the schema allows it', () => {

        const closed = { properties: { a: TEXT }, patternProperties: { '^x': TEXT }, additionalProperties: false };

        expect([offersAdditional(closed), offersAdditional({ properties: { a: TEXT } }), offersAdditional({}), offersAdditional({ properties: {}, additionalProperties: false })]).to.equal([true, false, true, false]);
        expect(['', 'a', 'xb', 'b', '__proto__'].map((name) => nameProblem(closed, {}, name))).to.equal(['empty', 'taken', null, 'forbidden', 'forbidden']);
        expect(nameProblem({}, { b: 1 }, 'b')).to.equal('taken');
    });

    it('begin with defaults, required objects and what the service generates, and nothing else', () => {

        const schema = {
            type: 'object', required: ['kind', 'where', 'name', 'list'],
            properties: {
                id: { type: 'string', cordra: { type: { autoGeneratedField: 'handle' } } }, kind: { const: 'x' }, note: { const: 'y' }, name: TEXT, year: { type: 'integer', default: 7 },
                where: { $ref: '#/$defs/place' }, other: { $ref: '#/$defs/place' }, list: { type: 'array' }
            },
            $defs: { place: { type: 'object', required: ['inner'], properties: { inner: { type: 'object', properties: { z: { default: 1 } } }, self: { $ref: '#/$defs/place' } } } }
        };

        expect(new InitialValues(new SchemaReader(schema), 'cordra').content() as object).to.equal({ id: '', kind: 'x', year: 7, where: { inner: { z: 1 } }, list: [] });
    });

    it('are of the type that was picked, whatever the default', () => {

        const initial = new InitialValues(new SchemaReader({}), 'cordra');
        const schema = { type: ['string', 'number', 'boolean'], default: 'preset' };

        expect([initial.of(schema), initial.of(schema, 'string'), initial.of(schema, 'number'), initial.of(schema, 'boolean')] as unknown[]).to.equal(['preset', 'preset', 0, false]);
        expect(initial.of({ type: ['integer', 'null'], default: 7 }, 'integer') as number).to.equal(7);
    });

    it('of the former branch go when another is chosen, all others stay', () => {

        const [a, b] = [{ properties: { kind: { const: 'a' }, x: TEXT, n: TEXT } }, { properties: { kind: { const: 'b' }, y: TEXT, n: TEXT }, required: ['kind'] }];
        const initial = new InitialValues(new SchemaReader({ oneOf: [a, b] }), 'cordra');

        expect(initial.switched({ kind: 'a', x: '1', n: '2', more: 3 }, a, b) as object).to.equal({ kind: 'b', n: '2', more: 3 });
        expect(initial.switched('text', { type: 'string' }, { type: 'integer' }) as number).to.equal(0);
        expect(initial.switched('text', { type: 'string' }, b) as object).to.equal({ kind: 'b' });
    });

    it('are summarised by what names them', () => {

        expect(summaryOf({ a: 1, name: 'Ann' }, {}, 'cordra')).to.equal('Ann');
        expect(summaryOf({ a: 1, name: 'Ann' }, { properties: { a: {}, code: {} } }, 'cordra')).to.equal('Ann');
        expect(summaryOf({ term: 'T', name: 'Ann' }, { properties: { term: { cordra: { preview: { isPrimary: true } } } } }, 'cordra')).to.equal('T');
        expect(summaryOf({ a: 1, b: { c: 2 }, d: true }, {}, 'cordra')).to.equal('1, true');
        expect(summaryOf({ name: 'x'.repeat(9000) }, {}, 'cordra').length).to.be.below(100);
    });

    it('that refer to objects have ids with the prefix that the rule says', () => {

        const rule = { types: [], excludeTypes: [], prepend: '', hasServicePrefix: true };

        expect(idOfValue(rule, 'a', 'test')).to.equal('test/a');
        expect(valueOfId(rule, 'test/a', 'test')).to.equal('a');
        expect(valueOfId(rule, 'other/a', 'test')).to.be.null();
        expect(idOfValue({ ...rule, hasServicePrefix: false, prepend: 'x:' }, 'a', 'test')).to.equal('x:a');
    });
});
