/** How many tokens a user may have: the ones that were used longest ago end, on every node, and nobody else's. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database } from '../../../db/database.js';
import { DatabaseError } from '../../../db/errors.js';
import { DoipError } from '../../../lib/errors/errors.js';
import type { Identity } from '../../../lib/identity/identity.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { IdentityKit, INTERNAL } from '../../support/identity.js';
import { watchedDatabase } from '../../support/watched-database.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const LIMIT = 3;

forEachDatabase((name, create) => {

    describe(`the limit of tokens on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let kit: IdentityKit;
        let clock: number;

        before(async () => {

            place = await create();
            db = await place.open();
            kit = new IdentityKit(db);
            clock = Date.now();
        });

        after(() => place.dispose());

        /** A node on which a moment passes between one thing and the next. */
        function node(): Identity {

            return kit.node({ tokensPerUser: LIMIT, now: () => ++clock });
        }

        async function addUser(): Promise<string> {

            const username = `user-${++clock}`;
            await kit.addUser(`test/${username}`, { username });
            return username;
        }

        async function tokenOf(on: Identity, username: string): Promise<string> {

            return (await on.tokens.grant({ username, password: 'secret' }, INTERNAL)).token;
        }

        function areGood(on: Identity, tokens: readonly string[]): Promise<boolean[]> {

            return Promise.all(tokens.map((token) => kit.authenticate(on, { token }).then(() => true, (error: unknown) => {

                expect(error).to.be.an.instanceof(DoipError).and.to.include({ status: '0.DOIP/Status.102', attributes: { error: 'invalid_token' } });
                return false;
            })));
        }

        async function rowsOf(username: string): Promise<number> {

            const [found] = await db.read<{ n: number }>({ sql: 'select count(*) as n from tokens where user_id = ?' }, [`test/${username}`]);
            return Number(found?.n);
        }

        it('ends the oldest tokens, on all nodes', async () => {

            const [one, other] = [node(), node()];
            const username = await addUser();
            const tokens: string[] = [];
            for (let i = 0; i < LIMIT; ++i) {
                tokens.push(await tokenOf(i % 2 === 0 ? one : other, username));
            }

            expect([await areGood(one, tokens), await areGood(other, tokens)]).to.equal([[true, true, true], [true, true, true]]);
            tokens.push(await tokenOf(one, username));

            expect([await areGood(one, tokens), await areGood(other, tokens)]).to.equal([[false, true, true, true], [false, true, true, true]]);
            expect(await rowsOf(username)).to.equal(LIMIT);
        });

        it('spares tokens in use', async () => {

            const one = node();
            const username = await addUser();
            const tokens = [await tokenOf(one, username), await tokenOf(one, username), await tokenOf(one, username)];
            await areGood(one, tokens.slice(0, 1));
            await one.close();

            const next = node();
            tokens.push(await tokenOf(next, username));

            expect(await areGood(next, tokens)).to.equal([true, false, true, true]);
        });

        it('counts per user, including sessions', async () => {

            const one = node();
            const [busy, calm] = [await addUser(), await addUser()];
            const kept = await tokenOf(one, calm);
            const first = await tokenOf(one, busy);
            const caller = await kit.authenticate(one, { username: busy, password: 'secret' });
            for (let i = 0; i < LIMIT; ++i) {
                await one.sessions.create(caller, () => Promise.resolve());
            }

            expect(await areGood(one, [kept, first])).to.equal([true, false]);
            expect(await rowsOf(busy)).to.equal(LIMIT);
        });

        it('applies to admin, too', async () => {

            const one = node();
            await one.admin.changePassword('of the admin');
            const tokens: string[] = [];
            for (let i = 0; i <= LIMIT; ++i) {
                tokens.push((await one.tokens.grant({ username: 'admin', password: 'of the admin' }, INTERNAL)).token);
            }

            expect(await areGood(one, tokens)).to.equal([false, true, true, true]);
        });

        it('is made up for by the next login when the database is away behind one', async () => {

            const username = await addUser();
            let isAway = false;
            const watched = watchedDatabase(db, (sql) => {

                if (isAway && /count\(/.test(sql) && sql.includes('tokens')) {
                    throw new DatabaseError('unavailable', 'the database is away');
                }
            });
            const one = new IdentityKit(watched).node({ tokensPerUser: LIMIT, now: () => ++clock });
            isAway = true;
            for (let n = 0; n <= LIMIT; ++n) {
                await tokenOf(one, username);
            }

            isAway = false;
            const more = await rowsOf(username);
            await tokenOf(one, username);

            expect([more, await rowsOf(username)]).to.equal([LIMIT + 1, LIMIT]);
        });

        it('holds with many concurrent logins', async () => {

            const nodes = [node(), node()];
            const username = await addUser();
            for (const one of nodes) {
                await kit.authenticate(one, { username, password: 'secret' });
            }

            const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => tokenOf(nodes[i % 2]!, username)));

            expect(await rowsOf(username)).to.equal(LIMIT);
            expect((await areGood(nodes[0]!, tokens)).filter(Boolean).length).to.equal(LIMIT);
        });
    });
});
