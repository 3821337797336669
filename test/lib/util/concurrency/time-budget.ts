/** The time budget of validations: charged for work, not for time that other processes take. */

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { BudgetExceeded, spend, startBudget, uncounted } from '../../../../lib/util/concurrency/time-budget.js';

export const lab = script();
const { describe, it } = lab;

/** More steps than are free. */
const MANY = 3_000_000;

/** Stops the thread, as the system does while other processes run. */
function pause(ms: number): void {

    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function work(ms: number): void {

    for (const end = performance.now() + ms; performance.now() < end;) {
        // Busy.
    }
}

describe('the time budget of a validation', () => {

    it('is not charged for the time of other processes', () => {

        startBudget();
        for (let i = 0; i < 3; ++i) {
            spend(MANY);
            pause(700);
        }

        expect(() => spend(MANY)).not.to.throw();
    });

    it('is not charged for what is done once', () => {

        startBudget();
        spend(MANY);
        uncounted(() => work(700));

        expect(() => spend(MANY)).not.to.throw();
    });

    it('is exceeded by work that takes long for each step', () => {

        const endless = (): void => {

            startBudget();
            for (let i = 0; i < 3000; ++i) {
                spend(10_000);
                work(0.5);
            }
        };

        expect(endless).to.throw(BudgetExceeded);
    });
});
