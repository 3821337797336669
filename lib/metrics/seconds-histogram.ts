/**
 * A histogram of seconds in the text format of Prometheus. Each combination of label values has counters of its own, which are found by two lookups:
 * a histogram of prom-client composes a text of the labels for each value.
 */

import { getOrAdd } from '../util/cache/get-or-add.js';

/** Name and meaning of a histogram. */
export interface HistogramFacts {
    readonly name: string;
    readonly help: string;
    readonly labels: readonly [string] | readonly [string, string];
    /** Upper bounds of the buckets in seconds, ascending. */
    readonly bounds: readonly number[];
}

/** Counters of one combination of label values. */
interface Series {
    /** Number of values in each bucket alone; the last one has those above all bounds. */
    readonly counts: number[];
    sum: number;
}

/** The histogram. */
export class SecondsHistogram {

    readonly #facts: HistogramFacts;
    readonly #series = new Map<string, Map<string, Series>>();

    constructor(facts: HistogramFacts) {

        this.#facts = facts;
    }

    /** Counts a value of a combination of label values, whose number must be limited. */
    observe(seconds: number, first: string, second = ''): void {

        const series = this.#series.get(first)?.get(second) ?? this.#add(first, second);
        const bucket = this.#bucketOf(seconds);
        series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
        series.sum += seconds;
    }

    /** Counts some values in the same bucket, of which `seconds` is the sum. */
    observeSome({ count, seconds }: { readonly count: number; readonly seconds: number }, first: string, second = ''): void {

        const series = this.#series.get(first)?.get(second) ?? this.#add(first, second);
        const bucket = this.#bucketOf(seconds / count);
        series.counts[bucket] = (series.counts[bucket] ?? 0) + count;
        series.sum += seconds;
    }

    /** Returns all series as Prometheus reads them. */
    text(): string {

        const { name, help, labels, bounds } = this.#facts;
        const lines = [`# HELP ${name} ${escapeText(help)}`, `# TYPE ${name} histogram`];
        for (const [first, others] of this.#series) {
            for (const [second, { counts, sum }] of others) {
                const own = [first, second].slice(0, labels.length).map((value, i) => `${labels[i]}="${escapeLabel(value)}"`).join(',');
                let total = 0;
                for (const [i, count] of counts.entries()) {
                    total += count;
                    lines.push(`${name}_bucket{${own},le="${bounds[i] ?? '+Inf'}"} ${total}`);
                }

                lines.push(`${name}_sum{${own}} ${sum}`, `${name}_count{${own}} ${total}`);
            }
        }

        return `${lines.join('\n')}\n`;
    }

    #bucketOf(seconds: number): number {

        const { bounds } = this.#facts;
        let bucket = 0;
        while (seconds > (bounds[bucket] ?? Infinity)) {
            ++bucket;
        }

        return bucket;
    }

    #add(first: string, second: string): Series {

        const series: Series = { counts: [...this.#facts.bounds.map(() => 0), 0], sum: 0 };
        getOrAdd(this.#series, first, () => new Map<string, Series>()).set(second, series);
        return series;
    }
}

function escapeText(text: string): string {

    return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(value: string): string {

    return escapeText(value).replaceAll('"', '\\"');
}
