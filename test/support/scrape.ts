/** Reads metrics as a collector does, with a parser that is not the service's. */

import { request } from 'node:http';
import ParsePrometheus from 'parse-prometheus-text-format';
import type { TestServer } from './server.js';

/** One metric. */
export interface ScrapedFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly {
        readonly value?: string;
        readonly labels?: Readonly<Record<string, string>>;
    }[];
}

/** Everything that one scrape gave. */
export interface Scraped {
    readonly text: string;
    readonly families: readonly ScrapedFamily[];
    /** The same, with `…_bucket`, `…_sum` and `…_count` of histograms as families of their own: the parser ignores their labels otherwise. */
    readonly series: readonly ScrapedFamily[];
    /** Sum of the values of a series of the service with these labels; undefined when there is none. */
    value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** The address of the metrics of a server. */
export function metricsUrl({ log }: Pick<TestServer, 'log'>): string {

    const { port } = log.findLast(({ event }) => event === 'metrics.listening') as { port: number };
    return `http://127.0.0.1:${port}/metrics`;
}

/** Reads and parses. */
export async function scrape(url: string): Promise<Scraped> {

    const response = await fetch(url);
    const text = await response.text();
    if (response.status !== 200) {
        throw new Error(`${response.status}: ${text}`);
    }

    const families = ParsePrometheus(text) as ScrapedFamily[];
    const series = ParsePrometheus(text.replace(/^# (TYPE|HELP) .*\n/gm, '')) as ScrapedFamily[];
    return {
        text, families, series,
        value(name, labels = {}) {

            const metrics = series.filter((family) => family.name === `doip_gateway_${name}`).flatMap((family) => family.metrics)
                .filter((metric) => Object.entries(labels).every(([label, value]) => metric.labels?.[label] === value));
            return metrics.length === 0 ? undefined : metrics.reduce((sum, { value }) => sum + Number(value), 0);
        }
    };
}

/** Status of any request, such as one with a target that `fetch` would change. */
export async function statusOf(url: string, { method = 'GET', path = new URL(url).pathname } = {}): Promise<number | undefined> {

    return await new Promise((resolve, reject) => {

        request(url, { method, path }, (response) => {

            response.resume().once('end', () => resolve(response.statusCode));
        }).once('error', reject).end();
    });
}
