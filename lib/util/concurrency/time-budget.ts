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

/** Steps that are free of the time limit: on a busy machine much time may pass with little work done. */
const FREE_STEPS = 2_000_000;

/** Steps between readings of the clock, each of which costs as much as some thousand steps. */
const STEPS_PER_CHECK = 100_000;

let started = 0;
let steps = 0;
let nextCheck = FREE_STEPS;

/** Starts a validation. Nested ones (branches of alternatives) share its budget. */
export function startBudget(): void {

    started = performance.now();
    steps = 0;
    nextCheck = FREE_STEPS;
}

/** Runs one-time work, such as compiling, without charging it to the budget. */
export function uncounted<T>(work: () => T): T {

    const before = performance.now();
    try {
        return work();
    }
    finally {
        started += performance.now() - before;
    }
}

/** Charges `cost` steps, each about ten nanoseconds. @throws BudgetExceeded */
export function spend(cost: number): void {

    steps += cost;
    if (steps < nextCheck) {
        return;
    }

    nextCheck = steps + STEPS_PER_CHECK;
    if (performance.now() - started > TIME_LIMIT) {
        throw new BudgetExceeded();
    }
}
