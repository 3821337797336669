import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';
import type { TestGateway } from '../../../support/gateway.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const REINDEX = '20.DOIP/Op.ReindexBatch';
const OK = '0.DOIP/Status.001';

forEachDatabase((name, create) => {

    describe(`Op.ReindexBatch on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let gateway: TestGateway;

        before(async () => {

            place = await create();
            gateway = await startGateway(place);
            database = await place.open();
            for (let n = 0; n < 40; ++n) {
                await gateway.create('Document', { title: 'before', n }, { id: `test/${n}` });
            }

            await gateway.create('User', { username: 'ann', password: 'password of ann' }, { id: 'test/ann' });
        });

        beforeEach(async () => {

            await title('before');
            await reindex({ all: true });
        });

        after(async () => {

            await gateway.stop();
            await place.dispose();
        });

        /** Changes objects behind the back of the service. */
        async function title(text: string): Promise<void> {

            await database.commit({ steps: [{ sql: `update objects set content = ? where type = 'Document'`, bindings: [JSON.stringify({ title: text, n: 1 })] }] });
        }

        async function reindex(attributes: JsonObject, input?: JsonValue): Promise<void> {

            const { status, value } = await gateway.asAdmin(REINDEX, { attributes, ...input === undefined ? {} : { input } });
            expect(status, JSON.stringify(value)).to.equal(OK);
            expect(value).to.equal({ success: true, msg: 'success' });
        }

        async function size(query: string): Promise<unknown> {

            const { value } = await gateway.asAdmin('0.DOIP/Op.Search', { attributes: { query, pageSize: 0 } });
            return (value as { size: number }).size;
        }

        it('indexes the given objects', async () => {

            await title('after');
            await reindex({}, ['test/1', 'test/2', 'test/2', 'test/nothing']);

            expect(await size('/title:after')).to.equal(2);
            expect(await size('/title:before')).to.equal(38);
        });

        it('indexes the results of a query, in many batches', async () => {

            await title('after');
            await reindex({ query: '/title:before AND id:test/1*', lockObjects: false });

            expect(await size('/title:after')).to.equal(11);
        });

        it('indexes everything', async () => {

            await title('after');
            await reindex({ all: 'True' });

            expect(await size('/title:after')).to.equal(40);
            expect(await size('username:ann')).to.equal(1);
        });

        it('removes objects that no longer exist', async () => {

            await gateway.create('Document', { title: 'gone' }, { id: 'test/gone' });
            await database.commit({ steps: [{ sql: `delete from objects where id = 'test/gone'`, bindings: [] }] });
            expect(await size('/title:gone')).to.equal(1);

            await reindex({ query: '/title:gone' });
            expect(await size('/title:gone')).to.equal(0);
        });

        it('does nothing for no ids', async () => {

            await title('after');
            await reindex({}, [jsonSegment([])] as unknown as JsonValue);
            expect(await size('/title:after')).to.equal(0);
        });

        it('runs concurrently with searches and writes, each of which sees its own state', async () => {

            await title('after');
            let isDone = false;
            const all = reindex({ all: true }).finally(() => {

                isDone = true;
            });
            let writes = 0;
            do {
                const { id } = await gateway.create('Document', { text: `written ${writes}` });
                expect(await size(`id:"${id}" AND /text:${writes}`)).to.equal(1);
                ++writes;
            }
            while (!isDone);

            await all;
            expect(await size('/title:after')).to.equal(40);
        });

        it('reads payloads again that were read by older rules', async () => {

            await gateway.asAdmin('0.DOIP/Op.Create', { input: [
                jsonSegment({ id: 'test/text', type: 'Document', attributes: { content: {} } }),
                jsonSegment({ id: 'file', type: 'text/plain', filename: 'a.txt' }),
                bytesSegment(Buffer.from('payloadword'))
            ] });
            await until(async () => await size('payloadword') === 1);

            await database.commit({ steps: [{ sql: `update payload_texts set rules = 0, text = 'older'`, bindings: [] }] });
            await reindex({}, ['test/text']);
            await until(async () => await size('payloadword') === 1);
            expect(await size('file:older')).to.equal(0);
        });

        const refused: readonly (readonly [attributes: JsonObject, input: JsonValue | undefined, message: RegExp])[] = [
            [{}, undefined, /^Missing ids/],
            [{ query: ' ' }, undefined, /^Missing ids/],
            [{}, { ids: ['test/1'] }, /array of object ids/],
            [{}, ['test/1', 2], /array of object ids/],
            [{ query: '(' }, undefined, /^Query parse failure at character 2/],
            [{ all: 'perhaps' }, undefined, /attribute .*all/],
            [{ lockObjects: 7 }, ['test/1'], /lockObjects/]
        ];
        for (const [attributes, input, message] of refused) {
            it(`rejects ${JSON.stringify([attributes, input])}`, async () => {

                const { status, value } = await gateway.asAdmin(REINDEX, { attributes, ...input === undefined ? {} : { input } });
                expect(status).to.equal('0.DOIP/Status.101');
                expect((value as { message: string }).message).to.match(message);
            });
        }

        it('is for administrators', async () => {

            const ann = { username: 'ann', password: 'password of ann' };
            expect((await gateway.perform(REINDEX, { attributes: { all: true } })).status).to.equal('0.DOIP/Status.102');
            expect((await gateway.perform(REINDEX, { attributes: { all: true }, authentication: ann })).status).to.equal('0.DOIP/Status.103');
        });
    });
});
