/** Logins that renew an outdated hash of a password while others do the same, or the password changes: the right password is taken, on every database. */

import { pbkdf2Sync } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database, Unit } from '../../../../db/database.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import { Directory } from '../../../../lib/identity/accounts/user-directory.js';
import { PasswordAuthenticator, type PasswordLogin } from '../../../../lib/identity/authentication/password-authenticator.js';
import type { LoginThrottle } from '../../../../lib/identity/throttling/login-throttle.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { IdentityKit, INTERNAL } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const SALT = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';

/** As it is imported: outdated by its algorithm. */
const OUTDATED = JSON.stringify({
    algorithm: 'PBKDF2WithHmacSHA1', iterations: 2048, salt: SALT, hash: pbkdf2Sync('secret', Buffer.from(SALT, 'hex'), 2048, 32, 'sha1').toString('hex')
});
const ANN = { username: 'ann', password: 'secret' };

/** Calls a function before each renewal of a hash. */
function beforeRenewals(database: Database, work: () => Promise<unknown>): Database {

    return new Proxy(database, {
        get(target, key) {

            const value: unknown = Reflect.get(target, key, target);
            return key !== 'commit' ? (typeof value === 'function' ? value.bind(target) as unknown : value) : async (unit: Unit) => {

                await (unit.steps.some(({ sql }) => /^update .credentials. set .record/.test(sql)) ? work() : null);
                return target.commit(unit);
            };
        }
    });
}

/** Returns a function whose calls wait until there are as many of them. */
function meeting(size: number): () => Promise<void> {

    let come = 0;
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {

        open = resolve;
    });
    return () => {

        come += 1;
        if (come === size) {
            open();
        }

        return opened;
    };
}

forEachDatabase((name, create) => {

    describe(`an outdated hash of a password on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;
        let onRenewal: () => Promise<unknown>;

        before(async () => {

            place = await create();
            kit = new IdentityKit(beforeRenewals(await place.open(), () => onRenewal()));
            await kit.addUser('test/ann', { username: 'ann' });
        });

        after(() => place.dispose());

        beforeEach(async () => {

            onRenewal = () => Promise.resolve();
            await set(OUTDATED);
        });

        const set = (record: string): Promise<unknown> => kit.db.commit({ steps: [...kit.credentials.putSteps('test/ann', record), kit.accounts.bumpStep()] });

        const newAuthenticator = (): PasswordAuthenticator => new PasswordAuthenticator({
            directory: new Directory({ accounts: kit.accounts, credentials: kit.credentials, groups: kit.groups }), credentials: kit.credentials,
            passwords: kit.passwords, throttle: { attempt: (_name: string, _source: string, attempt: () => unknown) => attempt() } as unknown as LoginThrottle
        }, Date.now);

        const login = async (authenticator: PasswordAuthenticator): Promise<PasswordLogin | null> => (
            authenticator.login({ name: ANN.username, password: ANN.password, remoteAddress: '', epoch: await kit.epoch() })
        );

        it('is renewed once by two logins at a time, which both find it', async () => {

            onRenewal = meeting(2);

            const logins = await Promise.all([newAuthenticator(), newAuthenticator()].map(login));

            const record = await kit.credentials.get('test/ann');
            expect(record).to.not.equal(OUTDATED);
            expect(logins).to.equal([{ userId: 'test/ann', record: record! }, { userId: 'test/ann', record: record! }]);
        });

        it('gives tokens to two logins at a time, and to the next ones', async () => {

            onRenewal = meeting(2);
            const nodes = [kit.node(), kit.node()];

            for (let i = 0; i < 2; ++i) {
                const callers = await Promise.all(nodes.map(async ({ tokens }) => (await tokens.grant(ANN, INTERNAL)).caller.userId));
                expect(callers).to.equal(['test/ann', 'test/ann']);
            }
        });

        it('is no login when the password is changed meanwhile', async () => {

            const other = await kit.passwords.hash('another', 'test');
            onRenewal = () => kit.db.commit({ steps: kit.credentials.putSteps('test/ann', other) });

            expect(await login(newAuthenticator())).to.be.null();
            expect(await kit.credentials.get('test/ann')).to.equal(other);
        });

        it('that another login has renewed leaves a cached login valid for tokens', async () => {

            const { tokens } = kit.node();
            await tokens.grant(ANN, INTERNAL);
            const record = await kit.credentials.get('test/ann');

            expect(await kit.credentials.upgrade('test/ann', record!, await kit.passwords.hash(ANN.password, 'test'))).to.be.true();

            expect((await tokens.grant(ANN, INTERNAL)).caller.userId).to.equal('test/ann');
            expect(await kit.credentials.upgrade('test/ann', record!, record!)).to.be.false();
        });

        it('is worth nothing for a cached login whose password was changed', async () => {

            const { tokens } = kit.node();
            await tokens.grant(ANN, INTERNAL);
            await kit.db.commit({ steps: kit.credentials.putSteps('test/ann', await kit.passwords.hash('another', 'test')) });

            const error = await expect(tokens.grant(ANN, INTERNAL)).to.reject(DoipError);

            expect(error).to.include({ status: '0.DOIP/Status.102' });
        });
    });
});
