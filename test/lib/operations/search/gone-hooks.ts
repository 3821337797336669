/** What searches find of objects whose type has lost its hook for indexing. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { startGateway, type TestGateway } from '../../../support/gateway.js';
import { changeMembers, defineType, found } from '../../../support/type-code.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const SCHEMA = { type: 'object' };
const LEAKING = 'exports.objectForIndexing = (o) => { o.content = { leak: o.content.ssn }; return o; };';
const OTHER_HOOK = 'exports.beforeStorage = () => {};';

const AS_STORED = { '/leak:1': 0, '/ssn:1': 2, '/name:stored': 2 };
const AS_FORMS = { '/leak:1': 2, '/ssn:1': 0, '/name:stored': 0 };

forEachDatabase((name, create) => {

    describe(`objects whose hook for indexing is gone, on ${name},`, () => {

        let database: TestDatabase;
        let tables: Database;
        let node: TestGateway;
        let schemaId: string;

        beforeEach(async () => {

            database = await create();
            node = await startGateway(database);
            tables = await database.open();
            schemaId = await defineType(node, 'Leaking', LEAKING, SCHEMA);
            for (const id of ['test/a', 'test/b']) {
                await node.create('Leaking', { ssn: 1, name: 'stored' }, { id });
            }
        });

        afterEach(async () => {

            await node.stop();
            await database.dispose();
        });

        /** Numbers of results, now and of an index that is built anew. */
        async function expectFound(expected: Readonly<Record<string, number>>): Promise<void> {

            for (const isRebuilt of [false, true]) {
                if (isRebuilt) {
                    await node.stop();
                    await tables.commit({ steps: [{ sql: 'update search_manifest set layout = 0', bindings: [] }] });
                    node = await startGateway(database);
                }

                const sizes = Object.keys(expected).map(async (query) => [query, (await found(node, query)).length]);
                expect(Object.fromEntries(await Promise.all(sizes)) as object, isRebuilt ? 'rebuilt' : 'at once').to.equal(expected);
            }
        }

        const GONE: readonly (readonly [title: string, change: () => Promise<unknown>])[] = [
            ['with the code', () => changeMembers(node, schemaId, { javascript: null })],
            ['from the code', () => changeMembers(node, schemaId, { javascript: OTHER_HOOK })],
            ['with the type', () => node.asAdmin(Op.delete, { targetId: schemaId })]
        ];
        for (const [title, change] of GONE) {
            it(`are found as they are stored, when they are indexed again: ${title}`, async () => {

                await expectFound(AS_FORMS);
                await change();
                await expectFound(AS_FORMS);
                await reindex({ all: true });

                await expectFound(AS_STORED);
            });
        }

        it('keep their form while the code cannot be loaded', async () => {

            await changeMembers(node, schemaId, { javascript: `const { missing } = require('./missing');${LEAKING}` });
            await reindex({ query: 'type:Leaking' });

            // As long as it cannot be loaded, objects are withheld from results.
            await changeMembers(node, schemaId, { javascript: OTHER_HOOK });
            await expectFound(AS_FORMS);
        });

        async function reindex(attributes: JsonObject): Promise<void> {

            const { value } = await node.asAdmin(Op.reindexBatch, { attributes });
            expect(value).to.equal({ success: true, msg: 'success' });
        }
    });
});
