/**
 * Many objects in one request: whatever happens to one leaves the others alone, and what is answered is stored.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Segment } from '../../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../../lib/doip/json.js';
import type { TestDatabase } from '../../../support/database.js';
import type { TestGateway } from '../../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { forEachDatabase } from '../../../support/database.js';
import { ADMIN, LIMITS, startGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const BATCH = '20.DOIP/Op.BatchUpload';

interface Result {
    readonly position: number;
    readonly responseCode: number;
    readonly response: JsonObject & { readonly id?: string; readonly message?: string; readonly attributes?: JsonObject };
}

interface BatchRecord {
    readonly results: readonly Result[];
    readonly success: boolean;
    readonly message?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Text as one segment of bytes that arrives in small pieces. */
function text(value: string, mediaType = 'application/json'): Segment[] {

    const bytes = Buffer.from(value);
    async function *body(): AsyncGenerator<Uint8Array> {

        for (let i = 0; i < bytes.length; i += 1000) {
            yield bytes.subarray(i, i + 1000);
        }
    }

    return [{ kind: 'bytes', mediaType, body: body() }];
}

forEachDatabase((name, create) => {

    describe(`a batch on ${name}`, () => {

        let database: TestDatabase;
        let gateway: TestGateway;
        let user: JsonObject;

        const batch = async (input: readonly Segment[] | JsonValue, more: JsonObject = {}): Promise<BatchRecord> => {

            const { attributes = {}, authentication = ADMIN } = more as { attributes?: JsonObject; authentication?: JsonObject };
            const { value } = await gateway.perform(BATCH, { input, attributes, authentication });
            const record = value as BatchRecord;
            return { ...record, results: record.results?.toSorted((a, b) => a.position - b.position) };
        };

        const codes = ({ results }: BatchRecord): number[] => results.map(({ responseCode }) => responseCode);
        const content = async (id: string): Promise<unknown> => {

            const { value } = await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: id });
            return (value as { attributes?: { content: unknown } }).attributes?.content;
        };

        before(async () => {

            database = await create();
            gateway = await startGateway(database, { limits: { ...LIMITS, itemBytes: 50_000 } });
            await gateway.create('User', { id: '', username: 'u', password: 'user-password' }, { id: 'test/u' });
            user = { username: 'u', password: 'user-password' };
            await gateway.asAdmin('gateway/Op.Schemas.Update', { attributes: { type: 'Plain' }, input: { type: 'object' } });
            await gateway.asAdmin('gateway/Op.Schemas.Update', { attributes: { type: 'Strict' }, input: {
                type: 'object', required: ['name'],
                properties: { name: { type: 'string', maxLength: 10 }, friend: { type: 'string', cordra: { type: { handleReference: { types: ['Strict'] } } } } }
            } });
        });

        after(async () => {

            await gateway.stop();
            await database.dispose();
        });

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
                const record = await batch(input, { attributes });

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

        it('mints ids, changes what exists, and keeps what an item does not mention', async () => {

            await gateway.create('Plain', { name: 'old' }, { id: 'test/known', attributes: { acl: { readers: ['test/u'], writers: [] } } });

            const { results, success } = await batch([{ type: 'Plain', content: { name: 'new' } }, { id: 'test/known', type: 'Plain', content: { other: 1 } }]);

            expect(success).to.be.true();
            expect(results[0]?.response.id).to.match(/^test\/[0-9a-f]{20}$/);
            expect(await content('test/known')).to.equal({ other: 1 });
            expect<unknown>(results[1]?.response.attributes?.['acl']).to.equal({ readers: ['test/u'], writers: [] });
        });

        it('refuses wrong items with code and message, and stores the others', async () => {

            const record = await batch([
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
                expect(await content(`test/w${position}`), `item ${position}`).to.be.undefined();
            }

            expect(await content('test/w12')).to.equal({ name: 'fine' });
        });

        it('adds, keeps, renames, replaces and deletes payloads', async () => {

            const bytes = async (element: string): Promise<unknown> => {

                return (await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/p', attributes: { element } })).value;
            };

            await batch([{ id: 'test/p', type: 'Plain', content: {}, payloads: [
                { name: 'a', filename: 'a.txt', mediaType: 'text/plain', base64Payload: base64('first a'), size: 7 },
                { name: 'b', base64Payload: base64('first b') },
                { name: 'c', base64Payload: base64('first c') },
                { name: 'empty', base64Payload: '' }
            ] }]);
            const { results } = await batch([{
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

            const { results: [last] } = await batch([{ id: 'test/p', type: 'Plain', content: {}, payloadsToDelete: ['a', 'd'] }]);

            expect<unknown>((last?.response['elements'] as JsonObject[]).map(({ id }) => id)).to.equal(['b', 'empty']);
        });

        it('asks for the rights on each object', async () => {

            await gateway.create('Plain', { name: 'x' }, { id: 'test/mine', attributes: { acl: { writers: ['test/u'] } } });
            await gateway.create('Plain', { name: 'x' }, { id: 'test/theirs' });
            const items = [
                { id: 'test/mine', type: 'Plain', content: { name: 'changed' } },
                { id: 'test/theirs', type: 'Plain', content: { name: 'changed' } },
                { type: 'Schema', content: { name: 'Mine', schema: {} } }
            ];

            const record = await batch(items, { authentication: user });

            expect(codes(record)).to.equal([200, 403, 403]);
            expect(await content('test/theirs')).to.equal({ name: 'x' });

            const { status } = await gateway.perform(BATCH, { input: items });

            expect(status).to.equal('0.DOIP/Status.102');
        });

        it('lets items refer to earlier ones, and be of types that earlier ones define', async () => {

            const record = await batch([
                { type: 'Schema', content: { identifier: '', name: 'Early', schema: { type: 'object', required: ['x'] } } },
                ...Array.from({ length: 30 }, (_, i) => ({
                    id: `test/chain${i}`, type: 'Strict', content: { name: `${i}`, ...i === 0 ? {} : { friend: `test/chain${i - 1}` } }
                })),
                { id: 'test/early', type: 'Early', content: { x: 1 } },
                { id: 'test/not-early', type: 'Early', content: {} }
            ]);

            expect(codes(record)).to.equal([...Array.from({ length: 32 }, () => 200), 400]);
        });

        it('runs the hooks of an item once, whether it is refused or has to wait for an earlier one', async () => {

            const trace = 'require("cordra").create({ type: "Trace", content: { of: object.id } });';
            const javascript = `exports.beforeSchemaValidation = (object) => { ${trace} if (object.content.bad) { throw 'bad'; } return object; };`;
            await gateway.asAdmin('gateway/Op.Schemas.Update', { attributes: { type: 'Trace' }, input: { type: 'object' } });
            await gateway.create('Schema', { identifier: '', name: 'Hooked', javascript, schema: {
                type: 'object', properties: { friend: { type: 'string', cordra: { type: { handleReference: { types: ['Hooked'] } } } } }
            } });
            const items = Array.from({ length: 20 }, (_, i) => ({
                id: `test/hooked${i}`, type: 'Hooked', content: i % 5 === 4 ? { bad: true } : i % 5 === 0 ? {} : { friend: `test/hooked${i - 1}` }
            }));

            const record = await batch([...items, { id: 'test/hooked-lost', type: 'Hooked', content: { friend: 'test/nobody' } }]);

            expect(codes(record)).to.equal([...items.map(({ content: { bad } }) => (bad ? 400 : 200)), 400]);
            const { value } = await gateway.asAdmin('0.DOIP/Op.Search', { attributes: { query: 'type:Trace' } });
            const traced = (value as { results: { attributes: { content: { of: string } } }[] }).results.map(({ attributes }) => attributes.content.of);
            expect(traced.toSorted()).to.equal([...items.map(({ id }) => id), 'test/hooked-lost'].toSorted());
        });

        it('takes a changed type for what comes after it', async () => {

            const schema = (required: string[]) => ({ id: 'test/turning', type: 'Schema', content: { identifier: 'test/turning', name: 'Turning', schema: { type: 'object', required } } });
            const object = (n: number, content: JsonObject) => ({ id: `test/turn${n}`, type: 'Turning', content });

            const record = await batch([schema(['a']), object(0, { a: 1 }), object(1, { b: 1 }), schema(['b']), object(2, { a: 1 }), object(3, { b: 1 }), { type: 'Turning', content: { b: 1 } }]);

            expect(codes(record)).to.equal([200, 200, 400, 200, 400, 200, 200]);
        });

        it('keeps to its own what is found at the commit alone', async () => {

            const named = (n: number, username: string) => ({ id: `test/named${n}`, type: 'User', content: { id: '', username, password: 'some password' } });
            const plain = (n: number) => ({ id: `test/beside${n}`, type: 'Plain', content: { n } });
            const items = [...Array.from({ length: 30 }, (_, n) => plain(n)), named(0, 'first'), named(1, 'twin'), named(2, 'Twin'), ...Array.from({ length: 30 }, (_, n) => plain(30 + n))];

            const record = await batch(items);

            expect(codes(record).filter((code) => code === 200)).to.have.length(62);
            expect([record.results[31]?.responseCode, record.results[32]?.responseCode].toSorted()).to.equal([200, 400]);
            expect(record.results.find(({ responseCode }) => responseCode === 400)?.response.message).to.match(/^Username [Tt]win is not unique/);
            expect(await content('test/beside59')).to.equal({ n: 59 });
        });

        it('works items of one id off in their order', async () => {

            const record = await batch(Array.from({ length: 40 }, (_, n) => ({ id: `test/same${n % 2}`, type: 'Plain', content: { n } })));

            expect(record.success).to.be.true();
            expect(await content('test/same0')).to.equal({ n: 38 });
            expect(await content('test/same1')).to.equal({ n: 39 });
        });

        it('takes no further items after a failure when it shall fail fast', async () => {

            const items = Array.from({ length: 50 }, (_, i) => ({ id: `test/fast${i}`, type: 'Strict', content: { name: i === 3 ? 3 : `${i}` } }));

            const record = await batch(text(JSON.stringify(items)), { attributes: { failFast: true, parallel: false } });

            expect(record.success).to.be.false();
            expect(codes(record)).to.equal([200, 200, 200, 400]);
            expect(await content('test/fast4')).to.be.undefined();

            const parallel = await batch(items, { attributes: { failFast: true } });

            expect(parallel.success).to.be.false();
            expect(parallel.results.length).to.be.at.least(4);
        });

        it('answers 400 where the list breaks, with what was stored before', async () => {

            const stored = (i: number) => ({ id: `test/broken${i}`, type: 'Plain', content: { i } });
            const cases: [string, number, string][] = [
                [`[${JSON.stringify(stored(0))},${JSON.stringify(stored(1))}`, 2, 'the text ends where , or ] is expected'],
                [`[${JSON.stringify(stored(2))},{"id":"test/broken3","type":"Plain","content":{"i":3,}}]`, 1, 'in object 1, at byte 56'],
                [`{"results":[${JSON.stringify(stored(4))}],"more":}`, 1, 'expected a value'],
                ['{"id":"test/broken5"}', 0, 'an object must have results'],
                ['5', 0, 'expected an array, or an object with results']
            ];
            for (const [input, count, message] of cases) {
                const { status, value, http } = await gateway.asAdmin(BATCH, { input: text(input) });

                const record = value as BatchRecord;
                expect([status, http], input).to.equal(['0.DOIP/Status.101', undefined]);
                expect(record.message).to.contain(message);
                expect(record.success).to.be.false();
                expect(codes(record)).to.equal(Array.from({ length: count }, () => 200));
                for (const { response } of record.results) {
                    expect(await content(response.id ?? '')).to.not.be.undefined();
                }
            }

            expect(await content('test/broken3')).to.be.undefined();
        });

        it('keeps to its own what is wrong with one line, and with one value that is JSON', async () => {

            const lines = ['{"id":"test/l0","type":"Plain","content":{}}', '{"id":"test/l1",', `{"x":"${'x'.repeat(60_000)}"}`,
                '{"id":"test/l3","type":"Plain","content":{"a":1,"a":2}}', '{"id":"test/l4","type":"Plain","content":{}}'];

            expect(codes(await batch(text(lines.join('\n')), { attributes: { format: 'ndjson' } }))).to.equal([200, 400, 413, 400, 200]);

            const array = `[${lines.filter((_, i) => i !== 1).join(',')}]`;

            expect(codes(await batch(text(array)))).to.equal([200, 413, 400, 200]);
        });

        it('answers requests that are wrong as a whole before anything is stored', async () => {

            const cases: [readonly Segment[] | JsonValue | undefined, JsonObject, string][] = [
                [undefined, {}, 'Missing input'],
                [[], { format: 'xml' }, 'format must be ndjson or json, got xml'],
                [{ id: 'test/x' }, {}, 'expected an array, or an object with results, an array'],
                [[], { parallel: 'maybe' }, 'attribute "parallel" must be a boolean']
            ];
            for (const [input, attributes, message] of cases) {
                const { status, value } = await gateway.asAdmin(BATCH, { ...input === undefined ? {} : { input }, attributes });

                expect(status, message).to.equal('0.DOIP/Status.101');
                expect((value as BatchRecord).message).to.equal(message);
            }

            expect(await batch(text('[]'))).to.equal({ results: [], success: true });
        });

        it('refuses a second list', async () => {

            const { value } = await gateway.asAdmin(BATCH, { input: [jsonSegment([{ id: 'test/second', type: 'Plain', content: {} }]), bytesSegment(Buffer.from('[]'))] });

            expect((value as BatchRecord).message).to.equal('Unexpected input segments: expected one list of objects');
            expect(codes(value as BatchRecord)).to.equal([200]);
        });

        it('keeps long results on disk while it works, and removes them with the answer', async () => {

            const items = Array.from({ length: 150 }, (_, i) => ({ id: `test/long${i}`, type: 'Plain', content: { text: `${i} ü`.repeat(3000) } }));

            const { output } = await gateway.asAdmin(BATCH, { input: text(JSON.stringify(items)) });
            const { results, success } = JSON.parse(String(output[0])) as BatchRecord;

            expect(success).to.be.true();
            expect(results.map(({ position }) => position).toSorted((a, b) => a - b)).to.equal(items.map((_, i) => i));
            expect(JSON.stringify(results.find(({ position }) => position === 77)?.response.attributes?.['content']) === JSON.stringify(items[77]?.content)).to.be.true();

            const blocks = await gateway.asAdmin(BATCH, { input: items, attributes: { inBlocks: true } });
            const [head, ...rest] = blocks.output as [JsonObject, ...Result[][]];

            expect<unknown>(head).to.equal({ success: true });
            expect(rest.flat()).to.have.length(150);
            expect(await readdir(join(database.options.dataDir, 'tmp'))).to.equal([]);
        });
    });
});
