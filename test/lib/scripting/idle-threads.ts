/** Threads that nobody needs are ended, and started again. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { SCRIPT_LIMITS, startGateway } from '../../support/gateway.js';
import { testPool, unitOf, worldOf } from '../../support/scripts.js';
import { contentOf, defineType, put } from '../../support/type-code.js';
import { until } from '../../support/until.js';
import type { WatchedWorkers } from '../../support/worker-threads.js';
import { watchWorkers } from '../../support/worker-threads.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const SCRIPT = 'scripting/sandbox/worker-main.js';
const IDLE_MS = 50;

describe('the script pool', () => {

    let watched: WatchedWorkers;

    before(() => {

        watched = watchWorkers();
    });

    after(() => watched.restore());

    it('ends an idle thread, and starts a new one with fresh state', async () => {

        const pool = testPool({ idleMs: IDLE_MS });
        try {
            const unit = unitOf('let n = 0; exports.run = () => ++n;');
            const world = worldOf([unit]);
            for (let round = 0; round < 3; ++round) {
                expect<unknown>(await pool.returned('', { unit, program: world })).to.equal(1);
                await until(() => pool.pool.threads === 0 && watched.alive(SCRIPT).length === 0);
            }
        }
        finally {
            await pool.close();
        }
    });

    it('keeps a thread while a script runs, even for longer than the idle time', async () => {

        const pool = testPool({ idleMs: 1 });
        try {
            const code = `exports.run = () => { const end = Date.now() + ${6 * IDLE_MS}; while (Date.now() < end); return 'done'; };`;
            for (let round = 0; round < 3; ++round) {
                expect<unknown>(await pool.returned(code)).to.equal('done');
            }
        }
        finally {
            await pool.close();
        }
    });

    it('serves calls that arrive while threads end', async () => {

        const pool = testPool({ idleMs: 1 });
        try {
            const answers: unknown[] = [];
            for (let round = 0; round < 8; ++round) {
                answers.push(await pool.returned('exports.run = () => 1'));
                const delay = round % 4;
                await new Promise((resolve) => setTimeout(resolve, delay));
            }

            expect(answers).to.equal(answers.map(() => 1));
        }
        finally {
            await pool.close();
        }
    });

    it('reuses a thread', async () => {

        // Those of other tests end in their own time.
        await until(() => watched.alive(SCRIPT).length === 0);
        const pool = testPool();
        try {
            expect<unknown>(await pool.returned('exports.run = () => 1')).to.equal(1);
            const [thread] = watched.alive(SCRIPT);
            expect<unknown>(await pool.returned('exports.run = () => 2')).to.equal(2);

            expect(thread).to.exist();
            expect(watched.alive(SCRIPT)).to.equal([thread!]);
            expect(pool.pool.threads).to.equal(1);
        }
        finally {
            await pool.close();
        }
    });
});

forEachDatabase((name, create) => {

    describe(`idle threads on ${name}`, () => {

        let watched: WatchedWorkers;
        let database: TestDatabase;
        let node: TestGateway;

        before(async () => {

            watched = watchWorkers();
            database = await create();
            node = await startGateway(database, { scripts: { ...SCRIPT_LIMITS, idleMs: IDLE_MS } });
        });

        after(async () => {

            await node.stop();
            await database.dispose();
            watched.restore();
        });

        it('end, including those of scripts that waited for others, and are started again', async () => {

            await defineType(node, 'Inner', 'exports.objectForIndexing = (object) => { object.content.inner = true; return object; };');
            await defineType(node, 'Outer', `exports.beforeStorage = (object) => {
                require('cordra').create({ type: 'Inner', content: { of: object.id } });
            };`);
            for (const id of ['test/first', 'test/second']) {
                expect<unknown>(contentOf(await put(node, 'Outer', { n: 1 }, { id }))['n']).to.equal(1);
                const { value } = await node.asAdmin('0.DOIP/Op.Search', { attributes: { query: `type:Inner AND /of:"${id}" AND /inner:true`, pageSize: 0 } });
                expect((value as { size: number }).size).to.equal(1);
                await until(() => watched.alive(SCRIPT).length === 0);
            }
        });
    });
});
