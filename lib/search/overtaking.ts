/**
 * What may overtake a search that takes long: changes, and searches that take little. A search is tried for a moment; when that was
 * not enough it is tried for longer in one of the next rounds, at last for 400 ms, or waits until those before it have ended.
 */

import { TookTooLong } from './deadline.js';
import type { SearcherCall } from './messages.js';
import { ALL_LATER, LATER } from './serve-calls.js';
import type { WaitingCalls } from './serve-calls.js';

type SearchCall = SearcherCall & { readonly kind: 'search' };

/** Milliseconds of the first try, and how often they are doubled. */
const FIRST_TRY = 25;
const DOUBLINGS = 4;

/** Milliseconds of all tries of a round, about. */
const ROUND = 400;

/** How calls are worked off. */
export interface Overtaker {
    /** Searches for so many milliseconds at most. Throws {@link TookTooLong} when they are over. */
    search(call: SearchCall, milliseconds: number): unknown;
    work(call: SearcherCall): unknown;
    /** Milliseconds that a search may still take; throws when there are none. */
    timeFor(call: SearchCall): number;
}

export class Overtaking {

    readonly #overtaker: Overtaker;
    /** How often a search was tried. */
    readonly #tries = new WeakMap<SearchCall, number>();
    #rounds = 0;

    constructor(overtaker: Overtaker) {

        this.#overtaker = overtaker;
    }

    /** One round; new searches have a part in each, those that were tried for longer in fewer and fewer of them. */
    admit(waiting: WaitingCalls<SearcherCall>): void {

        const end = performance.now() + ROUND;
        // 1, 2, 1, 3, 1, 2, 1, 4: how many tries they may have with this one.
        const most = Math.min(32 - Math.clz32(++this.#rounds & -this.#rounds), DOUBLINGS + 1);
        waiting.offer((call) => {

            if (performance.now() > end) {
                return ALL_LATER;
            }

            if (call.kind === 'search') {
                return this.#try(call, most);
            }

            return removesStored(call) ? LATER : this.#overtaker.work(call);
        });
    }

    #try(call: SearchCall, most: number): unknown {

        const tries = this.#tries.get(call) ?? 0;
        if (tries >= most) {
            return LATER;
        }

        const left = this.#overtaker.timeFor(call);
        const own = FIRST_TRY * 2 ** tries;
        try {
            return this.#overtaker.search(call, Math.min(own, left));
        }
        catch (error) {
            if (!(error instanceof TookTooLong) || own >= left) {
                throw error;
            }

            this.#tries.set(call, tries + 1);
            return LATER;
        }
    }
}

/** Does it remove stored segments? Those may be searched right now, and are deleted when it is done. What comes after it need not wait for it. */
function removesStored(call: SearcherCall): boolean {

    return call.kind === 'replace' && call.sources.some(({ name }) => name >= 0);
}
