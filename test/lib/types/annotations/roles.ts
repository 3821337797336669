import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { findModuleDirectory, findRoles } from '../../../../lib/types/annotations/roles.js';
import { primaryText, textMediaType } from '../../../../lib/types/annotations/hints.js';
import { initialTypes, moduleDirectoryTemplate } from '../../../../lib/types/seed-content.js';
import { compile } from '../../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

function rolesOf(schema: JsonValue, content: JsonValue): unknown {

    return findRoles(compile(schema).annotate(content), 'test');
}

function schemaOf(name: string): JsonValue {

    return initialTypes('cordra').find((type) => type.name === name)?.schema ?? false;
}

function auth(...roles: JsonValue[]): JsonObject {

    return { properties: Object.fromEntries(roles.map((role, index) => [`p${index}`, { cordra: { auth: role } }])) };
}

describe('the roles of values', () => {

    it('are those of the default users and groups', () => {

        expect(rolesOf(schemaOf('User'), { id: 'test/u', username: 'ann', password: 'secret', requirePasswordChange: true })).to.equal({
            username: { pointer: '/username', value: 'ann' }, password: { pointer: '/password', value: 'secret' },
            requirePasswordChange: { pointer: '/requirePasswordChange', value: true }, secure: []
        });
        expect(rolesOf(schemaOf('Group'), { groupName: 'g', users: ['test/u', 'test/v'] })).to.equal({ members: ['test/u', 'test/v'], secure: [] });
    });

    it('may be given as objects', () => {

        expect(rolesOf(auth({ type: 'publicKey' }, { type: 'accountActive' }), { p0: { kty: 'RSA' }, p1: false })).to.equal({
            publicKey: { pointer: '/p0', value: { kty: 'RSA' } }, accountActive: { pointer: '/p1', value: false }, secure: []
        });
    });

    it('belong to the first value, except for members, which belong to the last', () => {

        const schema = auth('username', 'username', 'usersList', 'usersList');

        expect(rolesOf(schema, { p0: 'a', p1: 'b', p2: ['c'], p3: ['d'] })).to.equal({
            username: { pointer: '/p0', value: 'a' }, members: ['d'], secure: []
        });
        expect(rolesOf(schema, { p1: 'b', p2: ['c'] })).to.equal({ username: { pointer: '/p1', value: 'b' }, members: ['c'], secure: [] });
    });

    it('ignore absent values and null', () => {

        expect(rolesOf(auth('username', 'password'), { p0: null })).to.equal({ secure: [] });
    });

    it('ignore unknown names', () => {

        expect(rolesOf(auth('superuser', { type: 'constructor' }, 5), { p0: 'a', p1: 'b', p2: 'c' })).to.equal({ secure: [] });
    });

    const lists: [title: string, rule: JsonObject, value: JsonValue, members: string[]][] = [
        ['a text before', { prepend: 'x/' }, ['1', '2'], ['x/1', 'x/2']],
        ['the prefix before', { prependHandleMintingConfigPrefix: true }, ['1'], ['test/1']],
        ['what is no id left out', {}, ['a', 5, null], ['a']],
        ['no members when it is no list', {}, 'a', []]
    ];
    for (const [title, rule, value, members] of lists) {
        it(`find members with ${title}`, () => {

            expect(rolesOf(auth({ type: 'usersList', ...rule }), { p0: value })).to.equal({ members, secure: [] });
        });
    }

    it('include all secure values', () => {

        const secure = { cordra: { secureProperty: true } };

        expect(rolesOf({ properties: { a: secure, b: { items: secure }, c: { cordra: { secureProperty: false } } } }, { a: '1', b: ['2', 3], c: '4' })).to.equal({
            secure: [{ pointer: '/a', value: '1' }, { pointer: '/b/0', value: '2' }, { pointer: '/b/1', value: 3 }]
        });
    });
});

describe('annotations of properties', () => {

    it('say where the elements of an object are modules', () => {

        const schema = moduleDirectoryTemplate('cordra');

        expect(findModuleDirectory(compile(schema).annotate({ directory: '/node_modules' }))).to.equal('/node_modules');
        expect(findModuleDirectory(compile(schema).annotate({}))).to.be.undefined();
        expect(findModuleDirectory(compile({ cordra: { referrable: { id: true, payloads: 'other' } } }).annotate('x'))).to.be.undefined();
    });

    it('say which text is the primary one', () => {

        const primary = { cordra: { preview: { isPrimary: true } } };
        const schema = compile({ properties: { a: primary, b: primary, c: { cordra: { preview: { isPrimary: false } } } } });

        expect(primaryText(schema.annotate({ c: 'c', b: 'b', a: {} }))).to.equal('b');
        expect(primaryText(schema.annotate({ a: 5 }))).to.equal('5');
        expect(primaryText(schema.annotate({ c: 'c' }))).to.be.undefined();
    });

    it('give the media type of a text', () => {

        const schema = compile({ properties: { page: { cordra: { response: { mediaType: 'text/html' } } }, other: { cordra: {} } } });

        expect(textMediaType(schema.annotate({ page: '<p>' }), '/page')).to.equal('text/html');
        expect(textMediaType(schema.annotate({ page: '<p>', other: 'x' }), '/other')).to.be.undefined();
    });
});
