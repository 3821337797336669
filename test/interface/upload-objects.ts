/** Interface specification, POST `/uploadObjects`: all objects or none, also when the service is killed in the middle. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHash } from 'node:crypto';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const MANY = 6000;

forEachDatabase((name, create) => {

    describe(`an upload of objects on ${name}`, () => {

        let database: TestDatabase;
        let service: ServiceProcess;

        const ask = async (
            line: string, body?: unknown, headers: Record<string, string> = ADMIN_HEADERS
        ): Promise<{ status: number; value: Record<string, unknown>; retry: string | null }> => {

            const [method = '', path = ''] = line.split(' ');
            const answer = await fetch(service.url + path, { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } });
            return { status: answer.status, value: await answer.json() as Record<string, unknown>, retry: answer.headers.get('retry-after') };
        };

        before(async () => {

            database = await create();
            service = await startProcess(database);
        });

        after(async () => {

            await service.stop();
            await database.dispose();
        });

        const schema = (id: string, type: string, properties: object) => ({ id, type: 'Schema', content: { identifier: id, name: type, schema: { type: 'object', properties } } });

        it('stores objects with their types in any order, and keeps metadata', async () => {

            const metadata = { createdOn: 1000, createdBy: 'test/someone', modifiedOn: 2000, modifiedBy: 'test/other', txnId: 5 };
            const items = [
                { id: 'test/u2', type: 'Fresh', content: { n: 2, to: 'test/u1' } },
                { id: 'test/u1', type: 'Fresh', content: { n: 1 }, metadata, payloads: [{ name: 'p', base64Payload: 'YWI=' }] },
                { type: 'Fresh', content: { n: 3 } },
                schema('test/fresh', 'Fresh', { n: { type: 'integer' }, to: { type: 'string', cordra: { type: { handleReference: { types: ['Fresh'] } } } } })
            ];

            expect((await ask('PUT /uploadObjects', items)).value).to.equal({ msg: 'success', message: 'success' });
            expect((await ask('POST /uploadObjects', { results: [{ id: 'test/u2', type: 'Fresh', content: { n: 22 } }] })).status).to.equal(200);

            const { metadata: kept, payloads } = (await ask('GET /objects/test/u1?full')).value as { metadata: Record<string, unknown>; payloads: unknown };
            expect(kept).to.include({ createdOn: 1000, createdBy: 'test/someone', modifiedOn: 2000, modifiedBy: 'test/other' });
            expect(kept['txnId']).to.not.equal(5);
            expect(payloads).to.equal([{ name: 'p', size: 2 }]);
            expect((await ask('GET /objects/test/u2')).value).to.equal({ n: 22 });
        });

        it('accepts one object per line, declared by the media type', async () => {

            const body = ['test/line1', 'test/line2'].map((id) => JSON.stringify({ id, type: 'Document', content: { name: id } })).join('\n');
            const headers = { ...ADMIN_HEADERS, 'content-type': 'application/x-ndjson' };

            const answer = await fetch(`${service.url}/uploadObjects`, { method: 'POST', headers, body });

            expect(answer.status).to.equal(200);
            expect((await ask('GET /objects/test/line2')).value).to.include({ name: 'test/line2' });
        });

        it('writes nothing when any object is invalid', async () => {

            const good = { id: 'test/good', type: 'Document', content: {} };
            const cases: [unknown, string][] = [
                [[good, { id: 'test/bad', type: 'Nothing', content: {} }], 'nothing was uploaded: 1 object is wrong, the first at position 1: Unknown type Nothing'],
                [[good, { id: 'bad', type: 'Document', content: 5 }, 'x'], 'nothing was uploaded: 2 objects are wrong'],
                [[good, good], 'id test/good stands in the upload twice'],
                [[good, { id: 'test/bad', type: 'Strict', content: { n: 'text' } }, schema('test/strict', 'Strict', { n: { type: 'integer' } })], 'the first at position 1: /n: '],
                [{ list: [good] }, 'an object must have results']
            ];
            for (const [items, message] of cases) {
                const { status, value } = await ask('POST /uploadObjects', items);

                expect([status, String(value['message']).includes(message)], JSON.stringify(value)).to.equal([400, true]);
            }

            expect((await ask('GET /objects/test/good')).status).to.equal(404);
            expect((await ask('GET /objects/test/strict')).status).to.equal(404);
        });

        it('writes nothing when a valid object could not be stored', async () => {

            const user = (id: string, username: string, more: object = {}) => ({ id, type: 'User', content: { id, username, password: 'secret word', ...more } });
            expect((await ask('PUT /uploadObjects', [user('test/known', 'Known')])).status).to.equal(200);
            const good = { id: 'test/good', type: 'Document', content: {} };
            const code = (javascript: string) => ({ id: 'test/coded', type: 'Schema', content: { identifier: '', name: 'Coded', schema: {}, javascript } });
            const cases: [object[], string][] = [
                [[good, user('test/v', 'known')], 'the first at position 1: Username known is not unique.'],
                [[good, user('test/known', 'other'), user('test/v', 'KNOWN')], 'the first at position 2: Username KNOWN is not unique.'],
                [[good, user('test/v', 'same'), user('test/w', 'Same')], 'the first at position 2: Username Same is not unique.'],
                [[good, user('test/v', 'Admin')], 'the first at position 1: Username Admin is not unique.'],
                [[good, user('test/v', 'v', { password: '' })], 'the first at position 1: Password does not meet minimum length of 1'],
                [[good, { ...good, id: 'test/bad', payloads: [{ name: 'p', base64Payload: '!' }] }], 'the bytes of payload p are not base64'],
                [[good, { ...good, id: 'test/bad', payloads: [{ name: 'p', size: 3 }] }], 'element p was listed but its bytes were not sent'],
                [[good, { ...good, id: 'no-handle' }], 'the first at position 1: Invalid handle: no-handle'],
                [[good, { id: 'design', type: 'Document', content: {} }], 'the type of the design object cannot be changed'],
                [[good, code('exports.beforeStorage = (')], 'the first at position 1: ']
            ];
            for (const [items, message] of cases) {
                const { status, value } = await ask('POST /uploadObjects', items);

                expect([status, String(value['message']).includes(message)], `${message}: ${JSON.stringify(value)}`).to.equal([400, true]);
            }

            for (const id of ['test/good', 'test/v', 'test/bad', 'test/coded']) {
                expect((await ask(`GET /objects/${id}`)).status, id).to.equal(404);
            }

            expect((await ask('GET /objects/test/known')).value['username']).to.equal('Known');
            expect((await ask('PUT /uploadObjects', [user('test/known', 'KNOWN', { password: '' })])).status, 'its own name, its old password').to.equal(200);
            const { status } = await ask('GET /check-credentials', undefined, { authorization: `Basic ${Buffer.from('known:secret word').toString('base64')}` });
            expect(status).to.equal(200);
        });

        it('hashes objects if their type wants it, and ignores given hashes', async () => {

            const hashed = schema('test/hashed', 'Hashed', { id: { type: 'string', cordra: { type: { autoGeneratedField: 'handle' } } } });
            const items = [
                { ...hashed, content: { ...hashed.content, hashObject: true } },
                { id: 'test/h1', type: 'Hashed', content: { id: '' }, metadata: { createdOn: 7, hashes: { alg: 'SHA-256', content: '00', full: '00' } }, payloads: [{ name: 'p', base64Payload: 'YWI=' }] },
                { id: 'test/h2', type: 'Document', content: {}, metadata: { hashes: { alg: 'SHA-256', full: '00' } } }
            ];

            expect((await ask('PUT /uploadObjects', items)).status).to.equal(200);

            const metadata = async (id: string) => (await ask(`GET /objects/${id}?full`)).value['metadata'] as { createdOn: number; hashes?: Record<string, unknown> };
            const { createdOn, hashes } = await metadata('test/h1');
            const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
            expect(createdOn).to.equal(7);
            expect(hashes).to.include({ alg: 'SHA-256', content: sha('{"id":"test/h1"}'), payloads: { p: sha('ab') } });
            expect((await metadata('test/h2')).hashes).to.be.undefined();
        });

        it('is for administrators', async () => {

            const user = { id: 'test/plain', type: 'User', content: { id: '', username: 'plain', password: 'plain-password' } };
            expect((await ask('PUT /uploadObjects', [user])).status).to.equal(200);
            const authorization = `Basic ${Buffer.from('plain:plain-password').toString('base64')}`;
            for (const line of ['POST /uploadObjects', 'PUT /uploadObjects?deleteCurrentObjects', 'POST /doip?operationId=gateway/Op.UploadObjects&targetId=service']) {
                const json = { 'content-type': 'application/json' };

                expect((await ask(line, [], json)).status, line).to.equal(401);
                expect((await ask(line, [], { ...json, authorization: 'Basic eDp5' })).status, line).to.equal(401);
                expect((await ask(line, [{ id: 'test/x', type: 'Document', content: {} }], { ...json, authorization })).status, line).to.equal(403);
            }

            expect((await ask('GET /objects/test/x')).status).to.equal(404);
            expect((await ask('GET /objects/test/plain')).status).to.equal(200);
            const { status } = await ask('POST /doip?operationId=gateway/Op.UploadObjects&targetId=service', [{ id: 'test/by-doip', type: 'Document', content: {} }],
                { ...ADMIN_HEADERS, 'content-type': 'application/json' });
            expect([status, (await ask('GET /objects/test/by-doip')).status]).to.equal([200, 200]);
        });

        it('leaves nothing of concurrent writers', async () => {

            expect((await ask('PUT /uploadObjects', [schema('test/old', 'Old', {})])).status).to.equal(200);
            let isOver = false;
            const answered: string[] = [];
            const later: number[] = [];
            const writers = Array.from({ length: 16 }, async (_, writer) => {

                for (let n = 0; !isOver; ++n) {
                    const id = `test/w${writer}-${n}`;
                    const { status } = await ask(`POST /objects?type=Old&handle=${id}`, { n });
                    if (status === 200) {
                        answered.push(id);
                    }
                    else {
                        expect([400, 503], id).to.include(status);
                        isOver ||= status === 400;
                        if (status === 400) {
                            // The type is gone for good: not before the upload is over.
                            later.push((await ask('POST /objects?type=New&dryRun', { n })).status);
                        }
                    }
                }
            });
            const written = Promise.all(writers);
            written.catch(() => {

                isOver = true;
            });
            await until(() => isOver || answered.length > 100, 60_000);

            const { status } = await ask('PUT /uploadObjects?deleteCurrentObjects', [{ id: 'test/survivor', type: 'Document', content: {} }, schema('test/new', 'New', {}),
                { id: 'test/document', type: 'Schema', content: { identifier: '', name: 'Document', schema: {} } }]);
            await written;

            expect(status).to.equal(200);
            expect(later).to.equal(later.map(() => 200));
            const { value } = await ask('GET /search?query=*:*&ids');
            expect((value['results'] as string[]).toSorted()).to.equal(['test/document', 'test/new', 'test/survivor']);
            for (const id of answered.slice(-50)) {
                expect((await ask(`GET /objects/${id}`)).status, id).to.equal(404);
            }
        });

        it('is completed after a kill, while other writers are blocked', { timeout: 900_000 }, async () => {

            const items = Array.from({ length: MANY }, (_, n) => ({ id: `test/many${n}`, type: 'Many', content: { n, to: `test/many${(n + 1) % MANY}` } }));
            const uploading = ask('POST /uploadObjects?deleteCurrentObjects', [...items, schema('test/many', 'Many', { n: { type: 'integer' } })]).catch((error: unknown) => error);
            await until(async () => (await ask('GET /objects/test/many0')).status === 200, 60_000);
            const other = await ask('POST /objects?type=Many&handle=test/other', { n: 1 });
            await service.kill();
            await uploading;
            service = await startProcess(database);
            const afterwards = await ask('POST /objects?type=Many&handle=test/other', { n: 1 });
            await until(async () => (await ask('POST /objects?type=Many&handle=test/last', { n: 1 })).status === 200, 240_000);
            const size = async (query: string): Promise<unknown> => (await ask(`GET /search?pageSize=0&query=${encodeURIComponent(query)}`)).value['size'];
            await until(async () => await size('type:Many') === MANY + 1, 240_000);

            expect([other.status, other.retry]).to.equal([503, '5']);
            expect([503, 200]).to.include(afterwards.status);
            expect((await ask(`GET /objects/test/many${MANY - 1}`)).value).to.equal({ n: MANY - 1, to: 'test/many0' });
            expect((await ask('GET /objects/test/u1')).status).to.equal(404);
            expect(await size('type:Schema')).to.equal(1);
        });
    });
});
