/**
 * Preloaded into a measured process: tells its event-loop delay and memory over the IPC channel when asked. It measures nothing before the
 * first reset, as its timers take about two hundredths of a core in every thread.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';

const histogram = monitorEventLoopDelay({ resolution: 1 });

/** Bytes of heap and buffers of the main thread; the peak since the last reset. */
let heapPeak = 0;
let sampling: NodeJS.Timeout | undefined;

process.on('message', (message) => {

    if (message === 'bench:reset') {
        histogram.enable();
        histogram.reset();
        globalThis.gc?.();
        heapPeak = heapBytes();
        sampling ??= setInterval(() => {

            heapPeak = Math.max(heapPeak, heapBytes());
        }, 50).unref();
    }

    if (message === 'bench:read') {
        // The histogram counts the sleep of its own timer in; what is above 1 ms is delay.
        const delay = (percentile: number): number => Math.max(0, histogram.percentile(percentile) / 1e6 - 1);
        process.send?.({ bench: { p50: delay(50), p99: delay(99), max: Math.max(0, histogram.max / 1e6 - 1), heapPeak } });
    }
});
process.channel?.unref();

function heapBytes(): number {

    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
}
