/** Which operations ListOperations has beside those of Cordra, whose clients see them as well. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createSqlite, type TestDatabase } from '../../../support/database.js';
import { startGateway, type TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What Cordra lists for the service. */
const OF_CORDRA = [
    '0.DOIP/Op.Hello', '0.DOIP/Op.ListOperations', '0.DOIP/Op.Search', '0.DOIP/Op.Create', '20.DOIP/Op.Auth.Token', '20.DOIP/Op.Auth.Introspect',
    '20.DOIP/Op.Auth.Revoke', '20.DOIP/Op.ChangePassword', '20.DOIP/Op.CheckCredentials', '20.DOIP/Op.GetInitData', '20.DOIP/Op.ReindexBatch',
    '20.DOIP/Op.BatchUpload', '20.DOIP/Op.HighestSafeTxnIdForSearch', '20.DOIP/Op.GetDesign'
];

describe('the operations that are listed', () => {

    let database: TestDatabase;
    let test: TestGateway;

    before(async () => {

        database = await createSqlite();
        test = await startGateway(database);
    });

    after(async () => {

        await test.stop();
        await database.dispose();
    });

    it('are those of Cordra, and extensions, whose ids tell them apart', async () => {

        const ids = (await test.asAdmin('0.DOIP/Op.ListOperations', { targetId: 'test/service' })).value as string[];
        const ofObject = (await test.perform('0.DOIP/Op.ListOperations', { targetId: 'design' })).value as string[];

        expect(ids.filter((id) => !id.startsWith('gateway/')).toSorted()).to.equal(OF_CORDRA.toSorted());
        expect(ids).to.include(['gateway/Op.Keys.Create', 'gateway/Op.Usage']).and.to.not.include('gateway/Op.Schemas.List');
        expect(ofObject).to.include('gateway/Op.Rights.Explain').and.to.not.include('gateway/Op.Acls.Get');
    });
});
