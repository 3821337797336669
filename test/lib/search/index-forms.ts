import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { StoredObject, IndexedForm } from '../../../lib/model/stored-object.js';
import { StoredIndexSource } from '../../../lib/search/mapping/document-source.js';
import { FULL_ACCESS } from '../../../lib/search/matching/acl-filter.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { IndexFormStore } from '../../../lib/stores/search/indexed-form-store.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchNode } from '../../support/search-node.js';
import { watchedDatabase } from '../../support/watched-database.js';

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

        /** Reads documents as the service does; `between` runs after each reading of objects, before that of their forms. */
        function sourceWith(between: (reading: number) => Promise<void>): StoredIndexSource {

            let reading = 0;
            const forms = new IndexFormStore(watchedDatabase(database, (sql) => (sql.includes('index_forms') ? between(++reading) : undefined)));
            return new StoredIndexSource({
                objects: new ObjectScan(database), forms, refresh: async () => {},
                texts: {
                    of: async (objects: readonly StoredObject[]) => new Map(objects.map(({ id }) => [id, { texts: new Map(), isPending: false, reasons: [] }]))
                } as never,
                catalog: { current: { get: () => null, design: { searchLanguage: null }, prefix: 'test' } } as never
            });
        }

        const CHANGES: readonly (readonly [what: string, before: IndexedForm | null, after: IndexedForm | null, found: string])[] = [
            ['gets a form', null, { ...FORM, content: { title: 'newer' } }, 'newer'],
            ['gets another form', FORM, { ...FORM, content: { title: 'newer' } }, 'newer'],
            ['loses its form', FORM, null, 'stored']
        ];
        for (const [what, before, after, found] of CHANGES) {
            it(`are those of the state that is indexed, of an object that ${what} while it is read`, async () => {

                await node.write(null, object(1), before);
                let txnId = 1;
                const source = sourceWith(async (reading) => {

                    await (reading % 2 === 1 ? node.write(object(txnId), object(++txnId), after) : Promise.resolve());
                });

                const { documents: [byId] } = await source.byIds(['test/1']);
                expect(JSON.stringify([byId?.content['title'], byId?.metadata.txnId])).to.equal(JSON.stringify([found, 2]));
                const [paged] = await source.after('');
                expect(JSON.stringify([paged?.content['title'], paged?.metadata.txnId])).to.equal(JSON.stringify([found, 3]));
            });
        }

        it('leave out an object that is changed at each reading, and none beside it', async () => {

            await node.write(null, object(1), FORM);
            const others = ['test/0', 'test/2'].map((id) => ({ ...object(1, { title: 'other' }), id }));
            await Promise.all(others.map((other) => node.write(null, other)));
            const source = sourceWith((reading) => node.write(object(reading), object(reading + 1), FORM));

            const { documents, changing } = await source.byIds(['test/0', 'test/1', 'test/2']);
            expect([documents.map(({ id }) => id).sort(), [...changing]]).to.equal([['test/0', 'test/2'], ['test/1']]);
            expect((await source.after('')).map(({ id }) => id)).to.equal(['test/0', 'test/2']);
        });

        it('leave out an object that is deleted while it is read', async () => {

            await node.write(null, object(1), FORM);
            const source = sourceWith((reading) => (reading === 1 ? node.write(object(1), null) : Promise.resolve()));

            expect(await source.byIds(['test/1'])).to.equal({ documents: [], changing: new Set() });
            expect(await source.after('')).to.equal([]);
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
