import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { LoopTurns } from '../../../lib/search/loop-turns.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('turns of the event loop', () => {

    it('let one of all who wait go on at a time, in their order, with everything else between', async () => {

        const turns = new LoopTurns();
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
                await turns.next();
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

    it('do not hold up the process when nobody waits', async () => {

        const turns = new LoopTurns();
        await turns.next();
        await new Promise((resolve) => setImmediate(resolve));

        expect(process.getActiveResourcesInfo()).to.not.include('Immediate');
    });
});
