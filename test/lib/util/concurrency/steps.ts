import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { atOnce, inTurns, type Steps } from '../../../../lib/util/concurrency/steps.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Counts to a number; each step takes some milliseconds. */
function *count(to: number, ms = 0): Steps<number> {

    for (let n = 0; n < to; ++n) {
        for (const end = performance.now() + ms; performance.now() < end;) {
            // Busy
        }

        yield;
    }

    return to;
}

function *failing(): Steps<never> {

    yield;
    throw new Error('no');
}

/** Returns the number of turns of the event loop that the work leaves to others. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {

    let turns = 0;
    let next = setImmediate(function turn() {

        turns += 1;
        next = setImmediate(turn);
    });
    await work;
    clearImmediate(next);
    return turns;
}

describe('steps', () => {

    it('are taken at once, with their result or error', () => {

        expect(atOnce(count(0))).to.equal(0);
        expect(atOnce(count(5))).to.equal(5);
        expect(() => atOnce(failing())).to.throw('no');
    });

    it('are taken in turns of the event loop, with their result or error', async () => {

        expect(await inTurns(count(5))).to.equal(5);
        await expect(inTurns(failing())).to.reject('no');
        expect(await turnsDuring(inTurns(count(20, 2)))).to.be.above(4);
    });

    it('that are short together take one turn', async () => {

        const turns: number[] = [];
        for (let attempt = 0; attempt < 20; ++attempt) {
            turns.push(await turnsDuring(inTurns(count(10))));
        }

        // On a busy machine some of them are interrupted for longer than a turn.
        expect(Math.min(...turns)).to.equal(0);
    });
});
