/**
 * Time budget of a validation. Schemas and content are untrusted, and some combinations are exponential: a recursive schema with
 * alternatives doubles the work at each level of the content, and a wide pattern tracks many states through a long text. Such work is
 * charged to the budget; when it is exhausted, the validation fails with a 400, which bounds the time that the event loop is blocked.
 *
 * Validation is synchronous, so all validations share one budget in turn.
 */

/** Thrown when a validation takes too long. */
export class BudgetExceeded extends Error {

    constructor(message = 'is too large, or nested too deeply, to be checked against the schema of its type') {

        super(message);
        this.name = 'BudgetExceeded';
    }
}

/** Maximum duration of a validation in milliseconds; typical ones take microseconds. */
const TIME_LIMIT = 500;

/** Steps before the clock is read for the first time. */
const FREE_STEPS = 2_000_000;

/** Steps between readings of the clock, each of which costs as much as some thousand steps. */
const STEPS_PER_CHECK = 100_000;

/** Milliseconds that a step is charged at most: three times what it takes. What passes beyond that is time of other processes on a busy machine. */
const MAX_STEP_MS = 30e-6;

let steps = 0;
let nextCheck = FREE_STEPS;
/** Steps and time of the last reading of the clock, and the milliseconds charged until then. */
let checkedSteps = 0;
let checkedAt = 0;
let charged = 0;

/** Starts a validation. Nested ones (branches of alternatives) share its budget. */
export function startBudget(): void {

    steps = 0;
    nextCheck = FREE_STEPS;
    checkedSteps = 0;
    checkedAt = performance.now();
    charged = 0;
}

/** Runs one-time work, such as compiling, without charging it to the budget. */
export function uncounted<T>(work: () => T): T {

    const before = performance.now();
    try {
        return work();
    }
    finally {
        checkedAt += performance.now() - before;
    }
}

/** Charges `cost` steps, each about ten nanoseconds. @throws BudgetExceeded */
export function spend(cost: number): void {

    steps += cost;
    if (steps < nextCheck) {
        return;
    }

    const now = performance.now();
    charged += Math.min(now - checkedAt, (steps - checkedSteps) * MAX_STEP_MS);
    checkedAt = now;
    checkedSteps = steps;
    nextCheck = steps + STEPS_PER_CHECK;
    if (charged > TIME_LIMIT) {
        throw new BudgetExceeded();
    }
}
