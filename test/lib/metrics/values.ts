/** Values of metrics: each changes with what it counts. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DIALECTS } from '../../support/database.js';
import { ADMIN_HEADERS, multipart } from '../../support/rest.js';
import type { Scraped } from '../../support/scrape.js';
import { metricsUrl, scrape } from '../../support/scrape.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const JSON_TYPE = { 'content-type': 'application/json' };
const CODE = `exports.methods = {
    quick: () => 1,
    slow: () => { const end = Date.now() + 8000; while (Date.now() < end); return 2; },
    wrong: () => { throw new Error('a fault'); },
    endless: () => { for (;;); }
};`;

describe('values of metrics', () => {

    let server: TestServer;
    let url = '';

    before(async () => {

        server = await startServer({ METRICS_PORT: 0, SCRIPT_TIMEOUT_SECONDS: 20 });
        url = metricsUrl(server);
        expect(await ask('POST', '/objects?type=Schema', { name: 'Counted', schema: { type: 'object' }, javascript: CODE })).to.equal(200);
        expect(await ask('POST', '/objects?type=Counted&handle=test/counted', {})).to.equal(200);
    });

    after(() => server.stop());

    const ask = async (method: string, path: string, body?: unknown): Promise<number> => {

        const headers = { ...ADMIN_HEADERS, ...JSON_TYPE };
        const response = await fetch(server.url + path, { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } });
        await response.arrayBuffer();
        return response.status;
    };

    /** How much a value grows until it is as large as expected. */
    const growth = async (
        name: string, labels: Readonly<Record<string, string>>, { by, work }: { by: number; work: () => Promise<unknown> }
    ): Promise<number> => {

        const value = (scraped: Scraped): number => scraped.value(name, labels) ?? 0;
        const earlier = value(await scrape(url));
        await work();
        let grown = 0;
        await until(async () => {

            grown = value(await scrape(url)) - earlier;
            return grown >= by;
        });
        return grown;
    };

    it('are the calls of type code, by result', async () => {

        for (const [method, result] of [['quick', 'ok'], ['wrong', 'ok'], ['endless', 'failed']] as const) {
            const work = (): Promise<number> => ask('POST', `/call?objectId=test/counted&method=${method}`);
            expect(await growth('scripts_total', { result }, { by: 1, work })).to.equal(1);
        }
    });

    it('are the calls that run at this moment', async () => {

        const running = ask('POST', '/call?objectId=test/counted&method=slow');
        await until(async () => (await scrape(url)).value('scripts_running') === 1);
        expect(await running).to.equal(200);
        await until(async () => (await scrape(url)).value('scripts_running') === 0);
        expect((await scrape(url)).value('script_threads') ?? 0).to.be.at.least(1);
    });

    it('are the texts of payloads', async () => {

        const { headers, payload } = multipart({ name: 'content', value: '{}' }, { name: 'note', filename: 'note.txt', value: 'some words', type: 'text/plain' });
        const upload = (): Promise<Response> => fetch(`${server.url}/objects?type=Counted`, { method: 'POST', headers: { ...ADMIN_HEADERS, ...headers }, body: new Uint8Array(payload) });
        expect(await growth('text_extractions_total', { result: 'ok' }, { by: 1, work: upload })).to.equal(1);
    });

    it('are the runs of jobs', async () => {

        expect(await growth('job_runs_total', { result: 'ok' }, { by: 1, work: () => ask('POST', '/reindexBatch?all') })).to.be.at.least(1);
    });

    it('are the requests of operations that a program has added, by their ids', async () => {

        const work = (): Promise<number> => ask('GET', '/doip/test/Op.Source?targetId=service&size=1');
        expect(await growth('requests_total', { operation: 'test/Op.Source', protocol: 'doip-http' }, { by: 1, work })).to.equal(1);
    });
});

const MYSQL = DIALECTS.find(({ dialect }) => dialect === 'mysql');
if (MYSQL) {
    describe('values of metrics on MySQL', () => {

        it('are the connections of the pool', async () => {

            const database = await MYSQL.create();
            const server = await startServer({ METRICS_PORT: 0, DATABASE_URL: `${database.options.url}?connections=7` });
            await fetch(`${server.url}/objects/design`).then((response) => response.arrayBuffer());
            const scraped = await scrape(metricsUrl(server));
            await server.stop();
            await database.dispose();

            expect(scraped.value('database_connections_limit')).to.equal(7);
            expect(scraped.value('database_connections') ?? 0).to.be.within(1, 7);
            expect(scraped.value('database_connections_waiting')).to.equal(0);
        });
    });
}
