/** Script modules that are compared with a state of the others which is not the stored one any more. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Policy } from '../../../../lib/identity/access/access-policy.js';
import { SERVICE } from '../../../../lib/model/caller.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import type { ObjectChange } from '../../../../lib/model/write-participant.js';
import { ModuleParticipant } from '../../../../lib/scripting/hooks/module-participant.js';
import { ModuleRules } from '../../../../lib/scripting/hooks/module-permissions.js';
import { CATALOG_CHANGED, CatalogStore } from '../../../../lib/stores/catalog-store.js';
import { ObjectStore } from '../../../../lib/stores/objects/object-store.js';
import { ScriptModuleStore } from '../../../../lib/stores/script-module-store.js';
import { forEachDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { describe, it } = lab;

function provider(id: string, file: string): ObjectChange {

    const element = { name: file, filename: null, mediaType: null, size: 0, blobId: 1, store: 'database', hash: null };
    const after = {
        id, type: 'Modules', content: {}, acl: null, userMetadata: null, elements: [element],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 }
    } as unknown as StoredObject;
    const processed = { content: {}, annotations: [], references: [], roles: { secure: [] }, moduleDirectory: '/own' };
    return { before: null, after, processed, steps: [], caller: SERVICE, now: 1 };
}

forEachDatabase((name, create) => {

    describe(`script modules on ${name} that were prepared by two nodes`, () => {

        it('are stored for the first one only, unless they are of a restored object, or none are added', async () => {

            const place = await create();
            const db = await place.open();
            const [catalogStore, objects] = [new CatalogStore(db), new ObjectStore(db)];
            const { storedTypes } = (await objects.view('test/none')).epochs;
            const catalog = { moduleDirectories: new Map<string, string>(), moduleFiles: [], storedEpoch: storedTypes };
            const rules = new ModuleRules({ catalog, policy: {} as Policy });
            const participant = new ModuleParticipant({ modules: new ScriptModuleStore(db), catalogStore, rules });
            const prepared = (change: ObjectChange, isRestored = false): ObjectChange => ({ ...change, addsModules: rules.check(change, isRestored) });
            const [first, second, restored] = [
                prepared(provider('test/a', 'x.js')), prepared(provider('test/b', 'x.js')), prepared(provider('test/c', 'x.js'), true)
            ].map((change) => participant.steps(change));

            const outcomes = [];
            for (const steps of [first!, second!, restored!]) {
                const { ok, ...rest } = await db.commit({ steps });
                outcomes.push('failed' in rest ? rest.failed : ok);
            }

            expect(outcomes).to.equal([true, CATALOG_CHANGED, true]);
            expect([...await new ScriptModuleStore(db).directories()]).to.equal([['test/a', '/own'], ['test/c', '/own']]);
            await place.dispose();
        });
    });
});
