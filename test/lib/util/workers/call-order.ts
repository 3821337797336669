import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { CallTurn } from '../../../../lib/util/workers/call-order.js';
import { CallOrder } from '../../../../lib/util/workers/call-order.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Calls are letters for searches of a caller with a number, `!…` for what comes first, and `.…` for what keeps its place. */
function turnOf(call: string): CallTurn {

    return call.startsWith('!') ? 'first' : call.startsWith('.') ? 'in order' : { of: call.charAt(0) };
}

function orderOf(calls: string, taken: string): string {

    const order = new CallOrder(turnOf);
    taken.split(' ').forEach((call) => order.took(call));
    return order.sorted(calls.split(' ').map((call) => ({ call }))).map(({ call }) => call).join(' ');
}

describe('calls to a worker', () => {

    const CASES: readonly (readonly [title: string, waiting: string, taken: string, expected: string])[] = [
        ['are taken in order for one caller', 'a1 a2 a3', 'a0', 'a1 a2 a3'],
        ['are taken round-robin for several callers', 'a1 a2 a3 b1 b2 c1', '.', 'a1 b1 c1 a2 b2 a3'],
        ['begin with the least recently served caller', 'a1 a2 b1 c1', 'c0 b0 a0', 'c1 b1 a1 a2'],
        ['of a new caller come before those of others', 'a1 a2 b1 c1', 'a0 b0', 'c1 a1 b1 a2'],
        ['come after changes that they must see', 'a1 .1 a2 .2 b1 .3', 'a0', '.1 .2 b1 a1 a2 .3'],
        ['wait for urgent calls', 'a1 .1 !1 b1 !2', '.', '!1 !2 a1 .1 b1'],
        ['may be changes only', '.1 .2', '.', '.1 .2']
    ];
    for (const [title, waiting, taken, expected] of CASES) {
        it(title, () => {

            const messages = waiting.split(' ').map((call) => ({ call }));
            const order = new CallOrder(turnOf);
            taken.split(' ').forEach((call) => order.took(call));

            expect(orderOf(waiting, taken)).to.equal(expected);
            expect(messages[order.next(messages)]?.call).to.equal(expected.split(' ')[0]);
        });
    }

    it('let every caller have a turn, with any number of calls', () => {

        const order = new CallOrder(turnOf);
        const messages = Array.from({ length: 2000 }, (_, i) => ({ call: `${String.fromCharCode(1000 + i % 1500)}${i}` }));
        const seen = new Set<string>();
        for (let i = 0; i < 1500; ++i) {
            const [message] = messages.splice(order.next(messages), 1);
            order.took(message?.call ?? '');
            seen.add(message?.call.charAt(0) ?? '');
        }

        expect(seen.size).to.be.above(1000);
    });
});
