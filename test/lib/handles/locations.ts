import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { locationsOf, locationsXml, readLocations, webAddress } from '../../../lib/handles/locations.js';
import { readMintingConfig } from '../../../lib/handles/minting-config.js';

export const lab = Lab.script();
const { describe, it } = lab;

const BASE = 'https://repo.example/';

function object(content: JsonObject = {}, elements: readonly string[] = [], id = 'test/1'): StoredObject {

    return {
        id, type: 'Document', content, acl: null, userMetadata: null,
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 },
        elements: elements.map((name, n) => ({ name, filename: null, mediaType: null, size: 1, blobId: n, store: '', hash: null }))
    };
}

function linksOf(config: JsonObject, type = 'Document') {

    return readMintingConfig({ handleMintingConfig: config }).linksOf(type);
}

describe('the locations of an object', () => {

    const ui = null;

    it('are JSON and the HTML page, which comes first, unless the design defines others', () => {

        expect(locationsOf(object(), linksOf({}), { service: BASE, ui: 'https://ui.example/' })).to.equal([
            { href: 'https://repo.example/objects/test/1', weight: 0, view: 'json' },
            { href: 'https://ui.example/#objects/test/1', weight: 1, view: 'ui' }
        ]);
    });

    it('lead to a page of the service where there is no user interface', () => {

        expect(locationsOf(object(), linksOf({}), { service: BASE, ui })[1]).to.equal(
            { href: 'https://repo.example/hdl/test/1?locatt=view:ui', weight: 1, view: 'ui' });
    });

    const cases: [string, JsonValue, StoredObject, [view: string, href: string, weight: number][]][] = [
        ['encode ids', [{ type: 'json' }], object({}, [], 'test/ü ?#&"/x'),
            [['json', `${BASE}objects/test/%C3%BC%20%3F%23%26%22/x`, 0]]],
        ['are one element', [{ type: 'payload', specific: 'a b', primary: true }], object({}, ['x', 'a b']),
            [['a b', `${BASE}objects/test/1?payload=a%20b`, 1]]],
        ['are every element', [{ type: 'payload', all: true }], object({}, ['x', 'y']),
            [['x', `${BASE}objects/test/1?payload=x`, 0], ['y', `${BASE}objects/test/1?payload=y`, 0]]],
        ['are no element that is not there', [{ type: 'payload', specific: 'z' }, { type: 'payload' }], object({}, ['x']), []],
        ['are a URL of the content', [{ type: 'url', specific: '/links/0' }], object({ links: ['https://a.example/x y'] }),
            [['/links/0', 'https://a.example/x%20y', 0]]],
        ['are no URL that is none', [{ type: 'url', specific: '/url' }, { type: 'url', specific: '/number' }, { type: 'url', specific: '/no' }],
            object({ url: 'javascript:alert(1)', number: 5 }), []],
        ['are left out where the design is odd', [null, 'json', { type: 'other' }, { type: 'url' }, { type: 'url', specific: 'x' }, { type: 'url', specific: '/~' }],
            object({ '': 'https://a.example/' }), []]
    ];
    for (const [title, defaultLinks, of, expected] of cases) {
        it(title, () => {

            const places = locationsOf(of, linksOf({ defaultLinks }), { service: BASE, ui });

            expect(places.map(({ view, href, weight }) => [view, href, weight])).to.equal(expected);
        });
    }

    it('come from links of the type if it has any', () => {

        const config = { schemaSpecificLinks: { Document: [{ type: 'json', primary: true }], Other: 'none' }, defaultLinks: [{ type: 'ui' }] };

        expect(linksOf(config).map(({ type }) => type)).to.equal(['json']);
        expect(linksOf(config, 'Other').map(({ type }) => type)).to.equal(['ui']);
        expect(linksOf(config, 'constructor').map(({ type }) => type)).to.equal(['ui']);
    });

    it('are written as XML with any text, and read again', () => {

        const places = [
            { href: 'https://a.example/?a=1&b="<>\'', weight: 1, view: 'a "b" <c> & \'d\'' }, { href: 'https://b.example/', weight: 0, view: '/x' }
        ];
        const xml = locationsXml(places);

        expect(locationsXml([])).to.equal('<locations>\n</locations>');
        expect(locationsXml(places.slice(1))).to.equal(
            '<locations>\n<location href="https://b.example/" weight="0" view="/x" />\n</locations>');
        expect(xml).to.not.match(/"<|<c>/);
        expect(readLocations(xml)).to.equal(places);
    });

    it('are read from XML of other origin', () => {

        const xml = '<?xml version="1.0"?><locations chooseby="weighted"><location id=\'1\' href = \'https://a.example/\'></location>' +
            '<location weight="x" href="b"/><location view="none" /><locationx href="c"/></locations>';

        expect(readLocations(xml)).to.equal([{ href: 'https://a.example/', weight: 1, view: '' }, { href: 'b', weight: 0, view: '' }]);
    });

    it('are read in linear time', () => {

        const hostile = `<location ${'a'.repeat(1_000_000)}>`;

        expect(readLocations(hostile)).to.equal([]);
    });

    it('are URLs in a form that headers can carry', () => {

        expect(webAddress('http://ü.example/ä\nb')).to.equal('http://xn--tda.example/%C3%A4b');
        expect(['ftp://a/', '//a', 'data:text/html,x', '', 'JaVaScript:x'].map(webAddress)).to.equal(Array.from({ length: 5 }, () => undefined));
    });
});

describe('the minting configuration', () => {

    it('is active with a base URI or a script; a trailing slash does not matter', () => {

        const read = (config: JsonValue) => readMintingConfig({ handleMintingConfig: config });

        expect([read({}), read({ baseUri: '' }), read(null), read([])].map(({ isActive }) => isActive)).to.equal([false, false, false, false]);
        expect([read({ baseUri: 'https://a.example' }).baseUri, read({ baseUri: 'https://a.example/' }).baseUri]).to.equal(
            ['https://a.example/', 'https://a.example/']);
        expect(read({ javascript: 'x' }).isActive).to.be.true();
    });
});
