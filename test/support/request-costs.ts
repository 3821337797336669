/**
 * What requests cost a service in a process of its own: its longest turn of the event loop, in processor time, and how much its process grows.
 * The median of several attempts counts. Each begins after a collection of garbage, as memory that an earlier request has left takes a later one in.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@hapi/code';
import type { MeasuredProcess } from '../bench/measured-process.js';
import { isDecided, median } from './attempts.js';

const MIB = 1024 * 1024;

/** Milliseconds of processor time that others may wait, and bytes that the process may grow by. */
const MOST_MS = 100;
const MOST_BYTES = 64 * MIB;

/**
 * Fails when a request holds others for too long, or takes too much memory.
 *
 * @param service started with `turn-monitor.js`
 * @param send sends the request and resolves when it is answered; gets the number of the attempt
 */
export async function expectCheap(service: MeasuredProcess, send: (attempt: number) => Promise<void>): Promise<void> {

    const turns: number[] = [];
    const growths: number[] = [];
    while (!isDecided(turns, MOST_MS) || !isDecided(growths, MOST_BYTES)) {
        forgetPeak(service);
        const before = peak(service);
        service.watchTurns();
        await send(turns.length);
        const { longestTurn, grown } = await service.turns();
        turns.push(longestTurn);
        growths.push(Math.max(grown, peak(service) - before));
    }

    expect(median(turns), `milliseconds: ${turns.join()}`).to.be.below(MOST_MS);
    expect(median(growths), `bytes: ${growths.join()}`).to.be.below(MOST_BYTES);
}

function peak({ pid }: MeasuredProcess): number {

    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Linux takes the size of the process as its peak. */
function forgetPeak({ pid }: MeasuredProcess): void {

    writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
