import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { DoipError } from '../../../../lib/errors/errors.js';
import { onClose } from '../../../../lib/util/streams/on-close.js';
import { KeyedSemaphore } from '../../../../lib/util/concurrency/keyed-semaphore.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a turnstile', () => {

    const patient = new AbortController().signal;

    it('lets a few of one key pass at a time, in the order in which they came', async () => {

        const turnstile = new KeyedSemaphore({ places: 2, patience: 60_000, refusal: 'wait' });
        const passed: number[] = [];
        const enter = async (number: number) => {

            const leave = await turnstile.acquire('a', patient);
            passed.push(number);
            return leave;
        };

        const [first, second] = [await enter(1), await enter(2)];
        const [third, fourth] = [enter(3), enter(4)];
        await turnstile.acquire('b', patient);
        expect(passed).to.equal([1, 2]);

        first();
        first();
        await third;
        expect(passed).to.equal([1, 2, 3]);

        second();
        await fourth;
        expect(passed).to.equal([1, 2, 3, 4]);
    });

    it('tells who has waited too long to come again, and forgets them', async () => {

        const turnstile = new KeyedSemaphore({ places: 1, patience: 20, refusal: 'read what you have' });
        const leave = await turnstile.acquire('a', patient);

        const error = await expect(turnstile.acquire('a', patient)).to.reject<DoipError>('read what you have');
        expect(error.http).to.equal(429);
        expect<unknown>(error.attributes).to.equal({ retryAfter: 1 });

        leave();
        const next = await turnstile.acquire('a', patient);
        next();
    });

    it('forgets who does not want to wait any more', async () => {

        const turnstile = new KeyedSemaphore({ places: 1, patience: 60_000, refusal: 'wait' });
        const leave = await turnstile.acquire('a', patient);
        const impatient = new AbortController();
        const waiting = turnstile.acquire('a', impatient.signal);
        const last = turnstile.acquire('a', patient);

        impatient.abort(new Error('gone'));
        leave();

        await expect(waiting).to.reject('gone');
        (await last)();
        (await turnstile.acquire('a', patient))();
        await expect(turnstile.acquire('a', AbortSignal.abort(new Error('never came')))).to.reject('never came');
    });
});

describe('a released sequence', () => {

    async function *numbers(): AsyncGenerator<number, void, undefined> {

        yield 1;
        yield 2;
    }

    async function *broken(): AsyncGenerator<number, void, undefined> {

        throw new Error('broken');
    }

    const cases: [string, (sequence: AsyncGenerator<number, void, undefined>) => Promise<unknown>, (typeof numbers)][] = [
        ['has been read to its end', async (sequence) => {

            for await (const number of sequence) {
                void number;
            }
        }, numbers],
        ['is left early', async (sequence) => {

            for await (const number of sequence) {
                void number;
                break;
            }
        }, numbers],
        ['is ended before it was begun', (sequence) => sequence.return(), numbers],
        ['fails', (sequence) => sequence.next().catch(() => null), broken]
    ];
    for (const [title, use, make] of cases) {
        it(`releases once when it ${title}`, async () => {

            let count = 0;
            const sequence = onClose(make(), () => {

                ++count;
            });

            await use(sequence);
            await sequence.return();

            expect(count).to.equal(1);
        });
    }
});
