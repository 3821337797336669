/** The client, over both transports, against a running service. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHash, randomBytes } from 'node:crypto';
import type { ClientOptions, JsonObject } from '../../../lib/client/index.js';
import { bytesSegment, connect, DoipClient, DoipError, jsonSegment, NativePool, readBytes, sequence, Status } from '../../../lib/client/index.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { body } from '../../support/bytes.js';
import { addressOf, documentOf, TRANSPORTS } from '../../support/doip-links.js';
import { ADMIN } from '../../support/native.js';
import type { TestServer } from '../../support/server.js';
import { silentServer } from '../../support/silent-server.js';
import { startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(5_000_000);

function sha256(bytes: Uint8Array): string {

    return createHash('sha256').update(bytes).digest('hex');
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {

    const found: T[] = [];
    for await (const item of items) {
        found.push(item);
    }

    return found;
}

/** The status of the DoipError with which an action fails. */
async function statusOf(action: Promise<unknown>): Promise<string> {

    const error: unknown = await action.then(() => null, (reason: unknown) => reason);
    return error instanceof DoipError ? error.status : String(error);
}

for (const name of TRANSPORTS) {
    const address = (test: TestServer): string => addressOf(test, name);

    describe(`the client over ${name}`, () => {

        let test: TestServer;
        let client: DoipClient;
        const prefix = name.startsWith('native') ? 'test/n' : 'test/h';

        before(async () => {

            test = await startServer({ DOIP_PORT: 0 });
            client = connect(address(test), ADMIN);
        });

        after(async () => {

            client.close();
            await test.stop();
        });

        it('says hello and lists operations', async () => {

            expect<unknown>((await client.hello()).id).to.equal('test/service');
            expect(await client.listOperations()).to.include([Op.create, Op.search]);
            expect(await client.listOperations('design')).to.include(Op.retrieve);
        });

        it('creates, reads, changes and deletes objects with elements of all sizes', async () => {

            const id = `${prefix}-files`;
            const created = await client.create(documentOf(id, [
                { id: 'empty', body: Buffer.alloc(0) },
                { id: 'small', type: 'image/png', filename: 'kü che.png', body: LARGE.subarray(0, 20_000) },
                { id: 'large', body: body(LARGE.length, 64_000) },
                { id: 'json', type: 'application/json', filename: 'a.json', body: Buffer.from('{"not": "parsed" }') }
            ]));
            expect<unknown>(created.elements.map(({ id: element, length, type, attributes }) => [element, length, type, attributes])).to.equal([
                ['empty', 0, undefined, {}], ['small', 20_000, 'image/png', { filename: 'kü che.png' }],
                ['large', LARGE.length, undefined, {}], ['json', 18, 'application/json', { filename: 'a.json' }]
            ]);
            const element = async (of: string, range?: { start: number; end?: number }): Promise<string> => {

                const bytes = await client.retrieveElement(id, of, range);
                return bytes ? sha256(await readBytes(bytes, 1e9)) : 'none';
            };

            expect<unknown>(await element('empty')).to.equal(sha256(Buffer.alloc(0)));
            expect<unknown>(await element('small')).to.equal(sha256(LARGE.subarray(0, 20_000)));
            expect<unknown>(await element('large')).to.equal(sha256(await readBytes(body(LARGE.length, 64_000), 1e9)));
            expect<unknown>(await element('json')).to.equal(sha256(Buffer.from('{"not": "parsed" }')));
            expect<unknown>(await element('small', { start: 10, end: 19 })).to.equal(sha256(LARGE.subarray(10, 20)));
            expect<unknown>(await element('small', { start: 19_990 })).to.equal(sha256(LARGE.subarray(19_990, 20_000)));
            expect<unknown>(await element('none')).to.equal('none');

            const updated = await client.update({ id, attributes: { content: { id, name: 'A better map' }, elementsToDelete: ['empty'] }, elements: [{ id: 'small' }] });
            expect<unknown>([updated.attributes.content['name'], updated.elements.map((each) => each.id)]).to.equal(['A better map', ['small', 'large', 'json']]);
            expect<unknown>((await client.retrieve(id))?.attributes.content).to.equal({ id, name: 'A better map' });
            await client.delete(id);
            expect<unknown>([await client.retrieve(id), await client.retrieveElement(id, 'small')]).to.equal([null, null]);
        });

        it('receives an object with its elements as segments', async () => {

            const id = `${prefix}-segments`;
            await client.create(documentOf(id, [{ id: 'a', body: Buffer.from('one') }, { id: 'b', type: 'application/json', body: Buffer.from('{}') }]));

            const { status, output } = await client.perform({ targetId: id, operationId: Op.retrieve, attributes: { includeElementData: true } });

            const found: unknown[] = [];
            for await (const segment of output) {
                found.push(segment.kind === 'json' ? (segment.value as JsonObject)['id'] : (await readBytes(segment.body, 100)).toString());
            }

            expect<unknown>([status, ...found]).to.equal([Status.ok, id, 'a', 'one', 'b', '{}']);
            const late = await client.perform({ targetId: id, operationId: Op.retrieve, jsonAsBytes: true });
            const [only] = await all(late.output);
            expect(only?.kind === 'bytes' && 'isJson' in only).to.be.true();
        });

        it('searches: all results as they arrive, ids, and pages', async () => {

            for (let n = 0; n < 40; ++n) {
                await client.create(documentOf(`${prefix}-found-${n}`));
            }

            const query = `id:"${prefix}-found-7" OR id:"${prefix}-found-8"`;
            expect<unknown>((await all(client.searchIds(query))).sort()).to.equal([`${prefix}-found-7`, `${prefix}-found-8`]);
            const whole = await all(client.search('/name:map', { sortFields: 'id' }));
            expect(whole.length).to.be.at.least(40);
            expect(whole.every(({ attributes }) => attributes.content['name'] === 'A map')).to.be.true();
            const page = await client.searchPage('/name:map', { pageSize: 3, facets: [{ field: 'type' }] });
            expect<unknown>([page.size, page.results.length, Array.isArray(page.facets)]).to.equal([whole.length, 3, true]);
            for await (const { id } of client.search('/name:map')) {
                expect(id).to.startWith('test/');
                break;
            }

            expect<unknown>((await client.hello()).id).to.equal('test/service');
        });

        it('calls operations with attributes that no address could hold, and by their aliases', async () => {

            const query = `/name:map ${'OR /name:plan '.repeat(2000)}`;
            const found = await client.call('service', 'Search', { attributes: { query, pageSize: 1 } }) as JsonObject;
            expect(Number(found['size'])).to.be.at.least(1);
            expect(await client.call('service', Op.checkCredentials) as object).to.include({ active: true, username: 'admin' });
        });

        it('returns elements as they were stored, whatever their media type', async () => {

            const bodies = { 'application/json': '{"a": 1}', 'multipart/mixed; boundary=x': '--x\r\n\r\nhi\r\n--x--\r\n', 'text/html': '<b>' };
            const id = `${prefix}-types`;
            await client.create(documentOf(id, Object.entries(bodies).map(([type, text], n) => ({ id: `e${n}`, type, body: Buffer.from(text) }))));
            for (const [n, text] of Object.values(bodies).entries()) {
                const bytes = await client.retrieveElement(id, `e${n}`);
                expect(bytes && (await readBytes(bytes, 1000)).toString()).to.equal(text);
            }
        });

        it('goes on after a response that came before the input was read', async () => {

            for (const ends of [true, false]) {
                const slow = async function *(): AsyncGenerator<Uint8Array> {

                    yield LARGE.subarray(0, 1000);
                    await new Promise((resolve, reject) => setTimeout(ends ? resolve : reject, ends ? 200 : 5000, new Error('the disk is gone')));
                };

                // HTTP may respond only after the input.
                const outcome = await statusOf(client.update({ id: `${prefix}-none`, attributes: { content: {} }, elements: [{ id: 'a', body: slow() }] }));
                expect(outcome === Status.notFound || outcome === 'Error: the disk is gone' && !ends && name.endsWith('HTTP'), outcome).to.be.true();
                expect((await client.hello()).id).to.equal('test/service');
            }
        });

        it('changes the version that was read, and no later one', async () => {

            const { id, attributes: { metadata } } = await client.create(documentOf(`${prefix}-versions`));
            const change = async (name: string): Promise<unknown> => client.update({ id, attributes: { content: { id, name } }, ifTxnId: metadata?.txnId ?? 0 });

            await change('by one');
            expect(await statusOf(change('by another'))).to.equal(Status.conflict);
            expect<unknown>((await client.retrieve(id))?.attributes.content['name']).to.equal('by one');
        });

        const FAILURES: readonly (readonly [title: string, action: (from: DoipClient) => Promise<unknown>, status: string])[] = [
            ['an unknown target of an update', (from) => from.update({ id: 'test/none', attributes: { content: {} } }), Status.notFound],
            ['an unknown operation', (from) => from.call('service', '20.DOIP/Op.Invent'), Status.declined],
            ['a method of an unknown object', (from) => from.call('test/none', 'method'), Status.notFound],
            ['content that is not valid', (from) => from.create({ type: 'Schema', attributes: { content: { name: 1 } } }), Status.badRequest],
            ['an element that is not declared', (from) => from.call('service', Op.create, {
                input: sequence(jsonSegment({ type: 'Document', attributes: { content: {} }, elements: [] }), jsonSegment({ id: 'x' }), bytesSegment(Buffer.from('x')))
            }), Status.badRequest],
            ['an id that is taken', async (from) => { await from.create(documentOf(`${prefix}-taken`)); await from.create(documentOf(`${prefix}-taken`)); }, Status.conflict],
            ['a malformed query', (from) => all(from.search('/name:[')), Status.badRequest]
        ];

        for (const [title, action, status] of FAILURES) {
            it(`throws the status of ${title}, and goes on`, async () => {

                expect<unknown>(await statusOf(action(client))).to.equal(status);
                expect<unknown>((await client.hello()).id).to.equal('test/service');
            });
        }

        it('tells wrong passwords and missing rights by their status', async () => {

            const others: readonly (readonly [ClientOptions, string])[] = [
                [{ username: 'admin', password: 'wrong' }, Status.unauthenticated],
                [{ clientId: 'test/nobody', password: 'x' }, Status.unauthenticated],
                [{ token: 'no such token' }, Status.unauthenticated],
                [{}, Status.unauthenticated]
            ];
            for (const [options, status] of others) {
                const other = connect(address(test), options);
                expect<unknown>(await statusOf(other.create(documentOf(`${prefix}-refused`))), JSON.stringify(options)).to.equal(status);
                other.close();
            }

            const { access_token: token } = await client.call('service', Op.authToken, {
                input: { grant_type: 'password', ...ADMIN }
            }) as { access_token: string };
            const byToken = connect(address(test), { token });
            expect(await byToken.call('service', Op.checkCredentials) as object).to.include({ username: 'admin' });
            byToken.close();
        });

        it('performs many requests at once, whether or not their responses are read', async () => {

            const responses = await Promise.all(Array.from({ length: 24 }, (_, n) =>
                client.perform({ targetId: 'service', operationId: Op.hello, requestId: `r${n}` })));

            expect<unknown>(responses.map(({ requestId }) => requestId)).to.equal(Array.from({ length: 24 }, (_, n) => `r${n}`));
            await Promise.all(responses.map(({ output }) => output.return()));
            await client.create(documentOf(`${prefix}-unread`, [{ id: 'a', body: LARGE }]));
            const unread = await Promise.all([1, 2, 3].map(() => client.retrieveElement(`${prefix}-unread`, 'a')));
            expect<unknown>((await client.hello()).id).to.equal('test/service');
            for (const bytes of unread) {
                await bytes?.return();
            }
        });

        it('can be aborted, before and while it waits', async () => {

            const aborted = new AbortController();
            aborted.abort(new Error('given up'));
            await expect(client.perform({ targetId: 'service', operationId: Op.hello, signal: aborted.signal })).to.reject();
            const silent = await silentServer();
            const connecting = connect(name.startsWith('native') ? `doip://127.0.0.1:${silent.port}` : `http://127.0.0.1:${silent.port}`);
            await expect(connecting.perform({ targetId: 'service', operationId: Op.hello, signal: AbortSignal.timeout(100) })).to.reject();
            const waiting = new AbortController();
            const other = name.startsWith('native') ?
                new DoipClient(new NativePool({ host: '127.0.0.1', port: silent.port, tls: false })) : connect(`http://127.0.0.1:${silent.port}`);
            const response = other.perform({ targetId: 'service', operationId: Op.hello, signal: waiting.signal });
            response.catch(() => undefined);
            const received = silent.received;
            await until(() => silent.received > received || received > 1);
            waiting.abort(new Error('given up'));
            await expect(response).to.reject();
            other.close();
            await silent.stop();
        });

        it('fails at once when the service breaks off', async () => {

            const breaking = await silentServer((socket) => {

                socket.resetAndDestroy();
            });
            const other = name.startsWith('native') ?
                new DoipClient(new NativePool({ host: '127.0.0.1', port: breaking.port, tls: false })) : connect(`http://127.0.0.1:${breaking.port}`);
            await expect(other.hello()).to.reject();
            await expect(other.create(documentOf('test/x', [{ id: 'a', body: body(10_000_000, 64_000) }]))).to.reject();
            other.close();
            await breaking.stop();
        });

        it('passes on the error of a body that cannot be read, and stores nothing', async () => {

            const broken = async function *(): AsyncGenerator<Uint8Array> {

                yield LARGE.subarray(0, 1000);
                throw new Error('the disk is gone');
            };

            const error = await client.create(documentOf(`${prefix}-broken`, [{ id: 'a', body: broken() }])).catch((reason: Error) => reason);

            expect<unknown>((error as Error).message).to.equal('the disk is gone');
            expect(await client.retrieve(`${prefix}-broken`)).to.be.null();
        });
    });
}
