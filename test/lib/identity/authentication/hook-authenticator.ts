/** The place of the authenticate hook: when it is asked, what its answers mean, and that it never locks out admin. */

import { generateKeyPairSync } from 'node:crypto';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError, tooManyRequests, unavailable } from '../../../../lib/errors/errors.js';
import { ForPrimary } from '../../../../lib/errors/for-primary.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { jwt } from '../../../support/accounts.js';
import { createSqlite } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit, INTERNAL } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the authenticate hook', () => {

    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const TOKEN = 'foreign.token.x';
    let place: TestDatabase;
    let kit: IdentityKit;

    before(async () => {

        place = await createSqlite();
        kit = new IdentityKit(await place.open());
        await kit.addUser('test/ann', { username: 'ann' });
        await kit.addUser('test/idle', { username: 'idle', active: false });
        await kit.setGroup('test/inner', ['orcid/1', 'test/ann']);
        await kit.setGroup('test/outer', ['test/inner', 'claimed']);
        await kit.db.commit({ steps: kit.credentials.putSteps('admin', await kit.passwords.hash('secret', 'a')) });
    });

    after(() => place.dispose());

    /** A node whose hook gives one answer, and what the hook was told. */
    function nodeWith(answer: JsonObject | null | Error, now?: () => number) {

        const asked: JsonObject[] = [];
        const hook = async (info: JsonObject): Promise<JsonObject | null> => {

            asked.push(info);
            if (answer instanceof Error) {
                throw answer;
            }

            return answer;
        };

        const design = { adminPublicKey: publicKey.export({ format: 'jwk' }) as JsonObject, useLegacySessionsApi: true };
        return { asked, node: kit.node({ hook, design, ...now ? { now } : {} }) };
    }

    const answers: readonly (readonly [title: string, answer: JsonObject, expected: object | null])[] = [
        ['a user without object', { active: true, userId: 'orcid/1' },
            { userId: 'orcid/1', username: null, groupIds: ['test/inner', 'test/outer'], isAuthenticated: false, isAdmin: false, method: 'hook' }],
        ['a name', { active: true, userId: 'orcid/2', username: 'Somebody' }, { userId: 'orcid/2', username: 'Somebody', groupIds: [] }],
        ['access like that of users', { active: true, userId: 'orcid/2', grantAuthenticatedAccess: true }, { isAuthenticated: true }],
        ['groups of its own, with the groups that list them', { active: true, userId: 'orcid/2', groupIds: ['claimed'] },
            { groupIds: ['claimed', 'test/outer'] }],
        ['groups instead of group objects', { active: true, userId: 'orcid/1', groupIds: ['claimed'], bypassCordraGroupObjects: true },
            { groupIds: ['claimed'] }],
        ['a user with an object', { active: true, userId: 'test/ann' },
            { userId: 'test/ann', username: 'ann', isAuthenticated: true, groupIds: ['test/inner', 'test/outer'] }],
        ['a username alone', { active: true, username: 'ANN' }, { userId: 'test/ann', username: 'ann' }],
        ['an administrator', { active: true, userId: 'admin' }, { userId: 'admin', isAdmin: true }],
        ['nobody', { active: true }, null],
        ['an unknown username alone', { active: true, username: 'nobody' }, null],
        ['somebody who is not active', { active: false, userId: 'test/ann' }, null],
        ['no word about being active', { userId: 'test/ann' }, null],
        ['an end that cannot be read', { active: true, userId: 'test/ann', exp: 'tomorrow' }, null],
        ['an end that has passed', { active: true, userId: 'test/ann', exp: 1 }, null],
        ['an end beyond all numbers', { active: true, userId: 'test/ann', exp: 1e300 }, { userId: 'test/ann' }],
        ['an id that is too long', { active: true, userId: 'x'.repeat(256) }, null],
        ['an id with half a character', { active: true, userId: 'test/\ud800' }, null],
        ['groups that cannot be', { active: true, userId: 'orcid/2', groupIds: ['', 7, null, 'x'.repeat(256), 'fine'] }, { groupIds: ['fine'] }],
        ['members of the wrong kind', { active: 'true', userId: 7, groupIds: 'x', exp: 'y' }, null],
        ['an inactive account', { active: true, userId: 'test/idle' }, null]
    ];

    for (const [title, answer, expected] of answers) {
        it(`identifies ${title}`, async () => {

            const { node } = nodeWith(answer);

            const result = await kit.authenticate(node, { token: TOKEN }).catch((error: unknown) => {

                expect(error).to.be.an.instanceof(DoipError).and.to.include({ status: '0.DOIP/Status.102' });
                return null;
            });

            if (expected === null) {
                expect(result === null).to.be.true();
            }
            else {
                expect({ ...result }).to.include(expected);
            }
        });
    }

    it('is called for passwords, assertions and unknown tokens, not for access tokens of the service', async () => {

        const { asked, node } = nodeWith(null);
        const { token } = await node.tokens.grant({ username: 'ann', password: 'secret' }, INTERNAL);
        asked.length = 0;

        await kit.authenticate(node, { token });
        expect<unknown>(asked).to.equal([]);

        await kit.authenticate(node, { username: 'ann', password: 'secret' });
        await expect(kit.authenticate(node, { token: 'unknown' })).to.reject(DoipError);
        await expect(kit.authenticate(node, { token: TOKEN, asUserId: 'x' })).to.reject(DoipError);
        await kit.authenticate(node, {});
        expect<unknown>(asked).to.equal([{ username: 'ann', password: 'secret' }, { token: 'unknown' }, { token: TOKEN, asUserId: 'x' }]);
    });

    it('falls back to keys and passwords when it returns null', async () => {

        const { node } = nodeWith(null);

        expect(await kit.authenticate(node, { username: 'ann', password: 'secret' })).to.include({ userId: 'test/ann', method: 'password' });
    });

    for (const [title, answer] of [['fails', new Error('broken')], ['lets nobody in', { active: false }]] as const) {
        it(`rejects all but admin when it ${title}`, async () => {

            const { node } = nodeWith(answer);

            await expect(kit.authenticate(node, { username: 'ann', password: 'secret' })).to.reject(DoipError, 'Authentication failed');
            await expect(kit.authenticate(node, { username: 'Admin', password: 'wrong' })).to.reject(DoipError, 'Authentication failed');
            expect((await kit.authenticate(node, { username: 'Admin', password: 'secret' })).isAdmin).to.be.true();
            expect((await kit.authenticate(node, { token: jwt(privateKey, { iss: 'admin' }) })).isAdmin).to.be.true();
        });
    }

    for (const [title, refusal] of [['too many wait for it', tooManyRequests('too many', 2)], ['all threads are busy', unavailable('busy', 2)]] as const) {
        it(`refuses all but admin, with its error, when ${title}`, async () => {

            const { node } = nodeWith(refusal);

            await expect(kit.authenticate(node, { username: 'ann', password: 'secret' })).to.reject(DoipError, refusal.message);
            await expect(kit.authenticate(node, { token: TOKEN })).to.reject(DoipError, refusal.message);
            expect((await kit.authenticate(node, { username: 'Admin', password: 'secret' })).isAdmin).to.be.true();
        });
    }

    it('is called again only after its result has expired', async () => {

        const clock = { now: Date.now() };
        const answer = { active: true, userId: 'orcid/1', exp: Math.floor(clock.now / 1000) + 60 };
        const { asked, node } = nodeWith(answer, () => clock.now);

        await kit.authenticate(node, { token: TOKEN });
        await kit.authenticate(node, { token: TOKEN });
        expect(asked).to.have.length(1);

        await kit.authenticate(node, { token: `${TOKEN}y` });
        clock.now += 61_000;
        await expect(kit.authenticate(node, { token: TOKEN })).to.reject(DoipError);
        answer.exp += 120;
        await kit.authenticate(node, { token: TOKEN });
        expect(asked).to.have.length(4);
    });

    it('is called each time for a result without expiry, and after a change of the design', async () => {

        const timeless = nodeWith({ active: true, userId: 'orcid/1' });
        const lasting = nodeWith({ active: true, userId: 'orcid/1', exp: Math.floor(Date.now() / 1000) + 60 });
        const request = { authentication: { token: TOKEN }, clientId: null, transport: INTERNAL };

        await kit.authenticate(timeless.node, { token: TOKEN });
        await kit.authenticate(timeless.node, { token: TOKEN });
        await lasting.node.authenticator.authenticate(request, undefined, { types: 1, identity: 1, storedTypes: 1 });
        await lasting.node.authenticator.authenticate(request, undefined, { types: 2, identity: 1, storedTypes: 1 });

        expect([timeless.asked.length, lasting.asked.length]).to.equal([2, 2]);
    });

    it('is called once for concurrent requests with the same credentials', async () => {

        const { asked, node } = nodeWith({ active: true, userId: 'orcid/1' });

        const callers = await Promise.all(Array.from({ length: 20 }, () => kit.authenticate(node, { token: TOKEN })));

        expect(callers.map(({ userId }) => userId)).to.equal(Array<string>(20).fill('orcid/1'));
        expect(asked.length).to.be.below(20);
    });

    it('can be added, replaced and removed', async () => {

        const { asked, node } = nodeWith({ active: true, userId: 'orcid/1', exp: Math.floor(Date.now() / 1000) + 60 });
        await kit.authenticate(node, { token: TOKEN });

        const other = async (): Promise<JsonObject> => ({ active: true, userId: 'orcid/2' });
        node.useAuthenticateHook(() => other);
        const second = await kit.authenticate(node, { token: TOKEN });
        node.useAuthenticateHook(() => null);

        await expect(kit.authenticate(node, { token: TOKEN })).to.reject(DoipError);
        expect([asked.length, second.userId]).to.equal([1, 'orcid/2']);
    });

    it('is subject to the login throttle, which is reset by a success', async () => {

        const { node } = nodeWith(null);
        const strict = async ({ password = '' }: JsonObject): Promise<JsonObject> => ({ active: password === 'right', userId: 'orcid/1' });
        node.useAuthenticateHook(() => strict);
        const count = async (): Promise<number> =>
            (await kit.db.read<{ n: number }>({ sql: 'select count(*) as n from back_off' }, []))[0]?.n ?? 0;
        const before = await count();

        await expect(kit.authenticate(node, { username: 'slow', password: 'wrong' })).to.reject(DoipError);
        const failed = await count();
        await kit.authenticate(node, { username: 'slow', password: 'right' });

        expect([failed - before, await count() - before]).to.equal([2, 0]);
    });

    it('issues tokens for ids and any number of groups that can be stored', async () => {

        const groupIds = Array.from({ length: 2_000 }, (_, i) => `claimed/${i}`);
        const { node } = nodeWith({ active: true, userId: 'orcid/many', groupIds, exp: 1e300 });

        const { token, caller } = await node.tokens.grant({ username: 'many', password: 'x' }, INTERNAL);

        expect(caller.groupIds).to.have.length(1_000);
        expect((await kit.authenticate(node, { token })).groupIds).to.have.length(1_000);
    });

    it('decides who may act as another user, except admin', async () => {

        const { node } = nodeWith({ active: true, userId: 'orcid/1', asUserId: 'test/ann' });

        expect(await kit.authenticate(node, { token: TOKEN, asUserId: 'test/ann' })).to.include({ userId: 'test/ann', method: 'as-user' });
        await expect(kit.authenticate(node, { token: TOKEN, asUserId: 'test/idle' })).to.reject(DoipError);
        const greedy = nodeWith({ active: true, userId: 'orcid/1', asUserId: 'admin' });
        await expect(kit.authenticate(greedy.node, { token: TOKEN, asUserId: 'admin' })).to.reject(DoipError);
    });

    it('leaves callers to another process where nothing can be written, until their ids are recorded', async () => {

        const groupIds = Array.from({ length: 600 }, (_, i) => `elsewhere/team${i}`);
        const answer = { active: true, userId: 'elsewhere/many', groupIds };
        const reader = (more: readonly string[]) => kit.node({ isReadOnly: true, hook: async () => ({ ...answer, groupIds: [...groupIds, ...more] }) });
        const [same, larger] = [reader([]), reader(['elsewhere/another'])];
        await expect(kit.authenticate(same, { token: TOKEN })).to.reject(ForPrimary);

        await kit.authenticate(nodeWith(answer).node, { token: TOKEN });

        expect((await kit.authenticate(same, { token: TOKEN })).groupIds).to.include(groupIds);
        await expect(kit.authenticate(larger, { token: TOKEN })).to.reject(ForPrimary);
    });

    it('issues access tokens that keep its result until it expires', async () => {

        const clock = { now: Date.now() };
        const exp = Math.floor(clock.now / 1000) + 60;
        const answer = { active: true, userId: 'orcid/9', username: 'Nine', groupIds: ['claimed'], grantAuthenticatedAccess: true, exp };
        const { asked, node } = nodeWith(answer, () => clock.now);
        const { token } = await node.tokens.grant({ username: 'nine', password: 'x' }, INTERNAL);

        const caller = await kit.authenticate(node, { token });

        expect(caller).to.include({ userId: 'orcid/9', username: 'Nine', groupIds: ['claimed', 'test/outer'], isAuthenticated: true, method: 'token' });
        expect(asked).to.have.length(1);
        clock.now += 61_000;
        await expect(kit.authenticate(node, { token })).to.reject(DoipError);
    });

    it('issues tokens whose sessions expire when they do', async () => {

        const clock = { now: Date.now() };
        const exp = Math.floor(clock.now / 1000) + 60;
        const { node } = nodeWith({ active: true, userId: 'orcid/9', exp }, () => clock.now);
        const { token } = await node.tokens.grant({ username: 'nine', password: 'x' }, INTERNAL);
        const still = (): Promise<void> => Promise.resolve();
        const first = await node.sessions.create(await kit.authenticate(node, { token }), still);
        const second = await node.sessions.create(await kit.authenticate(node, { ...first }), still);

        expect((await kit.authenticate(node, { ...second })).userId).to.equal('orcid/9');
        clock.now += 61_000;
        await expect(kit.authenticate(node, { ...first })).to.reject(DoipError);
        await expect(kit.authenticate(node, { ...second })).to.reject(DoipError);
    });

    it('takes a new user object into account within a second', async () => {

        const clock = { now: Date.now() };
        const { node } = nodeWith({ active: true, userId: 'test/late' }, () => clock.now);
        expect((await kit.authenticate(node, { token: TOKEN })).isAuthenticated).to.be.false();

        await kit.addUser('test/late', { username: 'late' });
        clock.now += 1_001;

        expect(await kit.authenticate(node, { token: TOKEN })).to.include({ isAuthenticated: true, username: 'late' });
    });
});
