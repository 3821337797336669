import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { CatalogStore } from '../../../lib/stores/catalog-store.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import { ScriptModuleStore } from '../../../lib/stores/script-module-store.js';
import { SettingStore } from '../../../lib/stores/setting-store.js';
import { Catalog } from '../../../lib/types/catalog.js';
import { TypeRegistry } from '../../../lib/types/type-registry.js';
import { forEachDatabase } from '../../support/database.js';

export const lab = Lab.script();
const { describe, it } = lab;

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
            const catalog = new Catalog({
                store, modules: new ScriptModuleStore(db), settings: new SettingStore(db), authConfigRules: () => Promise.resolve(new Map()),
                build: (design, schemas, previous) => TypeRegistry.build({ design, schemas, previous, extensionKeyword: 'cordra', prefix: 'test' })
            });
            const design = [1, 4].map((txnId) => object('design', txnId, 'CordraDesign', { n: txnId }));
            const bump = new CatalogStore(db).bumpStep();
            await writer.commit({ steps: [...store.insertSteps(design[0]!, 'taken'), ...store.insertSteps(schema(2, 'Old'), 'taken'), bump] });
            const { types } = (await store.view('design')).epochs;
            await catalog.ensure(types);
            const before = [catalog.current.names().at(-1), catalog.current.design.content['n']];

            await writer.commit({ steps: [...store.updateSteps(schema(2, 'Old'), schema(3, 'New'), 'changed'), ...store.updateSteps(design[0]!, design[1]!, 'changed'), bump] });
            const shown = await store.freshView('test/type');

            expect(shown.epochs.types).to.equal(types + 1);
            expect<unknown>(shown.object?.content).to.equal({ name: 'New', schema: {} });
            await catalog.ensure(types + 1);
            expect<unknown>([before, [catalog.current.names().at(-1), catalog.current.design.content['n']]]).to.equal([['Old', 1], ['New', 4]]);
            await place.dispose();
        });
    });
});
