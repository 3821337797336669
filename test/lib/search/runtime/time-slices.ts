import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { QueryTimeout } from '../../../../lib/search/query/query-deadline.js';
import type { SearcherCall } from '../../../../lib/search/runtime/protocol.js';
import { Preemption } from '../../../../lib/search/runtime/preemption.js';
import { DEFER } from '../../../../lib/util/workers/worker-server.js';

export const lab = Lab.script();
const { describe, it } = lab;

type SearchCall = SearcherCall & { readonly kind: 'search' };

const CHANGE: SearcherCall = { kind: 'apply', changes: '[]', upTo: 0 };

/** A search that takes a number of milliseconds. */
function searchOf(milliseconds: number, timeout = 10_000): SearchCall {

    return { kind: 'search', request: String(milliseconds), first: 10, milliseconds: timeout, requestedAt: 0, caller: '' };
}

/** A search thread with pending calls, on a clock of its own: the load of the machine must not matter. */
class Thread {

    readonly answered: SearcherCall[] = [];
    readonly rejected: SearcherCall[] = [];
    /** Milliseconds of slices in which no search has ended. */
    wasted = 0;
    time = 0;
    readonly #pending: SearcherCall[];
    readonly #preemption: Preemption;

    constructor(pending: readonly SearcherCall[]) {

        this.#pending = [...pending];
        this.#preemption = new Preemption({
            search: ({ request }, milliseconds) => {

                this.time += Math.min(Number(request), milliseconds);
                if (Number(request) > milliseconds) {
                    this.wasted += milliseconds;
                    throw new QueryTimeout();
                }
            },
            work: () => null,
            timeFor: ({ milliseconds }) => {

                if (this.time > milliseconds) {
                    throw new QueryTimeout();
                }

                return milliseconds - this.time;
            }
        }, () => this.time);
    }

    push(call: SearcherCall): void {

        this.#pending.push(call);
    }

    /** Yields once, then runs the long search for as long as that took. Returns the length of the pause. */
    yield(): number {

        const from = this.time;
        this.#preemption.runPending({ offer: (work) => [...this.#pending].forEach((call) => this.#offer(call, work)) });
        const pause = this.time - from;
        this.time += Math.max(pause, 10);
        return pause;
    }

    #offer(call: SearcherCall, work: (call: SearcherCall) => unknown): void {

        try {
            if (work(call) === DEFER) {
                return;
            }

            this.answered.push(call);
        }
        catch {
            this.rejected.push(call);
        }

        this.#pending.splice(this.#pending.indexOf(call), 1);
    }
}

describe('the time slices of preempting searches', () => {

    it('are bounded in number and length, so that long searches take at most half of the time, and wait after a while', () => {

        const thread = new Thread(Array.from({ length: 5 }, () => searchOf(Infinity, Infinity)));
        const pauses = Array.from({ length: 2000 }, () => thread.yield());

        expect(Math.max(...pauses)).to.equal(400);
        expect(thread.wasted).to.equal(5 * (25 + 50 + 100 + 200 + 400));
        expect(pauses.slice(1900)).to.equal(Array.from({ length: 100 }, () => 0));
        expect(thread.answered).to.equal([]);
    });

    it('of retries take a quarter of the time', () => {

        const thread = new Thread(Array.from({ length: 100 }, () => searchOf(Infinity, Infinity)));
        for (let i = 0; i < 300; ++i) {
            thread.yield();
        }

        const [from, wasted] = [thread.time, thread.wasted];
        for (let i = 0; i < 1000; ++i) {
            thread.yield();
        }

        expect((thread.wasted - wasted) / (thread.time - from)).to.be.within(0.2, 0.26);
    });

    it('go to new searches soon, and to changes before', () => {

        const thread = new Thread(Array.from({ length: 16 }, () => searchOf(Infinity)));
        for (let i = 0; i < 60; ++i) {
            thread.yield();
        }

        const short = searchOf(20);
        thread.push(short);
        thread.push(CHANGE);
        thread.yield();
        expect(thread.answered).to.include(CHANGE);
        thread.yield();
        expect(thread.answered).to.include(short);
    });

    it('go to a search that takes longer, too, while there are always new ones', () => {

        const search = searchOf(90);
        const thread = new Thread([search]);
        for (let i = 0; i < 10; ++i) {
            thread.push(searchOf(20));
            thread.push(searchOf(20));
            thread.yield();
        }

        expect(thread.answered).to.include(search);
    });

    it('are shared by searches that end in them', () => {

        const thread = new Thread(Array.from({ length: 100 }, () => searchOf(1)));

        expect(thread.yield()).to.equal(25);
        expect(thread.answered).to.have.length(25);
    });

    it('grow until the search ends in one', () => {

        const search = searchOf(300);
        const thread = new Thread([search]);
        for (let i = 0; i < 200; ++i) {
            thread.yield();
        }

        expect(thread.answered).to.equal([search]);
        expect(thread.wasted).to.equal(25 + 50 + 100 + 200);
    });

    it('end at the timeout of the search, which then fails, as does one that has waited for too long', () => {

        const searches = [searchOf(1000, 20), searchOf(1000, 15)];
        const thread = new Thread(searches);
        thread.yield();
        thread.yield();

        expect(thread.rejected).to.equal(searches);
        expect(thread.wasted).to.equal(20);
    });
});
