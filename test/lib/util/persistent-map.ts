import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { PersistentMap } from '../../../lib/util/persistent-map.js';
import { seeded } from '../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a persistent map', () => {

    it('has what a map has after the same changes, and every earlier one stays as it was', () => {

        const random = seeded(1);
        const expected = new Map(Array.from({ length: 300 }, (_, i): [number, number] => [i, i]));
        const states: [PersistentMap<number, number>, [number, number][]][] = [[PersistentMap.of(expected), [...expected]]];
        for (let round = 1; round < 400; ++round) {
            const changes = Array.from({ length: random.integer(1, 3) }, (): [number, number | undefined] => [random.integer(0, 399), random.chance(0.3) ? undefined : round]);
            for (const [key, value] of changes) {
                if (value === undefined) {
                    expected.delete(key);
                }
                else {
                    expected.set(key, value);
                }
            }

            states.push([states.at(-1)![0].with(changes), [...expected]]);
        }

        const sorted = (entries: Iterable<[number, number]>): [number, number][] => [...entries].sort(([a], [b]) => a - b);
        for (const [map, entries] of states) {
            const same = new Map(entries);
            expect(sorted(map.entries())).to.equal(sorted(entries));
            expect(Array.from({ length: 400 }, (_, key) => map.get(key))).to.equal(Array.from({ length: 400 }, (_, key) => same.get(key)));
        }
    });
});
