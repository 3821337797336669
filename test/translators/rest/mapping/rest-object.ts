import type { DigitalObject } from '../../../../lib/doip/digital-object.js';
import { jsonText, rawJson, rememberText } from '../../../../lib/json/raw-json.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { objectPath, payloadFacts, textOf, toRestObject, view } from '../../../../translators/rest/mapping/rest-object.js';

export const lab = Lab.script();
const { describe, it } = lab;

const map: DigitalObject = {
    id: '20.1000/ab12',
    type: 'Document',
    attributes: {
        content: { id: '20.1000/ab12', name: 'Map', tags: ['a', 'b'], nothing: null },
        acl: { readers: ['public'], writers: ['20.1000/u7'] },
        userMetadata: { batch: 'b-3' },
        metadata: { createdOn: 1, createdBy: '20.1000/u7', modifiedOn: 2, modifiedBy: '20.1000/u7', txnId: 3 }
    },
    elements: [
        { id: 'scan', length: 2048, type: 'image/png', attributes: { filename: 'map.png' } },
        { id: 'raw', length: 0, attributes: {} }
    ]
};
const bare: DigitalObject = { id: 'test/1', type: 'T', attributes: { content: {} }, elements: [] };

describe('the full REST form of an object', () => {

    it('has its members in the order of the interface', () => {

        expect(Object.keys(toRestObject(map, 'READ'))).to.equal(
            ['id', 'type', 'content', 'acl', 'userMetadata', 'metadata', 'responseContext', 'payloads']);
    });

    it('describes payloads', () => {

        expect(toRestObject(map).payloads).to.equal([
            { name: 'scan', filename: 'map.png', mediaType: 'image/png', size: 2048 },
            { name: 'raw', size: 0 }
        ]);
    });

    it('omits missing parts', () => {

        expect<unknown>(toRestObject(bare)).to.equal({ id: 'test/1', type: 'T', content: {} });
    });

    it('is written with the stored text of a long content, with the same result', () => {

        const content = { text: 'ü"'.repeat(40_000) };
        rememberText(content, JSON.stringify(content));
        for (const { id, type, attributes, elements } of [map, bare]) {
            const shown = view({ id, type, attributes: { ...attributes, content }, elements }, { full: true, permission: 'READ' }) as object;

            expect(rawJson(shown)).to.equal(JSON.stringify(shown));
        }

        const other = view({ ...bare, attributes: { content: { ...content } } }, { full: true });
        expect([rawJson(other as object), jsonText(other)]).to.equal([undefined, JSON.stringify(other)]);
    });

    it('has the permission of the caller beside a score', () => {

        const found = { ...bare, attributes: { content: {}, responseContext: { score: 1.5 } } };

        expect<unknown>(toRestObject(found, 'WRITE').responseContext).to.equal({ score: 1.5, permission: 'WRITE' });
        expect<unknown>(toRestObject(found).responseContext).to.equal({ score: 1.5 });
    });
});

describe('the displayed part of an object', () => {

    it('is its content by default', () => {

        expect<unknown>(view(map, {})).to.equal(map.attributes.content);
        expect<unknown>(view(bare, { full: true })).to.equal({ id: 'test/1', type: 'T', content: {} });
    });

    it('follows a pointer into the displayed form', () => {

        expect<unknown>(view(map, { jsonPointer: '/tags/1' })).to.equal('b');
        expect<unknown>(view(map, { full: true, jsonPointer: '/content/tags/1' })).to.equal('b');
        expect<unknown>(view(map, { full: true, jsonPointer: '/payloads/0/name' })).to.equal('scan');
        expect<unknown>(view(map, { jsonPointer: '/nothing' })).to.be.null();
        expect<unknown>(view(map, { jsonPointer: '' })).to.equal(map.attributes.content);
    });

    it('is an error for a pointer to nothing', () => {

        expect(() => view(map, { jsonPointer: '/tags/2' })).to.throw('Missing data at jsonPointer in object');
        expect(() => view(map, { full: true, jsonPointer: '/tags' })).to.throw('Missing data at jsonPointer in object');
        expect(() => view(map, { jsonPointer: 'tags' })).to.throw('Invalid JSON Pointer tags');
    });

    it('keeps the parts of the filter', () => {

        expect<unknown>(view(map, { filter: ['/name', '/tags/1', '/absent'] })).to.equal({ name: 'Map', tags: ['b'] });
        expect<unknown>(view(map, { full: true, filter: ['/id', '/payloads/_/name'] })).to.equal(
            { id: '20.1000/ab12', payloads: [{ name: 'scan' }, { name: 'raw' }] });
        expect<unknown>(view(map, { filter: [''] })).to.equal(map.attributes.content);
        expect<unknown>(view(map, { filter: [] })).to.equal({});
    });

    it('follows the pointer rather than the filter', () => {

        expect<unknown>(view(map, { jsonPointer: '/name', filter: ['/id'] })).to.equal('Map');
    });

    for (const [value, text] of [['a"b', 'a"b'], [1.5, '1.5'], [true, 'true'], [null, 'null'], ['', '']] as const) {
        it(`is text for the scalar ${JSON.stringify(value)}`, () => {

            expect(textOf(value)).to.equal(text);
        });
    }

    it('is not text for arrays and objects', () => {

        expect(() => textOf([])).to.throw('Requested json is not textual');
        expect(() => textOf({})).to.throw('Requested json is not textual');
    });
});

describe('a payload', () => {

    it('is described by file name and media type', () => {

        expect<unknown>(payloadFacts(map, 'scan')).to.equal({ filename: 'map.png', mimetype: 'image/png' });
        expect<unknown>(payloadFacts(map, 'raw')).to.equal({ mimetype: 'application/octet-stream' });
    });

    it('is named in the error when it is missing', () => {

        expect(() => payloadFacts(map, 'x')).to.throw('No payload x in object 20.1000/ab12');
    });
});

describe('the path of an object', () => {

    const paths: [string, string, string][] = [
        ['', 'test/1', '/objects/test/1'],
        ['/cordra', 'test/a b', '/cordra/objects/test/a%20b'],
        ['', '20.1/ü?#/%+', '/objects/20.1/%C3%BC%3F%23/%25%2B'],
        ['', 'test/../../admin', '/objects/test%2F..%2F..%2Fadmin'],
        ['', 'test/./x', '/objects/test%2F.%2Fx'],
        ['', 'test/..x/.y', '/objects/test/..x/.y']
    ];
    for (const [base, id, expected] of paths) {
        it(`below "${base}" for the id ${id} is ${expected}`, () => {

            expect(objectPath(base, id)).to.equal(expected);
            expect(new URL(objectPath(base, id), 'http://x').pathname).to.equal(expected);
        });
    }
});
