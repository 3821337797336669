import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { sortedBlocks, SORTED_PER_TURN } from '../../../../lib/util/concurrency/sorted-blocks.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('texts in order', () => {

    async function all(texts: readonly string[], after = '', blockLength = 100): Promise<string[]> {

        const found: string[] = [];
        for await (const block of sortedBlocks(texts, after, blockLength)) {
            expect(block.length).to.be.between(0, blockLength + 1);
            found.push(...block);
        }

        return found;
    }

    it('are those of a naive model, whatever their number', async () => {

        const random = seeded(7);
        for (const count of [0, 1, 99, 100, 101, SORTED_PER_TURN, SORTED_PER_TURN + 1, 3 * SORTED_PER_TURN + 5]) {
            const texts = Array.from({ length: count }, () => `test/${random.pick(['', 'ö', '\u{1F600}', 'Z'])}${random.integer(0, count)}`);
            const expected = [...new Set(texts)].sort();
            const middle = expected[Math.floor(expected.length / 2)] ?? '';

            expect(await all(texts)).to.equal(expected);
            expect(await all(texts, middle, 1 + count)).to.equal(expected.filter((text) => text > middle));
        }
    });

    it('are all the same text once', async () => {

        expect(await all(Array.from({ length: 2 * SORTED_PER_TURN }, () => 'test/1'))).to.equal(['test/1']);
    });

    it('are sorted in several turns of the event loop', async () => {

        let turns = 0;
        let isOver = false;
        const turn = (): void => {

            turns += 1;
            if (!isOver) {
                setImmediate(turn);
            }
        };

        setImmediate(turn);
        await sortedBlocks(Array.from({ length: 10 * SORTED_PER_TURN }, (_, n) => `test/${n}`), '', 100).next();
        isOver = true;

        expect(turns).to.be.at.least(9);
    });
});
