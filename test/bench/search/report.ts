/**
 * Figures as tables in Markdown.
 */

import type { Latency } from './latency.js';
import type { ServiceResult } from './service.js';

/** One line for each shape; with Lucene's times when there are any. */
export function shapeTable(latencies: readonly Latency[]): string {

    const head = ['shape', 'hits', 'p50', 'p95', 'processor', ...latencies.some(({ lucene }) => lucene) ? ['Lucene p50', 'p95', 'ratio'] : []];
    return table(head, latencies.map(({ shape, sizes, p50, p95, cpu, lucene, ratio }) => {

        return [shape.name, String(sizes[0]), ms(p50), ms(p95), ms(cpu), ...lucene && ratio !== null ? [ms(lucene.p50), ms(lucene.p95), ratio.toFixed(2)] : []];
    }));
}

function ms(time: number): string {

    return `${time.toFixed(2)} ms`;
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
