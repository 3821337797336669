import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Step, Unit } from '../../../../db/database.js';
import { coalescedSteps } from '../../../../db/engines/mysql/step-coalescing.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

const INSERT_A = 'insert into `a` (`x`, `y`) values (?, ?)';
const INSERT_B = 'insert into `b` (`x`) values (?)';
const UPSERT = 'insert into `c` (`x`) values (?) on duplicate key update `x` = values(`x`)';
const UPDATE = 'update `d` set `x` = ?';

const a = (x: number): Step => ({ sql: INSERT_A, bindings: [x, `${x}`] });
const b = (x: number): Step => ({ sql: INSERT_B, bindings: [x] });
const upsert = (x: number): Step => ({ sql: UPSERT, bindings: [x] });
const update = (x: number): Step => ({ sql: UPDATE, bindings: [x], expect: { rows: 1, otherwise: 'gone' } });
const told = (steps: readonly Step[]): [string, number][] => steps.map(({ sql, bindings }) => [sql.replace(/`/g, '').split(' ').slice(0, 3).join(' '), bindings.length]);

const ADD = 'update `e` set `x` = `x` + ?, `y` = `y` + ? where `name` = ? and `x` + ? <= ?';
const add = (x: number, y: number, name: string, limit = 9): Step => ({ sql: ADD, bindings: [x, y, name, x, limit], sums: [0, 1, 3] });

describe('coalesced steps', () => {

    it('add up amounts for the same row under the same condition, in one order', () => {

        const steps = coalescedSteps([
            { steps: [add(1, 10, 'b'), add(1, 20, 'a')] }, { steps: [add(2, 1, 'a'), add(5, 5, 'a', 7)] }, { steps: [add(-1, -3, 'b')] }
        ]);

        expect(steps.map(({ bindings }) => bindings)).to.equal([[5, 5, 'a', 5, 7], [3, 21, 'a', 3, 9], [0, 7, 'b', 0, 9]]);
    });

    const cases: [string, Unit[], [string, number][]][] = [
        ['nothing', [], []],
        ['rows of several units go in by one statement', [{ steps: [a(1), b(1)] }, { steps: [a(2), b(2)] }], [['insert into a', 4], ['insert into b', 2]]],
        ['numbers of rows are powers of two', [{ steps: Array.from({ length: 13 }, (_, i) => a(i)) }], [['insert into a', 16], ['insert into a', 8], ['insert into a', 2]]],
        ['other statements stay single', [{ steps: [upsert(1), update(1)] }, { steps: [upsert(2), update(2)] }],
            [['insert into c', 1], ['insert into c', 1], ['update d set', 1], ['update d set', 1]]],
        ['a statement waits for those that need it later', [{ steps: [b(1)] }, { steps: [a(2), b(2)] }, { steps: [update(3), b(3)] }],
            [['insert into a', 2], ['update d set', 1], ['insert into b', 2], ['insert into b', 1]]],
        ['crossed orders are kept by more statements', [{ steps: [a(1), b(1)] }, { steps: [b(2), a(2)] }], [['insert into a', 2], ['insert into b', 2], ['insert into a', 2]]]
    ];
    for (const [title, units, expected] of cases) {
        it(`are few: ${title}`, () => {

            expect(told(coalescedSteps(units))).to.equal(expected);
        });
    }

    it('contain all values, each unit in its own order', () => {

        const random = seeded(7);
        for (let round = 0; round < 200; ++round) {
            let value = 0;
            const make = [a, b, upsert, update];
            const units = Array.from({ length: random.integer(1, 12) }, () => ({
                steps: Array.from({ length: random.integer(0, 8) }, () => random.pick(make)(value++))
            }));

            const order = coalescedSteps(units).flatMap(({ sql, bindings }) => bindings.filter((_, i) => !sql.includes('`a`') || i % 2 === 0) as number[]);

            expect(order.toSorted((x, y) => x - y)).to.equal(Array.from({ length: value }, (_, i) => i));
            for (const { steps } of units) {
                const places = steps.map(({ bindings: [first] }) => order.indexOf(first as number));
                expect(places).to.equal(places.toSorted((x, y) => x - y));
            }
        }
    });
});
