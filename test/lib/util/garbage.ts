import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { collectGarbage } from '../../../lib/util/garbage.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MODULE = join(__dirname, '../../../lib/util/garbage.js');

/** Collections are counted as V8 reports them; those that an allocation begins are not forced. */
const PROGRAM = `
const { PerformanceObserver, constants } = require('node:perf_hooks');
const { collectWhenIdle } = require(${JSON.stringify(MODULE)});
let forced = 0;
new PerformanceObserver((list) => {
    forced += list.getEntries().filter(({ detail }) => detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED).length;
}).observe({ entryTypes: ['gc'] });
const LOOK_MS = 50;
const report = (facts) => process.stdout.write(JSON.stringify({ forced, ...facts }), () => process.exit());
`;

async function run(program: string): Promise<Record<string, unknown>> {

    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM + program]);
    return stdout === '' ? {} : JSON.parse(stdout) as Record<string, unknown>;
}

describe('garbage', () => {

    it('is collected twice in an idle process, and not again', async () => {

        const { forced, before, after } = await run(`
            let large = Array.from({ length: 2_000_000 }, (_, i) => ({ i }));
            large = null;
            const before = process.memoryUsage().heapUsed;
            collectWhenIdle(LOOK_MS);
            const looking = setInterval(() => {
                if (forced >= 2) {
                    clearInterval(looking);
                    setTimeout(() => report({ before, after: process.memoryUsage().heapUsed }), 10 * LOOK_MS);
                }
            }, LOOK_MS);`);

        expect(forced).to.equal(2);
        expect(Number(after)).to.be.below(Number(before) - 20_000_000);
    });

    it('is not collected while the process is busy', async () => {

        const { forced } = await run(`
            collectWhenIdle(LOOK_MS);
            const until = performance.now() + 10 * LOOK_MS;
            const work = () => {
                if (performance.now() > until) {
                    report();
                    return;
                }
                const turn = performance.now() + LOOK_MS / 5;
                while (performance.now() < turn);
                setImmediate(work);
            };
            work();`);

        expect(forced).to.equal(0);
    });

    it('does not keep a process alive', async () => {

        const started = performance.now();

        expect(await run('collectWhenIdle(100_000);')).to.equal({});
        expect(performance.now() - started).to.be.below(90_000);
    });

    it('is collected at once on demand, by a function that other code does not see', () => {

        const weak = new WeakRef({ large: 'x'.repeat(1000) });
        collectGarbage();

        expect('gc' in globalThis).to.be.false();
        return new Promise<void>((resolve) => {

            // The object lives until the end of the turn that made the reference.
            setImmediate(() => {

                collectGarbage();
                expect(weak.deref()).to.be.undefined();
                resolve();
            });
        });
    });
});
