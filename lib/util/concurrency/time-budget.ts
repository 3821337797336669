/**
 * How much work one validation may be. Schemas and content both come from outside, and some pairs of them multiply: a
 * recursive schema with alternatives doubles the work at every level of the content, and a wide pattern walks a long text
 * with many states at once. Whoever does such work spends from the budget; when too much time has gone, the validation
 * ends with a 400 and the event loop is free again.
 *
 * Validation is synchronous, so one budget serves all of them in turn.
 */

/** Thrown when a validation has taken too long. */
export class BudgetExceeded extends Error {

    constructor(message = 'is too large, or nested too deeply, to be checked against the schema of its type') {

        super(message);
        this.name = 'BudgetExceeded';
    }
}

/** Longest time for one validation, in milliseconds. Ordinary ones take some microseconds. */
const TIME_LIMIT = 500;

/** Work that is done whatever the clock says, in steps: on a busy machine much time may pass while little is done. */
const FREE_STEPS = 2_000_000;

/** Looking at the clock costs as much as some thousand steps, so it is looked at only after this many. */
const STEPS_PER_LOOK = 100_000;

let started = 0;
let steps = 0;
let nextLook = FREE_STEPS;

/** Starts a validation. Those inside another one (branches of alternatives) spend from the same budget. */
export function startBudget(): void {

    started = performance.now();
    steps = 0;
    nextLook = FREE_STEPS;
}

/** Does work that does not count, because it is done once and not for this content. */
export function uncounted<T>(work: () => T): T {

    const before = performance.now();
    try {
        return work();
    }
    finally {
        started += performance.now() - before;
    }
}

/** Takes note of work: `cost` in steps, each some ten nanoseconds. @throws BudgetExceeded */
export function spend(cost: number): void {

    steps += cost;
    if (steps < nextLook) {
        return;
    }

    nextLook = steps + STEPS_PER_LOOK;
    if (performance.now() - started > TIME_LIMIT) {
        throw new BudgetExceeded();
    }
}
