/** Threads that are lost before, while and after something runs in them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { CpuScheduler } from '../../../lib/scripting/protocol/cpu-scheduler.js';
import { DEFAULT_LIMITS } from '../../../lib/scripting/pool/script-pool.js';
import { ScriptWorker } from '../../../lib/scripting/pool/script-worker.js';
import { DoipError } from '../../../lib/errors/errors.js';
import type { TestPool } from '../../support/scripts.js';
import { testPool, unitOf, worldOf } from '../../support/scripts.js';
import { until } from '../../support/until.js';
import type { WatchedWorkers } from '../../support/worker-threads.js';
import { watchWorkers } from '../../support/worker-threads.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const SCRIPT = 'scripting/sandbox/worker-main.js';
const BROKEN = { kind: 'limit', message: 'the thread that ran it broke down' };

let watched: WatchedWorkers;
let pool: TestPool;

beforeEach(() => {

    watched = watchWorkers();
    pool = testPool({ workers: 1, timeout: 30_000 });
});

afterEach(async () => {

    await pool.close();
    watched.restore();
});

/** The only thread there is. */
function thread(): ReturnType<WatchedWorkers['alive']>[number] {

    const [only, ...others] = watched.alive(SCRIPT);
    expect(others).to.be.empty();
    return only!;
}

const answer = (): Promise<unknown> => pool.returned('exports.run = () => 1');

describe('the loss of a script thread', () => {

    it('after its answer lets the next call run in another one', async () => {

        for (let round = 0; round < 5; ++round) {
            expect(await answer()).to.equal(1);
            const lost = thread();
            // It throws at that, with the next call right behind it.
            lost.postMessage(null);
            expect(await answer()).to.equal(1);
            expect(thread()).to.not.shallow.equal(lost);
        }
    });

    it('while it is idle does not affect calls, at any moment', async () => {

        for (let round = 0; round < 10; ++round) {
            expect(await answer()).to.equal(1);
            void thread().terminate();
            for (let turn = 0; turn < round; ++turn) {
                await new Promise((resolve) => void setImmediate(resolve));
            }

            expect(await answer()).to.equal(1);
        }
    });

    it('during its start leads to a replacement', async () => {

        const answered = answer();
        await until(() => watched.alive(SCRIPT).length === 1);
        const lost = thread();
        await lost.terminate();

        expect(await answered).to.equal(1);
        expect(thread()).to.not.shallow.equal(lost);
    });

    it('while a script runs fails only that script', async () => {

        const failing = pool.failure('exports.run = () => { console.log("runs"); for (;;); }');
        await until(() => pool.lines.length === 1);
        const next = answer();
        void thread().terminate();

        expect<object>(await failing).to.include(BROKEN);
        expect(await next).to.equal(1);
    });

    it('while a script waits for the service fails it at once, and a late answer is ignored', async () => {

        let give = (_: null): void => {};
        const late = new Promise<null>((resolve) => {

            give = resolve;
        });
        let isOver = false;
        const failing = pool.failure('exports.run = () => require("cordra").get("x")', {
            host: {
                get: (_id, { signal }) => {

                    signal.addEventListener('abort', () => {

                        isOver = true;
                    });
                    pool.lines.push({ level: 'info', fields: {} });
                    return late;
                }
            }
        });
        await until(() => pool.lines.length === 1);
        void thread().terminate();

        expect<object>(await failing).to.include(BROKEN);
        expect(isOver).to.be.true();
        give(null);
        expect(await answer()).to.equal(1);
    });

    it('that repeats is reported to callers, and leaks no slot', async () => {

        const answered = answer().then(() => null, (error: unknown) => error);
        let isOver = false;
        void answered.then(() => {

            isOver = true;
        });
        while (!isOver) {
            await Promise.all(watched.alive(SCRIPT).map((worker) => worker.terminate()));
            await new Promise((resolve) => void setImmediate(resolve));
        }

        expect(String(await answered)).to.match(/thread for scripts ended/);
        expect(await answer()).to.equal(1);
    });

    it('that is not ready in time follows at once', async () => {

        const worker = new ScriptWorker(DEFAULT_LIMITS, new CpuScheduler(), 1);

        await expect(worker.ready).to.reject('a thread for scripts was not ready within 1 ms');
        await worker.ended;
        expect(worker.isOpen).to.be.false();
    });
});

describe('a closed script pool', () => {

    async function expectUnavailable(call: Promise<unknown>): Promise<void> {

        const error = await call.then(() => null, (reason: unknown) => reason);
        expect(error).to.be.instanceof(DoipError);
        expect(error as DoipError).to.include({ http: 503, message: 'the service is shutting down' });
    }

    it('rejects running, waiting and new calls, and starts no more threads', async () => {

        const running = pool.run('exports.run = () => { console.log("runs"); for (;;); }');
        const waiting = [answer(), answer()];
        await until(() => pool.lines.length === 1);
        await Promise.all([pool.close(), ...[running, ...waiting].map(expectUnavailable)]);

        await expectUnavailable(answer());
        expect(watched.alive(SCRIPT)).to.be.empty();
        expect(pool.pool.threads).to.equal(0);
    });

    it('rejects calls that wait for a thread to start', async () => {

        const starting = answer();
        await until(() => watched.alive(SCRIPT).length === 1);
        await Promise.all([pool.close(), expectUnavailable(starting)]);

        expect(watched.alive(SCRIPT)).to.be.empty();
    });

    it('rejects scripts that wait for others', async () => {

        const unit = unitOf('exports.run = (object) => object.id === "inner" ? (() => { console.log("runs"); for (;;); })() : require("cordra").get("x")');
        const world = worldOf([unit]);
        const outer = pool.run('', {
            unit, program: world,
            host: {
                get: async (_id, scope) => ({ said: (await pool.run('', { unit, program: world, args: [{ id: 'inner' }], scope })).returned ?? null })
            }
        });
        await until(() => pool.lines.length === 1);
        await Promise.all([pool.close(), expectUnavailable(outer)]);

        expect(watched.alive(SCRIPT)).to.be.empty();
    });
});
