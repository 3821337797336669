/**
 * Many objects in one request: whatever happens to one leaves the others alone, and what is answered is stored.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { setTimeout as sleep } from 'node:timers/promises';
import { CURRENT_MS } from '../../../../lib/core/context.js';
import type { Segment } from '../../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import type { BatchGateway } from '../../../support/batch.js';
import { BATCH, codes, createBatchGateway, text } from '../../../support/batch.js';
import { forEachDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';
import { SEARCH } from '../../../support/searching.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

forEachDatabase((name, create) => {

    describe(`a batch on ${name}`, () => {

        let gateway: BatchGateway;

        before(async () => {

            gateway = await createBatchGateway(create);
        });

        after(() => gateway.stop());

        it('stores digital objects and objects in REST form, from a value, an array, results or lines', async () => {

            const doip = (id: string) => ({ id, type: 'Plain', attributes: { content: { name: id }, acl: { readers: ['test/u'] }, userMetadata: { n: 1 } } });
            const rest = (id: string) => ({ id, type: 'Plain', content: { name: id }, acl: { readers: ['test/u'] }, userMetadata: { n: 1 } });
            const ways: [string, readonly Segment[] | JsonValue, JsonObject][] = [
                ['a', [doip('test/a1'), rest('test/a2')], {}],
                ['b', { results: [doip('test/b1'), rest('test/b2')], size: 2 }, {}],
                ['c', text(JSON.stringify([doip('test/c1'), rest('test/c2')], null, 4)), {}],
                ['d', text(JSON.stringify({ size: 2, results: [doip('test/d1'), rest('test/d2')] })), {}],
                ['e', text(`${JSON.stringify(doip('test/e1'))}\n\n${JSON.stringify(rest('test/e2'))}`), { format: 'ndjson' }],
                ['f', text(`${JSON.stringify(doip('test/f1'))}\n${JSON.stringify(rest('test/f2'))}\n`, 'application/x-ndjson'), {}]
            ];
            for (const [letter, input, attributes] of ways) {
                const record = await gateway.batch(input, { attributes });

                expect(record.success, letter).to.be.true();
                expect(record.results).to.have.length(2);
                for (const [index, result] of record.results.entries()) {
                    const { value } = await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: `test/${letter}${index + 1}` });
                    const stored = value as JsonObject & { attributes: JsonObject };
                    expect<unknown>(result).to.equal({ position: index, responseCode: 200, response: stored });
                    expect<unknown>(stored.attributes).to.include({ acl: { readers: ['test/u'] }, userMetadata: { n: 1 } });
                }
            }
        });

        it('mints ids, updates existing objects, and keeps what an item does not mention', async () => {

            await gateway.create('Plain', { name: 'old' }, { id: 'test/known', attributes: { acl: { readers: ['test/u'], writers: [] } } });

            const { results, success } = await gateway.batch([{ type: 'Plain', content: { name: 'new' } }, { id: 'test/known', type: 'Plain', content: { other: 1 } }]);

            expect(success).to.be.true();
            expect(results[0]?.response.id).to.match(/^test\/[0-9a-f]{20}$/);
            expect(await gateway.content('test/known')).to.equal({ other: 1 });
            expect<unknown>(results[1]?.response.attributes?.['acl']).to.equal({ readers: ['test/u'], writers: [] });
        });

        it('rejects invalid items with code and message, and stores the others', async () => {

            const record = await gateway.batch([
                { id: 'test/w0', type: 'Strict', content: { name: 'fine' } },
                { id: 'test/w1', type: 'Strict', content: { name: 'much too long' } },
                { id: 'test/w2', type: 'Nothing', content: {} },
                { id: 'no-handle', type: 'Strict', content: { name: 'x' } },
                { type: 'Strict' },
                { content: { name: 'x' } },
                'text',
                { id: 'test/w7', type: 'Strict', content: { name: 'x', friend: 'test/nobody' } },
                { id: 'test/w8', type: 'Strict', content: { name: 'x' }, payloads: [{ name: 'p', base64Payload: 'no base64!' }] },
                { id: 'test/w9', type: 'Strict', content: { name: 'x' }, payloads: [{ name: 'p' }] },
                { id: 'test/w10', type: 'Strict', content: { name: 'x' }, payloads: 'p' },
                { id: 'test/w11', type: 'Strict', content: { name: 'x' }, acl: { readers: 'me' } },
                { id: 'test/w12', type: 'Strict', content: { name: 'fine' } }
            ]);

            expect(record.success).to.be.false();
            expect(codes(record)).to.equal([200, ...Array.from({ length: 11 }, () => 400), 200]);
            expect(record.results.slice(1, 12).map(({ response }) => response.message)).to.equal([
                '/name: is too long: 13 characters, at most 10 allowed', 'Unknown type Nothing', 'Invalid handle: no-handle', 'Missing JSON', 'Missing object type',
                'each item must be a JSON object', record.results[7]?.response.message, 'the bytes of payload p are not base64',
                'element p was listed but its bytes were not sent', 'payloads must be an array of objects',
                'Invalid ACL format: readers must be an array of strings'
            ]);
            expect(String(record.results[7]?.response.message)).to.startWith('/friend: ');
            for (const { position } of record.results.filter(({ responseCode }) => responseCode !== 200)) {
                expect(await gateway.content(`test/w${position}`), `item ${position}`).to.be.undefined();
            }

            expect(await gateway.content('test/w12')).to.equal({ name: 'fine' });
        });

        it('stages payloads until its client has gone', async () => {

            const { elements } = gateway.gateway.services;
            const stage = elements.stage.bind(elements);
            const signals: unknown[] = [];
            elements.stage = (body, owner) => {

                signals.push(owner.signal);
                return stage(body, owner);
            };

            try {
                const item = { type: 'Plain', content: {}, payloads: [{ name: 'p', base64Payload: base64('x') }] };
                expect((await gateway.batch([{ id: 'test/staged', ...item }, { id: 'test/staged', ...item }])).results).to.have.length(2);
                expect(signals.map((signal) => signal instanceof AbortSignal)).to.equal([true, true]);
            }
            finally {
                elements.stage = stage;
            }
        });

        it('adds, keeps, renames, replaces and deletes payloads', async () => {

            const bytes = async (element: string): Promise<unknown> => {

                return (await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/p', attributes: { element } })).value;
            };

            await gateway.batch([{ id: 'test/p', type: 'Plain', content: {}, payloads: [
                { name: 'a', filename: 'a.txt', mediaType: 'text/plain', base64Payload: base64('first a'), size: 7 },
                { name: 'b', base64Payload: base64('first b') },
                { name: 'c', base64Payload: base64('first c') },
                { name: 'empty', base64Payload: '' }
            ] }]);
            const { results } = await gateway.batch([{
                id: 'test/p', type: 'Plain',
                attributes: { content: {}, elementsToDelete: ['c'] },
                elements: [{ id: 'a', type: 'text/html', attributes: { filename: 'b.html' } }, { id: 'b', base64Element: base64('second b') }, { id: 'd', base64Element: base64('d') }]
            }]);

            expect<unknown>(results[0]?.response['elements']).to.equal([
                { id: 'a', length: 7, type: 'text/html', attributes: { filename: 'b.html' } },
                { id: 'b', length: 8, attributes: {} },
                { id: 'empty', length: 0, attributes: {} },
                { id: 'd', length: 1, attributes: {} }
            ]);
            expect(await Promise.all(['a', 'b', 'empty', 'd'].map(bytes))).to.equal(['first a', 'second b', '', 'd']);

            const { results: [last] } = await gateway.batch([{ id: 'test/p', type: 'Plain', content: {}, payloadsToDelete: ['a', 'd'] }]);

            expect<unknown>((last?.response['elements'] as JsonObject[]).map(({ id }) => id)).to.equal(['b', 'empty']);
        });

        it('checks the rights on each object', async () => {

            await gateway.create('Plain', { name: 'x' }, { id: 'test/mine', attributes: { acl: { writers: ['test/u'] } } });
            await gateway.create('Plain', { name: 'x' }, { id: 'test/theirs' });
            const items = [
                { id: 'test/mine', type: 'Plain', content: { name: 'changed' } },
                { id: 'test/theirs', type: 'Plain', content: { name: 'changed' } },
                { type: 'Schema', content: { name: 'Mine', schema: {} } }
            ];

            const record = await gateway.batch(items, { authentication: gateway.user });

            expect(codes(record)).to.equal([200, 403, 403]);
            expect(await gateway.content('test/theirs')).to.equal({ name: 'x' });

            const { status } = await gateway.perform(BATCH, { input: items });

            expect(status).to.equal('0.DOIP/Status.102');
        });

        it('obeys the rules of a type that another node has changed since it began, also for items without an id', { skip: name === 'SQLite' }, async () => {

            const { database, user } = gateway;
            const other = await startGateway({ ...database, options: { ...database.options, dataDir: `${database.options.dataDir}-other` } });
            const typeOf = (aclCreate: string[]): JsonObject => ({
                name: 'Ruled', schema: { type: 'object' }, authConfig: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate }
            });
            const line = `${JSON.stringify({ type: 'Ruled', content: {} })}\n`;
            async function *body(): AsyncGenerator<Uint8Array> {

                yield Buffer.from(line);
                await until(async () => (await gateway.asAdmin(SEARCH, { attributes: { query: 'type:Ruled' } })).value?.['size' as never] === 1);
                await other.asAdmin('0.DOIP/Op.Update', { targetId: 'test/ruled', input: { attributes: { content: typeOf([]) } } });
                await sleep(CURRENT_MS + 100);
                yield Buffer.from(line);
            }

            try {
                await other.create('Schema', typeOf(['authenticated']), { id: 'test/ruled' });
                const record = await gateway.batch([{ kind: 'bytes', mediaType: 'application/x-ndjson', body: body() }], { authentication: user });

                expect(codes(record)).to.equal([200, 403]);
            }
            finally {
                await other.stop();
            }
        });
    });
});
