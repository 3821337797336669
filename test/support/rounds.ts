/**
 * How often a test repeats what happens at a random moment, such as a kill: a few times in the suite, many times by
 * `npm run resilience:kills`. `LONG_TESTS` is the share of the many that are wanted, 1 for all of them.
 */

const SHARE = Number(process.env['LONG_TESTS'] ?? 0);

/** Long runs take this many times the time that is enough for the short ones. */
const LONGER = 10;

/** The number of repetitions. */
export const rounds = (few: number, many: number): number => (SHARE > 0 ? Math.max(few, Math.ceil(many * SHARE)) : few);

/** The time-out for a test with {@link rounds}, given the one for few. */
export const roundsMs = (ms: number): number => (SHARE > 0 ? ms * LONGER : ms);
