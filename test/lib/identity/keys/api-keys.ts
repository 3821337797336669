/** The life of API keys on one node and on several, with a clock that the test turns. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database, Unit } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { DoipError, UNKNOWN_OUTCOME } from '../../../../lib/errors/errors.js';
import type { ApiKeyRequest } from '../../../../lib/identity/keys/api-keys.js';
import { newKeyValue } from '../../../../lib/identity/keys/key-value.js';
import type { Identity } from '../../../../lib/identity/identity.js';
import type { Caller } from '../../../../lib/model/caller.js';
import { SERVICE } from '../../../../lib/model/caller.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit, INTERNAL } from '../../../support/identity.js';
import { watchedDatabase } from '../../../support/watched-database.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const UNAUTHENTICATED = '0.DOIP/Status.102';

forEachDatabase((database, create) => {

    describe(`API keys on ${database}`, () => {

        let place: TestDatabase;
        let db: Database;
        let kit: IdentityKit;
        let number = 0;

        before(async () => {

            place = await create();
            db = await place.open();
            kit = new IdentityKit(db);
        });

        after(() => place.dispose());

        const request = (facts: Partial<ApiKeyRequest> = {}): ApiKeyRequest => (
            { name: `key ${++number}`, operations: null, types: null, readOnly: false, expiresOn: null, ...facts }
        );

        async function user(): Promise<{ id: string; name: string }> {

            const name = `user${++number}`;
            await kit.addUser(`test/${name}`, { username: name });
            return { id: `test/${name}`, name };
        }

        const callerOf = (node: Identity, name: string): Promise<Caller> => kit.authenticate(node, { username: name, password: 'secret' });

        const statusOf = (promise: Promise<unknown>): Promise<string> => promise.then(() => 'ok', (error: unknown) => {

            expect(error).to.be.an.instanceof(DoipError);
            return (error as DoipError).status;
        });

        const read = <T extends object>(sql: string): Promise<T[]> => db.read<T>({ sql }, []);

        it('identify their user, and are stored as hashes only', async () => {

            const node = kit.node();
            const { id, name } = await user();
            const { value, stored } = await node.keys.create(request({ types: ['Note'], readOnly: true }), await callerOf(node, name));

            const caller = await kit.authenticate(node, { token: value });
            expect(caller).to.include({ userId: id, username: name, isAuthenticated: true, isAdmin: false, method: 'api-key' });
            expect(caller.apiKey).to.include({ id: stored.id, readOnly: true, operations: null });
            expect([...caller.apiKey?.types ?? []]).to.equal(['Note']);
            const rows = JSON.stringify((await read('select * from api_keys')).map((row) => Object.values(row).map(String)));
            expect(rows).to.include(stored.id).and.to.not.include(value).and.to.not.include(value.slice(8, 40));
            await node.close();
        });

        it('give the same caller with each use, as caches expect', async () => {

            const node = kit.node();
            const { name } = await user();
            const { value } = await node.keys.create(request(), await callerOf(node, name));

            expect(await kit.authenticate(node, { token: value })).to.shallow.equal(await kit.authenticate(node, { token: value }));
            await node.close();
        });

        it('are rejected as wrong tokens are, whatever is wrong with them', async () => {

            const clock = { now: Date.now() };
            const node = kit.node({ now: () => clock.now });
            const { name } = await user();
            const { value } = await node.keys.create(request({ expiresOn: clock.now + DAY }), await callerOf(node, name));
            clock.now += DAY;
            const errors: unknown[][] = await Promise.all(['unknown', value, newKeyValue(), `${value}0`, value.slice(0, -1), 'doipkey_'].map((token) =>
                kit.authenticate(node, { token }).then(() => [], (error: DoipError): unknown[] => [error.status, error.message, error.attributes])));

            expect(errors).to.equal(errors.map(() => errors[0] ?? []));
            expect(errors[0]?.[0]).to.equal(UNAUTHENTICATED);
            await node.close();
        });

        it('are never shown to an authentication hook', async () => {

            const seen: unknown[] = [];
            const node = kit.node({
                hook: (info) => {

                    seen.push(info);
                    return Promise.resolve(null);
                }
            });

            expect(await statusOf(kit.authenticate(node, { token: newKeyValue() }))).to.equal(UNAUTHENTICATED);
            expect(seen).to.equal([]);
            await node.close();
        });

        it('expire at their time, and stay listed for a month', async () => {

            const clock = { now: Date.now() };
            const node = kit.node({ now: () => clock.now });
            const { id, name } = await user();
            const caller = await callerOf(node, name);
            const { value } = await node.keys.create(request({ expiresOn: clock.now + DAY }), caller);
            clock.now += DAY - 1;
            expect(await statusOf(kit.authenticate(node, { token: value }))).to.equal('ok');
            clock.now += 1;
            expect(await statusOf(kit.authenticate(node, { token: value }))).to.equal(UNAUTHENTICATED);
            await node.keys.sweep();
            expect((await node.keys.ofUser(id, caller)).length).to.equal(1);
            clock.now += 31 * DAY;
            expect(await node.keys.sweep()).to.be.above(0);
            expect(await node.keys.ofUser(id, caller)).to.equal([]);
            await node.close();
        });

        it('end on all nodes when they are revoked, and when their user is deactivated or deleted', async () => {

            const [one, other] = [kit.node(), kit.node()];
            const ends: (readonly [title: string, end: (id: string, keyId: string, name: string) => Promise<unknown>])[] = [
                ['revoked', (_id, keyId) => one.keys.revoke(keyId, SERVICE)],
                ['deactivated', (id, _keyId, name) => kit.updateUser(id, { username: name, active: false })],
                ['must change the password', (id, _keyId, name) => kit.updateUser(id, { username: name, mustChange: true })],
                ['deleted', (id) => kit.remove(id)]
            ];
            for (const [title, end] of ends) {
                const { id, name } = await user();
                const { value, stored } = await one.keys.create(request(), await callerOf(one, name));
                expect(await statusOf(kit.authenticate(other, { token: value })), title).to.equal('ok');
                await end(id, stored.id, name);
                for (const node of [other, one]) {
                    expect(await statusOf(kit.authenticate(node, { token: value })), title).to.equal(UNAUTHENTICATED);
                    expect(await node.tokens.introspect({ token: value }, INTERNAL), title).to.include({ userId: null });
                }
            }

            await Promise.all([one.close(), other.close()]);
        });

        it('of a deleted user are not those of another one with the same id', async () => {

            const node = kit.node();
            const { id, name } = await user();
            const { value } = await node.keys.create(request(), await callerOf(node, name));
            await kit.remove(id);
            await kit.addUser(id, { username: name });

            expect(await statusOf(kit.authenticate(node, { token: value }))).to.equal(UNAUTHENTICATED);
            await node.close();
        });

        it('survive a change of the password, and a deactivation that is undone', async () => {

            const node = kit.node();
            const { id, name } = await user();
            const { value } = await node.keys.create(request(), await callerOf(node, name));
            await kit.updateUser(id, { username: name, password: 'another', active: false });
            expect(await statusOf(kit.authenticate(node, { token: value }))).to.equal(UNAUTHENTICATED);
            await kit.updateUser(id, { username: name, active: true });

            expect(await statusOf(kit.authenticate(node, { token: value }))).to.equal('ok');
            await node.close();
        });

        it('record their last use with one write for many uses', async () => {

            const clock = { now: Date.now() };
            const node = kit.node({ now: () => clock.now });
            const { id, name } = await user();
            const caller = await callerOf(node, name);
            const { value } = await node.keys.create(request(), caller);
            const stored = async (): Promise<number | null> => (await read<{ last_used: number | null }>(`select last_used from api_keys where user_id = '${id}'`))[0]!.last_used;
            for (let i = 0; i < 50; ++i) {
                clock.now += 1000;
                await kit.authenticate(node, { token: value });
            }

            expect(await stored()).to.be.null();
            expect((await node.keys.ofUser(id, caller))[0]?.lastUsed).to.equal(clock.now);
            const used = clock.now;
            clock.now += MINUTE;
            await node.close();
            expect(await stored()).to.equal(used);
        });

        it('are limited in number, also when many are made at once on several nodes', async () => {

            const nodes = [1, 2].map(() => kit.node({ apiKeys: { perUser: 5, maxDays: 0 } }));
            const [one] = nodes as [Identity, Identity];
            const { id, name } = await user();
            const caller = await callerOf(one, name);
            const made = await Promise.all(Array.from({ length: 20 }, (_, i) => statusOf(nodes[i % 2]!.keys.create(request(), caller))));
            const count = (await one.keys.ofUser(id, caller)).length;

            expect(count).to.be.at.most(5);
            expect(made.filter((status) => status === 'ok').length).to.equal(count);
            for (let i = count; i < 5; ++i) {
                expect(await statusOf(one.keys.create(request(), caller))).to.equal('ok');
            }

            expect(await statusOf(one.keys.create(request(), caller))).to.not.equal('ok');
            await Promise.all(nodes.map((node) => node.close()));
        });

        it('have a name of their own among those of a user, whoever comes first', async () => {

            const node = kit.node();
            const { name } = await user();
            const { name: otherName } = await user();
            const [caller, other] = [await callerOf(node, name), await callerOf(node, otherName)];
            const made = await Promise.all(Array.from({ length: 6 }, () => statusOf(node.keys.create(request({ name: 'backup' }), caller))));

            expect(made.filter((status) => status === 'ok').length).to.equal(1);
            expect(await statusOf(node.keys.create(request({ name: 'backup' }), other))).to.equal('ok');
            await node.close();
        });

        it('that were made are returned when they cannot be counted afterwards, and never answered with 503', async () => {

            let counts = 0;
            let isFailing = false;
            const away = new DatabaseError('unavailable', 'the database is away');
            const watched = watchedDatabase(db, (sql) => {

                counts += /count\(/.test(sql) && sql.includes('api_keys') ? 1 : 0;
                if (isFailing && counts === 2) {
                    throw away;
                }
            });
            const node = new IdentityKit(watched).node();
            const { id, name } = await user();
            const caller = await callerOf(node, name);
            [counts, isFailing] = [0, true];
            const { value } = await node.keys.create(request(), caller);
            isFailing = false;

            expect(counts).to.equal(2);
            expect(await kit.authenticate(node, { token: value })).to.include({ userId: id });
            await node.close();
        });

        it('beyond the maximum that cannot be removed again are of an unknown outcome', async () => {

            let commits = 0;
            const failing: Database = {
                ...watchedDatabase(db, () => {}),
                // The key of another one comes between the count and the commit.
                async commit(unit: Unit) {

                    commits += 1;
                    if (commits === 1) {
                        await kit.node().keys.create(request(), caller);
                        return await db.commit(unit);
                    }

                    throw new DatabaseError('unavailable', 'the database is away');
                }
            };
            const { name } = await user();
            const caller = await callerOf(kit.node(), name);
            const node = new IdentityKit(failing).node({ apiKeys: { perUser: 1, maxDays: 0 } });

            await expect(node.keys.create(request(), caller)).to.reject(UNKNOWN_OUTCOME);
            expect(commits).to.equal(2);
        });

        it('have no longer life than the service allows', async () => {

            const clock = { now: Date.now() };
            const node = kit.node({ now: () => clock.now, apiKeys: { perUser: 5, maxDays: 30 } });
            const { name } = await user();
            const caller = await callerOf(node, name);
            const outcomes = await Promise.all([null, clock.now, clock.now + 30 * DAY + 1, clock.now + 30 * DAY].map((expiresOn) =>
                statusOf(node.keys.create(request({ expiresOn }), caller))));

            expect(outcomes.map((status) => status === 'ok')).to.equal([false, false, false, true]);
            await node.close();
        });
    });
});
