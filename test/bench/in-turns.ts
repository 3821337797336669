/** Measures services in processes of their own in turns, so that what else the machine does meets all of them alike. */

import Autocannon from 'autocannon';
import type { MeasuredProcess } from './measured-process.js';

/** How a number of requests went. */
export interface Result {
    readonly perSecond: number;
    /** Processor time of one in all threads of the service, in milliseconds. */
    readonly cost: number;
}

const CONNECTIONS = 8;

/**
 * Sends requests to each service in turn, `rounds` times for `seconds`; each is the first as often as the others. Returns the results of each,
 * without a first round that warms up.
 */
export async function measureInTurns(
    services: readonly MeasuredProcess[], request: Omit<Autocannon.Options, 'url'> & { readonly path: string }, { seconds, rounds }: { seconds: number; rounds: number }
): Promise<Result[][]> {

    if (!(seconds > 0) || !Number.isInteger(rounds) || rounds < 1) {
        throw new Error(`the seconds and rounds must be positive numbers, not ${seconds} and ${rounds}`);
    }

    const results = services.map((): Result[] => []);
    for (let round = -1; round < rounds; ++round) {
        for (let i = 0; i < services.length; ++i) {
            const at = (i + round + 1) % services.length;
            const result = await measure(services[at]!, request, seconds);
            if (round >= 0) {
                results[at]!.push(result);
            }
        }
    }

    return results;
}

async function measure(
    service: MeasuredProcess, { path, ...request }: Omit<Autocannon.Options, 'url'> & { readonly path: string }, seconds: number
): Promise<Result> {

    const before = service.cpu().all;
    const { requests, non2xx, errors } = await Autocannon({ connections: CONNECTIONS, ...request, url: service.url + path, duration: seconds });
    if (non2xx + errors > 0) {
        throw new Error(`${non2xx + errors} requests failed`);
    }

    return { perSecond: requests.average, cost: (service.cpu().all - before) / requests.total };
}

/** Medians of results, and of their ratios to those of the same rounds of another service. */
export function compared(measured: readonly Result[], reference: readonly Result[]): { readonly [Name in 'perSecond' | 'cost' | 'speedRatio' | 'costRatio']: number } {

    const ratios = (name: keyof Result): number => median(measured.map((result, i) => result[name] / (reference[i]?.[name] ?? NaN)));
    return {
        perSecond: median(measured.map(({ perSecond }) => perSecond)), cost: median(measured.map(({ cost }) => cost)),
        speedRatio: ratios('perSecond'), costRatio: ratios('cost')
    };
}

function median(values: readonly number[]): number {

    const sorted = [...values].sort((a, b) => a - b);
    return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? NaN)) / 2;
}
