import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { DoipError } from '../../../../lib/errors/errors.js';
import { BodyMemory, type MemoryShare } from '../../../../translators/http/request/body-memory.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** What is not charged of each request. */
const FREE = 16 * 1024;

const MAX = 1_000_000;

type Charge = readonly [address: string, share: MemoryShare, percent: number];

/** Charges percentages of the budget one after the other, each from an address; returns the status of the last one. */
function lastOf(...charges: readonly Charge[]): number {

    const memory = new BodyMemory(MAX);
    const statuses = charges.map(([address, share, percent]) => {

        try {
            memory.open(address, share).reserve(FREE + percent * MAX / 100);
            return 200;
        }
        catch (error) {
            return (error as DoipError).http ?? 0;
        }
    });
    expect(statuses.slice(0, -1).filter((status) => status !== 200)).to.be.empty();
    return statuses.at(-1) ?? 0;
}

describe('the memory for bodies', () => {

    const cases: readonly (readonly [title: string, status: number, ...charges: Charge[]])[] = [
        ['one address has half of it', 200, ['192.0.2.1', 'verified', 50]],
        ['one address does not have more', 429, ['192.0.2.1', 'verified', 50], ['192.0.2.1', 'verified', 1]],
        ['one address does not have more with and without credentials together', 429, ['192.0.2.1', 'verified', 30], ['192.0.2.1', 'anonymous', 21]],
        ['another address has the other half', 200, ['192.0.2.1', 'verified', 50], ['192.0.2.2', 'verified', 50]],
        ['a network of IPv6 is one address', 429, ['2001:db8::1', 'verified', 30], ['2001:db8::2', 'verified', 21]],
        ['another network of IPv6 is another', 200, ['2001:db8::1', 'verified', 30], ['2001:db8:0:1::2', 'verified', 21]],
        ['an address of IPv4 is the same in the notation of IPv6', 429, ['192.0.2.1', 'verified', 30], ['::ffff:192.0.2.1', 'verified', 21]],
        ['callers without credentials have half of it', 503, ['192.0.2.1', 'anonymous', 30], ['192.0.2.2', 'anonymous', 21]],
        ['beginnings of requests have a quarter for each address', 429, ['192.0.2.1', 'unverified', 20], ['192.0.2.1', 'unverified', 6]],
        ['beginnings of requests have half of it', 503, ['192.0.2.1', 'unverified', 25], ['192.0.2.2', 'unverified', 25], ['192.0.2.3', 'unverified', 1]],
        ['beginnings of requests leave room for callers without credentials, and the reverse', 200,
            ['192.0.2.1', 'anonymous', 49], ['192.0.2.2', 'unverified', 25]],
        ['a quarter is for callers that were admitted', 503, ['192.0.2.1', 'anonymous', 50], ['192.0.2.2', 'unverified', 25], ['192.0.2.3', 'unverified', 1]],
        ['a quarter is for callers that were admitted, which they get', 200,
            ['192.0.2.1', 'anonymous', 50], ['192.0.2.2', 'unverified', 25], ['192.0.2.3', 'verified', 25]]
    ];
    for (const [title, status, ...charges] of cases) {
        it(`is shared: ${title}`, () => {

            expect(lastOf(...charges)).to.equal(status);
        });
    }

    it('is given back by parts, so that a request may hold any number of bytes one after the other', () => {

        const memory = new BodyMemory(MAX);
        const account = memory.open('192.0.2.1', 'verified');
        for (let n = 0; n < 10; ++n) {
            account.reserve(FREE + MAX / 2);
            expect(memory.used).to.equal(MAX / 2);
            expect(() => account.reserve(1)).to.throw(/too many long bodies/);
            account.release(MAX / 4);
            expect(memory.used).to.equal(MAX / 4);
            account.release(MAX / 4 + 10);
            expect(memory.used).to.equal(0);
            expect(account.reserve(10)).to.be.false();
            account.release(FREE);
        }
    });

    it('is not charged any more by a request that has ended', () => {

        const memory = new BodyMemory(MAX);
        const [ended, other] = ['192.0.2.1', '192.0.2.1'].map((address) => memory.open(address, 'verified'));
        ended?.reserve(FREE + 1000);
        other?.reserve(FREE + 1000);
        ended?.close();
        ended?.release(500);

        expect(() => ended?.reserve(1000)).to.throw('the request ended before its body was read');
        expect(memory.used).to.equal(1000);
    });

    it('is given back to all shares and addresses', () => {

        const memory = new BodyMemory(MAX);
        const accounts = (['anonymous', 'unverified', 'verified'] as const).map((share, index) => {

            const account = memory.open(`2001:db8::${index}`, share);
            account.reserve(FREE + 160_000);
            return account;
        });
        expect(memory.used).to.equal(480_000);
        accounts.forEach(({ close }) => close());
        accounts.forEach(({ close }) => close());
        expect(memory.used).to.equal(0);
        expect(memory.open('2001:db8::9', 'verified').reserve(FREE + MAX / 2)).to.be.true();
    });
});
