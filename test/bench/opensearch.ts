/**
 * Searches in OpenSearch by the service's index against the same requests sent to the engine directly, in turns.
 *
 *     npm run bench:opensearch -- --objects 20000 --rounds 10
 *
 * The direct requests are those that the index has sent for the same search, over one kept connection of node, with the answer parsed.
 */

import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { parseArgs } from 'node:util';
import type { EngineClient, EngineRequest } from '../../lib/search/opensearch/engine-client.js';
import { encodeDocuments } from '../../lib/search/opensearch/bulk-lines.js';
import { indexBody } from '../../lib/search/opensearch/engine-mapping.js';
import { EngineSearch } from '../../lib/search/opensearch/engine-search.js';
import type { SearchRequest } from '../../lib/search/query/search-request.js';
import { startOpenSearch, type TestOpenSearch } from '../support/opensearch.js';
import { documentOf } from '../support/search-node.js';
import { ask, percentiles } from './search/latency.js';
import { corpus } from './search/place.js';
import { table } from './search/report.js';
import { SHAPES } from './search/shapes.js';

const INDEX = 'bench';
const DOCUMENTS_PER_BATCH = 500;

/** Rounds before those that count, in which the engine compiles what it runs often. */
const WARM_UP = 3;

/** Later pages are read from a point in time, whose requests cannot be repeated. */
const MAX_START = 10_000;

/** Milliseconds of the two ways. */
interface Times {
    readonly service: number[];
    readonly direct: number[];
}

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { objects: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '10' } } });
    const [objects, rounds] = [Number(values.objects), Number(values.rounds)];
    if (!(objects > 0) || !(rounds > 0)) {
        throw new Error('--objects and --rounds are positive numbers');
    }

    const engine = await startOpenSearch();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
        await fill(engine, objects);
        const measured: [name: string, times: Times][] = [];
        for (const { name, requests } of SHAPES) {
            measured.push([name, await measure(engine, agent, requests.filter(({ start }) => start < MAX_START), rounds)]);
        }

        report(measured);
    }
    finally {
        agent.destroy();
        await engine.stop();
    }
}

async function fill(engine: TestOpenSearch, objects: number): Promise<void> {

    await engine.client.send({ method: 'PUT', path: `/${INDEX}`, body: indexBody(1) });
    let batch: ReturnType<typeof documentOf>[] = [];
    let count = 0;
    for (const object of corpus(objects)) {
        batch.push(documentOf(object));
        count += 1;
        if (batch.length === DOCUMENTS_PER_BATCH || count === objects) {
            for (const items of encodeDocuments(batch, 1)) {
                const { errors } = await engine.client.send<{ errors: boolean }>({ method: 'POST', path: `/${INDEX}/_bulk`, lines: items.map(({ lines }) => lines).join('') });
                if (errors) {
                    throw new Error('the engine refused documents');
                }
            }

            batch = [];
        }
    }

    await engine.client.send({ method: 'POST', path: `/${INDEX}/_forcemerge`, query: { max_num_segments: 1 }, timeoutMs: 600_000 });
    await engine.refresh();
}

async function measure(engine: TestOpenSearch, agent: Agent, requests: readonly SearchRequest[], rounds: number): Promise<Times> {

    const { client, sent } = recording(engine.client);
    const search = new EngineSearch({ client, index: INDEX, timeoutMs: 30_000 });
    const times: Times = { service: [], direct: [] };
    for (let round = -WARM_UP; round < rounds; ++round) {
        for (const request of requests) {
            sent.length = 0;
            const service = async (): Promise<number> => await ask(search, request);
            const first = round % 2 === 0 ? await timed(service) : null;
            const direct = first ? [...sent] : await requestsOf(search, request, sent);
            const directly = await timed(async () => {

                for (const each of direct) {
                    await send(engine.url, agent, each);
                }
            });
            const own = first ?? await timed(service);
            if (round >= 0) {
                times.service.push(own);
                times.direct.push(directly);
            }
        }
    }

    return times;
}

/** The requests that a search sends. */
async function requestsOf(search: EngineSearch, request: SearchRequest, sent: EngineRequest[]): Promise<readonly EngineRequest[]> {

    await ask(search, request);
    return sent.splice(0);
}

function recording(of: EngineClient): { readonly client: EngineClient; readonly sent: EngineRequest[] } {

    const sent: EngineRequest[] = [];
    const client = of.share();
    const send = client.send.bind(client);
    return {
        sent,
        client: Object.assign(client, {
            send: <T>(request: EngineRequest): Promise<T> => {

                sent.push(request);
                return send<T>(request);
            }
        })
    };
}

async function send(url: string, agent: Agent, { method, path, query = {}, body }: EngineRequest): Promise<unknown> {

    const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString();
    const sent = httpRequest(`${url}${path}${search === '' ? '' : `?${search}`}`, { method, agent, headers: { 'content-type': 'application/json' } });
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = await once(sent, 'response') as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk);
    }

    if (response.statusCode !== 200) {
        throw new Error(`the engine answered ${response.statusCode}`);
    }

    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

async function timed(work: () => Promise<unknown>): Promise<number> {

    const begun = performance.now();
    await work();
    return performance.now() - begun;
}

function report(measured: readonly (readonly [name: string, times: Times])[]): void {

    const rows = measured.map(([name, { service, direct }]) => [name, percentiles(service).p50, percentiles(direct).p50] as const);
    console.log(table(['search', 'service, ms', 'engine alone, ms', 'ratio'],
        rows.map(([name, own, alone]) => [name, own.toFixed(2), alone.toFixed(2), (own / alone).toFixed(2)])));
    const all = (way: keyof Times): number => percentiles(measured.flatMap(([, times]) => times[way])).p50;
    const mean = Math.exp(rows.reduce((sum, [, own, alone]) => sum + Math.log(own / alone), 0) / rows.length);
    console.log(`median of all: ${all('service').toFixed(2)} and ${all('direct').toFixed(2)} ms, ${(all('service') / all('direct')).toFixed(2)} times; `
        + `geometric mean of the shapes ${mean.toFixed(2)}`);
}

void main();
