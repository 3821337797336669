/** Legacy sessions by their three operations. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts } from '../../../support/accounts.js';
import { createSqlite } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';
import type { TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';

describe('session operations', () => {

    let place: TestDatabase;
    let test: TestGateway;
    let ann: string;

    before(async () => {

        place = await createSqlite();
        test = await startGateway(place);
        await defineAccounts(test);
        ann = (await test.create(ACCOUNT, account('ann'))).id;
    });

    after(async () => {

        await test.stop();
        await place.dispose();
    });

    async function setSessions(members: JsonObject): Promise<void> {

        const { value } = await test.asAdmin(Op.retrieve, { targetId: 'design' });
        const { content } = (value as { attributes: { content: JsonObject } }).attributes;
        await test.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content: { ...content, ...members } } } });
    }

    it('are rejected while the design disables them', async () => {

        await setSessions({ useLegacySessionsApi: false });

        for (const operation of [Op.sessionsCreate, Op.sessionsGet, Op.sessionsDelete]) {
            const { status, value } = await test.perform(operation, { authentication: basic('ann') });

            expect(status).to.equal(UNAUTHENTICATED);
            expect(value).to.equal({ message: 'Legacy sessions disabled on this Cordra' });
        }
    });

    it('begin, show and end a session', async () => {

        await setSessions({ useLegacySessionsApi: true, cookies: { jsessionid: { path: '/x' } } });

        const begun = await test.perform(Op.sessionsCreate, { authentication: basic('ann') });
        expect(begun.value).to.include({ isActiveSession: true, userId: ann, username: 'ann', groupIds: [] });
        expect((begun.value as JsonObject).typesPermittedToCreate).to.be.an.array();
        expect(begun.attributes['cookies']).to.equal({ jsessionid: { path: '/x' } });
        const authentication = begun.attributes['session'] as JsonObject;

        const brief = await test.perform(Op.sessionsGet, { authentication });
        expect(Object.keys(brief.value as object)).to.equal(['isActiveSession', 'userId', 'username', 'typesPermittedToCreate']);
        const full = await test.perform(Op.sessionsGet, { authentication, attributes: { full: true } });
        expect(Object.keys(full.value as object)).to.equal(['isActiveSession', 'userId', 'username', 'typesPermittedToCreate', 'groupIds']);
        expect((await test.perform(Op.checkCredentials, { authentication })).value).to.include({ active: true, userId: ann });

        const ended = await test.perform(Op.sessionsDelete, { authentication });
        expect(ended.value).to.equal({ isActiveSession: false, typesPermittedToCreate: [] });
        expect((await test.perform(Op.sessionsGet, { authentication })).status).to.equal(UNAUTHENTICATED);
    });

    it('ignore other credentials', async () => {

        await setSessions({ useLegacySessionsApi: true });

        expect((await test.perform(Op.sessionsGet)).value).to.equal({ isActiveSession: false, typesPermittedToCreate: [] });
        expect((await test.perform(Op.sessionsGet, { authentication: basic('ann') })).value).to.equal({ isActiveSession: false, typesPermittedToCreate: [] });
        expect((await test.perform(Op.sessionsDelete, { authentication: basic('ann') })).status).to.equal(OK);
    });

    it('are not created anonymously', async () => {

        await setSessions({ useLegacySessionsApi: true });

        expect((await test.perform(Op.sessionsCreate)).status).to.equal(UNAUTHENTICATED);
    });
});
