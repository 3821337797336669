/**
 * How often a test repeats what happens at a random moment, such as a kill: a few times in the suite, many times by
 * `npm run resilience:kills`.
 */

export const rounds = (few: number, many: number): number => (process.env['LONG_TESTS'] === 'true' ? many : few);
