/**
 * How processor time grows with input. Time of the process, not of the clock, and the least of several runs, so that a busy
 * machine changes little.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import { processorTime } from './processor-time.js';

/** Linear work takes eight times as long for eight times the input, work of the order n^1.5 takes 23 times as long, quadratic work 64 times. */
const FACTORS = [1, 2, 4, 8];
const MOST_GROWTH = 14;

/** Below this, caches and the compiler decide how long something takes; in milliseconds. */
const LEAST_TIME = 2;

/** Quadratic work on an input of this time is noticed before it takes minutes. */
const MOST_TIME = 2000;

/** On a busy machine the threads of the garbage collector wait for each other, which can make a run several times as long as its work. */
const MAX_RUNS = 12;
const PAUSE_MS = 100;

/**
 * Fails when work grows faster than its input. What seems to do so is measured again, up to `MAX_RUNS` times, as other work of the process counts too.
 *
 * @param kind names the input where it fails
 * @param work may return a promise
 * @param input makes input of a length
 * @param length of the shortest input; eight times as much is tried
 */
export async function expectLinear<T>(kind: string, work: (input: T) => unknown, input: (length: number) => T, length: number): Promise<void> {

    const inputs = FACTORS.map((factor) => input(length * factor));
    let times: number[] = [];
    for (let run = 0; run < MAX_RUNS && (run === 0 || growthOf(times) > MOST_GROWTH); ++run) {
        if (run > 0) {
            await sleep(PAUSE_MS);
        }

        times = (await timesOf(work, inputs)).map((time, i) => Math.min(time, times[i] ?? time));
    }

    const shown = times.map((time) => time.toFixed(1)).join(', ');
    expect(growthOf(times), `growth of ${kind}; milliseconds for 1, 2, 4, 8 times the input: ${shown}`).to.be.below(MOST_GROWTH);
}

/**
 * From the shortest input to the longest, or twice that from the second to the longest, so that no single short time decides. Infinite where
 * longer input was not even tried.
 */
function growthOf(times: readonly number[]): number {

    const [first = 0, second = 0] = times;
    const last = times.at(-1) ?? 0;
    return times.length < FACTORS.length ? Infinity : Math.min(last / Math.max(first, LEAST_TIME), 2 * last / Math.max(second, LEAST_TIME));
}

async function timesOf<T>(work: (input: T) => unknown, inputs: readonly T[]): Promise<number[]> {

    const times: number[] = [];
    for (const input of inputs) {
        times.push(await timeOf(() => work(input)));
        if ((times.at(-1) ?? 0) > MOST_TIME) {
            break;
        }
    }

    return times;
}

/** The processor time of one run in milliseconds; refusals count like answers. */
async function timeOf(work: () => unknown): Promise<number> {

    const elapsed = processorTime();
    try {
        await work();
    }
    catch {
        // Most hostile input is refused. How long that takes is what matters here.
    }

    return elapsed();
}

/** Texts of a length that are hard on parsers and on expressions that look back. */
export const HOSTILE_TEXTS: readonly (readonly [name: string, text: (length: number) => string])[] = [
    ...[' ', ':', '\'', '"', '\\', '[', ']', '{', '}', '(', ')', '~', '%', '=', '/', '.', ',', ';', '<', '&', '*', '?', '#', '+', '-', '_',
        '0', '1', 'a', '\t', '\n', '\u0301', '\u203f', '\ud83d\ude00', '\ud800', '\u30a2', '\u6f22'
    ].map((unit) => [`a row of ${JSON.stringify(unit)}`, (length: number) => repeated(unit, length)] as const),
    ...['\\\'', '\\"', '\'\\\'', '[\'', '{\'a\':', '{"":', '[]', '{}', '[{},', '~0', '~2', '%41', '%zz', '&amp;', '<a', '<meta ', 'a:', ': ', ' a', 'a ', '1.', '1e', 'a,',
        ';a="', '="\\', '\\u0061', '\\ud800', 'True', '^', '(a', 'a*', '[a', '\r\n', '\u0301:', 'a\u0301', '1\u0301.', '/_', '//', '../', '::', '::1'
    ].map((unit) => [`${JSON.stringify(unit)} again and again`, (length: number) => repeated(unit, length)] as const),
    ['blanks between two letters', (length) => `a${repeated(' ', length)}b`],
    ['colons between two letters', (length) => `a${repeated(':', length)}b`],
    ['digits before a letter', (length) => `${repeated('1', length)}x`],
    ['an array that opens with escaped quotes', (length) => `['${repeated('\\\'', length)}`],
    ['escaped quotes of both kinds', (length) => `['"${repeated('\'\\"', length)}`],
    ['a string of one kind of letter', (length) => `"${repeated('a', length)}"`],
    ['a string that does not end', (length) => `["${repeated('a', length)}`],
    ['many values and a fault behind', (length) => `[${repeated('{},', length)}x`],
    ['many names and one of them twice', (length) => `{${Array.from({ length: Math.ceil(length / 8) }, (_, i) => `"${i}":1`).join(',')},"0":1}`],
    ['a name with the marks of an HTTP parameter', (length) => `form-data; name="${repeated('\\"', length)}`]
];

function repeated(unit: string, length: number): string {

    return unit.repeat(Math.ceil(length / unit.length));
}
