/** API keys of the administrator: those that are restricted to types have none of the rights that the administrator has beyond types. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { account, ACCOUNT, basic, defineAccounts, TEAM } from '../../../support/accounts.js';
import { createSqlite, type TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway, type Answer, type TestGateway } from '../../../support/gateway.js';
import { defineType, OPEN_SCHEMA } from '../../../support/type-code.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const FORBIDDEN = '0.DOIP/Status.103';
const NOT_FOUND = '0.DOIP/Status.104';
const CONFLICT = '0.DOIP/Status.105';
const INTERNAL = '0.DOIP/Status.500';

const PROVIDER: JsonObject = {
    type: 'object', required: ['id', 'directory'],
    properties: { ...OPEN_SCHEMA['properties'] as JsonObject, directory: { type: 'string', cordra: { referrable: { id: true, payloads: 'scripts' } } } }
};

describe('an API key of the administrator', () => {

    let place: TestDatabase;
    let test: TestGateway;
    let whole: JsonObject;
    let restricted: JsonObject;

    before(async () => {

        place = await createSqlite();
        test = await startGateway(place, { quotas: { countUsage: true, userObjects: 0, userBytes: 0, typeObjects: 0, typeBytes: 0 } });
        await defineAccounts(test);
        await test.create(ACCOUNT, account('ann'), { id: 'test/ann' });
        await defineType(test, 'Note', `exports.methods = { fail: () => { throw new Error('what another object has'); } };`);
        await test.create('Note', {}, { id: 'test/note' });
        for (const type of ['Modules', 'Others']) {
            await test.create('Schema', { identifier: '', name: type, schema: PROVIDER });
        }

        expect((await provide(ADMIN, 'Others', 'test/theirs')).status).to.equal(OK);
        [whole, restricted] = [await keyOf({}), await keyOf({ types: ['Note', 'Modules', TEAM] })];
    });

    after(async () => {

        await test.stop();
        await place.dispose();
    });

    let number = 0;

    async function keyOf(scope: JsonObject): Promise<JsonObject> {

        const { status, value } = await test.asAdmin(Op.keysCreate, { input: { name: `key ${++number}`, ...scope } });
        expect(status, JSON.stringify(value)).to.equal(OK);
        return { token: (value as { key: string }).key };
    }

    function provide(authentication: JsonObject, type: string, id: string): Promise<Answer> {

        return test.perform(Op.create, { authentication, input: [
            jsonSegment({ id, type, attributes: { content: { id: '', directory: '/own' } } }), jsonSegment({ id: 'a.js' }), bytesSegment(Buffer.from('exports.by = 1;'))
        ] });
    }

    /** An id to which somebody else has opened an object. */
    async function namedByAnn(): Promise<string> {

        const id = `test/named-${++number}`;
        const { status } = await test.perform(Op.create, { authentication: basic('ann'), input: {
            type: 'Document', attributes: { content: { name: 'x' }, acl: { readers: [id], writers: ['test/ann'] } }
        } });
        expect(status).to.equal(OK);
        return id;
    }

    const RIGHTS: readonly (readonly [what: string, use: (authentication: JsonObject) => Promise<Answer>, refused: string, withWhole: string])[] = [
        ['the usage of another user', (authentication) => test.perform(Op.usage, { authentication, attributes: { user: 'test/ann' } }), FORBIDDEN, OK],
        ['the usage of a type', (authentication) => test.perform(Op.usage, { authentication, attributes: { type: 'Document' } }), FORBIDDEN, OK],
        ['the rights of a user of another type', (authentication) => test.perform(Op.rightsExplain, {
            authentication, targetId: 'test/note', attributes: { user: 'test/ann' }
        }), NOT_FOUND, OK],
        ['an id that stands for another user', async (authentication) => test.perform(Op.create, { authentication, input: {
            id: await namedByAnn(), type: TEAM, attributes: { content: { members: [] } }
        } }), CONFLICT, OK]
    ];
    for (const [what, use, refused, withWhole] of RIGHTS) {
        it(`that is restricted to types does not give ${what}`, async () => {

            expect([(await use(restricted)).status, (await use(whole)).status]).to.equal([refused, withWhole]);
        });
    }

    it('that is restricted to types shows its own usage', async () => {

        expect((await test.perform(Op.usage, { authentication: restricted })).status).to.equal(OK);
    });

    it('that is restricted to types shows no details of errors in type code', async () => {

        const call = async (authentication: JsonObject): Promise<unknown[]> => {

            const { status, value } = await test.perform(Op.call, { authentication, targetId: 'test/note', attributes: { method: 'fail' } });
            return [status, (value as { message: string }).message];
        };

        expect(await call(restricted)).to.equal([INTERNAL, 'Something went wrong. Contact your sysadmin.']);
        expect(await call(whole)).to.equal([INTERNAL, 'the script of type Note failed: what another object has']);
    });

    it('that is restricted to types does not show whose module is in the way', async () => {

        const messageFor = async (authentication: JsonObject): Promise<unknown[]> => {

            const { status, value } = await provide(authentication, 'Modules', 'test/mine');
            return [status, (value as { message: string }).message];
        };

        expect(await messageFor(restricted)).to.equal([CONFLICT, 'module /own/a.js would take the place of that of another object']);
        expect(await messageFor(whole)).to.equal([CONFLICT, 'module /own/a.js would take the place of /own/a.js of object test/theirs']);
    });
});
