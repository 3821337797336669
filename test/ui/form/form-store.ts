/** The value that a form edits: nothing changes but what is edited. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { isJsonMap } from '../../../ui/src/json/exact-number.js';
import type { Json, JsonMap } from '../../../ui/src/json/exact-number.js';
import { parseJson } from '../../../ui/src/json/parse-json.js';
import { parsePointer, valueAt } from '../../../ui/src/json/pointer.js';
import { writeJson } from '../../../ui/src/json/write-json.js';
import { SchemaReader } from '../../../ui/src/form/model/effective-schema.js';
import { extensionOf } from '../../../ui/src/form/model/extension.js';
import { fieldKind, itemSchema } from '../../../ui/src/form/model/field-kind.js';
import { fieldsOf } from '../../../ui/src/form/model/object-fields.js';
import type { Schema } from '../../../ui/src/form/model/schema.js';
import type { FormNode } from '../../../ui/src/form/store/form-node.js';
import { errorsWithin, FormStore, pointerOf } from '../../../ui/src/form/store/form-store.js';
import { pointersOf, randomSource, randomValue } from '../../support/random-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NAMES = ['a', 'b', '_', '0', '1', 'x/y', '~'];

/** A schema with all kinds of keywords, which need not fit the value. */
function randomSchema(random: (below: number) => number, depth: number): Schema {

    const inner = (): Schema => randomSchema(random, depth - 1);
    const name = (): string => NAMES[random(NAMES.length)] ?? 'a';
    if (depth <= 0) {
        return [true, { type: 'string' }, { type: 'integer' }, { enum: ['text 1', 5, null] }, { const: 'text 2' }, {}, { type: ['string', 'null'] }, { $ref: '#' }][random(8)] as Schema;
    }

    const members: JsonMap[] = [
        { type: 'object', properties: { [name()]: inner(), [name()]: inner() } }, { type: 'array', items: inner() }, { oneOf: [inner(), inner()] }, { anyOf: [inner(), inner(), { type: 'null' }] },
        { allOf: [inner(), inner()] }, { if: { required: [name()] }, then: inner(), else: inner() }, { additionalProperties: inner() }, { patternProperties: { '^[a-z]': inner() } },
        { dependentSchemas: { [name()]: inner() } }, { prefixItems: [inner()], items: inner() }, { items: [inner()], additionalItems: inner() }, { properties: { [name()]: inner() }, required: [name()], additionalProperties: false }
    ];
    return { ...members[random(members.length)], ...members[random(members.length)] };
}

/** The nodes that a form shows for a value, as its fields are nested: each with its kind. */
function shownNodes(reader: SchemaReader, node: FormNode, schema: Schema, depth = 0): readonly FormNode[] {

    const value = node.value.peek();
    const own = reader.effective(schema, value).schema;
    const kind = fieldKind({ schema: own, extension: extensionOf(own, 'cordra'), value });
    if (kind === 'object' && depth < 20 && isJsonMap(value)) {
        const fields = fieldsOf(own, value).filter(({ name }) => Object.hasOwn(value, name));
        expect(new Set(fields.map(({ name }) => name))).to.equal(new Set(Object.keys(value)));
        return [node, ...fields.flatMap(({ name, schema: each }) => shownNodes(reader, node.child(name), each, depth + 1))];
    }

    if (kind === 'list' && Array.isArray(value)) {
        return [node, ...value.flatMap((_, i) => shownNodes(reader, node.child(String(i)), itemSchema(own, i), depth + 1))];
    }

    return [node];
}

