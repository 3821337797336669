/** Hooks of many writes at once with few workers: all of them run, those after the write as well. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { DEFAULT_LIMITS } from '../../../../lib/scripting/pool/script-pool.js';
import { createBatchGateway, type BatchGateway } from '../../../support/batch.js';
import { createSqlite } from '../../../support/database.js';
import { defineType, found } from '../../../support/type-code.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';

/** Items of a batch: many more than can wait for the only worker, with the time that their code takes. */
const ITEMS = 130;
const PAUSE = 'for (const end = Date.now() + 25; Date.now() < end;);';
const LIMITS = { ...DEFAULT_LIMITS, workers: 1, timeout: 2000 };

/** Hooks of types; each notes the object in another one. */
const HOOKS: readonly (readonly [hook: string, body: string])[] = [
    ['beforeSchemaValidation', 'object.content.noted = true; return object;'],
    ['beforeStorage', ''],
    ['objectForIndexing', 'return object;'],
    ['afterCreateOrUpdate', 'require("cordra").create({ id: object.id + "-noted", type: "Document", content: { noted: true } });']
];

describe('hooks of many writes at once', () => {

    let node: BatchGateway;

    before(async () => {

        node = await createBatchGateway(createSqlite, { scripts: LIMITS });
    });

    after(() => node.stop());

    for (const [hook, body] of HOOKS) {
        it(`run for each item of a batch: ${hook}`, async () => {

            const type = `With-${hook}`;
            await defineType(node, type, `exports.${hook} = (object) => { ${PAUSE} ${body} };`);
            const items = Array.from({ length: ITEMS }, (_, n) => ({ id: `test/${hook}.${n}`, type, content: { n } }));
            const { results } = await node.batch(items);

            expect(results.filter(({ responseCode }) => responseCode !== 200).map(({ response }) => response.message)).to.equal([]);
            if (hook === 'afterCreateOrUpdate') {
                expect((await found(node, 'type:Document AND /noted:true')).length).to.equal(ITEMS);
            }
        });
    }

    it('run for items that change objects without a type', async () => {

        await defineType(node, 'Untyped', `exports.beforeStorage = () => { ${PAUSE} };`);
        const items: readonly JsonObject[] = Array.from({ length: ITEMS }, (_, n) => ({ id: `test/untyped.${n}`, content: { n } }));
        await node.batch(items.map((item) => ({ ...item, type: 'Untyped' })));
        const { results } = await node.batch(items as JsonObject[]);

        expect(results.filter(({ responseCode }) => responseCode !== 200).map(({ response }) => response.message)).to.equal([]);
    });

    it('run for imported objects', async () => {

        await defineType(node, 'Imported', `exports.objectForIndexing = (object) => { ${PAUSE} return object; };`);
        const lines = Array.from({ length: ITEMS }, (_, n) => `${JSON.stringify({ id: `test/imported.${n}`, type: 'Imported', content: { n } })}\n`);
        const { value } = await node.asAdmin('gateway/Op.Import', {
            input: [{ kind: 'bytes', body: (async function *() {

                yield Buffer.from(lines.join(''));
            })() }]
        });

        expect<unknown>(value).to.include({ created: ITEMS, success: true });
    });

    it('are tried again after a write, while other scripts of the caller hold the worker', async () => {

        await defineType(node, 'Holding', `
            const cordra = require('cordra');
            exports.staticMethods = { hold: () => { cordra.get('test/begun') || cordra.create({ id: 'test/begun', type: 'Document', content: {} }); for (;;); } };`);
        await defineType(node, 'Followed', 'exports.afterCreateOrUpdate = (object) => { require("cordra").create({ id: object.id + "-done", type: "Document", content: {} }); };');
        await node.create('Followed', {}, { id: 'test/known' });
        const holding = Array.from({ length: 3 }, () => node.asAdmin('gateway/Op.Call', { attributes: { type: 'Holding', method: 'hold' } }));
        // The others wait by then.
        await until(async () => (await node.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/begun' })).status === OK);
        const { status } = await node.asAdmin('0.DOIP/Op.Create', { input: { id: 'test/followed', type: 'Followed', attributes: { content: {} } } });
        await Promise.all(holding);

        expect(status).to.equal(OK);
        expect((await node.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/followed-done' })).status).to.equal(OK);
    });
});
