/**
 * Program to be loaded before others, by `NODE_OPTIONS=--require=…`: the clock of the process differs from that of the machine by
 * `WRONG_CLOCK_MS` milliseconds, in all its threads, or by what the file `WRONG_CLOCK_FILE` says, which may change while the process runs.
 */

import { readFileSync } from 'node:fs';

/** Milliseconds between two looks at the file. */
const LOOK_MS = 200;

const FILE = process.env['WRONG_CLOCK_FILE'];

let differenceMs = Number(process.env['WRONG_CLOCK_MS'] ?? 0);

if (differenceMs !== 0 || FILE !== undefined) {
    const { now } = Date;
    const wrongNow = (): number => now() + differenceMs;
    globalThis.Date = new Proxy(Date, {
        construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [wrongNow()] : args, newTarget) as Date,
        get: (target, name) => (name === 'now' ? wrongNow : Reflect.get(target, name) as unknown)
    });
}

if (FILE !== undefined) {
    const look = (): void => {

        try {
            differenceMs = Number(readFileSync(FILE, 'utf8'));
        }
        catch {
            // There is none yet.
        }
    };

    look();
    setInterval(look, LOOK_MS).unref();
}

/** Environment of a process whose clock is ahead, or behind for a negative number. */
export function wrongClock(milliseconds: number): NodeJS.ProcessEnv {

    return { NODE_OPTIONS: nodeOptions(), WRONG_CLOCK_MS: String(milliseconds) };
}

/** Environment of a process whose clock jumps when the number of milliseconds in a file changes. */
export function jumpingClock(file: string): NodeJS.ProcessEnv {

    return { NODE_OPTIONS: nodeOptions(), WRONG_CLOCK_FILE: file };
}

function nodeOptions(): string {

    return `${process.env['NODE_OPTIONS'] ?? ''} --require=${__filename}`.trim();
}
