/** The life of tokens on one node and on several, with a clock that the test turns. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { Identity } from '../../../../lib/identity/identity.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit, INTERNAL } from '../../../support/identity.js';
import { openProxied } from '../../../support/mysql-proxy.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MINUTE = 60_000;
const TIMEOUT = 30 * MINUTE;

forEachDatabase((name, create, dialect) => {

    describe(`the lifetime of tokens on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let kit: IdentityKit;

        before(async () => {

            place = await create();
            db = await place.open();
            kit = new IdentityKit(db);
            await kit.addUser('test/ann', { username: 'ann' });
        });

        after(() => place.dispose());

        /** A node whose clock stands still unless it is turned. */
        function nodeWithClock(start = Date.now()) {

            const clock = { now: start };
            return { clock, node: kit.node({ now: () => clock.now, tokenTimeout: TIMEOUT }) };
        }

        async function tokenOf(node: Identity, password = 'secret'): Promise<string> {

            return (await node.tokens.grant({ username: 'ann', password }, INTERNAL)).token;
        }

        async function isGood(node: Identity, token: string): Promise<boolean> {

            return kit.authenticate(node, { token }).then(() => true, (error: unknown) => {

                expect(error).to.be.an.instanceof(DoipError).and.to.include({ status: '0.DOIP/Status.102' });
                return false;
            });
        }

        async function lastUsed(): Promise<number> {

            const [found] = await db.read<{ last_used: number }>({ sql: 'select max(last_used) as last_used from tokens' }, []);
            return found!.last_used;
        }

        // On several nodes uses are written a little later, so a token may live that much longer.
        const grace = dialect === 'mysql' ? MINUTE : 0;

        if (dialect === 'mysql') {
            it('begins with its response: where the database is lost at the commit, the login may simply be repeated', async () => {

                const opened = await openProxied(create);
                try {
                    const own = new IdentityKit(opened.database);
                    await own.addUser('test/ann', { username: 'ann' });
                    const node = own.node({ tokenTimeout: TIMEOUT });
                    await tokenOf(node);
                    opened.proxy.cutNext({ command: 'commit', when: 'after' });

                    expect(await expect(tokenOf(node)).to.reject(DatabaseError)).to.include({ fault: 'unavailable' });
                    expect(await isGood(node, await tokenOf(node))).to.be.true();
                }
                finally {
                    await opened.stop();
                }
            });
        }

        it('ends half an hour after the last use', async () => {

            const { clock, node } = nodeWithClock();
            const token = await tokenOf(node);

            clock.now += TIMEOUT - 1;
            expect(await isGood(node, token)).to.be.true();
            clock.now += TIMEOUT - 1;
            expect(await isGood(node, token)).to.be.true();
            clock.now += TIMEOUT + grace;
            expect(await isGood(node, token)).to.be.false();
            clock.now -= 10;
            expect(await isGood(node, token)).to.equal(true);
        });

        it('ends when the clock turns out to have been ahead when it was used', async () => {

            const { clock, node } = nodeWithClock();
            const early = await tokenOf(node);
            const right = clock.now;
            clock.now += 4 * TIMEOUT;
            const token = await tokenOf(node);
            expect(await isGood(node, token)).to.be.true();
            clock.now = right;

            expect(await isGood(node, token)).to.be.false();
            expect(await isGood(node, early)).to.be.true();
        });

        it('is not extended by wrong tokens or the use of others', async () => {

            const { clock, node } = nodeWithClock();
            const [token, other] = [await tokenOf(node), await tokenOf(node)];

            clock.now += TIMEOUT - 1;
            expect(await isGood(node, other)).to.be.true();
            clock.now += 1 + grace;

            expect(await isGood(node, token)).to.be.false();
            expect(await isGood(node, other)).to.be.true();
        });

        it('is extended by introspection', async () => {

            const { clock, node } = nodeWithClock();
            const token = await tokenOf(node);

            clock.now += TIMEOUT - 1;
            expect((await node.tokens.introspect({ token }, INTERNAL)).userId).to.equal('test/ann');
            clock.now += TIMEOUT - 1;

            expect(await isGood(node, token)).to.be.true();
        });

        it('is stored without a row per use, and when the node stops', async () => {

            const { clock, node } = nodeWithClock(Date.now() + 1000 * MINUTE);
            const token = await tokenOf(node);
            const created = clock.now;
            for (let i = 0; i < 20; ++i) {
                clock.now += 1000;
                await isGood(node, token);
            }

            expect(await lastUsed()).to.equal(created);
            await node.close();

            expect(await lastUsed()).to.equal(clock.now);
            const successor = nodeWithClock(clock.now + TIMEOUT - 1);
            expect(await isGood(successor.node, token)).to.be.true();
        });

        it('ends in the cleanup, which removes nothing else', async () => {

            const { clock, node } = nodeWithClock();
            const [old, young] = [await tokenOf(node), await tokenOf(node)];
            clock.now += TIMEOUT - 1;
            await isGood(node, young);
            clock.now += TIMEOUT - 1;
            await node.close();
            await kit.logins.useOnce('expired', clock.now - 60 * MINUTE - 1);
            await kit.logins.useOnce('lasting', clock.now - 59 * MINUTE);
            await kit.logins.addFailure(['forgotten'], clock.now - 61 * MINUTE, 0);

            await node.housekeeping.run({
                id: 1, payload: null, progress: null, attempts: 1, signal: new AbortController().signal, checkLease: () => {}, report: async () => {}
            });

            const { node: later } = nodeWithClock(clock.now);
            expect(await isGood(later, young)).to.be.true();
            expect(await isGood(later, old)).to.be.false();
            const [found] = await db.read<{ n: number }>({ sql: 'select count(*) as n from tokens where last_used < ?' }, [clock.now - TIMEOUT - 2 * grace]);
            expect(found!.n).to.equal(0);
            expect((await db.read({ sql: 'select hash from jti order by hash' }, [])).map(({ hash }) => hash)).to.equal(['lasting']);
            expect((await kit.logins.failures(['forgotten'])).size).to.equal(0);
        });

        it('is stored with the hash of the token only', async () => {

            const { node } = nodeWithClock();
            const token = await tokenOf(node);

            const rows = await db.read({ sql: 'select * from tokens' }, []);

            expect(JSON.stringify(rows)).to.not.contain(token);
        });

        it('is the same on all nodes, as is revocation', async () => {

            const [one, two] = [nodeWithClock().node, nodeWithClock().node];
            const token = await tokenOf(one);
            expect(await isGood(two, token)).to.be.true();
            expect(await isGood(one, token)).to.be.true();

            await two.tokens.revoke({ token }, INTERNAL);

            expect(await isGood(one, token)).to.be.false();
            expect(await isGood(two, token)).to.be.false();
        });

        if (dialect === 'mysql') {
            it('is extended by use on another node', async () => {

                const [one, two] = [nodeWithClock(), nodeWithClock()];
                const token = await tokenOf(one.node);
                await isGood(two.node, token);
                for (const { clock } of [one, two]) {
                    clock.now += TIMEOUT - 1;
                }

                expect(await isGood(two.node, token)).to.be.true();
                await two.node.close();
                one.clock.now += TIMEOUT - 1;
                expect(await isGood(one.node, token)).to.be.true();
            });
        }

        it('does not begin for a password that changes during the login', async () => {

            await kit.addUser('test/racer', { username: 'racer' });
            const { node } = nodeWithClock();
            const results = await Promise.all([
                ...Array.from({ length: 8 }, (_, i) => node.tokens.grant({ username: 'racer', password: 'secret' }, { ...INTERNAL, remoteAddress: `10.0.0.${i}` })
                    .then(({ token }) => token, () => null)),
                kit.updateUser('test/racer', { username: 'racer', password: 'other' })
            ]);

            for (const token of results.slice(0, 8)) {
                expect(token === null || !await isGood(node, token)).to.be.true();
            }
        });

        it('is not renewed by an old login after a password change on another node', async () => {

            await kit.addUser('test/basic', { username: 'basic' });
            const { clock, node } = nodeWithClock();
            const authentication = { username: 'basic', password: 'secret' };
            expect((await kit.authenticate(node, authentication)).userId).to.equal('test/basic');

            await kit.updateUser('test/basic', { username: 'basic', password: 'other' });
            await expect(kit.authenticate(node, authentication)).to.reject(DoipError);
            await kit.updateUser('test/basic', { username: 'basic', password: 'secret' });
            expect((await kit.authenticate(node, authentication)).userId).to.equal('test/basic');

            // Remembered, however long: the account itself is looked at every time.
            clock.now += 10 * MINUTE;
            await kit.updateUser('test/basic', { username: 'basic', active: false });
            await expect(kit.authenticate(node, authentication)).to.reject(DoipError, 'Account is inactive');
        });

        it('needs no password hashing for a minute, and then one', async () => {

            await kit.addUser('test/often', { username: 'often' });
            const { clock, node } = nodeWithClock();
            const authentication = { username: 'often', password: 'secret' };
            const reads = countReads(db, 'credentials');

            await Promise.all(Array.from({ length: 10 }, () => kit.authenticate(node, authentication)));
            await kit.authenticate(node, authentication);
            expect(reads.count).to.equal(1);
            clock.now += MINUTE;
            await kit.authenticate(node, authentication);
            reads.stop();

            expect(reads.count).to.equal(2);
        });

        it('needs no read for a cached token', async () => {

            const { node } = nodeWithClock();
            const token = await tokenOf(node);
            const epochs = await kit.epochs();
            const request = { authentication: { token }, clientId: null, transport: INTERNAL };
            await node.authenticator.authenticate(request, undefined, epochs);
            const reads = countReads(db, 'from');

            const callers = [];
            for (let i = 0; i < 10; ++i) {
                callers.push(await node.authenticator.authenticate(request, undefined, epochs));
            }

            reads.stop();
            expect(reads.count).to.equal(0);
            expect(new Set(callers).size).to.equal(1);
        });
    });
});

/** Counts the reads whose SQL contains a word, until it is stopped. */
function countReads(db: Database, word: string): { count: number; stop(): void } {

    const original = db.read.bind(db);
    const counter = {
        count: 0,
        stop() {

            db.read = original;
        }
    };
    db.read = (statement, bindings) => {

        counter.count += statement.sql.includes(word) ? 1 : 0;
        return original(statement, bindings);
    };

    return counter;
}