describe('the value of a form', () => {

    it('is the one that was opened as long as nothing is edited, and shows every property, whatever the schema', () => {

        const random = randomSource(11);
        for (let i = 0; i < 400; ++i) {
            const [schema, value] = [randomSchema(random, 3), randomValue(random, 4) as Json];
            const text = writeJson(value);
            const store = new FormStore(value);
            shownNodes(new SchemaReader(schema), store.root, schema);

            expect(writeJson(store.value)).to.equal(text);
        }
    });

    it('differs after an edit at one pointer only', () => {

        const random = randomSource(12);
        let edits = 0;
        for (let i = 0; i < 400; ++i) {
            const [schema, value] = [randomSchema(random, 3), randomValue(random, 4) as Json];
            const store = new FormStore(value);
            const nodes = shownNodes(new SchemaReader(schema), store.root, schema);
            const node = nodes[random(nodes.length)] as FormNode;
            const pointer = pointerOf(node);
            store.set(node, 'edited');
            edits += 1;

            expect(valueAt(store.value, parsePointer(pointer)) as string).to.equal('edited');
            for (const other of pointersOf(value as never).filter((each) => !each.startsWith(pointer) && !pointer.startsWith(each))) {
                expect(valueAt(store.value, parsePointer(other)) === valueAt(value, parsePointer(other)), `${pointer} ${other}`).to.be.true();
            }
        }

        expect(edits).to.equal(400);
    });

    it('keeps the text of numbers that are not edited', () => {

        const store = new FormStore(parseJson('{"a":1.10,"b":{"c":12345678901234567890},"d":"x"}'));
        store.set(store.root.child('d'), 'y');

        expect(writeJson(store.value)).to.equal('{"a":1.10,"b":{"c":12345678901234567890},"d":"y"}');
    });

    it('gets the objects around a new value, which go with it', () => {

        const store = new FormStore({ z: {} });
        const deep = store.root.child('a').child('b').child('c');
        store.set(deep, 1);
        expect(store.value as object).to.equal({ z: {}, a: { b: { c: 1 } } });

        store.unset(deep);
        expect(store.value as object).to.equal({ z: {} });

        const inner = store.root.child('z').child('y');
        store.set(inner, 1);
        store.unset(inner);
        expect(store.value as object).to.equal({ z: {} });
    });

    it('tells only those nodes whose values change', () => {

        const store = new FormStore({ a: { b: 1, c: 2 }, d: { e: 3 } });
        const told: string[] = [];
        for (const pointer of ['', '/a', '/a/b', '/a/c', '/d', '/d/e']) {
            store.nodeAt(pointer).value.subscribe(() => told.push(pointer));
        }

        told.length = 0;
        store.set(store.nodeAt('/a/b'), 5);

        expect(told.sort()).to.equal(['', '/a', '/a/b']);
    });

    it('has entries that are inserted, removed and moved with what the user did to them', () => {

        const edits: Json[] = [];
        const store = new FormStore({ list: ['a', 'b', 'c'] }, (value) => edits.push(value));
        const list = store.root.child('list');
        const [first] = list.itemIds();
        store.setProblem(list.child('0'), 'not a number');
        store.move(list, 0, 2);
        expect(store.value as object).to.equal({ list: ['b', 'c', 'a'] });
        expect(list.itemIds()[2]).to.equal(first);
        expect(list.child('2').problem.value).to.equal('not a number');
        expect(store.problems.value.size).to.equal(1);

        store.remove(list, 2);
        expect(store.value as object).to.equal({ list: ['b', 'c'] });
        expect(store.problems.value.size).to.equal(0);

        store.insert(list, 1, 'x');
        expect(store.value as object).to.equal({ list: ['b', 'x', 'c'] });

        store.insert(store.root.child('new'), 0, 1);
        expect(store.value as object).to.equal({ list: ['b', 'x', 'c'], new: [1] });
        expect(edits).to.have.length(4);
    });

    it('has properties that are renamed at their places, unless the name is taken', () => {

        const store = new FormStore({ a: 1, b: { c: 2 }, d: 3 });
        store.rename(store.root.child('b'), 'x');
        expect(writeJson(store.value)).to.equal('{"a":1,"x":{"c":2},"d":3}');

        store.rename(store.root.child('x'), 'd');
        expect(writeJson(store.value)).to.equal('{"a":1,"x":{"c":2},"d":3}');
    });

    it('has messages at their places, until there are others', () => {

        const store = new FormStore({ a: { b: [1] } });
        store.setErrors([{ pointer: '/a/b/0', message: 'is odd' }, { pointer: '/a/b/0', message: 'is small' }, { pointer: '/new', message: 'is required' }, { pointer: '', message: 'whole' }]);
        expect(store.nodeAt('/a/b/0').errors.value).to.equal(['is odd', 'is small']);
        expect(store.nodeAt('/new').errors.value).to.equal(['is required']);
        expect(store.root.errors.value).to.equal(['whole']);
        expect(errorsWithin(store.errors.value, '/a')).to.equal([{ pointer: '/b/0', message: 'is odd' }, { pointer: '/b/0', message: 'is small' }]);

        store.setErrors([{ pointer: '/a', message: 'other' }]);
        expect(store.nodeAt('/a/b/0').errors.value).to.be.empty();
        expect(store.root.errors.value).to.be.empty();
    });

    it('opens what hides a place', () => {

        const store = new FormStore({ a: { list: [1, 2] } });
        store.reveal(store.nodeAt('/a/list/1'));

        expect([store.root.isOpen.value, store.nodeAt('/a').isOpen.value, store.nodeAt('/a/list').isOpen.value]).to.equal([true, true, true]);
        expect(store.nodeAt('/a/list').shownKey.value).to.equal('1');
    });

    it('is replaced from outside without a report', () => {

        const edits: Json[] = [];
        const store = new FormStore({ a: 1 }, (value) => edits.push(value));
        store.setProblem(store.root.child('a'), 'bad');
        store.reset({ a: 2 });

        expect(store.root.child('a').value.value as number).to.equal(2);
        expect(store.problems.value.size).to.equal(0);
        expect(edits).to.be.empty();
    });

    it('keeps the newest edit when the value of an older one comes back late', () => {

        const edits: Json[] = [];
        const store = new FormStore({ a: '' }, (value) => edits.push(value));
        store.set(store.root.child('a'), 'f');
        store.set(store.root.child('a'), 'fi');
        store.reset(edits[0]!);

        expect(writeJson(store.value)).to.equal('{"a":"fi"}');
    });

    it('keeps texts that are no values where a neighbour is emptied, and follows a property that is renamed', () => {

        const store = new FormStore({});
        const [street, zip] = [store.nodeAt('/place/street'), store.nodeAt('/place/zip')];
        store.set(street, 'x');
        zip.typed.value = 'abc';
        store.setProblem(zip, 'no number');
        store.unset(street);
        expect([zip.typed.value, store.problems.value.size, writeJson(store.value)]).to.equal(['abc', 1, '{"place":{}}']);

        store.set(store.nodeAt('/width'), 5);
        const width = store.nodeAt('/width');
        width.typed.value = '5 cm';
        store.setProblem(width, 'no number');
        store.rename(width, 'breadth');
        store.forgetHidden(store.root, (key) => key !== 'width');
        expect([...store.problems.value].map(pointerOf).sort()).to.equal(['/breadth', '/place/zip']);
        expect([store.nodeAt('/breadth').typed.value, width.typed.value]).to.equal(['5 cm', null]);

        store.unset(store.nodeAt('/place'));
        expect([...store.problems.value].map(pointerOf)).to.equal(['/breadth']);
    });

    it('keeps names that are not taken, which are no part of it, until their fields have gone', () => {

        const store = new FormStore({ list: [{ a: 1 }, { b: 2 }] });
        store.set(store.nodeAt('/more/c'), 3);
        const note = (pointer: string, kind: 'own' | 'new', text: string): void => {

            const name = store.nodeAt(pointer).nameOf(kind);
            name.typed.value = text;
            store.setProblem(name, 'not taken');
        };

        const noted = (): string[] => [...store.problems.value].map((node) => `${node.isName} ${pointerOf(node)} ${node.key} ${node.typed.value}`).sort();
        note('/list/1', 'new', 'x');
        note('/list/1/b', 'own', 'y');
        note('/more', 'new', 'z');
        store.move(store.nodeAt('/list'), 1, 0);
        store.set(store.nodeAt('/list/1/a'), 5);
        store.forgetHidden(store.nodeAt('/list/0'), (key) => key === 'b');
        store.forgetHidden(store.nodeAt('/more'), (key) => key === 'c');
        expect(noted()).to.equal(['true /list/0 new x', 'true /list/0/b own y', 'true /more new z']);

        store.reveal(store.nodeAt('/more').nameOf('new'));
        expect([store.nodeAt('/more').isOpen.value, store.nodeAt('/more').shownKey.value, store.root.shownKey.value]).to.equal([true, null, 'more']);

        // An object in which a new property has a name already is not removed with its last one.
        store.unset(store.nodeAt('/more/c'));
        expect(writeJson(store.value)).to.equal('{"list":[{"b":2},{"a":5}],"more":{}}');

        store.forgetHidden(store.nodeAt('/list/0'), () => true, (key) => key === 'b');
        expect(noted()).to.equal(['true /list/0/b own y', 'true /more new z']);
        store.forgetHidden(store.nodeAt('/list/0'), () => true, (key) => key === null);
        expect(noted()).to.equal(['true /more new z']);
        store.unset(store.nodeAt('/more'));
        expect(noted()).to.equal([]);
    });
});
