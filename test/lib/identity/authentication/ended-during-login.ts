/** Logins whose credentials end after they were verified, before the token is stored: no token outlives them, on every database. */

import { generateKeyPairSync } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database, Unit } from '../../../../db/database.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { Identity } from '../../../../lib/identity/identity.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { jwt } from '../../../support/accounts.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { IdentityKit, INTERNAL } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const [OWN, OTHER] = [0, 1].map(() => {

    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return { publicKey: publicKey.export({ format: 'jwk' }) as JsonObject, privateKey };
}) as [Pair, Pair];

type Pair = { readonly publicKey: JsonObject; readonly privateKey: ReturnType<typeof generateKeyPairSync>['privateKey'] };

const USERS = ['test/ann', 'admin'];
const KEYED = { username: 'ann', publicKey: OWN.publicKey };

/** Calls a function before the next token is inserted. */
function beforeTokens(database: Database, takeWork: () => (() => Promise<unknown>) | null): Database {

    return new Proxy(database, {
        get(target, key) {

            const value: unknown = Reflect.get(target, key, target);
            return key !== 'commit' ? (typeof value === 'function' ? value.bind(target) as unknown : value) : async (unit: Unit) => {

                await (unit.steps.some(({ sql }) => /^insert into .tokens/.test(sql)) ? takeWork()?.() : null);
                return target.commit(unit);
            };
        }
    });
}

forEachDatabase((name, create) => {

    describe(`a login on ${name} whose credentials end before its token is there`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;
        let node: Identity;
        let design: JsonObject;
        let stored: JsonObject;
        let work: (() => Promise<unknown>) | null = null;

        before(async () => {

            place = await create();
            kit = new IdentityKit(beforeTokens(await place.open(), () => {

                const taken = work;
                work = null;
                return taken;
            }));
            node = kit.node({ changingDesign: { current: () => design, renew: async () => void (design = stored) } });
            await kit.addUser('test/ann', KEYED);
        });

        after(() => place.dispose());

        beforeEach(async () => {

            design = stored = { adminPublicKey: OWN.publicKey };
            await kit.updateUser('test/ann', KEYED);
            await Promise.all(USERS.map((id) => node.accessTokens.revokeAllOfUser(id)));
        });

        const signed = (iss: string): JsonObject => ({
            grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: jwt(OWN.privateKey, { iss })
        });

        const tokens = async (): Promise<number> => (await Promise.all(USERS.map((id) => kit.tokenStore.ofUser(id)))).flat().length;

        const logins: readonly (readonly [title: string, request: () => JsonObject, end: () => Promise<unknown>])[] = [
            ['an assertion, and another key', () => signed('ann'), () => kit.updateUser('test/ann', { ...KEYED, publicKey: OTHER.publicKey })],
            ['an assertion, and no key any more', () => signed('ann'), () => kit.updateUser('test/ann', { username: 'ann' })],
            ['an assertion, and an inactive user', () => signed('ann'), () => kit.updateUser('test/ann', { ...KEYED, active: false })],
            ['a password, and an inactive user', () => ({ username: 'ann', password: 'secret' }), () => kit.updateUser('test/ann', { ...KEYED, active: false })],
            ['an assertion of admin, and another key in the design of another node', () => signed('admin'), async () => {

                stored = { adminPublicKey: OTHER.publicKey };
            }],
            ['an assertion of admin, and no key in the design any more', () => signed('admin'), async () => void (stored = {})]
        ];

        for (const [title, request, end] of logins) {
            it(`has none: ${title}`, async () => {

                work = end;
                const error = await expect(node.tokens.grant(request(), INTERNAL)).to.reject(DoipError);

                expect(error).to.include({ status: '0.DOIP/Status.102' });
                expect<unknown>(error.details?.['error']).to.equal('invalid_grant');
                expect(await tokens()).to.equal(0);
            });
        }

        it('has one when something else of the user changes', async () => {

            for (const request of [signed('ann'), signed('admin'), { username: 'ann', password: 'secret' }]) {
                work = async () => {

                    await kit.setGroup('test/group', ['test/ann'], false);
                    stored = { ...stored, ids: ['here'] };
                };

                const { token, caller } = await node.tokens.grant(request, INTERNAL);

                expect(caller.groupIds).to.equal(caller.userId === 'admin' ? [] : ['test/group']);
                expect((await kit.authenticate(node, { token })).userId).to.equal(caller.userId);
            }
        });
    });
});
