/** What is said of a change that was made when what follows it fails: never that it may be repeated. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DatabaseError } from '../../../db/errors.js';
import type { DatabaseErrorKind } from '../../../db/errors.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { UNKNOWN_OUTCOME } from '../../../lib/errors/errors.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a change that was made', () => {

    let place: TestDatabase;
    let gateway: TestGateway;

    before(async () => {

        place = await createSqlite();
        gateway = await startGateway(place, { auditDays: 1 });
    });

    after(async () => {

        await gateway.stop();
        await place.dispose();
    });

    const faults: DatabaseErrorKind[] = ['unavailable', 'full', 'stalled', 'failed'];
    for (const fault of faults) {
        it(`is not answered with 503 when its entry in the audit log cannot be stored (${fault})`, async () => {

            const { value } = await gateway.asAdmin(Op.keysCreate, { input: { name: `key ${fault}` } });
            const { id: keyId } = value as { id: string };
            const trail = gateway.gateway.services.auditTrail!;
            const { performed } = trail;
            trail.performed = () => Promise.reject(new DatabaseError(fault, 'the database is away'));
            const answer = await gateway.asAdmin(Op.keysRevoke, { attributes: { keyId } });
            trail.performed = performed;
            const keys = await gateway.asAdmin(Op.keysList);

            expect(JSON.stringify(keys.value)).to.not.include(keyId);
            expect(answer).to.include({ status: '0.DOIP/Status.500', http: undefined });
            expect(answer.value).to.include({ message: UNKNOWN_OUTCOME });
            expect(answer.attributes).to.not.include('retryAfter');
        });
    }
});
