import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { onClose } from '../../../../lib/util/streams/on-close.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a sequence with a release function', () => {

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
        it(`calls it once when it ${title}`, async () => {

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
