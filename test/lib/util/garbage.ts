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
// What did not come about by then does not come any more.
const MOST_LOOKS = 1200;
const report = (facts) => process.stdout.write(JSON.stringify({ forced, ...facts }), () => process.exit());
`;

async function run(program: string): Promise<Record<string, unknown>> {

    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM + program]);
    return stdout === '' ? {} : JSON.parse(stdout) as Record<string, unknown>;
}

describe('garbage', () => {

    it('is collected in an idle process until V8 has returned the memory, six times at most', async () => {

        const { counts, before, after, newSpace } = await run(`
            let large = Array.from({ length: 2_000_000 }, (_, i) => ({ i }));
            large = null;
            const before = process.memoryUsage().heapUsed;
            const { getHeapSpaceStatistics } = require('node:v8');
            collectWhenIdle(LOOK_MS);
            const counts = [];
            const looking = setInterval(() => {
                counts.push(forced);
                const last = counts.slice(-10);
                const newSpace = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
                const isOver = forced === 6 || newSpace <= 2 * 1024 * 1024 || counts.length >= MOST_LOOKS;
                if (last.length === 10 && last[0] >= 2 && last[0] === forced && isOver) {
                    report({ counts, before, after: process.memoryUsage().heapUsed, newSpace });
                }
            }, 2 * LOOK_MS);`);
        const count = Math.max(...counts as number[]);

        expect(count).to.be.within(2, 6);
        expect(count === 6 || Number(newSpace) <= 2 * 1024 * 1024).to.be.true();
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
