/** Calls of type code for many items: the limits are those of one call, and each item fails or not as if it was alone. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { ScriptLimits } from '../../../../lib/scripting/pool/script-pool.js';
import { ScriptError } from '../../../../lib/scripting/protocol/script-error.js';
import type { TestPool } from '../../../support/scripts.js';
import { REFUSING_HOST, testPool, unitOf, worldOf } from '../../../support/scripts.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('calls of type code for many items', () => {

    const MIB = 1024 * 1024;
    const LOOP = 'for (;;);';
    const BUSY = 'for (const end = Date.now() + 1000; Date.now() < end;);';

    const callEach = (place: TestPool, body: string, count: number) => {

        const unit = unitOf(`exports.run = (object) => { ${body} return object.n; }`);
        return place.pool.callEach({
            unit, program: worldOf([unit]), path: ['run'], takes: 'returned', callerKey: 'somebody', host: REFUSING_HOST,
            items: Array.from({ length: count }, (_, n) => ({ args: [{ n }], context: {} }))
        });
    };

    /** Results as they are, limits by their names. */
    const summaryOf = (results: Awaited<ReturnType<typeof callEach>>): unknown[] => results.map((result) => (
        !(result instanceof ScriptError) ? result.returned : result.failure.kind === 'limit' ? result.failure.limit : result.message
    ));

    const numbers = (count: number, limits: Readonly<Record<number, string>> = {}): unknown[] => Array.from({ length: count }, (_, n) => limits[n] ?? n);

    /** All runs together have four times as much: that leaves some seconds for what a busy machine does beside. */
    const time = { timeout: 4000 };
    const size = { maxMessageBytes: 100_000 };
    const memory = { memoryBytes: 16 * MIB };
    const cases: readonly (readonly [title: string, limits: Partial<ScriptLimits>, body: string, count: number, failed: Readonly<Record<number, string>>])[] = [
        ['that take longer together than one may', time, BUSY, 5, {}],
        ['of which one loops', time, `if (object.n === 3) { ${LOOP} }`, 10, { 3: 'time' }],
        ['of which one loops after it was awaited', time, `if (object.n === 3) { return (async () => { await null; ${LOOP} })(); }`, 10, { 3: 'time' }],
        ['that need more memory together than one may', memory, 'object.n = object.n + "x".repeat(2500000);', 6, {}],
        ['of which one fills the memory', memory, 'if (object.n === 3) { const all = []; for (;;) { all.push(new Array(1000).fill(1)); } }', 10, { 3: 'memory' }],
        ['of which one fills the memory and catches what it can', memory,
            'if (object.n === 3) { const all = []; for (;;) { try { for (;;) { all.push(new Uint8Array(1000)); } } catch {} } }', 10, { 3: 'memory' }],
        ['of which one throws', {}, 'if (object.n === 3) { throw "no"; }', 10, { 3: 'the script of type Document failed: no' }]
    ];
    for (const [title, limits, body, count, failed] of cases) {
        it(`fail for those alone that fail by themselves: calls ${title}`, async () => {

            const place = testPool({ workers: 1, ...limits });
            const results = await callEach(place, body, count).finally(() => place.close());

            expect(summaryOf(results).map((result) => (typeof result === 'string' && result.endsWith('xx') ? parseInt(result, 10) : result)))
                .to.equal(numbers(count, failed));
        });
    }

    it('are repeated with fewer where the results are too long together', async () => {

        const place = testPool({ workers: 1, ...size });
        const results = await callEach(place, 'object.n = [object.n, "x".repeat(15000)];', 10);
        const { done } = place.pool.load.runs;
        await place.close();

        expect<unknown>(summaryOf(results).map((result) => (result as JsonValue[])[0])).to.equal(numbers(10));
        expect(done).to.equal(3);
    });

    const beyond: readonly (readonly [title: string, limits: Partial<ScriptLimits>, body: string, runs: number, message: string])[] = [
        ['take several times as long as one may', { timeout: 500 }, LOOP, 4, 'it took too long for several objects'],
        ['return several times as much as one may', size, 'object.n = "x".repeat(90000);', 20, 'it handed over too much for several objects']
    ];
    for (const [title, limits, body, runs, message] of beyond) {
        it(`fail together where they ${title}`, async () => {

            const place = testPool({ workers: 1, ...limits });
            const error: unknown = await callEach(place, body, 50).then(summaryOf, (reason: unknown) => reason);
            const { done } = place.pool.load.runs;
            await place.close();

            expect<unknown>(error instanceof DoipError ? error.message : error).to.equal(`the script of type Document was stopped: ${message}; ask for fewer at a time`);
            expect(done).to.be.at.most(runs);
        });
    }

    it('have their time when they have waited for their turn', async () => {

        const place = testPool({ workers: 1, timeout: 7000 });
        await place.returned('exports.run = () => 1');
        const before = place.failure(`exports.run = () => { ${LOOP} }`);
        const results = await callEach(place, BUSY, 2);
        const { runs } = place.pool.load;
        await place.close();

        expect(await before).to.include({ kind: 'limit', limit: 'time' });
        expect(summaryOf(results)).to.equal(numbers(2));
        expect([runs.done, runs.failed]).to.equal([3, 1]);
    });
});
