/**
 * What the items of a batch owe to one another: which of them find each other, in which order they are worked off, and what
 * becomes of the others when one is refused.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { BatchGateway } from '../../../support/batch.js';
import { codes, createBatchGateway, text } from '../../../support/batch.js';
import { forEachDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, create) => {

    describe(`the order of a batch on ${name}`, () => {

        let gateway: BatchGateway;

        before(async () => {

            gateway = await createBatchGateway(create);
        });

        after(() => gateway.stop());

        it('lets items refer to earlier ones, and use types of earlier ones', async () => {

            const record = await gateway.batch([
                { type: 'Schema', content: { identifier: '', name: 'Early', schema: { type: 'object', required: ['x'] } } },
                ...Array.from({ length: 30 }, (_, i) => ({
                    id: `test/chain${i}`, type: 'Strict', content: { name: `${i}`, ...i === 0 ? {} : { friend: `test/chain${i - 1}` } }
                })),
                { id: 'test/early', type: 'Early', content: { x: 1 } },
                { id: 'test/not-early', type: 'Early', content: {} }
            ]);

            expect(codes(record)).to.equal([...Array.from({ length: 32 }, () => 200), 400]);
        });

        it('runs the hooks of an item once, even if it is rejected or waits for an earlier one', async () => {

            const trace = 'require("cordra").create({ type: "Trace", content: { of: object.id } });';
            const javascript = `exports.beforeSchemaValidation = (object) => { ${trace} if (object.content.bad) { throw 'bad'; } return object; };`;
            await gateway.asAdmin('gateway/Op.Schemas.Update', { attributes: { type: 'Trace' }, input: { type: 'object' } });
            await gateway.create('Schema', { identifier: '', name: 'Hooked', javascript, schema: {
                type: 'object', properties: { friend: { type: 'string', cordra: { type: { handleReference: { types: ['Hooked'] } } } } }
            } });
            const items = Array.from({ length: 20 }, (_, i) => ({
                id: `test/hooked${i}`, type: 'Hooked', content: i % 5 === 4 ? { bad: true } : i % 5 === 0 ? {} : { friend: `test/hooked${i - 1}` }
            }));

            const record = await gateway.batch([...items, { id: 'test/hooked-lost', type: 'Hooked', content: { friend: 'test/nobody' } }]);

            expect(codes(record)).to.equal([...items.map(({ content: { bad } }) => (bad ? 400 : 200)), 400]);
            const { value } = await gateway.asAdmin('0.DOIP/Op.Search', { attributes: { query: 'type:Trace' } });
            const traced = (value as { results: { attributes: { content: { of: string } } }[] }).results.map(({ attributes }) => attributes.content.of);
            expect(traced.toSorted()).to.equal([...items.map(({ id }) => id), 'test/hooked-lost'].toSorted());
        });

        it('applies a changed type to later items', async () => {

            const schema = (required: string[]) => ({ id: 'test/turning', type: 'Schema', content: { identifier: 'test/turning', name: 'Turning', schema: { type: 'object', required } } });
            const object = (n: number, content: JsonObject) => ({ id: `test/turn${n}`, type: 'Turning', content });

            const record = await gateway.batch([schema(['a']), object(0, { a: 1 }), object(1, { b: 1 }), schema(['b']), object(2, { a: 1 }), object(3, { b: 1 }), { type: 'Turning', content: { b: 1 } }]);

            expect(codes(record)).to.equal([200, 200, 400, 200, 400, 200, 200]);
        });

        it('limits errors at the commit to their item', async () => {

            const named = (n: number, username: string) => ({ id: `test/named${n}`, type: 'User', content: { id: '', username, password: 'some password' } });
            const plain = (n: number) => ({ id: `test/beside${n}`, type: 'Plain', content: { n } });
            const items = [...Array.from({ length: 30 }, (_, n) => plain(n)), named(0, 'first'), named(1, 'twin'), named(2, 'Twin'), ...Array.from({ length: 30 }, (_, n) => plain(30 + n))];

            const record = await gateway.batch(items);

            expect(codes(record).filter((code) => code === 200)).to.have.length(62);
            expect([record.results[31]?.responseCode, record.results[32]?.responseCode].toSorted()).to.equal([200, 400]);
            expect(record.results.find(({ responseCode }) => responseCode === 400)?.response.message).to.match(/^Username [Tt]win is not unique/);
            expect(await gateway.content('test/beside59')).to.equal({ n: 59 });
        });

        it('processes items with one id in order', async () => {

            const record = await gateway.batch(Array.from({ length: 40 }, (_, n) => ({ id: `test/same${n % 2}`, type: 'Plain', content: { n } })));

            expect(record.success).to.be.true();
            expect(await gateway.content('test/same0')).to.equal({ n: 38 });
            expect(await gateway.content('test/same1')).to.equal({ n: 39 });
        });

        it('stops after a failure with failFast', async () => {

            const items = Array.from({ length: 50 }, (_, i) => ({ id: `test/fast${i}`, type: 'Strict', content: { name: i === 3 ? 3 : `${i}` } }));

            const record = await gateway.batch(text(JSON.stringify(items)), { attributes: { failFast: true, parallel: false } });

            expect(record.success).to.be.false();
            expect(codes(record)).to.equal([200, 200, 200, 400]);
            expect(await gateway.content('test/fast4')).to.be.undefined();

            const parallel = await gateway.batch(items, { attributes: { failFast: true } });

            expect(parallel.success).to.be.false();
            expect(parallel.results.length).to.be.at.least(4);
        });
    });
});
