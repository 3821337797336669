/** Which OpenSearch a repository may use: whose it is, which cluster, which version; at the start, and after outages. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Http from 'node:http';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { createGateway } from '../../lib/app/gateway.js';
import { EXIT } from '../../lib/errors/exit-codes.js';
import { FORMAT } from '../../lib/search/opensearch/engine-document.js';
import { explainStartError, isPermanent } from '../../lib/start-errors.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { foundIds as ids, searchesReady as ready, startWithEngine as start } from '../support/engine-gateways.js';
import { gatewayOptions, startGateway, type TestGateway } from '../support/gateway.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../support/opensearch.js';
import { startS3Relay, type S3Relay } from '../support/s3.js';
import { SEARCH } from '../support/searching.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

let engine: TestOpenSearch;
let relay: S3Relay;

/** A server before the engine, which says other things of the cluster, or does not answer while there is nothing to say. */
async function pretending(info: (actual: JsonObject) => JsonObject | null): Promise<{ url: string; stop(): void }> {

    const server = Http.createServer((request, response) => {

        if (info({}) === null) {
            response.writeHead(503).end();
            return;
        }

        const target = Http.request(`${engine.url}${request.url}`, { method: request.method ?? 'GET', headers: request.headers, agent: false });
        target.on('error', () => response.destroy()).on('response', (answer: Http.IncomingMessage) => {

            if (request.url !== '/' || request.method !== 'GET') {
                answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
                return;
            }

            void text(answer).then((body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(info(JSON.parse(body) as JsonObject))));
        });
        request.pipe(target);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
        stop() {

            server.closeAllConnections();
            server.close();
        }
    };
}

describe('searches in an OpenSearch', { skip: !HAS_OPENSEARCH, timeout: 300_000 }, () => {

    before({ timeout: 600_000 }, async () => {

        engine = await startOpenSearch();
        relay = await startS3Relay(engine.url);
    });

    after(async () => {

        await relay?.stop();
        await engine?.stop();
    });

    beforeEach(() => relay.behave());

    forEachDatabase((name, create) => {

        describe(`that several nodes share, on ${name}`, { skip: name === 'SQLite' }, () => {

            let database: TestDatabase;
            let url: string;
            let one: TestGateway;

            before(async () => {

                database = await create();
                url = engine.newUrl();
                one = await start(database, url);
                await ready(one);
            });

            after(async () => {

                await one?.stop();
                await database?.dispose();
            });

            it('are not of another cluster than that of the nodes that run, until they have stopped', async () => {

                const elsewhere = await pretending((info) => ({ ...info, cluster_uuid: 'of-another-cluster' }));
                const { pathname } = new URL(url);
                const options = { ...database, options: { ...database.options, dataDir: `${database.options.dataDir}-3` } };
                const begin = async (): Promise<TestGateway> => await start(options, `${elsewhere.url}${pathname}`);
                let other: TestGateway | null = null;
                try {
                    const error: unknown = await begin().then(() => null, (reason: unknown) => reason);
                    expect(isPermanent(error)).to.be.true();
                    expect(explainStartError(error)[0]).to.match(/^SEARCH_URL of this node leads to another OpenSearch than that of the nodes that run: .+ set the same SEARCH_URL on all nodes/);

                    await one.stop();
                    other = await begin();
                    await ready(other);
                    await other.stop();
                    // Also the other way round.
                    one = await start(database, url);
                    await ready(one);
                }
                finally {
                    await other?.stop();
                    elsewhere.stop();
                }
            });

            it('are never led to another cluster by a node that was started during an outage', { timeout: 120_000 }, async () => {

                let cluster: string | null | undefined;
                const elsewhere = await pretending((info) => (cluster === null ? null : cluster === undefined ? info : { ...info, cluster_uuid: cluster }));
                const address = `${elsewhere.url}${new URL(url).pathname}`;
                const options = { ...database, options: { ...database.options, dataDir: `${database.options.dataDir}-4` } };
                const lines: { readonly event?: string }[] = [];
                const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { event?: string }) });
                const refusals = (): number => lines.filter(({ event }) => event === 'search.engine-refused').length;
                const search = async (gateway: TestGateway): Promise<unknown> => (await gateway.asAdmin(SEARCH, { attributes: { query: 'id:test/led' } })).http;
                await one.create('Document', {}, { id: 'test/led' });
                let other = await start(options, address);
                try {
                    await ready(other);
                    await other.stop();
                    cluster = null;
                    other = await startGateway(options, { search: { engine: { url: address, shards: 1 } }, log });
                    cluster = 'of-another-cluster';
                    await until(() => refusals() > 0);
                    expect(await search(other)).to.equal(503);

                    // Nobody feeds but the node that must not.
                    await one.stop();
                    await until(() => lines.some(({ event }) => event === 'job.retried'));
                    one = await start(database, url);
                    await ready(one);
                    expect(await ids(one, 'id:test/led')).to.equal(['test/led']);
                    expect([await search(other), refusals()]).to.equal([503, 1]);

                    cluster = undefined;
                    await ready(other);
                    expect(await ids(other, 'id:test/led')).to.equal(['test/led']);
                }
                finally {
                    await other.stop();
                    elsewhere.stop();
                }
            });
        });
    });

    it('are refused when the engine answers after a start without it, and has another version, until it has a known one', async () => {

        const database = await createSqlite();
        let version: JsonObject | 'none' | null = null;
        const elsewhere = await pretending((info) => (version === 'none' ? null : version ? { ...info, version } : info));
        const url = `${elsewhere.url}${new URL(engine.newUrl()).pathname}`;
        const lines: { readonly event?: string }[] = [];
        const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { event?: string }) });
        let gateway: TestGateway | null = null;
        try {
            gateway = await start(database, url);
            await ready(gateway);
            await gateway.create('Document', { name: 'before outage' }, { id: 'test/before' });
            expect(await ids(gateway, 'outage')).to.equal(['test/before']);
            await gateway.stop();

            version = 'none';
            gateway = await startGateway(database, { search: { engine: { url, shards: 1 } }, log });
            await gateway.create('Document', { name: 'during outage' }, { id: 'test/during' });
            version = { distribution: 'opensearch', number: '1.3.0' };
            await until(() => lines.some(({ event }) => event === 'search.engine-refused') && lines.some(({ event }) => event === 'search.engine-failed'));
            expect((await gateway.asAdmin(SEARCH, { attributes: { query: 'outage' } })).http).to.equal(503);
            expect(lines.filter(({ event }) => event === 'search.engine-refused').length).to.equal(1);
            await engine.refresh();
            const path = `/${url.split('/').at(-1)}-v${FORMAT}/_count`;
            expect((await engine.client.send<{ count: number }>({ method: 'POST', path, body: { query: { ids: { values: ['test/during'] } } } })).count).to.equal(0);

            version = null;
            await ready(gateway);
            expect(await ids(gateway, 'outage')).to.equal(['test/before', 'test/during']);
        }
        finally {
            await gateway?.stop();
            elsewhere.stop();
            await database.dispose();
        }
    });

    describe('are refused at the start', () => {

        let database: TestDatabase;

        before(async () => {

            database = await createSqlite();
        });

        after(() => database.dispose());

        async function refusal(url: string): Promise<[string, number]> {

            const gateway = createGateway(gatewayOptions(database, { search: { engine: { url, shards: 1 } } }));
            const error: unknown = await gateway.start().then(() => null, (reason: unknown) => reason);
            await gateway.stop();
            expect(isPermanent(error)).to.be.true();
            return explainStartError(error);
        }

        it('when nothing answers there', async () => {

            const [message, code] = await refusal('http://127.0.0.1:1/x');

            expect(message).to.match(/^no OpenSearch answers at http:\/\/127\.0\.0\.1:1: check SEARCH_URL \(/);
            expect(code).to.equal(EXIT.unavailable);
        });

        it('when the credentials are wrong', async () => {

            relay.behave(() => ({ status: 401 }));

            const [message, code] = await refusal(engine.newUrl(relay.url.replace('//', '//user:wrong@')));

            expect(message).to.match(/^OpenSearch at http:\S+ refuses the user or the password of SEARCH_URL \(/);
            expect([code, message.includes('wrong@')]).to.equal([EXIT.config, false]);
        });

        for (const [title, version, expected] of [
            ['another engine', { number: '8.17.0' }, /is not OpenSearch: SEARCH_URL must be the address of an OpenSearch server$/],
            ['an old version', { number: '1.3.20', distribution: 'opensearch' }, /has version 1\.3\.20, but the service needs version 2 or 3$/]
        ] as const) {
            it(`when ${title} is there`, async () => {

                const server = Http.createServer((_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ version })));
                await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
                const { port } = server.address() as { port: number };

                const [message, code] = await refusal(`http://127.0.0.1:${port}/x`);

                server.closeAllConnections();
                server.close();
                expect(message).to.match(expected);
                expect(code).to.equal(EXIT.config);
            });
        }

        it('when the indexes belong to another repository', async () => {

            const url = engine.newUrl();
            const other = await createSqlite();
            const gateway = await start(other, url);
            await gateway.stop();
            await other.dispose();

            const [message, code] = await refusal(url);

            expect(message).to.match(/belong to another repository: choose another prefix in SEARCH_URL$/);
            expect(code).to.equal(EXIT.config);
        });
    });
});
