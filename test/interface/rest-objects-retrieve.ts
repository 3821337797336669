import type { More, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf, multipart } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SCHEMA = {
    type: 'object',
    properties: {
        title: { type: 'string' },
        page: { type: 'string', cordra: { response: { mediaType: 'text/html' } } }
    }
};
const CONTENT = { title: 'Tess "d\'U"', page: '<p>ü</p>', list: [{ n: 1 }, { n: 2, m: [] }], count: 7, yes: true, nothing: null, 'a/b': 'x' };

forEachWay((name, start) => {

    describe(`retrieving objects by REST on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start();
            await service.asAdmin('PUT /schemas/Book%20%C3%BC', { payload: JSON.stringify(SCHEMA) });
            await service.asAdmin('POST /objects?type=Book%20%C3%BC&handle=test/a%20b', multipart(
                { name: 'content', value: JSON.stringify(CONTENT) },
                { name: 'scan', value: 'abc', filename: 'map.png', type: 'image/png' },
                { name: 'raw', value: '', filename: '' }));
            await service.asAdmin('POST /objects?type=Book%20%C3%BC&handle=test/hidden', multipart(
                { name: 'content', value: '{}' }, { name: 'acl', value: '{"readers":[],"writers":[]}' }));
        });

        after(() => service.stop());

        const answers: [string, string, unknown][] = [
            ['the content alone by default', '', CONTENT],
            ['the content when the flag for more says no', '?full=False', CONTENT],
            ['what a pointer names', '?jsonPointer=/list/1/n', 2],
            ['null where a pointer names it', '?jsonPointer=/nothing', null],
            ['what an escaped pointer names', '?jsonPointer=/a~1b', 'x'],
            ['the content for the empty pointer', '?jsonPointer=', CONTENT],
            ['what a pointer into the full form names', '?full&jsonPointer=/payloads/0/name', 'scan'],
            ['what a filter leaves', '?filter=["/title","/list/_/n","/none"]', { title: CONTENT.title, list: [{ n: 1 }, { n: 2 }] }],
            ['one element of an array by number', '?filter=["/list/1"]', { list: [CONTENT.list[1]] }],
            ['what a filter in Python\'s notation leaves', '?filter=[\'/count\', \'/yes\']', { count: 7, yes: true }],
            ['what a bare filter leaves', '?filter=/count', { count: 7 }],
            ['everything for a filter with the root', '?filter=[""]', CONTENT],
            ['nothing for a filter of nothing', '?filter=[]', {}],
            ['what a filter leaves of the full form', '?full&filter=["/id","/payloads/_/size"]',
                { id: 'test/a b', payloads: [{ size: 3 }, { size: 0 }] }],
            ['the pointer\'s value when there is a filter too', '?jsonPointer=/count&filter=["/yes"]', 7]
        ];
        for (const [title, query, expected] of answers) {
            it(`returns ${title}`, async () => {

                const response = await service.anonymously(`GET /objects/test/a%20b${encodeURI(query)}`);

                expect(response.statusCode, response.payload).to.equal(200);
                expect(JSON.parse(response.payload)).to.equal(expected);
                expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
            });
        }

        it('returns the full form without missing parts', async () => {

            const object = jsonOf(await service.anonymously('GET /objects/test/a%20b?full=true'));

            expect(Object.keys(object)).to.equal(['id', 'type', 'content', 'metadata', 'payloads']);
            expect(object).to.include({ id: 'test/a b', type: 'Book ü', content: CONTENT });
            expect(object['payloads']).to.equal([
                { name: 'scan', filename: 'map.png', mediaType: 'image/png', size: 3 }, { name: 'raw', filename: '', size: 0 }]);
        });

        it('returns the permission of the caller', async () => {

            const reader = await service.anonymously('GET /objects/test/a%20b?full&includeResponseContext');
            const writer = await service.asAdmin('GET /objects/test/a%20b?full&includeResponseContext');

            expect(jsonOf(reader)['responseContext']).to.equal({ permission: 'READ' });
            expect(jsonOf(writer)['responseContext']).to.equal({ permission: 'WRITE' });
            expect([reader.headers['x-permission'], writer.headers['x-permission']]).to.equal(['READ', 'WRITE']);
        });

        it('returns type and path in valid headers, also for HEAD', async () => {

            const get = await service.anonymously('GET /objects/test/a%20b');
            const head = await service.anonymously('HEAD /objects/test/a%20b');

            for (const { headers, statusCode } of [get, head]) {
                expect([statusCode, headers['x-schema'], headers['location']]).to.equal([200, 'Book %C3%BC', '/objects/test/a%20b']);
            }

            expect(head.payload).to.equal('');
            expect(head.headers['content-length']).to.equal(get.headers['content-length']);
        });

        it('serves the same under the path of some clients', async () => {

            const response = await service.anonymously('GET /cordra/objects/test%2Fa%20b?jsonPointer=/count');

            expect([response.statusCode, response.payload, response.headers['location']]).to.equal(
                [200, '7', '/cordra/objects/test/a%20b']);
        });

        it('indents JSON on request', async () => {

            const response = await service.anonymously('GET /objects/test/a%20b?jsonPointer=/list/0&pretty');

            expect(response.payload).to.equal('{\n  "n": 1\n}');
        });

        const texts: [string, string, string][] = [
            ['/title', CONTENT.title, 'text/plain; charset=utf-8'],
            ['/page', CONTENT.page, 'text/html; charset=utf-8'],
            ['/count', '7', 'text/plain; charset=utf-8'],
            ['/yes', 'true', 'text/plain; charset=utf-8'],
            ['/nothing', 'null', 'text/plain; charset=utf-8']
        ];
        for (const [pointer, text, type] of texts) {
            it(`returns the raw text at ${pointer} as ${type}`, async () => {

                const response = await service.anonymously(`GET /objects/test/a%20b?jsonPointer=${pointer}&text`);

                expect([response.statusCode, response.payload, response.headers['content-type']]).to.equal([200, text, type]);
            });
        }

        it('returns raw text from the full form', async () => {

            const response = await service.anonymously('GET /objects/test/a%20b?full&jsonPointer=/payloads/0/filename&text=true');

            expect(response.payload).to.equal('map.png');
        });

        const refusals: [string, string, More, number, string][] = [
            ['an object that is not there', '/objects/test/none', {}, 404, 'Missing object test/none'],
            ['the service, which has no content', '/objects/test/service', {}, 404,
                'Operation not supported: 0.DOIP/Op.Retrieve needs an object as target'],
            ['an id that cannot be', '/objects/nothing', {}, 404, 'Missing object nothing'],
            ['a part that is not there', '/objects/test/a%20b?jsonPointer=/none', {}, 404, 'Missing data at jsonPointer in object'],
            ['a part of the full form that is not there', '/objects/test/a%20b?full&jsonPointer=/title', {}, 404,
                'Missing data at jsonPointer in object'],
            ['a pointer that is none', '/objects/test/a%20b?jsonPointer=title', {}, 400, 'Invalid JSON Pointer title'],
            ['a filter that is no pointer', '/objects/test/a%20b?filter=["title"]', {}, 400, 'Invalid JSON Pointer title'],
            ['text of what is not text', '/objects/test/a%20b?jsonPointer=/list&text', {}, 400, 'Requested json is not textual'],
            ['text of the whole content', '/objects/test/a%20b?text', {}, 400, 'Requested json is not textual'],
            ['an object that the caller may not read', '/objects/test/hidden', {}, 401, 'object test/hidden']
        ];
        for (const [title, url, more, code, message] of refusals) {
            it(`rejects ${title}`, async () => {

                const response = await service.anonymously(`GET ${encodeURI(decodeURI(url))}`, more);

                expect(response.statusCode, response.payload).to.equal(code);
                if (code !== 401) {
                    expect(jsonOf(response)['message']).to.equal(message);
                }
            });
        }

        it('returns the design object to all callers', async () => {

            const response = await service.anonymously('GET /objects/design?full');
            const object = jsonOf(response);

            expect([response.statusCode, object['id'], object['type']]).to.equal([200, 'design', 'CordraDesign']);
            expect(response.headers['x-schema']).to.equal('CordraDesign');
        });
    });
});
