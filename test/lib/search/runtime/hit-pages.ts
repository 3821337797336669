import { setImmediate } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { SearchHit } from '../../../../lib/search/query/search-request.js';
import { HitPages } from '../../../../lib/search/runtime/hit-pages.js';
import type { SearchClient } from '../../../../lib/search/runtime/search-client.js';

export const lab = Lab.script();
const { describe, it } = lab;

function hit(n: number): SearchHit {

    return { id: `test/${n}`, score: null };
}

/** Pages of one hit each, behind a thread that has some more. Lists the calls of the thread. */
function pagesOf(more: number, answer: () => Promise<void> = () => Promise.resolve()): { pages: HitPages; calls: string[] } {

    const calls: string[] = [];
    let sent = 0;
    const searcher = {
        async more() {

            calls.push('more');
            const n = ++sent;
            await answer();
            return { hits: [hit(n)], isDone: n === more };
        },
        call({ kind }: { readonly kind: string }) {

            calls.push(kind);
            return Promise.resolve(null);
        }
    };
    return { pages: new HitPages(searcher as unknown as SearchClient, { hits: [hit(0)], cursor: 1 }), calls };
}

describe('pages of hits', () => {

    it('are read one after the other by concurrent reads', async () => {

        const { pages, calls } = pagesOf(2);
        const read = await Promise.all(Array.from({ length: 5 }, () => pages.next()));

        expect(read.map(({ done, value }) => (done ? null : value?.[0]?.id))).to.equal(['test/0', 'test/1', 'test/2', null, null]);
        expect(calls).to.equal(['more', 'more']);
    });

    it('end for concurrent reads when one fails', async () => {

        const { pages, calls } = pagesOf(2, () => Promise.reject(new Error('the thread ended')));
        await pages.next();
        const [failed, next] = await Promise.allSettled([pages.next(), pages.next()]);

        expect(failed.status).to.equal('rejected');
        expect(next).to.equal({ status: 'fulfilled', value: { done: true, value: undefined } });
        expect(calls).to.equal(['more', 'forget']);
    });

    it('are released during a read', async () => {

        let open = (): void => {};
        const gate = new Promise<void>((resolve) => {

            open = resolve;
        });
        const { pages, calls } = pagesOf(2, () => gate);
        await pages.next();
        const reading = pages.next();
        await setImmediate();
        await pages.return();
        open();

        expect(await reading).to.equal({ done: false, value: [hit(1)] });
        expect(await pages.next()).to.equal({ done: true, value: undefined });
        expect(calls).to.equal(['more', 'forget']);
    });
});
