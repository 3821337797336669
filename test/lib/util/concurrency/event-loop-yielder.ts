import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { approximateLength, EventLoopYielder, turnFor } from '../../../../lib/util/concurrency/event-loop-yielder.js';

export const lab = Lab.script();
const { describe, it } = lab;

const run = promisify(execFile);
const MODULE = join(__dirname, '../../../../lib/util/concurrency/event-loop-yielder.js');

describe('the event-loop yielder', () => {

    it('resumes one waiting task per turn of the loop, in FIFO order', async () => {

        const turns = new EventLoopYielder();
        const happened: string[] = [];
        let isOver = false;
        const tick = (): void => {

            happened.push('loop');
            if (!isOver) {
                setImmediate(tick);
            }
        };

        const work = async (name: string): Promise<void> => {

            for (let i = 0; i < 3; ++i) {
                await turns.yield();
                happened.push(name);
            }
        };

        setImmediate(tick);
        await Promise.all([work('a'), work('b')]);
        isOver = true;

        expect(happened.filter((name) => name !== 'loop')).to.equal(['a', 'b', 'a', 'b', 'a', 'b']);
        for (const [place, name] of happened.entries()) {
            expect(name !== 'loop' && happened[place + 1] !== undefined && happened[place + 1] !== 'loop', `${place} of ${happened.join()}`).to.be.false();
        }
    });

    it('schedules nothing when no task waits', async () => {

        // In a process of its own: other tests have turns, too.
        const code = `new (require(${JSON.stringify(MODULE)}).EventLoopYielder)().yield().then(() => setTimeout(() => {

            process.stdout.write(JSON.stringify(process.getActiveResourcesInfo()));
        }, 1))`;
        const { stdout } = await run(process.execPath, ['-e', code]);

        expect(JSON.parse(stdout)).to.not.include('Immediate');
    });

    const LONG = 'x'.repeat(40_000);
    const values: readonly [title: string, value: JsonValue, isLong: boolean][] = [
        ['a long text', LONG, true],
        ['an object', { a: 1, b: ['c', null] }, false],
        ['a long name', { [LONG]: 1 }, true],
        ['many texts', Array.from({ length: 4000 }, () => 'some text'), true],
        ['many empty objects in each other\'s arrays', Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({}))), true],
        ['some numbers', Array.from({ length: 1000 }, (_, i) => i), false]
    ];
    for (const [title, value, isLong] of values) {
        it(`yields for long values only: ${title}`, async () => {

            const turn = turnFor(approximateLength(value));
            await turn;

            expect(turn !== undefined).to.equal(isLong);
        });
    }
});
