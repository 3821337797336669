/**
 * Figures as tables in Markdown.
 */

import type { Latency } from './latency.js';
import type { ServiceResult } from './service.js';

/** One line for each shape. */
export function shapeTable(latencies: readonly Latency[]): string {

    return table(['shape', 'hits', 'p50', 'p95', 'processor'], latencies.map(({ shape, sizes, p50, p95, cpu }) => {

        return [shape.name, String(sizes[0]), `${p50.toFixed(2)} ms`, `${p95.toFixed(2)} ms`, `${cpu.toFixed(2)} ms`];
    }));
}

/** One line for each load. */
export function serviceTable(results: readonly ServiceResult[]): string {

    return table(['beside 100 retrieves/s', 'each second', 'loop delay p50', 'p99', 'max', 'retrieve p50', 'p95'],
        results.map(({ name, perSecond, delay, retrieves }) => [name, perSecond.toFixed(0),
            ...[delay.p50, delay.p99, delay.max, retrieves.p50, retrieves.p95].map((time) => `${time.toFixed(1)} ms`)]));
}

/** A table whose first column is text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {

    const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
    const line = (cells: readonly string[]): string => {

        return `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
    };

    return [line(head), `|${widths.map((width, i) => '-'.repeat(width + 1) + (i === 0 ? '-' : ':')).join('|')}|`, ...rows.map(line)].join('\n');
}
