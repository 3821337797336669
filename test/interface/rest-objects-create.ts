import type { More, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf, multipart } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const NAME = { payload: '{"name":"Map"}' };

/** A type whose contents are whatever the test likes. */
const LOOSE = { payload: '{"type":"object","properties":{"name":{"type":"string","maxLength":5}}}' };

onEveryDatabase((name, start) => {

    describe(`creating objects by REST on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start();
            await service.asAdmin('PUT /schemas/Loose', LOOSE);
        });

        after(() => service.stop());

        it('returns 200 with the stored content, its location and type', async () => {

            const response = await service.asAdmin('POST /objects/?type=Document', { payload: '{"id":"","name":"Map"}' });
            const { id, name: stored } = jsonOf(response);

            expect(response.statusCode).to.equal(200);
            expect(stored).to.equal('Map');
            expect(id).to.match(/^test\/[0-9a-f]{20}$/);
            expect(response.headers['location']).to.equal(`/objects/${String(id)}`);
            expect(response.headers['x-schema']).to.equal('Document');
            expect(response.headers['x-permission']).to.equal('WRITE');
        });

        it('takes long names and descriptions for the type Document of a fresh service, as the reference does', async () => {

            const content = { name: 'n'.repeat(20_000), description: 'd'.repeat(20_000) };
            const response = await service.asAdmin('POST /objects/?type=Document', { payload: JSON.stringify(content) });

            expect(response.statusCode).to.equal(200);
            expect(jsonOf(response)).to.include(content);
        });

        it('returns the full form on request, with ordered members', async () => {

            const response = await service.asAdmin('POST /objects?type=Loose&full&includeResponseContext', multipart(
                { name: 'acl', value: '{"readers":["public"],"writers":["test/u"]}' },
                { name: 'userMetadata', value: '{"batch":"b"}' },
                { name: 'content', value: '{"b":1,"a":2}' },
                { name: 'scan', value: 'abc', filename: 'map.png', type: 'image/png' }));
            const object = jsonOf(response);

            expect(response.statusCode, response.payload).to.equal(200);
            expect(Object.keys(object)).to.equal(
                ['id', 'type', 'content', 'acl', 'userMetadata', 'metadata', 'responseContext', 'payloads']);
            expect(object['content']).to.equal({ b: 1, a: 2 });
            expect(object['acl']).to.equal({ readers: ['public'], writers: ['test/u'] });
            expect(object['userMetadata']).to.equal({ batch: 'b' });
            expect(object['responseContext']).to.equal({ permission: 'WRITE' });
            expect(object['payloads']).to.equal([{ name: 'scan', filename: 'map.png', mediaType: 'image/png', size: 3 }]);
            expect(Object.keys(object['metadata'] as object)).to.include(['createdOn', 'createdBy', 'modifiedOn', 'modifiedBy', 'txnId']);
        });

        it('takes the id from suffix or handle, which has precedence', async () => {

            const suffix = await service.asAdmin('POST /objects?type=Loose&suffix=a%20b&full', NAME);
            const handle = await service.asAdmin('POST /objects?type=Loose&suffix=x&handle=other/1&full', NAME);
            const part = await service.asAdmin('POST /objects?type=Loose&full', multipart(
                { name: 'handle', value: 'other/2' }, { name: 'content', value: '{}' }));

            expect([suffix, handle, part].map((response) => jsonOf(response)['id'])).to.equal(['test/a b', 'other/1', 'other/2']);
            expect(suffix.headers['location']).to.equal('/objects/test/a%20b');
        });

        it('stores nothing in a dry run, with the same response', async () => {

            const response = await service.asAdmin('POST /objects?type=Document&suffix=dry&dryRun&full', NAME);
            const object = jsonOf(response);
            const after = await service.asAdmin('GET /objects/test/dry');

            expect(response.statusCode).to.equal(200);
            expect(object['id']).to.equal('test/dry');
            expect((object['content'] as { id: string }).id).to.equal('test/dry');
            expect(object['metadata']).to.not.include('txnId');
            expect(after.statusCode).to.equal(404);
        });

        it('accepts JSON of any media type, and form fields', async () => {

            for (const type of ['text/plain;charset=UTF-8', 'text/json', 'application/octet-stream', 'nonsense', '']) {
                const response = await service.asAdmin('POST /objects?type=Loose', {
                    payload: '\uFEFF {"name":"ä"}', headers: type === '' ? {} : { 'content-type': type }
                });

                expect(response.payload, type).to.equal('{"name":"ä"}');
            }

            const form = await service.asAdmin('POST /objects?type=Loose', {
                payload: 'json=%7B%22name%22%3A%22a+b%22%7D', headers: { 'content-type': 'application/x-www-form-urlencoded' }
            });

            expect(form.payload).to.equal('{"name":"a b"}');
        });

        const refusals: [string, string, More, number, RegExp][] = [
            ['without type', 'POST /objects', NAME, 400, /^Missing object type$/],
            ['of an unknown type', 'POST /objects?type=Nothing', NAME, 400, /^Unknown type Nothing$/],
            ['without content', 'POST /objects?type=Loose', {}, 400, /^Missing JSON$/],
            ['with payloads alone', 'POST /objects?type=Loose', multipart({ name: 'p', value: 'x', filename: 'x' }), 400, /^Missing JSON$/],
            ['with an id that is none', 'POST /objects?type=Loose&handle=x', NAME, 400, /^Invalid handle: x$/],
            ['with an id that begins with a slash', 'POST /objects?type=Loose&handle=/x/y', NAME, 400, /^Invalid handle: \/x\/y$/],
            ['with an id that is too long', `POST /objects?type=Loose&suffix=${'x'.repeat(255)}`, NAME, 400, /^Invalid handle/],
            ['with the id of the design object', 'POST /objects?type=Loose&handle=design', NAME, 400, /design/],
            ['with the id of the service', 'POST /objects?type=Loose&handle=test/service', NAME, 400, /test\/service/],
            ['with an id that is taken', 'POST /objects?type=Loose&handle=test/taken', NAME, 409, /^Object already exists: test\/taken$/],
            ['with content that is no object', 'POST /objects?type=Loose', { payload: '[]' }, 400, /object/],
            ['with content that its type does not allow', 'POST /objects?type=Loose', { payload: '{"name":"too long"}' }, 400, /^\/name: /],
            ['with broken JSON', 'POST /objects?type=Loose', { payload: '{"a":' }, 400, /malformed at line 1, column 6/],
            ['with a number beyond the range of doubles', 'POST /objects?type=Loose', { payload: '{"n":1e400}' }, 400, /^\/n: /],
            ['with a prototype', 'POST /objects?type=Loose', { payload: '{"a":{"__proto__":{}}}' }, 400, /__proto__/],
            ['with an ACL of the wrong shape', 'POST /objects?type=Loose',
                multipart({ name: 'content', value: '{}' }, { name: 'acl', value: '{"readers":"public"}' }), 400, /^Invalid ACL format/],
            ['with user metadata of the wrong shape', 'POST /objects?type=Loose',
                multipart({ name: 'content', value: '{}' }, { name: 'userMetadata', value: '[]' }), 400, /^Invalid userMetadata format/],
            ['with a payload twice', 'POST /objects?type=Loose', multipart(
                { name: 'content', value: '{}' }, { name: 'p', value: 'x', filename: 'x' }, { name: 'p', value: 'y', filename: 'y' }
            ), 400, /Duplicate payload p/],
            ['with a payload without name', 'POST /objects?type=Loose',
                multipart({ name: 'content', value: '{}' }, { name: '', value: 'x', filename: 'x' }), 400, /Payload missing name/]
        ];
        for (const [title, line, more, code, message] of refusals) {
            it(`is rejected ${title}`, async () => {

                await service.asAdmin('POST /objects?type=Loose&handle=test/taken', NAME);

                const response = await service.asAdmin(line, more);

                expect(response.statusCode, response.payload).to.equal(code);
                expect(jsonOf(response)['message']).to.match(message);
            });
        }

        it('reports all errors of a content with their pointers', async () => {

            const response = await service.asAdmin('POST /objects?type=Loose', { payload: '{"name":7}' });

            expect(jsonOf(response)['errors']).to.be.an.array();
            expect((jsonOf(response)['errors'] as { pointer: string }[])[0]?.pointer).to.equal('/name');
        });

        it('needs no login for public types, and responds with 401 otherwise', async () => {

            const response = await service.anonymously('POST /objects?type=Loose', NAME);
            const wrong = await service.asAdmin('POST /objects?type=Loose', { ...NAME, headers: { authorization: 'Basic eDp5' } });

            for (const { statusCode, headers, payload } of [response, wrong]) {
                expect(statusCode).to.equal(401);
                expect(headers['www-authenticate']).to.equal('Bearer realm="cordra"');
                expect((JSON.parse(payload) as { message: string }).message).to.be.a.string();
            }
        });
    });
});
