/** Accounts, login names, groups and secrets written with their objects, on every database. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import { USERNAME_CONFLICT } from '../../../../lib/identity/sync/account-sync.js';
import { secretKey } from '../../../../lib/stores/credential-store.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit, userRoles } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`accounts on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;

        before(async () => {

            place = await create();
            kit = new IdentityKit(await place.open());
        });

        after(() => place.dispose());

        async function members(groupId: string): Promise<string[]> {

            const found: string[] = [];
            let page = await kit.groups.membersAfter(groupId, '');
            while (page.length > 0) {
                found.push(...page);
                page = await kit.groups.membersAfter(groupId, page.at(-1)!);
            }

            return found;
        }

        it('are found by login name in any case', async () => {

            const publicKey = { kty: 'RSA', n: 'x', e: 'AQAB' };
            await kit.addUser('test/find', { username: 'Find.Me', publicKey, mustChange: true });

            const expected = { userId: 'test/find', username: 'Find.Me', active: true, mustChangePassword: true, publicKey };
            expect<unknown>(await kit.accounts.getByName('find.me')).to.equal(expected);
            expect<unknown>(await kit.accounts.get('test/find')).to.equal(expected);
            expect(await kit.accounts.get('test/FIND')).to.be.null();
        });

        it('are unique by username when two are created concurrently, in any case', async () => {

            const failed = await Promise.all(['test/race1', 'test/race2'].map((id, i) => kit.addUser(id, { username: ['RaceÄ', 'raceä'][i]! })));

            expect(failed.toSorted()).to.equal([USERNAME_CONFLICT, null].toSorted());
            const winner = ['test/race1', 'test/race2'][failed.indexOf(null)]!;
            const loser = ['test/race1', 'test/race2'][failed.indexOf(USERNAME_CONFLICT)]!;
            expect((await kit.accounts.getByName('raceä'))?.userId).to.equal(winner);
            expect(await kit.accounts.get(loser)).to.be.null();
            expect(await kit.credentials.get(loser)).to.be.null();
            expect(kit.writer.explain(USERNAME_CONFLICT, { roles: userRoles({ username: 'raceä' }) })?.message).to.equal('Username raceä is not unique.');
        });

        for (const username of ['admin', 'Admin', 'ADMIN']) {
            it(`cannot have the username ${username}, which is the administrator's`, async () => {

                const error = await expect(kit.addUser('test/other', { username })).to.reject(DoipError, `Username ${username} is not unique.`);

                expect(error.status).to.equal('0.DOIP/Status.101');
            });
        }

        it('release a username when it changes, and keep it when only its case changes', async () => {

            await kit.addUser('test/rename', { username: 'old' });

            expect(await kit.updateUser('test/rename', { username: 'OLD' })).to.be.null();
            expect((await kit.accounts.getByName('old'))?.username).to.equal('OLD');
            expect(await kit.updateUser('test/rename', { username: 'new' })).to.be.null();
            expect(await kit.accounts.getByName('old')).to.be.null();
            expect(await kit.addUser('test/rename2', { username: 'old' })).to.be.null();
            expect(await kit.updateUser('test/rename', { username: 'Old' })).to.equal(USERNAME_CONFLICT);
            expect((await kit.accounts.get('test/rename'))?.username).to.equal('new');
        });

        it('cannot have a username that is too long', async () => {

            await expect(kit.addUser('test/long', { username: 'ä'.repeat(128) })).to.reject(DoipError, /at most 255 bytes/);
        });

        it('are inactive unless the value is true', async () => {

            for (const [value, expected] of [[true, true], [false, false], ['true', false], [null, false]] as const) {
                await kit.change({ id: 'test/active', isNew: false, roles: { accountActive: { pointer: '/a', value }, secure: [] } });

                expect((await kit.accounts.get('test/active'))?.active).to.equal(expected);
            }
        });

        it('leave no trace when the user is deleted', async () => {

            await kit.addUser('test/gone', { username: 'gone' });
            await kit.db.commit({ steps: [
                ...kit.credentials.putSecretSteps('test/gone', secretKey('/pin'), 'record'),
                ...kit.tokenStore.insertSteps({
                    hash: 'gone-token', kind: 'token', userId: 'test/gone', csrf: null, createdOn: 1, lastUsed: 1, expiresOn: null, facts: null
                })
            ] });
            const epoch = await kit.epoch();

            await kit.remove('test/gone');

            expect(await kit.accounts.footprint('test/gone')).to.equal({ account: false, credential: false, group: false, secrets: false, held: false });
            expect(await kit.accounts.getByName('gone')).to.be.null();
            expect(await kit.tokenStore.get('gone-token')).to.be.null();
            expect(await kit.epoch()).to.be.above(epoch);
        });

        it('are removed when the type of the object no longer defines users', async () => {

            await kit.addUser('test/former', { username: 'former' });

            await kit.change({ id: 'test/former', isNew: false, roles: { secure: [] } });

            expect(await kit.accounts.footprint('test/former')).to.equal({ account: false, credential: false, group: false, secrets: false, held: false });
            expect(await kit.addUser('test/successor', { username: 'former' })).to.be.null();
        });

        const endings: readonly (readonly [title: string, change: object, ends: boolean])[] = [
            ['ends the tokens of a user who is deactivated', { active: false }, true],
            ['ends the tokens of a user whose password changes', { password: 'other' }, true],
            ['ends the tokens of a user whose key changes', { publicKey: { kty: 'RSA', n: 'other' } }, true],
            ['leaves tokens alone when the name changes', { username: 'tokens-renamed' }, false],
            ['leaves tokens alone when the password is left empty', { password: '' }, false]
        ];

        for (const [i, [title, change, ends]] of endings.entries()) {
            it(title, async () => {

                const id = `test/tokens${i}`;
                const facts = { username: `tokens${i}`, publicKey: { kty: 'RSA', n: 'x' } };
                await kit.addUser(id, facts);
                const hash = `hash${i}`;
                await kit.db.commit({ steps: kit.tokenStore.insertSteps({
                    hash, kind: 'token', userId: id, csrf: null, createdOn: 1, lastUsed: 1, expiresOn: null, facts: null
                }) });

                await kit.updateUser(id, { ...facts, ...change });

                expect(await kit.tokenStore.get(hash) === null).to.equal(ends);
            });
        }

        it('raise the epoch when caches are affected, and not for new users', async () => {

            const steps: (readonly [() => Promise<unknown>, raises: boolean])[] = [
                [() => kit.addUser('test/epoch', { username: 'epoch' }), false],
                [() => kit.updateUser('test/epoch', { username: 'epoch' }), false],
                [() => kit.updateUser('test/epoch', { username: 'epoch', active: false }), true],
                [() => kit.setGroup('test/epochs', ['test/epoch']), true],
                [() => kit.setGroup('test/epochs', ['test/epoch'], false), false],
                [() => kit.setGroup('test/epochs', [], false), true],
                [() => kit.change({ id: 'test/document', isNew: true, roles: { secure: [] } }), false],
                [() => kit.remove('test/document'), false],
                [() => kit.remove('test/epoch'), true]
            ];

            for (const [i, [step, raises]] of steps.entries()) {
                const before = await kit.epoch();
                await step();

                expect(await kit.epoch() > before, `step ${i}`).to.equal(raises);
            }
        });

        it('keep the members of groups of any size up to date', async () => {

            const many = Array.from({ length: 1200 }, (_, i) => `test/m${i}`);

            await kit.setGroup('test/large', [...many, 'test/m1', '', 'x'.repeat(300)]);
            expect(await members('test/large')).to.equal(many.toSorted());

            await kit.setGroup('test/large', [...many.slice(600), 'test/new'], false);
            expect(await members('test/large')).to.equal([...many.slice(600), 'test/new'].toSorted());

            await kit.remove('test/large');
            expect(await members('test/large')).to.equal([]);
        });
    });

    describe(`secure values on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;

        before(async () => {

            place = await create();
            kit = new IdentityKit(await place.open());
        });

        after(() => place.dispose());

        const PASSWORD = { pointer: '/login/password', value: 'Sesame!' };

        it('are replaced by the empty string; other values stay unchanged', async () => {

            const content = { name: 'x', login: { password: 'Sesame!', at: 1 }, pins: ['1', '2'] };

            const extracted = await kit.secure.extract({
                id: 'test/1', isNew: true, content, source: 'a',
                roles: { password: PASSWORD, secure: [{ pointer: '/pins/0', value: '1' }, { pointer: '/pins/1', value: '2' }] }
            });
            await kit.db.commit({ steps: extracted.steps });

            expect<unknown>(extracted.content).to.equal({ name: 'x', login: { password: '', at: 1 }, pins: ['', ''] });
            expect(content.login.password).to.equal('Sesame!');
            expect(JSON.stringify(extracted)).to.not.contain('Sesame!');
            expect(await kit.secure.verify('test/1', '/pins/1', '2')).to.be.true();
            expect(await kit.secure.verify('test/1', '/pins/1', '1')).to.be.false();
            expect(await kit.secure.verify('test/1', '/nothing', '')).to.be.false();
        });

        it('keep their hash when the new value is empty', async () => {

            const roles = { password: PASSWORD, secure: [{ pointer: '/pin', value: '1234' }] };
            const content = { login: { password: 'Sesame!' }, pin: '1234' };
            await kit.db.commit({ steps: (await kit.secure.extract({ id: 'test/2', isNew: true, content, roles, source: 'a' })).steps });

            const extracted = await kit.secure.extract({
                id: 'test/2', isNew: false, content: { login: { password: '' }, pin: '' }, source: 'a',
                roles: { password: { ...PASSWORD, value: '' }, secure: [{ pointer: '/pin', value: '' }] }
            });

            expect(extracted.steps.length).to.equal(0);
            expect((await kit.passwords.check('Sesame!', await kit.credentials.get('test/2'), 'a')).matches).to.be.true();
            expect(await kit.secure.verify('test/2', '/pin', '1234')).to.be.true();
        });

        it('that are empty already, however many, leave content as it is, without a copy', async () => {

            const content = { login: { password: '' }, pins: Array.from({ length: 20_000 }, () => '') };
            const secure = content.pins.map((value, i) => ({ pointer: `/pins/${i}`, value }));

            const extracted = await kit.secure.extract({
                id: 'test/4', isNew: false, content, roles: { password: { ...PASSWORD, value: '' }, secure }, source: 'a'
            });

            expect(extracted.content === content).to.be.true();
            expect(extracted.steps.length).to.equal(0);
        });

        it('that are also a password are hashed once', async () => {

            const { steps } = await kit.secure.extract({
                id: 'test/3', isNew: true, content: { login: { password: 'Sesame!' } }, roles: { password: PASSWORD, secure: [PASSWORD] }, source: 'a'
            });

            expect(steps.filter(({ sql }) => /insert into .secrets/.test(sql))).to.equal([]);
        });

        const refusals: readonly (readonly [title: string, isNew: boolean, roles: object, message: string])[] = [
            ['an empty password on create', true, { password: { ...PASSWORD, value: '' }, secure: [] }, 'Password does not meet minimum length of 1'],
            ['a password that is no string', false, { password: { ...PASSWORD, value: 7 }, secure: [] }, '/login/password: a password must be a string'],
            ['a secure value that is no string', false, { secure: [{ pointer: '/pin', value: 1234 }] },
                'The "secureProperty" flag can only be used on properties of type "string".'],
            ['more secrets than are hashed at a time', false,
                { secure: Array.from({ length: 17 }, (_, i) => ({ pointer: `/pins/${i}`, value: 'x' })) },
                'an object may bring at most 16 new values of secure properties at a time']
        ];

        for (const [title, isNew, roles, message] of refusals) {
            it(`reject ${title}`, async () => {

                const content = { login: { password: '' }, pin: '', pins: [] };
                await expect(kit.secure.extract({ id: 'test/4', isNew, content, roles: roles as never, source: 'a' })).to.reject(DoipError, message);
            });
        }
    });
});
