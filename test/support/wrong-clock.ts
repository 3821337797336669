/**
 * Program to be loaded before others, by `NODE_OPTIONS=--require=…`: the clock of the process differs from that of the machine by
 * `WRONG_CLOCK_MS` milliseconds, in all its threads.
 */

const DIFFERENCE_MS = Number(process.env['WRONG_CLOCK_MS'] ?? 0);

if (DIFFERENCE_MS !== 0) {
    const { now } = Date;
    const wrongNow = (): number => now() + DIFFERENCE_MS;
    globalThis.Date = new Proxy(Date, {
        construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [wrongNow()] : args, newTarget) as Date,
        get: (target, name) => (name === 'now' ? wrongNow : Reflect.get(target, name) as unknown)
    });
}

/** Environment of a process whose clock is ahead, or behind for a negative number. */
export function wrongClock(milliseconds: number): NodeJS.ProcessEnv {

    return { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require=${__filename}`.trim(), WRONG_CLOCK_MS: String(milliseconds) };
}
