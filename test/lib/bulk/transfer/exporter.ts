/** An export is complete, or says that it is not. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database } from '../../../../db/database.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesOf } from '../../../../lib/doip/segments.js';
import { CatalogStore } from '../../../../lib/stores/catalog-store.js';
import { SettingStore, UPLOAD_SETTING } from '../../../../lib/stores/setting-store.js';
import { gather } from '../../../support/bytes.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, envelope, startGateway, type TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`an export on ${name}`, () => {

        let place: TestDatabase;
        let gateway: TestGateway;
        let db: Database;

        before(async () => {

            place = await create();
            gateway = await startGateway(place);
            db = await place.open();
            for (let n = 0; n < 20; ++n) {
                await gateway.create('Document', { text: 'x'.repeat(10_000) }, { id: `test/${n}` });
            }
        });

        after(async () => {

            await gateway.stop();
            await place.dispose();
        });

        /** Begins an export, and reads the first part of it. */
        const begin = async (): Promise<AsyncGenerator<Uint8Array>> => {

            const { output } = await gateway.gateway.perform(envelope(Op.exportObjects, { authentication: ADMIN }));
            const body = bytesOf(output)[Symbol.asyncIterator]() as AsyncGenerator<Uint8Array>;
            expect(Buffer.from((await body.next()).value as Uint8Array).toString()).to.startWith('{"export":1');
            return body;
        };

        const upload = async (): Promise<void> => {

            const input = [{ id: 'test/new', type: 'Document', content: {} }];
            expect((await gateway.asAdmin(Op.uploadObjects, { input })).status).to.equal('0.DOIP/Status.001');
        };

        /** As by an upload that has begun and not ended. */
        const setRunning = async (isRunning: boolean): Promise<void> => {

            const settings = new SettingStore(db);
            const steps = isRunning ? settings.insertSteps(UPLOAD_SETTING, '1', 'taken') : settings.removeSteps(UPLOAD_SETTING, '1');
            await db.commit({ steps: [...steps, new CatalogStore(db).bumpStep()] });
        };

        it('is refused while an upload of objects is in progress', async () => {

            await setRunning(true);
            const { http, value } = await gateway.asAdmin(Op.exportObjects);
            await setRunning(false);

            expect([http, value as object]).to.equal([503, { message: 'an upload of objects is in progress, try again later' }]);
            expect(String((await gateway.asAdmin(Op.exportObjects)).output[0])).to.match(/\{"end":true,"objects":\d+\}\n$/);
        });

        it('has no last line when an upload of objects has begun meanwhile', async () => {

            const body = await begin();
            await setRunning(true);

            await expect(gather(body)).to.reject('an upload of objects is in progress, try again later');
            await setRunning(false);
        });

        it('has no last line when an upload of objects has begun and ended meanwhile', async () => {

            const body = await begin();
            await upload();

            await expect(gather(body)).to.reject('objects were uploaded during the export, which is not complete');
        });

        it('is complete beside other changes', async () => {

            const body = await begin();
            await gateway.create('Schema', { identifier: '', name: 'Late', schema: {} });
            await gateway.create('Document', {});

            expect((await gather(body)).toString()).to.match(/\{"end":true,"objects":\d+\}\n$/);
        });
    });
});
