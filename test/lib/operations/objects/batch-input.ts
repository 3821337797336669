/**
 * The list of a batch as it comes in: broken as a whole, in one line, or not a list at all.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Segment } from '../../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import type { BatchGateway, BatchRecord } from '../../../support/batch.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { BATCH, codes, createBatchGateway, text } from '../../../support/batch.js';
import { forEachDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, create) => {

    describe(`the input of a batch on ${name}`, () => {

        let gateway: BatchGateway;

        before(async () => {

            gateway = await createBatchGateway(create);
        });

        after(() => gateway.stop());

        it('gives 400 at a syntax error, with the items stored before', async () => {

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
                    expect(await gateway.content(response.id ?? '')).to.not.be.undefined();
                }
            }

            expect(await gateway.content('test/broken3')).to.be.undefined();
        });

        it('limits errors to one line, and to one parsed value', async () => {

            const lines = ['{"id":"test/l0","type":"Plain","content":{}}', '{"id":"test/l1",', `{"x":"${'x'.repeat(60_000)}"}`,
                '{"id":"test/l3","type":"Plain","content":{"a":1,"a":2}}', '{"id":"test/l4","type":"Plain","content":{}}'];

            expect(codes(await gateway.batch(text(lines.join('\n')), { attributes: { format: 'ndjson' } }))).to.equal([200, 400, 413, 400, 200]);

            const array = `[${lines.filter((_, i) => i !== 1).join(',')}]`;

            expect(codes(await gateway.batch(text(array)))).to.equal([200, 413, 400, 200]);
        });

        it('rejects an invalid request as a whole before anything is stored', async () => {

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

            expect(await gateway.batch(text('[]'))).to.equal({ results: [], success: true });
        });

        it('rejects a second list', async () => {

            const { value } = await gateway.asAdmin(BATCH, { input: [jsonSegment([{ id: 'test/second', type: 'Plain', content: {} }]), bytesSegment(Buffer.from('[]'))] });

            expect((value as BatchRecord).message).to.equal('Unexpected input segments: expected one list of objects');
            expect(codes(value as BatchRecord)).to.equal([200]);
        });
    });
});
