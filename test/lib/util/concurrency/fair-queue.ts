import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { FairQueue } from '../../../../lib/util/concurrency/fair-queue.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Items are a letter for their key, and a number. */
function queueOf(items: string, newcomersFirst: boolean, turns = ''): FairQueue<string> {

    const queue = new FairQueue<string>(newcomersFirst);
    [...turns].forEach((key) => queue.recordTurn(key));
    items.split(' ').forEach((item) => queue.push(item.charAt(0), item));
    return queue;
}

function orderOf(queue: FairQueue<string>): string {

    const order: (string | undefined)[] = [];
    for (let key = queue.next(); key !== undefined; key = queue.next()) {
        queue.recordTurn(key);
        order.push(queue.shift(key));
    }

    return order.join(' ');
}

describe('a fair queue', () => {

    const CASES: readonly (readonly [title: string, items: string, newcomersFirst: boolean, turns: string, expected: string])[] = [
        ['is FIFO for one key', 'a1 a2 a3', false, '', 'a1 a2 a3'],
        ['takes turns between keys', 'a1 a2 a3 b1 b2 c1', false, '', 'a1 b1 c1 a2 b2 a3'],
        ['begins with the key that came first, whatever turns there were', 'a1 b1 c1', false, 'ab', 'a1 b1 c1'],
        ['begins with newcomers where these come first', 'a1 a2 b1 c1', true, 'ab', 'c1 a1 b1 a2'],
        ['goes on with the key whose last turn was longest ago', 'a1 a2 b1 c1', true, 'cba', 'c1 b1 a1 a2']
    ];
    for (const [title, items, newcomersFirst, turns, expected] of CASES) {
        it(title, () => {

            expect(queueOf(items, newcomersFirst, turns).inTurns().join(' ')).to.equal(expected);
            expect(orderOf(queueOf(items, newcomersFirst, turns))).to.equal(expected);
        });
    }

    it('skips keys that are not ready', () => {

        const queue = queueOf('a1 b1', false);

        expect(queue.next((key) => key === 'b')).to.equal('b');
        expect(queue.next(() => false)).to.be.undefined();
    });

    it('removes items from any position, and counts the others', () => {

        const queue = queueOf('a1 a2 b1 b2 b3', false);

        queue.remove('a', 'a1');
        queue.remove('a', 'none');
        expect([queue.longest(), queue.pop('b'), queue.pop('none')]).to.equal(['b', 'b3', undefined]);
        expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b'), queue.sizeOf('c')]).to.equal([3, 1, 2, 0]);
        expect(orderOf(queue)).to.equal('a2 b1 b2');
        expect([queue.size, queue.longest()]).to.equal([0, undefined]);
    });
});
