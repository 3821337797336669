/** Metrics as a collector reads them, from a server with real requests of all protocols. */

import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { getOrAdd } from '../../../lib/util/cache/get-or-add.js';
import type { Scraped } from '../../support/scrape.js';
import type { TestServer } from '../../support/server.js';
import { DIALECTS } from '../../support/database.js';
import { ROOT } from '../../support/doc-pages.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import { startMysqlProxy } from '../../support/mysql-proxy.js';
import { NativeClient, nativePort, OK } from '../../support/native.js';
import { metricsUrl, scrape, statusOf } from '../../support/scrape.js';
import { startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const ADMIN = { authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'content-type': 'application/json' };
const RETRIEVE = '0.DOIP/Op.Retrieve';
const OWN = /^doip_gateway_/;

/** Scrapes until so many readings come in time, which those of a busy machine do not always. */
async function scrapeComplete(url: string, count: number, labels = {}): Promise<Scraped> {

    let scraped = await scrape(url);
    await until(async () => {

        scraped = await scrape(url);
        return scraped.value('reading_complete', labels) === count;
    });
    return scraped;
}

describe('metrics', () => {

    let server: TestServer;
    let url = '';
    const ask = async (path: string, init: RequestInit = {}): Promise<number> => {

        const response = await fetch(server.url + path, init);
        await response.arrayBuffer();
        return response.status;
    };

    const performed = (scraped: Scraped, operation: string, protocol: string, status = OK): number =>
        scraped.value('requests_total', { operation, protocol, status }) ?? 0;

    before(async () => {

        server = await startServer({ METRICS_PORT: 0, DOIP_PORT: 0 });
        url = metricsUrl(server);
        await ask('/objects?type=Document&handle=test/secret-id', { method: 'POST', headers: ADMIN, body: '{"name": "metrics"}' });
    });

    after(() => server.stop());

    it('are off by default, when nothing is collected', async () => {

        const plain = await startServer();
        const isObserved = plain.log.some(({ event }) => event === 'metrics.listening');
        await plain.stop();

        expect(isObserved).to.be.false();
    });

    it('count requests by operation, protocol and status', async () => {

        const earlier = await scrape(url);
        await ask('/objects/test/secret-id');
        await ask('/objects/test/nothing');
        await ask(`/doip?operationId=${RETRIEVE}&targetId=test/secret-id`);
        const client = await NativeClient.open(nativePort(server));
        await client.ask(`${JSON.stringify({ operationId: RETRIEVE, targetId: 'test/secret-id' })}\n#\n#\n`);
        client.close();
        const later = await scrape(url);

        const added = (protocol: string, status?: string): number =>
            performed(later, RETRIEVE, protocol, status) - performed(earlier, RETRIEVE, protocol, status);
        expect([added('rest'), added('rest', '0.DOIP/Status.104'), added('doip-http'), added('doip')]).to.equal([1, 1, 1, 1]);
        expect(later.value('request_duration_seconds_count', { operation: RETRIEVE, protocol: 'rest' }))
            .to.equal((earlier.value('request_duration_seconds_count', { operation: RETRIEVE, protocol: 'rest' }) ?? 0) + 2);
    });

    it('are well formed: each has a help text, a type, values, and histograms have growing buckets', async () => {

        const { families, series, text } = await scrape(url);

        expect(families.length).to.be.above(50);
        for (const { name, help, type, metrics } of families) {
            expect(help, name).to.not.be.empty();
            expect(type, name).to.match(/^(COUNTER|GAUGE|HISTOGRAM|SUMMARY)$/);
            if (type === 'COUNTER') {
                expect(name).to.match(/_total$/);
            }

            for (const { value } of metrics) {
                expect(value === undefined || OWN.test(name) && !Number.isFinite(Number(value)), name).to.equal(value === undefined);
            }
        }

        const histograms = new Map<string, number[]>();
        for (const { name, metrics } of series.filter(({ name }) => OWN.test(name) && name.endsWith('_bucket'))) {
            metrics.forEach(({ labels, value }) => getOrAdd(histograms, name + JSON.stringify({ ...labels, le: '' }), () => []).push(Number(value)));
        }

        expect(histograms.size).to.be.above(1);
        for (const [name, buckets] of histograms) {
            expect(buckets, name).to.equal(buckets.toSorted((a, b) => a - b));
        }

        expect(text.endsWith('\n')).to.be.true();
        expect(new Set(families.map(({ name }) => name)).size).to.equal(families.length);
    });

    it('tell of each part of the service', async () => {

        await ask('/search?query=metrics');
        const scraped = await scrapeComplete(url, 4);
        const values = (name: string, labels = {}): number => scraped.value(name, labels) ?? NaN;

        expect(values('up')).to.equal(1);
        expect(values('subsystem_up', { subsystem: 'indexer' })).to.equal(1);
        expect(values('build_info', { node: process.version })).to.equal(1);
        expect(values('database_commit_duration_seconds_count', { writer: 'rows' })).to.be.above(0);
        expect(values('database_changes_total', { writer: 'rows' })).to.be.above(0);
        expect(values('database_bytes')).to.be.above(4096);
        expect(values('disk_free_bytes')).to.be.above(0);
        expect(values('searches_total', { result: 'ok' })).to.be.above(0);
        expect(values('search_documents')).to.be.above(0);
        expect(values('cache_hits_total', { cache: 'objects' })).to.be.above(0);
        expect(scraped.families.map(({ name }) => name)).to.include(['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']);
    });

    it('have a bounded number of series, whatever clients invent, and no id, name or secret', async () => {

        const hostile = (n: number): string => encodeURIComponent(`evil/${n}"} 1\nevil_metric{a="${n}`);
        await Promise.all(Array.from({ length: 200 }, async (_, n) => {

            await ask(`/doip/${hostile(n)}?targetId=test/secret-id`);
            await ask(`/doip/${hostile(n)}?targetId=service`);
            await ask(`/call?objectId=test/secret-id&method=${hostile(n)}`, { method: 'POST' });
            await ask(`/objects/${hostile(n)}`, { headers: { authorization: `Basic ${btoa(`user${n}:secret${n}`)}` } });
        }));
        const { text, families, ...scraped } = await scrape(url);

        expect(text).to.not.match(/evil|secret|user\d|test\//);
        expect(scraped.value('requests_total', { operation: 'other' }) ?? 0).to.be.above(200);
        const operations = new Set(families.find(({ name }) => name.endsWith('requests_total'))?.metrics.map(({ labels }) => labels?.['operation']));
        expect(operations.size).to.be.below(12);
        expect(text.split('\n').length).to.be.below(1500);
    });

    it('are all that is served on their port', async () => {

        expect(await statusOf(url, { path: '/' })).to.equal(404);
        expect(await statusOf(url, { path: '/objects/test/secret-id' })).to.equal(404);
        expect(await statusOf(url, { path: '/metrics/../metrics' })).to.equal(404);
        expect(await statusOf(url, { method: 'POST' })).to.equal(405);
        expect(await statusOf(url, { method: 'HEAD' })).to.equal(200);
        expect(await ask('/metrics')).to.equal(404);
    });

    it('are served soon although clients that never end their requests take all connections', async () => {

        const { hostname, port } = new URL(url);
        let slow: Socket[] = [];
        const occupy = (): void => {

            slow = slow.filter((socket) => !socket.destroyed);
            while (slow.length < 100) {
                const socket = connect(Number(port), hostname).on('error', () => undefined).resume();
                socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ');
                slow.push(socket);
            }
        };

        const isServed = (): Promise<boolean> => new Promise((resolve) => {

            get(url, { agent: false }, (response) => void resolve(response.resume().statusCode === 200)).on('error', () => resolve(false));
        });
        const timer = setInterval(() => slow.forEach((socket) => socket.write('x')), 100);
        // On a busy machine the first ones may be closed before the last ones are open; others may still be open from earlier requests.
        await until(async () => {

            occupy();
            return !await isServed() && slow.filter((socket) => !socket.destroyed).length >= 64;
        });
        const began = performance.now();
        await until(isServed);
        const ms = performance.now() - began;
        clearInterval(timer);
        slow.forEach((socket) => socket.destroy());

        expect(ms).to.be.below(40_000);
    });

    it('are the ones that docs/monitoring.md explains', async () => {

        const { families } = await scrape(url);
        const rows = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8').split('\n').filter((line) => line.startsWith('| `doip_gateway_'));
        const explained = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([a-z_]+)/g)].map(([, name]) => name!));

        expect(explained.toSorted()).to.equal(families.map(({ name }) => name).filter((name) => OWN.test(name)).toSorted());
    });
});

describe('metrics at a start', () => {

    it('fail when their port is in use, naming the setting', async () => {

        const first = await startServer({ METRICS_PORT: 0 });
        const port = Number(new URL(metricsUrl(first)).port);
        const error = await startServer({ METRICS_PORT: port }).catch((reason: unknown) => reason as NodeJS.ErrnoException & { setting?: string });
        await first.stop();

        expect(error).to.include({ code: 'EADDRINUSE', setting: 'METRICS', port });
    });
});

describe('metrics during an outage', { skip: !process.env['TEST_MYSQL_URL'] }, () => {

    it('come within two seconds, without the figures of the database', async () => {

        const database = await DIALECTS.find(({ dialect }) => dialect === 'mysql')!.create();
        const proxy = await startMysqlProxy(database.options.url ?? '');
        const server = await startServer({ METRICS_PORT: 0, DATABASE_URL: `${proxy.url}?timeout=40` });
        const url = metricsUrl(server);
        const healthy = await scrapeComplete(url, 1, { reading: 'jobs' });
        proxy.freeze(true);
        try {
            let [slowest, last] = [0, healthy];
            await until(async () => {

                const began = performance.now();
                last = await scrape(url);
                slowest = Math.max(slowest, performance.now() - began);
                // Either may be noticed first.
                return last.value('up') === 0 && last.value('subsystem_up', { subsystem: 'storage' }) === 0;
            });

            // The database itself would take twice as long on a connection that is silent.
            expect(slowest).to.be.below(20_000);
            expect(healthy.value('up')).to.equal(1);
            expect([healthy.value('reading_complete', { reading: 'jobs' }), last.value('reading_complete', { reading: 'jobs' })]).to.equal([1, 0]);
            expect([healthy.value('jobs_due'), last.value('jobs_due')]).to.equal([0, undefined]);
            expect(last.value('database_connections_limit')).to.equal(10);
        }
        finally {
            proxy.freeze(false);
            proxy.cutAll();
            await server.stop();
            await proxy.close();
            await database.dispose();
        }
    });
});
