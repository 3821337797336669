import type { More, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { basic, jsonOf, multipart } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

const SCHEMA = { payload: '{"type":"object","properties":{"name":{"type":"string","maxLength":5}}}' };

onEveryDatabase((name, start) => {

    describe(`updating objects by REST on ${name}`, () => {

        let service: RestService;
        let count = 0;
        let path = '';
        const full = async (): Promise<Readonly<Record<string, unknown>>> => jsonOf(await service.asAdmin(`GET ${path}?full`));
        const payloads = async (): Promise<unknown[]> => ((await full())['payloads'] as { name: string }[] ?? []).map((p) => p.name);

        before(async () => {

            service = await start();
            await service.asAdmin('PUT /schemas/Loose', SCHEMA);
            await service.asAdmin('PUT /schemas/Other', SCHEMA);
        });

        beforeEach(async () => {

            path = `/objects/test/${++count}`;
            await service.asAdmin(`POST /objects?type=Loose&suffix=${count}`, multipart(
                { name: 'content', value: '{"name":"old","list":[1,2]}' },
                { name: 'acl', value: '{"readers":["test/r"]}' },
                { name: 'userMetadata', value: '{"batch":"a"}' },
                { name: 'p', value: 'one', filename: 'p.txt', type: 'text/plain' },
                { name: 'q', value: 'two', filename: 'q.txt' }));
        });

        after(() => service.stop());

        it('replaces the content and nothing else', async () => {

            const before = await full();
            const response = await service.asAdmin(`PUT ${path}`, { payload: '{"name":"new"}' });
            const object = await full();

            expect([response.statusCode, response.payload]).to.equal([200, '{"name":"new"}']);
            expect(response.headers['x-schema']).to.equal('Loose');
            expect(object).to.include({ type: 'Loose', content: { name: 'new' }, acl: { readers: ['test/r'] }, userMetadata: { batch: 'a' } });
            expect(object['payloads']).to.equal(before['payloads']);
            expect((object['metadata'] as { txnId: number }).txnId).to.be.above((before['metadata'] as { txnId: number }).txnId);
        });

        it('returns the full form on request', async () => {

            const response = await service.asAdmin(`PUT ${path}?full&handle=ignored/1`, { payload: '{}' });

            expect(jsonOf(response)).to.equal(await full());
        });

        it('replaces the access control list and user metadata if sent, and keeps them for null', async () => {

            await service.asAdmin(`PUT ${path}`, multipart(
                { name: 'acl', value: '{"writers":["test/w"]}' }, { name: 'userMetadata', value: '{}' }, { name: 'content', value: '{}' }));
            const changed = await full();
            await service.asAdmin(`PUT ${path}`, multipart(
                { name: 'acl', value: 'null' }, { name: 'userMetadata', value: 'null' }, { name: 'content', value: '{}' }));
            const kept = await full();

            expect(changed).to.include({ acl: { writers: ['test/w'] }, userMetadata: {} });
            expect(kept).to.include({ acl: { writers: ['test/w'] }, userMetadata: {} });
        });

        it('adds, replaces and deletes payloads', async () => {

            const response = await service.asAdmin(`PUT ${path}?payloadToDelete=q`, multipart(
                { name: 'p', value: 'changed', filename: 'p2.txt' },
                { name: 'r', value: 'three', filename: '' },
                { name: 'content', value: '{}' }));
            const bytes = await service.asAdmin(`GET ${path}?payload=p`);

            expect(response.statusCode, response.payload).to.equal(200);
            expect(await payloads()).to.equal(['p', 'r']);
            expect(bytes.payload).to.equal('changed');
        });

        it('deletes payloads named in form fields, except one that is uploaded at the same time', async () => {

            await service.asAdmin(`PUT ${path}`, multipart(
                { name: 'payloadToDelete', value: 'p' },
                { name: 'payloadToDelete', value: 'q' },
                { name: 'q', value: 'new', filename: 'q' },
                { name: 'payloadToDelete', value: 'none' },
                { name: 'content', value: '{}' }));

            expect(await payloads()).to.equal(['q']);
        });

        it('changes the type on request', async () => {

            const response = await service.asAdmin(`PUT ${path}?type=Other`, { payload: '{"name":"x"}' });

            expect([response.statusCode, response.headers['x-schema']]).to.equal([200, 'Other']);
            expect(await full()).to.include({ type: 'Other' });
        });

        it('requires the right to create objects of the type, even if it follows a payload', async () => {

            await service.create('User', { username: 'typist', password: 'password of typist' });
            const headers = basic('typist', 'password of typist');
            const made = await service.anonymously('POST /objects?type=Document&handle=test/typed', { headers, payload: '{}' });
            const { payload, headers: media } = multipart(
                { name: 'p', value: 'bytes', filename: 'p' }, { name: 'type', value: 'Schema' },
                { name: 'content', value: '{"identifier":"","name":"Taken","schema":{},"javascript":"exports.methods = {}"}' });

            const response = await service.anonymously('PUT /objects/test/typed', { payload, headers: { ...headers, ...media } });

            expect([made.statusCode, response.statusCode]).to.equal([200, 403]);
            expect(JSON.parse((await service.asAdmin('GET /objects/test/typed?full')).payload)).to.include({ type: 'Document' });
            expect((await service.asAdmin('GET /objects/test/typed?payload=p')).statusCode).to.equal(404);
        });

        const pointers: [string, string, string, object][] = [
            ['/name', '"abc"', '"abc"', { name: 'abc', list: [1, 2] }],
            ['/list/0', 'null', 'null', { name: 'old', list: [null, 2] }],
            ['/list/-', '3', '3', { name: 'old', list: [1, 2, 3] }],
            ['/list/2', '{"a":1}', '{"a":1}', { name: 'old', list: [1, 2, { a: 1 }] }],
            ['/new~1one', '[]', '[]', { name: 'old', list: [1, 2], 'new/one': [] }]
        ];
        for (const [pointer, value, answer, expected] of pointers) {
            it(`writes only the value at ${pointer}, and returns it`, async () => {

                const response = await service.asAdmin(`PUT ${path}?jsonPointer=${pointer}`, {
                    payload: value, headers: { 'content-type': 'text/plain;charset=UTF-8' }
                });

                expect([response.statusCode, response.payload]).to.equal([200, answer]);
                expect((await full())['content']).to.equal(expected);
            });
        }

        it('returns the full form after writing a value, on request', async () => {

            const response = await service.asAdmin(`PUT ${path}?jsonPointer=/name&full`, { payload: '"x"' });

            expect(jsonOf(response)['content']).to.equal({ name: 'x', list: [1, 2] });
        });

        it('stores nothing in a dry run', async () => {

            const before = await full();
            const response = await service.asAdmin(`PUT ${path}?dryRun&full`, multipart(
                { name: 'content', value: '{"name":"dry"}' }, { name: 'r', value: 'x', filename: 'r' }));

            expect(response.statusCode).to.equal(200);
            expect(jsonOf(response)['content']).to.equal({ name: 'dry' });
            expect((jsonOf(response)['payloads'] as unknown[]).length).to.equal(3);
            const [now, earlier] = [jsonOf(response), before].map(({ metadata }) => (metadata as { txnId: number }).txnId);
            expect(now).to.equal(earlier).and.to.be.a.number();
            expect(await full()).to.equal(before);
        });

        it('keeps concurrent updates of different parts', async () => {

            const names = Array.from({ length: 20 }, (_, i) => `m${i}`);

            await Promise.all(names.map((member) => service.asAdmin(`PUT ${path}?jsonPointer=/${member}`, { payload: '1' })));

            expect(Object.keys((await full())['content'] as object)).to.include(names);
        });

        const refusals: [string, string, More, number, RegExp][] = [
            ['without content', '', {}, 400, /^Missing JSON$/],
            ['with payloads alone', '', multipart({ name: 'p', value: 'x', filename: 'x' }), 400, /^Missing JSON$/],
            ['with content that its type does not allow', '', { payload: '{"name":"too long"}' }, 400, /^\/name: /],
            ['of a part to what its type does not allow', '?jsonPointer=/name', { payload: '5' }, 400, /^\/name: /],
            ['with broken JSON', '', { payload: '{' }, 400, /malformed/],
            ['at an empty pointer', '?jsonPointer=', { payload: '{}' }, 400, /empty json pointer/],
            ['at a pointer that is none', '?jsonPointer=name', { payload: '{}' }, 400, /^Invalid JSON Pointer name$/],
            ['below a part that is not there', '?jsonPointer=/none/x', { payload: '{}' }, 400, /^Invalid JSON Pointer \/none\/x$/],
            ['beyond the end of an array', '?jsonPointer=/list/7', { payload: '{}' }, 400, /^Invalid JSON Pointer \/list\/7$/],
            ['to an unknown type', '?type=Nothing', { payload: '{}' }, 400, /^Unknown type Nothing$/]
        ];
        for (const [title, query, more, code, message] of refusals) {
            it(`is rejected ${title} and changes nothing`, async () => {

                const before = await full();

                const response = await service.asAdmin(`PUT ${path}${query}`, more);

                expect(response.statusCode, response.payload).to.equal(code);
                expect(jsonOf(response)['message']).to.match(message);
                expect(await full()).to.equal(before);
            });
        }

        it('rejects a missing object, and callers without the right', async () => {

            const missing = await service.asAdmin('PUT /objects/test/none', { payload: '{}' });
            const denied = await service.anonymously(`PUT ${path}`, { payload: '{}' });

            expect([missing.statusCode, denied.statusCode]).to.equal([404, 401]);
            expect(jsonOf(missing)['message']).to.equal('Missing object test/none');
        });

        it('applies changes of the design at once', async () => {

            const design = jsonOf(await service.asAdmin('GET /objects/design'));
            const change = async (members: object) => {

                return service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, ...members }) });
            };

            const locked = await change({ isReadOnly: true });
            const refused = await service.asAdmin(`PUT ${path}`, { payload: '{}' });
            const wrong = await change({ isReadOnly: 'yes' });
            await change({});
            const allowed = await service.asAdmin(`PUT ${path}`, { payload: '{}' });

            expect([locked.statusCode, refused.statusCode, wrong.statusCode, allowed.statusCode]).to.equal([200, 400, 400, 200]);
            expect(jsonOf(refused)['message']).to.equal('Cordra is read-only');
        });
    });
});
