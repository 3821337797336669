/** Too many logins from one address: refused before anything is read, whoever is named, and nobody else has to wait. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Transport } from '../../../lib/doip/envelope.js';
import { DoipError } from '../../../lib/errors/errors.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { DEFAULT_COST } from '../../../lib/identity/passwords/password-hash.js';
import { InFlightLimiter } from '../../../lib/identity/throttling/in-flight-limiter.js';
import type { Identity } from '../../../lib/identity/identity.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { IdentityKit } from '../../support/identity.js';
import { watchedDatabase } from '../../support/watched-database.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const HERE: Transport = { protocol: 'https', secure: true, remoteAddress: '192.0.2.1' };
const ELSEWHERE: Transport = { ...HERE, remoteAddress: '192.0.2.2' };
const GUESSES = 40;
const ANN = { username: 'ann', password: 'secret' };

forEachDatabase((name, create) => {

    describe(`a flood of logins on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;

        before(async () => {

            place = await create();
            kit = new IdentityKit(await place.open());
            await kit.addUser('test/ann', { username: 'ann' });
            await kit.addUser('test/bob', { username: 'bob' });
        });

        after(() => place.dispose());

        /** Sends wrong logins under names of their own, until the service has too many of them. */
        async function crowd(node: Identity): Promise<{ ended: Promise<unknown> }> {

            const ended = Promise.allSettled(Array.from({ length: GUESSES }, (_, i) =>
                kit.authenticate(node, { username: `guess-${i}`, password: 'x' }, { transport: HERE })));
            await until(() => node.edge.rejects({ username: 'anybody', password: 'x' }, HERE) !== null);
            return { ended };
        }

        it('is rejected at once for known and unknown users, without affecting other addresses', async () => {

            const node = kit.node({ cost: DEFAULT_COST });
            node.start();
            await kit.authenticate(node, ANN, { transport: HERE });
            const { ended } = await crowd(node);
            const refused = (authentication: Record<string, string>, transport = HERE): boolean =>
                node.edge.rejects(authentication, transport) !== null;

            const answers = {
                stranger: refused({ username: 'nobody', password: 'x' }), user: refused({ username: 'bob', password: 'secret' }),
                admin: refused({ username: 'admin', password: 'x' }), remembered: refused(ANN), wrong: refused({ ...ANN, password: 'x' }),
                elsewhere: refused({ username: 'bob', password: 'secret' }, ELSEWHERE), token: refused({ token: 'x' }), nobody: refused({})
            };
            const error = node.edge.rejects({ username: 'bob', password: 'x' }, HERE);
            const login = await expect(kit.authenticate(node, { username: 'bob', password: 'secret' }, { transport: HERE })).to.reject(DoipError);
            const grant = await expect(node.tokens.grant({ username: 'nobody', password: 'x' }, HERE)).to.reject(DoipError);
            const again = await kit.authenticate(node, ANN, { transport: HERE });
            const other = await kit.authenticate(node, { username: 'bob', password: 'secret' }, { transport: ELSEWHERE });

            expect(answers).to.equal({
                stranger: true, user: true, admin: true, remembered: false, wrong: true, elsewhere: false, token: false, nobody: false
            });
            expect<unknown>([error?.http, error?.attributes]).to.equal([429, { retryAfter: 2 }]);
            expect([login.http, grant.http]).to.equal([429, 429]);
            expect([again.userId, other.userId]).to.equal(['test/ann', 'test/bob']);
            await node.close();
            await ended;
        });

        it('is over when its last login has ended', async () => {

            const node = kit.node({ cost: { cost: 4096, blockSize: 8, parallelization: 1 } });
            node.start();
            const ended = Promise.allSettled(Array.from({ length: GUESSES }, (_, i) =>
                kit.authenticate(node, { username: `late-${i}`, password: 'x' }, { transport: HERE })));

            await until(() => node.edge.rejects({ username: 'anybody', password: 'x' }, HERE) !== null);
            await ended;

            expect(node.edge.rejects({ username: 'anybody', password: 'x' }, HERE)).to.be.null();
        });

        it('does not share the result of a login that began before a change', async () => {

            let reads = 0;
            const watched = new IdentityKit(watchedDatabase(kit.db, (sql) => {

                reads += Number(/credentials/.test(sql));
            }));
            const node = watched.node({ cost: DEFAULT_COST });
            node.start();
            await kit.addUser('test/eve', { username: 'eve', password: 'old' });
            const login = (): Promise<string | null> => watched.authenticate(node, { username: 'eve', password: 'new' }, { transport: HERE })
                .then(({ userId }) => userId, ({ message }: Error) => message);

            const early = login();
            await until(() => reads > 0);
            await kit.updateUser('test/eve', { username: 'eve', password: 'new' });
            const late = login();

            expect(await Promise.all([early, late])).to.equal(['Authentication failed', 'test/eve']);
            await node.close();
        });

        it('is left to the authenticate hook if there is one', async () => {

            const node = kit.node({ cost: DEFAULT_COST });
            node.start();
            const { ended } = await crowd(node);

            const hook = async (): Promise<JsonObject> => ({ active: true, userId: 'orcid/1' });
            node.useAuthenticateHook(() => hook);

            expect(node.edge.rejects({ username: 'anybody', password: 'x' }, HERE)).to.be.null();
            expect((await kit.authenticate(node, { username: 'anybody', password: 'x' }, { transport: HERE })).userId).to.equal('orcid/1');
            await node.close();
            await ended;
        });
    });
});

describe('the in-flight limiter', () => {

    it('counts calls in progress by address', async () => {

        const crowd = new InFlightLimiter(2);
        const ends: (() => void)[] = [];
        const wait = (place: string): Promise<void> => crowd.run(place, () => new Promise((resolve) => {

            ends.push(resolve);
        }));
        const states = [[crowd.isAnyFull, crowd.isFull('a')]];
        const waiting = [wait('a'), wait('b'), wait('a')];
        states.push([crowd.isAnyFull, crowd.isFull('a')], [crowd.isAnyFull, crowd.isFull('b')]);
        ends[0]?.();
        await waiting[0];
        states.push([crowd.isAnyFull, crowd.isFull('a')]);
        await expect(crowd.run('a', () => Promise.reject(new Error('failed')))).to.reject('failed');
        ends.forEach((end) => end());
        await Promise.all(waiting);

        expect(states).to.equal([[false, false], [true, true], [true, false], [false, false]]);
    });
});
