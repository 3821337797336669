import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { DoipError } from '../../../../lib/errors/errors.js';
import { tooManyRequests } from '../../../../lib/errors/errors.js';
import type { AcquireOptions, SemaphoreOptions } from '../../../../lib/util/concurrency/semaphore.js';
import { Semaphore } from '../../../../lib/util/concurrency/semaphore.js';

export const lab = Lab.script();
const { describe, it } = lab;

const refusal: SemaphoreOptions['rejection'] = (why, key) => tooManyRequests(`${key}: ${why}`, 1);

/** Does work that ends when it is told to; notes the order in which it starts. */
function harness(options: Partial<SemaphoreOptions>) {

    const semaphore = new Semaphore({ rejection: refusal, ...options });
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const add = (key: string, name = key, own?: AcquireOptions): Promise<string> => semaphore.run(key, () => {

        started.push(name);
        return new Promise((resolve) => {

            ends.push(() => resolve(name));
        });
    }, own);
    const endOne = async (): Promise<void> => {

        await new Promise(setImmediate);
        ends.shift()?.();
        await new Promise(setImmediate);
    };

    return { add, endOne, semaphore, started };
}

describe('a semaphore with permits for each key', () => {

    it('grants a few of one key at a time, in FIFO order', async () => {

        const semaphore = new Semaphore({ permitsPerKey: 2, rejection: refusal });
        const granted: number[] = [];
        const acquire = async (number: number) => {

            const release = await semaphore.acquire('a');
            granted.push(number);
            return release;
        };

        const [first, second] = [await acquire(1), await acquire(2)];
        const [third, fourth] = [acquire(3), acquire(4)];
        await semaphore.acquire('b');
        expect(granted).to.equal([1, 2]);

        first();
        first();
        await third;
        expect(granted).to.equal([1, 2, 3]);

        second();
        await fourth;
        expect(granted).to.equal([1, 2, 3, 4]);
    });

    it('rejects a call after its timeout, and removes it from the queue', async () => {

        const semaphore = new Semaphore({ permitsPerKey: 1, rejection: refusal });
        const release = await semaphore.acquire('a');

        const error = await expect(semaphore.acquire('a', { timeoutMs: 20 })).to.reject<DoipError>('a: timeout');
        expect(error.http).to.equal(429);
        expect(semaphore.waiting).to.equal(0);

        release();
        const next = await semaphore.acquire('a');
        next();
    });

    it('removes a call from the queue when its signal aborts', async () => {

        const semaphore = new Semaphore({ permitsPerKey: 1, rejection: refusal });
        const release = await semaphore.acquire('a');
        const impatient = new AbortController();
        const waiting = semaphore.acquire('a', { signal: impatient.signal });
        const last = semaphore.acquire('a');

        impatient.abort(new Error('gone'));
        release();

        await expect(waiting).to.reject('gone');
        (await last)();
        (await semaphore.acquire('a'))();
        await expect(semaphore.acquire('a', { signal: AbortSignal.abort(new Error('never came')) })).to.reject('never came');
    });

    it('rejects a call whose signal aborts without an error', async () => {

        const semaphore = new Semaphore({ permitsPerKey: 1, rejection: refusal });
        const release = await semaphore.acquire('a');
        const impatient = new AbortController();
        const waiting = semaphore.acquire('a', { signal: impatient.signal });

        impatient.abort(null);

        await expect(waiting).to.reject('aborted');
        release();
        (await semaphore.acquire('a'))();
    });

    it('rejects a call when too many wait, with its key or in total', async () => {

        const semaphore = new Semaphore({ permitsPerKey: 1, maxWaitingPerKey: 2, maxWaiting: 3, rejection: refusal });
        const releases = [await semaphore.acquire('a'), await semaphore.acquire('b')];
        const waiting = ['a', 'a', 'b'].map((key) => semaphore.acquire(key).then((release) => release()));

        await expect(semaphore.acquire('a')).to.reject('a: key full');
        await expect(semaphore.acquire('b')).to.reject('b: full');
        (await semaphore.acquire('c'))();

        releases.forEach((release) => release());
        await Promise.all(waiting);
    });
});

