/** Against guessing: delays after failures, per name and place, on all nodes together. */

import { createHash } from 'node:crypto';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import { LoginThrottle } from '../../../../lib/identity/throttling/login-throttle.js';
import { sourceOf } from '../../../../lib/util/net/ip-address.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const fail = async (): Promise<null> => null;
const succeed = async (): Promise<string> => 'in';

forEachDatabase((name, create) => {

    describe(`the login throttle on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;

        before(async () => {

            place = await create();
            kit = new IdentityKit(await place.open());
        });

        after(() => place.dispose());

        /** A node with a clock of its own; sleeping turns it. */
        function node(enabled = true) {

            const clock = { now: 1_000_000 };
            const delays: number[] = [];
            const sleep = async (ms: number): Promise<void> => {

                delays.push(ms);
                clock.now += ms;
            };

            return { clock, delays, backOff: new LoginThrottle(kit.logins, { enabled: () => enabled, now: () => clock.now, sleep }) };
        }

        it('delays the attempt after the nth failure by n² tenths of a second, at most five', async () => {

            const { backOff, delays } = node();

            for (let i = 0; i < 9; ++i) {
                await backOff.attempt('ann', '192.0.2.1', fail);
            }

            expect(delays).to.equal([100, 400, 900, 1600, 2500, 3600, 4900, 5000]);
        });

        it('counts the delay from the last failure', async () => {

            const { backOff, clock, delays } = node();
            await backOff.attempt('since', 'a', fail);
            await backOff.attempt('since', 'a', fail);

            clock.now += 150;
            await backOff.attempt('since', 'a', fail);
            clock.now += 1000;
            await backOff.attempt('since', 'a', succeed);

            expect(delays).to.equal([100, 250]);
        });

        it('treats a name in any case as the same', async () => {

            const { backOff, delays } = node();

            await backOff.attempt('Case', 'a', fail);
            await backOff.attempt('cASE', 'a', fail);

            expect(delays).to.equal([100]);
        });

        it('resets after a success', async () => {

            const { backOff, delays } = node();
            await backOff.attempt('right', 'a', fail);
            expect(await backOff.attempt('right', 'a', succeed)).to.equal('in');

            await backOff.attempt('right', 'a', fail);
            await backOff.attempt('right', 'a', succeed);

            expect(delays).to.equal([100, 100]);
        });

        it('resets after an hour', async () => {

            const { backOff, clock, delays } = node();
            for (let i = 0; i < 3; ++i) {
                await backOff.attempt('hour', 'a', fail);
            }

            clock.now += 3_600_000;
            await backOff.attempt('hour', 'a', fail);
            await backOff.attempt('hour', 'a', fail);

            expect(delays).to.equal([100, 400, 100]);
        });

        it('does not let failures from one address lock a name for others', async () => {

            const { backOff, delays } = node();
            for (let i = 0; i < 20; ++i) {
                await backOff.attempt('victim', 'attacker', fail);
            }

            delays.length = 0;
            await backOff.attempt('victim', 'home', succeed);

            expect(delays).to.equal([200]);
        });

        it('does not affect other names', async () => {

            const { backOff, delays } = node();
            await backOff.attempt('one', 'a', fail);

            await backOff.attempt('two', 'a', fail);

            expect(delays).to.equal([]);
        });

        it('counts on all nodes together', async () => {

            const [one, two] = [node(), node()];
            await one.backOff.attempt('everywhere', 'a', fail);
            await two.backOff.attempt('everywhere', 'a', fail);

            await one.backOff.attempt('everywhere', 'a', fail);

            expect(two.delays).to.equal([100]);
            expect(one.delays.at(-1) ?? 0).to.be.within(300, 400);
        });

        it('neither counts nor resets on an attempt without result', async () => {

            const { backOff, delays } = node();
            await backOff.attempt('undecided', 'a', fail);
            await backOff.attempt('undecided', 'a', async () => undefined);
            await backOff.attempt('undecided', 'a', fail);
            await backOff.attempt('undecided', 'a', succeed);

            expect(delays).to.equal([100, 400]);
        });

        it('does not count attempts that were not made', async () => {

            const { backOff, delays } = node();
            await expect(backOff.attempt('busy', 'a', () => Promise.reject(new Error('too much')))).to.reject('too much');

            await backOff.attempt('busy', 'a', fail);

            expect(delays).to.equal([]);
        });

        it('runs attempts with one name from one address in sequence, and rejects more than a few', async () => {

            const { backOff } = node();
            let running = 0;
            let most = 0;
            const attempt = async (): Promise<null> => {

                most = Math.max(most, ++running);
                await new Promise(setImmediate);
                --running;
                return null;
            };

            const results = await Promise.allSettled(Array.from({ length: 50 }, () => backOff.attempt('flood', 'a', attempt)));

            const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
            expect(most).to.equal(1);
            expect(refused).to.have.length(45);
            expect(refused.every(({ reason }) => reason instanceof DoipError && reason.http === 429 && reason.attributes.retryAfter === 5)).to.be.true();
        });

        it('releases waiting attempts when the service stops', async () => {

            const backOff = new LoginThrottle(kit.logins, { enabled: () => true, now: () => 1_000_000 });
            for (let i = 0; i < 7; ++i) {
                await kit.logins.addFailure([createHash('sha256').update('stopping\na').digest('hex')], 1_000_000, 0);
            }

            let attempts = 0;
            const waiting = backOff.attempt('stopping', 'a', async () => ++attempts);
            waiting.catch(() => undefined);
            await kit.epochs();
            backOff.close();

            await expect(waiting).to.reject(DoipError, /shutting down/);
            expect(attempts).to.equal(0);
        });

        it('does nothing when the design disables it', async () => {

            const { backOff, delays } = node(false);

            await Promise.all(Array.from({ length: 20 }, () => backOff.attempt('off', 'a', fail)));

            expect(delays).to.equal([]);
            expect(await backOff.attempt('off', 'a', succeed)).to.equal('in');
        });

        it('stores neither names nor addresses', async () => {

            const { backOff } = node();
            await backOff.attempt('Confidential', '198.51.100.9', fail);

            const rows = await kit.db.read({ sql: 'select * from back_off' }, []);

            expect(rows.length).to.be.above(0);
            expect(JSON.stringify(rows)).to.not.match(/confidential|198\.51/i);
        });
    });
});

describe('the source of an address', () => {

    const cases: readonly (readonly [address: string, source: string])[] = [
        ['192.0.2.1', '192.0.2.1'],
        ['::ffff:192.0.2.1', '192.0.2.1'],
        ['::FFFF:C000:201', '192.0.2.1'],
        ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
        ['0000:0000:0000:0000:0000:ffff:192.0.2.1', '192.0.2.1'],
        ['::1:ffff:c000:201', '0:0:0:0::/64'],
        ['', 'internal'],
        ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
        ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
        ['2001:db8::1', '2001:db8:0:0::/64'],
        ['::1', '0:0:0:0::/64'],
        ['fe80::1%eth0', 'fe80:0:0:0::/64'],
        ['no address', 'no address']
    ];

    for (const [address, source] of cases) {
        it(`of ${address || 'a call of the same process'} is ${source}`, () => {

            expect(sourceOf(address)).to.equal(source);
        });
    }
});
