import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { CallOrder } from '../../../../lib/util/workers/call-queue.js';
import { CallQueue } from '../../../../lib/util/workers/call-queue.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Calls are letters for searches of a caller with a number, `!…` for what comes first, and `.…` for what keeps its place. */
function turnOf(call: string): CallOrder {

    return call.startsWith('!') ? 'first' : call.startsWith('.') ? 'in order' : { of: call.charAt(0) };
}

function queueOf(waiting: string, taken: string): CallQueue<string> {

    const queue = new CallQueue(turnOf);
    for (const call of taken.split(' ')) {
        queue.push({ id: 0, call });
        queue.next();
    }

    waiting.split(' ').forEach((call, i) => queue.push({ id: i + 1, call }));
    return queue;
}

function takenOf(queue: CallQueue<string>): string {

    const taken: string[] = [];
    for (let message = queue.next(); message; message = queue.next()) {
        taken.push(message.call);
    }

    return taken.join(' ');
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

            const queue = queueOf(waiting, taken);

            expect(queue.sorted().map(({ call }) => call).join(' ')).to.equal(expected);
            expect(takenOf(queue)).to.equal(expected);
        });
    }

    it('can be removed out of order, which counts as a turn', () => {

        const queue = queueOf('a1 a2 .1 b1 .2 !1 !2', '.');
        queue.sorted().filter(({ call }) => ['a1', '.1', '!2'].includes(call)).forEach((message) => queue.remove(message));

        expect(takenOf(queue)).to.equal('!1 b1 a2 .2');
    });

    it('let every caller have a turn, with any number of calls', () => {

        const queue = new CallQueue(turnOf);
        for (let i = 0; i < 2000; ++i) {
            queue.push({ id: i, call: `${String.fromCharCode(1000 + i % 1500)}${i}` });
        }

        const seen = new Set<string>();
        for (let i = 0; i < 1500; ++i) {
            seen.add(queue.next()?.call.charAt(0) ?? '');
        }

        expect(seen.size).to.be.above(1000);
    });
});