describe('a semaphore for all keys', () => {

    it('grants permits round-robin', async () => {

        const { add, endOne, started } = harness({ permits: 1 });
        const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => add(name.charAt(0), name));

        for (let i = 0; i < 6; ++i) {
            await endOne();
        }

        await Promise.all(all);
        expect(started).to.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    });

    it('limits the permits of one key, and has spare ones for keys without any', async () => {

        const { add, endOne, started } = harness({ permits: 2, spare: 1, permitsPerKey: 1 });
        const all = ['a1', 'a2', 'b1', 'c1', 'd1'].map((name) => add(name.charAt(0), name));
        await new Promise(setImmediate);
        expect(started).to.equal(['a1', 'b1', 'c1']);

        for (let i = 0; i < 5; ++i) {
            await endOne();
        }

        await Promise.all(all);
        expect(started).to.equal(['a1', 'b1', 'c1', 'a2', 'd1']);
    });

    it('gives the permit of failed work back', async () => {

        const semaphore = new Semaphore({ permits: 1, rejection: refusal });

        const results = await Promise.allSettled([
            semaphore.run('a', () => Promise.reject(new Error('broken'))), semaphore.run('a', () => Promise.resolve('fine'))
        ]);

        expect(results.map(({ status }) => status)).to.equal(['rejected', 'fulfilled']);
    });
});

describe('a semaphore that favours newcomers', () => {

    it('grants a late key a permit before the rest of a flood', async () => {

        const { add, endOne, started } = harness({ permits: 1, newcomersFirst: true });
        const all = ['f1', 'f2', 'f3', 'f4'].map((name) => add('flood', name));
        all.push(add('late'));

        for (let i = 0; i < 5; ++i) {
            await endOne();
        }

        await Promise.all(all);
        expect(started).to.equal(['f1', 'late', 'f2', 'f3', 'f4']);
    });

    it('makes room for a newcomer at the expense of the busiest key', async () => {

        const { add, endOne, started } = harness({ permits: 1, maxWaitingPerKey: 10, maxWaiting: 3, newcomersFirst: true });
        const flood = ['f1', 'f2', 'f3', 'f4'].map((name) => add('flood', name).catch((error: DoipError) => `${name} ${error.message}`));
        const late = add('late');
        await expect(Promise.all([add('flood'), endOne()])).to.reject('flood: full');

        for (let i = 0; i < 4; ++i) {
            await endOne();
        }

        expect(await late).to.equal('late');
        expect(await Promise.all(flood)).to.equal(['f1', 'f2', 'f3', 'f4 flood: full']);
        expect(started).to.equal(['f1', 'late', 'f2', 'f3']);
    });
});

describe('a semaphore that suspends keys', () => {

    it('serves other keys meanwhile', async () => {

        const semaphore = new Semaphore({ permits: 1, rejection: refusal });
        const started: string[] = [];
        const run = (key: string) => semaphore.run(key, async () => {

            started.push(key);
        });
        semaphore.suspend('tired', 30);
        const start = performance.now();

        await Promise.all([run('tired'), run('tired'), run('fresh')]);

        expect(started).to.equal(['fresh', 'tired', 'tired']);
        expect(performance.now() - start).to.be.at.least(29);
    });

    it('does not suspend a key for longer when the clock is set back', async () => {

        const semaphore = new Semaphore({ permits: 1, rejection: refusal });
        const { now } = Date;
        semaphore.suspend('tired', 30);
        Date.now = () => now() - 30 * 86_400_000;
        try {
            expect(await semaphore.run('tired', async () => 'done')).to.equal('done');
        }
        finally {
            Date.now = now;
        }
    });
});

describe('a semaphore that closes', () => {

    it('rejects waiting and later calls; until then, a call may set a lower limit', async () => {

        const { add, semaphore } = harness({ permits: 1, maxWaitingPerKey: 2 });
        void add('a');
        const waiting = [add('a'), add('b')].map((each) => each.catch((error: DoipError) => error.message));

        await expect(add('a', 'x', { maxWaitingPerKey: 1 })).to.reject('a: key full');
        const counts = [semaphore.waiting, semaphore.waitingOf('a'), semaphore.waitingOf('b'), semaphore.waitingOf('c')];
        semaphore.close();

        await expect(add('c')).to.reject('c: full');
        expect(counts).to.equal([2, 1, 1, 0]);
        expect(await Promise.all(waiting)).to.equal(['a: full', 'b: full']);
    });
});
