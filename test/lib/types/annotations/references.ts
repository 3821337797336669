import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { findReferences, referenceErrors } from '../../../../lib/types/annotations/references.js';
import { compile, faultsOf } from '../../../support/types.js';
import type { ContentReference } from '../../../../lib/model/processed-content.js';

export const lab = Lab.script();
const { describe, it } = lab;

function referencesOf(schema: JsonObject, content: JsonValue, isStored?: boolean): ContentReference[] {

    return findReferences(compile(schema).annotate(content), '20.500.123', isStored);
}

function reference(rule: JsonObject = {}): JsonObject {

    return { cordra: { type: { handleReference: rule } } };
}

describe('handle references', () => {

    const cases: [title: string, schema: JsonObject, content: JsonValue, found: ContentReference[]][] = [
        ['to any type', { properties: { a: reference() } }, { a: 'x/1' }, [{ pointer: '/a', id: 'x/1' }]],
        ['to one type', { properties: { a: reference({ types: 'User' }) } }, { a: 'x/1' }, [{ pointer: '/a', id: 'x/1', types: ['User'] }]],
        ['to several types', { properties: { a: reference({ types: ['User', 'Group'] }) } }, { a: 'x/1' }, [{ pointer: '/a', id: 'x/1', types: ['User', 'Group'] }]],
        ['to other types than some', { properties: { a: reference({ excludeTypes: ['User'] }) } }, { a: 'x/1' }, [{ pointer: '/a', id: 'x/1', excludeTypes: ['User'] }]],
        ['with a text before', { properties: { a: reference({ prepend: 'x/' }) } }, { a: '1' }, [{ pointer: '/a', id: 'x/1' }]],
        ['with the prefix before', { properties: { a: reference({ prependHandleMintingConfigPrefix: true }) } }, { a: '1' }, [{ pointer: '/a', id: '20.500.123/1' }]],
        ['in every element', { items: reference() }, ['x/1', 'x/2'], [{ pointer: '/0', id: 'x/1' }, { pointer: '/1', id: 'x/2' }]],
        ['in lists that are marked as a whole', { properties: { a: reference() } }, { a: ['x/1', null] }, [{ pointer: '/a/0', id: 'x/1' }]],
        ['once for each place', { allOf: [reference(), reference()] }, 'x/1', [{ pointer: '', id: 'x/1' }]],
        ['also when they are empty', { properties: { a: reference() } }, { a: '' }, [{ pointer: '/a', id: '' }]],
        ['not when they are absent or null', { properties: { a: reference(), b: reference() } }, { b: null }, []]
    ];
    for (const [title, schema, content, found] of cases) {
        it(`are found ${title}`, () => {

            expect<unknown>(referencesOf(schema, content)).to.equal(found);
        });
    }

    it('must be strings', () => {

        expect(faultsOf(() => referencesOf({ properties: { a: reference() } }, { a: 5 }))).to.equal([
            '/a: must be a string: it refers to an object by its id'
        ]);
    });

    it('are limited in number', () => {

        expect(faultsOf(() => referencesOf({ items: reference() }, Array.from({ length: 10_001 }, (_, i) => `x/${i}`)))).to.equal([
            '/10000: content may refer to at most 10000 objects'
        ]);
    });

    it('by several rules are found once for each of them that says something else', () => {

        const rules = [{ types: 'A' }, { types: 'B' }, { types: ['A'] }, { types: 'A', prepend: 'x/' }].map(reference);

        expect<unknown>(referencesOf({ allOf: rules }, '1')).to.equal([
            { pointer: '', id: '1', types: ['A'] }, { pointer: '', id: '1', types: ['B'] }, { pointer: '', id: 'x/1', types: ['A'] }
        ]);
    });

    const BELOW_NAMES = { additionalProperties: { items: reference() } };

    it('are found below names of 2,000 characters', () => {

        const name = 'n'.repeat(2000 - '//0'.length);

        expect(referencesOf(BELOW_NAMES, { [name]: ['x/1'] })).to.equal([{ pointer: `/${name}/0`, id: 'x/1' }]);
        expect(faultsOf(() => referencesOf(BELOW_NAMES, { [`${name}n`]: ['x/1'] }))).to.equal([
            `/${'n'.repeat(199)}…: must not refer to an object below names of more than 2000 characters`
        ]);
    });

    it('below longer names are left out of stored content', () => {

        const ids = Array.from({ length: 5 }, (_, i) => `x/${i}`);

        expect(referencesOf(BELOW_NAMES, { ['n'.repeat(100_000)]: ids, n: ['x/1'] }, true)).to.equal([{ pointer: '/n/0', id: 'x/1' }]);
    });

    const types = new Map([['x/user', 'User'], ['x/doc', 'Document']]);
    const checks: [reference: ContentReference, faults: string[]][] = [
        [{ pointer: '/a', id: 'x/user' }, []],
        [{ pointer: '/a', id: 'x/user', types: ['Group', 'User'] }, []],
        [{ pointer: '/a', id: 'x/user', excludeTypes: ['Group'] }, []],
        [{ pointer: '/a', id: 'x/gone' }, ['Unexpected missing cordra object x/gone at /a']],
        [{ pointer: '/a', id: '' }, ['Unexpected missing cordra object  at /a']],
        [{ pointer: '/a', id: 'x/doc', types: ['User', 'Group'] }, ['Cordra object x/doc referenced at /a has type Document, expected [User, Group]']],
        [{ pointer: '/a', id: 'x/doc', excludeTypes: ['Document'] }, ['Cordra object x/doc referenced at /a has type Document which is not permitted.']]
    ];
    for (const [each, messages] of checks) {
        it(`are validated against the objects found: ${JSON.stringify(each)}`, () => {

            expect(referenceErrors([each], types)).to.equal(messages.map((message) => ({ pointer: '/a', message })));
        });
    }
});
