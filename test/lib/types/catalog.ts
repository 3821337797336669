import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Step } from '../../../db/database.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { CatalogStore } from '../../../lib/stores/catalog-store.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import { ScriptModuleStore } from '../../../lib/stores/script-module-store.js';
import { SettingStore } from '../../../lib/stores/setting-store.js';
import { Catalog } from '../../../lib/types/catalog.js';
import { TypeRegistry } from '../../../lib/types/type-registry.js';
import { forEachDatabase, type TestDatabase } from '../../support/database.js';
import { watchedDatabase } from '../../support/watched-database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

function object(id: string, txnId: number, type: string, content: JsonObject): StoredObject {

    const metadata = { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId };
    return { id, type, content, acl: null, userMetadata: null, elements: [], metadata };
}

function schema(txnId: number, name: string): StoredObject {

    return object('test/type', txnId, 'Schema', { name, schema: {} });
}

forEachDatabase((name, create) => {

    describe(`the type catalog on ${name}`, () => {

        it('reaches an epoch that was read before this process committed it', async () => {

            const place = await create();
            // On SQLite the writer is a thread: what it has committed can be read before its message is here.
            const [db, writer] = [await place.open(), await place.open()];
            const store = new ObjectStore(db);
            const rows = new CatalogStore(db);
            const catalog = new Catalog({
                store, rows, modules: new ScriptModuleStore(db), settings: new SettingStore(db), authConfigRules: () => Promise.resolve(new Map()),
                build: (design, schemas, previous) => TypeRegistry.build({ design, schemas, previous, extensionKeyword: 'cordra', prefix: 'test' })
            });
            const design = [1, 4].map((txnId) => object('design', txnId, 'CordraDesign', { n: txnId }));
            const changed = rows.changeSteps('test/type');
            await writer.commit({ steps: [...store.insertSteps(design[0]!, 'taken'), ...store.insertSteps(schema(2, 'Old'), 'taken'), ...changed] });
            const { types } = (await store.view('design')).epochs;
            await catalog.ensure(types);
            const before = [catalog.current.names().at(-1), catalog.current.design.content['n']];

            await writer.commit({ steps: [...store.updateSteps(schema(2, 'Old'), schema(3, 'New'), 'changed'), ...store.updateSteps(design[0]!, design[1]!, 'changed'), ...changed] });
            const shown = await store.freshView('test/type');

            expect(shown.epochs.types).to.equal(types + 1);
            expect<unknown>(shown.object?.content).to.equal({ name: 'New', schema: {} });
            await catalog.ensure(types + 1);
            expect<unknown>([before, [catalog.current.names().at(-1), catalog.current.design.content['n']]]).to.equal([['Old', 1], ['New', 4]]);
            await place.dispose();
        });

        describe('of a process', () => {

            let place: TestDatabase;
            let db: Database;
            let store: ObjectStore;
            let rows: CatalogStore;
            let listed = 0;
            let txnId = 10;
            const stored = new Map<string, StoredObject>();

            const newCatalog = (): Catalog => new Catalog({
                store, rows, modules: new ScriptModuleStore(db), settings: new SettingStore(db), authConfigRules: () => Promise.resolve(new Map()),
                build: (design, schemas, previous) => TypeRegistry.build({ design, schemas, previous, extensionKeyword: 'cordra', prefix: 'test' })
            });

            const put = (id: string, content: JsonObject): Step[] => {

                const [before, after] = [stored.get(id), object(id, ++txnId, 'Schema', content)];
                stored.set(id, after);
                return [...before ? store.updateSteps(before, after, 'changed') : store.insertSteps(after, 'taken'), ...rows.changeSteps(id)];
            };

            const remove = (id: string): Step[] => {

                const before = stored.get(id);
                stored.delete(id);
                return [...before ? store.deleteSteps(before, 'changed') : [], ...rows.changeSteps(id)];
            };

            const renewed = async (catalog: Catalog): Promise<Catalog> => {

                await catalog.ensure((await store.freshView('design')).epochs.types);
                return catalog;
            };

            /** All that a registry says of its types. */
            const facts = ({ current }: Catalog): unknown => [current.names(), current.schemas(), current.schemaIds(),
                ['https://s.example/a', 'https://s.example/b'].map((uri) => current.documentOf(uri)?.name), current.codedNames().sort(), [...current.accessRules.typeNames()].sort()];

            before(async () => {

                place = await create();
                const opened = await place.open();
                db = watchedDatabase(opened, (sql) => {

                    listed += /select `id`, `txn_id` from/.test(sql) ? 1 : 0;
                });
                store = new ObjectStore(db);
                rows = new CatalogStore(db);
                await db.commit({ steps: store.insertSteps(object('design', 1, 'CordraDesign', {}), 'taken') });
            });

            after(() => place.dispose());

            const type = (name: string, more: JsonObject = {}): JsonObject => ({ name, schema: { title: name }, ...more });

            const changes: [title: string, steps: () => Step[]][] = [
                ['is added', () => put('test/a', type('A'))],
                ['is added before it', () => put('test/0', type('Zero'))],
                ['is changed', () => put('test/a', type('A', { schema: { title: 'other' } }))],
                ['is renamed', () => put('test/a', type('B'))],
                ['gets code and a URI', () => put('test/a', type('B', { javascript: 'exports.x = 1;', schema: { $id: 'https://s.example/a' } }))],
                ['gets the same URI', () => put('test/0', type('Zero', { schema: { $id: 'https://s.example/a', title: 'second' } }))],
                ['loses that URI', () => put('test/0', type('Zero'))],
                ['gets another URI', () => put('test/a', type('B', { baseUri: 'https://s.example/b' }))],
                ['swaps its name', () => [...put('test/a', type('Zero')), ...put('test/0', type('B'))]],
                ['has the name of another', () => put('test/c', type('B', { schema: { title: 'shadowed' } }))],
                ['is no longer shadowed', () => remove('test/0')],
                ['loses its schema', () => put('test/c', { name: 'B' })],
                ['is deleted', () => remove('test/a')],
                ['is one of many', () => Array.from({ length: 250 }, (_, i) => put(`test/many${i}`, type(`Many${i}`))).flat()],
                ['is one of many that are deleted', () => Array.from({ length: 100 }, (_, i) => remove(`test/many${i}`)).flat()]
            ];

            it('follows every change as a process that starts anew does', async () => {

                const catalog = await renewed(newCatalog());
                for (const [title, steps] of changes) {
                    await db.commit({ steps: steps() });

                    expect(facts(await renewed(catalog)), title).to.equal(facts(await renewed(newCatalog())));
                }
            });

            it('follows changes by a process of an earlier version, which only raises the epoch', async () => {

                const former = (id: string, content: JsonObject): Step[] => [...put(id, content).slice(0, -2), rows.bumpStep()];
                const catalog = await renewed(newCatalog());
                expect(await db.commit({ steps: former('test/former', type('Former')) })).to.include({ ok: true });
                await renewed(catalog);
                expect(catalog.current.get('Former')?.schemaId).to.equal('test/former');

                await db.commit({ steps: [...put('test/present', type('Present')), ...former('test/former', type('Renamed')), ...put('test/last', type('Last'))] });
                expect(facts(await renewed(catalog))).to.equal(facts(await renewed(newCatalog())));
                expect(catalog.current.get('Renamed')?.schemaId).to.equal('test/former');
            });

            it('reads everything again when the database has lost changes, even when as many others were made since', async () => {

                const catalog = await renewed(newCatalog());
                const { epoch, storedEpoch } = catalog;
                await db.commit({ steps: [...put('test/lost', type('Lost')), ...put('test/lost-too', type('LostToo'))] });
                await renewed(catalog);
                const before = catalog.current.names();
                for (const sql of [
                    'update epochs set types = types - 2', 'delete from objects where id in (\'test/lost\', \'test/lost-too\')',
                    `delete from type_changes where epoch > ${storedEpoch}`
                ]) {
                    await db.commit({ steps: [{ sql, bindings: [] }] });
                }

                stored.delete('test/lost');
                stored.delete('test/lost-too');
                await db.commit({ steps: put('test/found', type('Found')) });
                await renewed(catalog);

                expect(before).to.include(['Lost', 'LostToo']);
                expect(catalog.current.names()).to.include('Found').and.not.include('Lost').and.not.include('LostToo');
                expect(facts(catalog)).to.equal(facts(await renewed(newCatalog())));
                expect([catalog.storedEpoch, catalog.epoch > epoch + 2]).to.equal([storedEpoch + 1, true]);
                await db.commit({ steps: put('test/later', type('Later')) });
                expect((await renewed(catalog)).current.names()).to.include('Later');
            });

            it('is that of the database when another process has read an earlier epoch, as after a loss of changes', async () => {

                const catalog = await renewed(newCatalog());
                const { epoch, storedEpoch } = catalog;
                await db.commit({ steps: put('test/gone', type('Gone')) });
                await catalog.catchUp(storedEpoch + 1);
                const before = [catalog.storedEpoch, catalog.current.names().includes('Gone')];
                for (const sql of [
                    'update epochs set types = types - 1', 'delete from objects where id = \'test/gone\'', `delete from type_changes where epoch > ${storedEpoch}`
                ]) {
                    await db.commit({ steps: [{ sql, bindings: [] }] });
                }

                stored.delete('test/gone');
                await catalog.catchUp(storedEpoch);

                expect(before).to.equal([storedEpoch + 1, true]);
                expect([catalog.storedEpoch, catalog.epoch > epoch + 1, catalog.current.names().includes('Gone')]).to.equal([storedEpoch, true, false]);
            });

            it('is read no second time when another process is behind', async () => {

                await db.commit({ steps: put('test/behind', type('Behind')) });
                const catalog = await renewed(newCatalog());
                const { current, storedEpoch } = catalog;
                await catalog.catchUp(storedEpoch - 1);

                expect(catalog.current === current).to.be.true();
            });

            it('reads what has changed, and lists no types', async () => {

                await db.commit({ steps: put('test/first', type('First')) });
                const catalog = await renewed(newCatalog());
                listed = 0;
                await db.commit({ steps: put('test/second', type('Second')) });
                await renewed(catalog);

                expect(catalog.current.get('Second')?.schemaId).to.equal('test/second');
                expect(listed).to.equal(0);
            });
        });
    });
});
