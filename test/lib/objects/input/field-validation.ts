import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import {
    checkAcl, checkApproximateSize, checkedText, checkElementCount, checkElementName, checkFilename, checkMediaType, checkNewId, checkTypeName
} from '../../../../lib/objects/input/field-validation.js';
import type { FieldLimits } from '../../../../lib/objects/input/field-validation.js';

export const lab = Lab.script();
const { describe, it } = lab;

const limits: FieldLimits = { idBytes: 255, nameBytes: 20, aclEntries: 3, elements: 2, contentBytes: 100 };

describe('the validation of fields', () => {

    const allowed: [string, () => unknown, unknown][] = [
        ['an id', () => checkNewId('test/a', 'test', limits), undefined],
        ['an id with several slashes and blanks', () => checkNewId('20.5000/a b/ü', 'test', limits), undefined],
        ['an id of 255 bytes', () => checkNewId('t/' + 'ä'.repeat(126) + 'a', 'test', limits), undefined],
        ['a type name with a blank', () => checkTypeName('Digital Specimen', limits), 'Digital Specimen'],
        ['an element name', () => checkElementName('scan', limits), 'scan'],
        ['a file name without its path', () => checkFilename('C:\\x\\y/map.png', limits), 'map.png'],
        ['no file name', () => checkFilename('', limits), ''],
        ['a path that ends in a slash', () => checkFilename('a/b/', limits), ''],
        ['a media type with a parameter', () => checkMediaType('text/plain; a=b', limits), 'text/plain; a=b'],
        ['no media type', () => checkMediaType(null, limits), null],
        ['an ACL with one array', () => checkAcl({ writers: ['public'] }, limits), { writers: ['public'] }],
        ['an ACL with null for an array', () => checkAcl({ readers: null, writers: [] }, limits), { writers: [] }],
        ['an empty ACL', () => checkAcl({}, limits), {}],
        ['content that may be short enough without its secrets', () => checkApproximateSize({ a: 'x'.repeat(60_000), b: null }, limits), undefined]
    ];
    for (const [title, work, expected] of allowed) {
        it(`accepts ${title}`, () => {

            expect(work()).to.equal(expected);
        });
    }

    const acl = (value: JsonValue): (() => unknown) => {

        return () => checkAcl(value, limits);
    };

    const refused: [string, () => unknown, RegExp][] = [
        ['an id without a slash', () => checkNewId('test', 'test', limits), /Invalid handle: test/],
        ['an id that starts with a slash', () => checkNewId('/a/b', 'test', limits), /Invalid handle/],
        ['an id that starts with a dot', () => checkNewId('.a/b', 'test', limits), /Invalid handle/],
        ['an id with nothing behind the slash', () => checkNewId('test/', 'test', limits), /Invalid handle/],
        ['an id of 256 bytes', () => checkNewId('t/' + 'ä'.repeat(127), 'test', limits), /longer than 255 bytes/],
        ['an id with a line break', () => checkNewId('test/a\nb', 'test', limits), /control character/],
        ['an id with half a character', () => checkNewId('test/a\ud800', 'test', limits), /unpaired surrogate/],
        ['the id of the design', () => checkNewId('design', 'test', limits), /reserved/],
        ['the id of the service', () => checkNewId('test/service', 'test', limits), /reserved/],
        ['no type name', () => checkTypeName(undefined, limits), /Missing object type/],
        ['an empty type name', () => checkTypeName('', limits), /Missing object type/],
        ['a type name that is no string', () => checkTypeName(7, limits), /type must be a non-empty string/],
        ['an empty element name', () => checkElementName('', limits), /Payload missing name/],
        ['a long element name', () => checkElementName('x'.repeat(21), limits), /longer than 20 bytes/],
        ['an element name with NUL', () => checkElementName('a\0', limits), /control character/],
        ['a media type that is none', () => checkMediaType('plain', limits), /must look like type\/subtype/],
        ['a media type with a line break', () => checkMediaType('a/b\r\nX: y', limits), /control character/],
        ['an ACL that is an array', acl([]), /Invalid ACL format/],
        ['an ACL that is null', acl(null), /Invalid ACL format/],
        ['an ACL whose readers are a string', acl({ readers: 'public' }), /readers must be an array/],
        ['an ACL with a number', acl({ readers: [1] }), /^Invalid ACL format: an entry of readers must be a non-empty string/],
        ['an ACL with an empty entry', acl({ readers: [''] }), /non-empty/],
        ['an ACL with a misspelt member', acl({ reader: [] }), /unknown member reader/],
        ['an ACL with too many entries', acl({ readers: ['a', 'b', 'c', 'd'] }), /more than 3 entries/],
        ['too many elements', () => checkElementCount(3, limits), /at most 2 payloads/],
        ['content that is long in any case', () => checkApproximateSize({ a: [1, { b: 'x'.repeat(70_000) }] }, limits), /content is longer than the allowed 100 bytes/],
        ['content with many values', () => checkApproximateSize({ a: Array.from({ length: 70_000 }, () => 1) }, limits), /content is longer than/],
        ['content with more values than allowed', () => checkApproximateSize({ a: [{}, {}, 1] }, { ...limits, jsonValues: 6 }), /^content holds more than the allowed 6 values$/],
        ['content with long names', () => checkApproximateSize({ a: { ['x'.repeat(70_000)]: 1 } }, limits), /content is longer than/],
        ['long content', () => checkedText('content', { a: 'ä'.repeat(50) }, limits), /content is longer than the allowed 100 bytes/]
    ];
    for (const [title, work, message] of refused) {
        it(`rejects ${title}`, () => {

            expect(work).to.throw(DoipError, message);
        });
    }
});
