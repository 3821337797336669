import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { StoredObject, IndexedForm } from '../../../lib/model/stored-object.js';
import { FULL_ACCESS } from '../../../lib/search/matching/acl-filter.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchNode } from '../../support/search-node.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`forms for indexing on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let node: SearchNode;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            node = new SearchNode(database);
            await node.index.start();
        });

        afterEach(async () => {

            await node.index.stop();
            await place.dispose();
        });

        async function size(query: string): Promise<number> {

            return (await node.search({ query })).size;
        }

        /** Asks, then asks an index that was built anew, and one that learns it from the log. */
        async function everywhere(queries: Readonly<Record<string, number>>): Promise<void> {

            const [last] = await database.read<{ seq: number }>({ sql: 'select max(seq) as seq from search_log' }, []);
            for (const damage of [null, 'update search_manifest set layout = 0', `update search_manifest set covered = ${(last?.seq ?? 0) - 1}`]) {
                if (damage !== null) {
                    await node.index.stop();
                    await database.commit({ steps: [{ sql: damage, bindings: [] }] });
                    node = new SearchNode(database);
                    await node.index.start();
                }

                for (const [query, expected] of Object.entries(queries)) {
                    expect(await size(query), `${query} after ${damage}`).to.equal(expected);
                }
            }
        }

        async function rows(): Promise<number> {

            const [found] = await database.read<{ n: number }>({ sql: 'select count(*) as n from index_forms' }, []);
            return found?.n ?? NaN;
        }

        function object(txnId: number, content: StoredObject['content'] = { title: 'stored' }): StoredObject {

            return {
                id: 'test/1', type: 'Document', content, acl: { readers: ['someone'] }, userMetadata: { note: 'private' }, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
            };
        }

        const FORM: IndexedForm = { content: { title: 'indexed', extra: ['added'] }, userMetadata: null, acl: { readers: ['public'] } };

        it('are indexed instead of the object, at once, from the log and when the index is rebuilt', async () => {

            await node.write(null, object(1), FORM);

            await everywhere({ '/title:indexed': 1, '/extra/_:added': 1, '/title:stored': 0, private: 0, 'id:"test/1"': 1, 'txnId:1': 1 });
        });

        it('keep numbers as they were sent', async () => {

            const [content, userMetadata] = ['{"n":[9007199254740993,5.0]}', '{"u":1.10}'].map((text) => parseJson(text) as JsonObject);
            await node.write(null, object(1), { content: content ?? {}, userMetadata: userMetadata ?? null, acl: null });

            await everywhere({ '/n/_:9007199254740993': 1, '/n/_:9007199254740992': 0, '/n/_:5.0': 1, '/n/_:5': 1, 'userMetadata/u:1.10': 1, 'userMetadata/u:1.1': 1 });
        });

        it('change the results of queries on ACL fields, not who finds the object', async () => {

            await node.write(null, object(1), FORM);
            expect(await size('aclRead:public')).to.equal(1);
            expect(await size('aclRead:someone')).to.equal(0);
            expect((await node.search({ access: { ...FULL_ACCESS, all: false, entries: ['public'] } })).size).to.equal(0);
            expect((await node.search({ access: { ...FULL_ACCESS, all: false, entries: ['someone'] } })).size).to.equal(1);
        });

        it('apply to one state of the object: an update replaces, drops or outdates them', async () => {

            const states = [1, 2, 3, 4].map((txnId) => object(txnId, { title: `state ${txnId}` }));
            await node.write(null, states[0] as StoredObject, FORM);
            await node.write(states[0] as StoredObject, states[1] as StoredObject, { ...FORM, content: { title: 'other' } });
            await everywhere({ '/title:other': 1, '/title:indexed': 0, '/title:state': 0 });
            expect(await rows()).to.equal(1);

            await node.write(states[1] as StoredObject, states[2] as StoredObject);
            await everywhere({ '/title:state': 1, '/title:other': 0, '/title:3': 1 });

            await node.write(states[2] as StoredObject, states[3] as StoredObject, null);
            await everywhere({ '/title:4': 1, '/title:other': 0 });
            expect(await rows()).to.equal(0);
        });

        it('are deleted with their object', async () => {

            await node.write(null, object(1), FORM);
            await node.write(object(1), null);
            expect(await rows()).to.equal(0);

            await node.write(null, object(1));
            await everywhere({ '/title:stored': 1, '/title:indexed': 0 });
        });
    });
});
