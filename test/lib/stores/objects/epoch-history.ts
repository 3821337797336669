/** The epochs of a database that loses its last commits, as a process counts them. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { EpochHistory, type Epochs } from '../../../../lib/stores/objects/epoch-history.js';

export const lab = Lab.script();
const { beforeEach, describe, it } = lab;

describe('the epochs of a process', () => {

    let history: EpochHistory;
    let losses: number;

    beforeEach(() => {

        losses = 0;
        history = new EpochHistory();
        history.onLoss(() => void ++losses);
    });

    async function read(types: number, identity: number, meanwhile: () => Promise<unknown> = async () => {}): Promise<Epochs> {

        const { epochs } = await history.read(async () => {

            await meanwhile();
            return { epoch_types: types, epoch_identity: identity };
        });
        return epochs;
    }

    it('are those of the database while these only increase', async () => {

        const all = [await read(3, 5), await read(3, 6), await read(4, 6)];

        expect(all.map(({ types, identity, storedTypes }) => [types, identity, storedTypes])).to.equal([[3, 5, 3], [3, 6, 3], [4, 6, 4]]);
        expect(losses).to.equal(0);
    });

    const behind: [which: string, after: [number, number]][] = [['types', [98, 50]], ['identity', [100, 48]], ['both', [98, 48]], ['all', [0, 0]]];
    for (const [which, after] of behind) {
        it(`are higher than any before when the database has lost changes of ${which}`, async () => {

            const before = await read(100, 50);
            const lost = await read(...after);
            const next = await read(after[0] + 1, after[1] + 1);

            expect(losses).to.equal(1);
            expect(lost.types).to.be.above(before.types);
            expect(lost.identity).to.be.above(before.identity);
            expect(lost.storedTypes).to.equal(after[0]);
            expect([next.types, next.identity]).to.equal([lost.types + 1, lost.identity + 1]);
        });
    }

    it('are not those of a lost state when a reading that began before it ends later', async () => {

        await read(100, 50);
        let states = [[100, 50], [98, 48]] as [number, number][];
        const { epochs: late } = await history.read(async () => {

            const [[types, identity]] = states as [[number, number]];
            states = states.slice(1);
            await (states.length > 0 ? read(98, 48) : undefined);
            return { epoch_types: types, epoch_identity: identity };
        });
        const now = await read(98, 48);

        expect(late).to.equal(now);
        expect(losses).to.equal(1);
    });

    it('may be lower than those of a reading that began meanwhile, which is no loss', async () => {

        await read(100, 50);
        const slow = await read(100, 50, () => read(101, 51));

        expect([slow.types, slow.identity, losses]).to.equal([100, 50, 0]);
    });

    it('are higher after an outage, whatever was lost', async () => {

        const before = await read(100, 50);
        history.renew();
        const same = await read(100, 50);
        history.renew();
        const lost = await read(90, 40);
        const next = await read(100, 50);

        const isHigher = (one: Epochs, other: Epochs): boolean => other.types > one.types && other.identity > one.identity;
        expect([isHigher(before, same), isHigher(same, lost), isHigher(lost, next)]).to.equal([true, true, true]);
    });
});
