import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { QueryTimeout } from '../../../lib/search/query/query-deadline.js';
import type { SearcherCall } from '../../../lib/search/runtime/protocol.js';
import { Preemption } from '../../../lib/search/runtime/preemption.js';
import { DEFER_ALL, DEFER } from '../../../lib/util/workers/worker-server.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SHORT = 'short';

function searchFor(request: string): SearcherCall {

    return { kind: 'search', request, first: 10, milliseconds: 10_000, requestedAt: 0, caller: '' };
}

/** A clock of the tests' own: how busy the machine is must not matter. */
let time = 0;

function busy(milliseconds: number): void {

    time += milliseconds;
}

/** Calls that wait, and how they are worked off: but for short ones searches take all the time that they are given, and then some. */
function start(waiting: SearcherCall[]) {

    const seen = { inVain: 0, answered: [] as SearcherCall[] };
    const overtaking = new Preemption({
        search: ({ request }, milliseconds) => {

            if (request !== SHORT) {
                seen.inVain += milliseconds;
                busy(milliseconds);
                throw new QueryTimeout();
            }
        },
        work: () => null,
        timeFor: ({ milliseconds }) => milliseconds
    }, () => time);
    const round = overtaking.createYield({
        offer: (work) => {

            for (const call of [...waiting]) {
                const outcome = work(call);
                if (outcome === DEFER_ALL) {
                    return;
                }

                if (outcome !== DEFER) {
                    seen.answered.push(call);
                    waiting.splice(waiting.indexOf(call), 1);
                }
            }
        }
    });
    return { seen, round };
}

describe('preempting queries', () => {

    it('take a small share of the time when their time slices end without a result, in any number', () => {

        const { seen, round } = start(Array.from({ length: 100 }, () => searchFor('long')));
        for (let i = 0; i < 4; ++i) {
            round();
        }

        expect(seen.inVain).to.be.within(25, 600);
        expect(seen.answered).to.equal([]);
    });

    it('are not delayed by long ones, nor are changes', () => {

        const change: SearcherCall = { kind: 'apply', changes: '[]' };
        const short = searchFor(SHORT);
        const waiting = [...Array.from({ length: 16 }, () => searchFor('long')), change, short];
        const { seen, round } = start(waiting);
        round();
        waiting.push(change);
        for (let i = 0; i < 50 && !seen.answered.includes(short); ++i) {
            busy(10);
            round();
        }

        expect(seen.answered.filter(({ kind }) => kind === 'apply')).to.have.length(2);
        expect(seen.answered).to.include(short);
    });
});
