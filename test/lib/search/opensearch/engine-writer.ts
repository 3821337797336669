/** Writing to OpenSearch, by processes that were stopped in between, to indexes that take nothing, and through servers with short limits. */

import { once } from 'node:events';
import Http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SILENT, type Log } from '../../../../db/log.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import type { FoundDocuments, IndexSource } from '../../../../lib/search/mapping/document-source.js';
import { EngineClient } from '../../../../lib/search/opensearch/engine-client.js';
import { EngineError } from '../../../../lib/search/opensearch/engine-error.js';
import { EngineIndexes, writeAlias } from '../../../../lib/search/opensearch/engine-indexes.js';
import { EngineWriter } from '../../../../lib/search/opensearch/engine-writer.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../../../support/opensearch.js';
import { SearchCorpus } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { after, before, beforeEach, afterEach, describe, it } = lab;

const HELD = { checkLease: () => {} };

/** Objects that can be changed. */
class Objects implements IndexSource {

    readonly stored = new Map<string, IndexDocument>();
    readonly changing = new Set<string>();

    put(...documents: readonly IndexDocument[]): void {

        documents.forEach((document) => this.stored.set(document.id, document));
    }

    portions(ids: readonly string[]): Promise<string[][]> {

        return Promise.resolve([[...ids]]);
    }

    byIds(ids: readonly string[]): Promise<FoundDocuments> {

        return Promise.resolve({ documents: ids.flatMap((id) => this.stored.get(id) ?? []), changing: this.changing });
    }

    after(): Promise<IndexDocument[]> {

        return Promise.resolve([]);
    }

    describe(): IndexDocument {

        throw new Error('no object is stored here');
    }
}

describe('writing to OpenSearch', { skip: !HAS_OPENSEARCH, timeout: 300_000 }, () => {

    let engine: TestOpenSearch;
    let objects: Objects;
    let index: string;
    let events: unknown[];
    let log: Log;
    const writers: EngineWriter[] = [];
    const corpus = new SearchCorpus(7, {});

    before({ timeout: 600_000 }, async () => {

        engine = await startOpenSearch();
    });

    after(() => engine.stop());

    beforeEach(async () => {

        objects = new Objects();
        events = [];
        log = { ...SILENT, error: (fields: object) => events.push((fields as { event: string }).event) };
        const prefix = engine.newUrl().split('/').at(-1) ?? '';
        index = await new EngineIndexes({ client: engine.client, log, prefix }).create(2);
    });

    afterEach(() => Promise.all(writers.splice(0).map((writer) => writer.close())));

    function writerOf(client: EngineClient = engine.client): EngineWriter {

        const writer = new EngineWriter({ client, source: objects, log });
        writers.push(writer);
        return writer;
    }

    async function ids(): Promise<unknown[]> {

        await engine.refresh();
        const { aggregations } = await engine.client.send<{ aggregations: { id: { buckets: readonly { key: string }[] } } }>({
            method: 'POST', path: `/${index}/_search`, body: { size: 0, aggs: { id: { terms: { field: 'id', size: 1000 } } } }
        });
        return aggregations.id.buckets.map(({ key }) => key).sort();
    }

    async function failureOf(work: Promise<unknown>): Promise<string> {

        const error = await work.then(() => null, (reason: unknown) => reason);
        expect(error).to.be.an.instanceof(EngineError);
        return (error as EngineError).failure;
    }

    /** Works with a client of a server in front of the engine. */
    async function through(listener: Http.RequestListener, work: (client: EngineClient) => Promise<void>): Promise<void> {

        const server = Http.createServer(listener).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const client = await EngineClient.open({ node: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, auth: null, prefix: 'test' });
        try {
            await work(client);
        }
        finally {
            await client.close();
            server.closeAllConnections();
            server.close();
        }
    }

    it('keeps out what a stopped process writes after another one has gone on, also of objects that were never there', async () => {

        const [stopped, other] = [writerOf(), writerOf()];
        const [first, second] = [corpus.document('test/1'), corpus.document('test/2')];
        objects.put(first);
        await stopped.apply({ index, version: 9 }, ['test/1'], HELD);
        // The stopped process has read both objects; then they are deleted, and the other process goes on.
        objects.stored.clear();
        await other.apply({ index, version: 11 }, ['test/1', 'test/2'], HELD);
        await stopped.store({ index, version: 10 }, [first, second], HELD);

        expect(await ids()).to.equal([]);
    });

    it('removes what does not exist, and leaves what is being changed to the log', async () => {

        const writer = writerOf();
        objects.put(...['test/1', 'test/2', 'test/3'].map((id) => corpus.document(id)));
        await writer.apply({ index, version: 9 }, ['test/1', 'test/2', 'test/3'], HELD);
        ['test/1', 'test/2'].forEach((id) => objects.stored.delete(id));
        objects.changing.add('test/2');
        await writer.apply({ index, version: 10 }, ['test/1', 'test/2', 'test/3'], HELD);

        expect(await ids()).to.equal(['test/2', 'test/3']);
    });

    it('stores an object that was created again, whatever the clocks of the nodes say', async () => {

        const writer = writerOf();
        const document = corpus.document('test/1');
        const former = { ...document, metadata: { ...document.metadata, txnId: 2 ** 52 } };
        objects.put(former);
        await writer.apply({ index, version: 1 }, ['test/1'], HELD);
        objects.stored.clear();
        await writer.apply({ index, version: 2 }, ['test/1'], HELD);
        objects.put({ ...former, metadata: { ...document.metadata, txnId: 1 } });
        await writer.apply({ index, version: 3 }, ['test/1'], HELD);
        await writer.apply({ index, version: 3 }, ['test/1'], HELD);

        expect(await ids()).to.equal(['test/1']);
    });

    it('writes nothing when the lease is lost', async () => {

        objects.put(corpus.document('test/1'));
        const lost = { checkLease: () => {

            throw new Error('the lease of the job is lost');
        } };
        await expect(writerOf().apply({ index, version: 1 }, ['test/1'], lost)).to.reject('the lease of the job is lost');

        expect(await ids()).to.equal([]);
    });

    it('waits while an index takes nothing, and loses neither documents nor deletions', async () => {

        const writer = writerOf();
        const documents = ['test/1', 'test/2', 'test/3'].map((id) => corpus.document(id));
        objects.put(...documents);
        await writer.apply({ index, version: 1 }, ['test/1', 'test/2'], HELD);
        objects.stored.delete('test/1');
        const block = (name: string, value: boolean) => engine.client.send({ method: 'PUT', path: `/${index}/_settings`, body: { index: { blocks: { [name]: value } } } });
        for (const name of ['write', 'read_only']) {
            await block(name, true);
            expect(await failureOf(writer.apply({ index, version: 2 }, ['test/1'], HELD)), name).to.equal('denied');
            expect(await failureOf(writer.apply({ index, version: 2 }, ['test/3'], HELD)), name).to.equal('denied');
            await block(name, false);
        }

        await engine.client.send({ method: 'POST', path: `/${index}/_close` });
        expect(await failureOf(writer.apply({ index, version: 2 }, ['test/3'], HELD))).to.equal('denied');
        expect(await failureOf(engine.client.send({ method: 'POST', path: `/${index}/_search` }))).to.equal('denied');
        await engine.client.send({ method: 'POST', path: `/${index}/_open`, query: { wait_for_active_shards: 1 } });
        expect(events).to.equal([]);

        await writer.apply({ index, version: 2 }, ['test/1', 'test/2', 'test/3'], HELD);
        expect(await ids()).to.equal(['test/2', 'test/3']);
    });

    it('is given up for an index that was replaced, without making another one', async () => {

        await engine.client.send({ method: 'DELETE', path: `/${index}` });
        objects.put(corpus.document('test/1'));

        expect(await failureOf(writerOf().apply({ index, version: 1 }, ['test/1', 'test/2'], HELD))).to.equal('missing');
        expect(await failureOf(writerOf().apply({ index, version: 1 }, ['test/2'], HELD))).to.equal('missing');
        expect(await failureOf(engine.client.send({ method: 'GET', path: `/${writeAlias(index)}` }))).to.equal('missing');
    });

    it('halves requests that are too long for a server before the engine', async () => {

        const MOST = 20_000;
        const limited: Http.RequestListener = (request, response) => {

            const chunks: Buffer[] = [];
            request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {

                const body = Buffer.concat(chunks);
                if (body.length > MOST) {
                    response.writeHead(413, { 'content-type': 'text/html' }).end('<h1>413 Request Entity Too Large</h1>');
                    return;
                }

                const sent = Http.request(engine.url + request.url, { method: request.method, headers: request.headers }, (answer) => {

                    response.writeHead(answer.statusCode ?? 502, answer.headers);
                    answer.pipe(response);
                });
                sent.end(body);
            });
        };

        const documents = Array.from({ length: 40 }, (_, n) => corpus.document(`test/${n}`));
        const long = { ...corpus.document('test/long'), content: { text: 'word '.repeat(MOST) } };
        objects.put(...documents, long);
        await through(limited, async (client) => {

            const writer = writerOf(client);
            await writer.apply({ index, version: 1 }, [...objects.stored.keys()], HELD);
            expect(await ids()).to.equal([...objects.stored.keys()].sort());
            expect(events).to.equal(['search.document-refused']);

            objects.stored.clear();
            await writer.apply({ index, version: 2 }, [...documents.map(({ id }) => id), 'test/long'], HELD);
            expect(await ids()).to.equal([]);
        });
    });

    for (const status of [200, 400, 502]) {
        it(`does not take the page of a server before the engine for its answer, with ${status}`, async () => {

            objects.put(corpus.document('test/1'));
            await through((_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Please log in</h1>'), async (client) => {

                expect(await failureOf(writerOf(client).apply({ index, version: 1 }, ['test/1'], HELD))).to.equal('unreachable');
                expect(await failureOf(client.send({ method: 'POST', path: `/${index}/_search` }))).to.equal('unreachable');
            });
            expect(events).to.equal([]);
        });
    }

    it('ends requests whose answer stops in the middle', async () => {

        const halting: Http.RequestListener = (_, response) => {

            response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"took":');
        };

        await through(halting, async (client) => {

            expect(await failureOf(client.send({ method: 'GET', path: '/', timeoutMs: 300 }))).to.equal('unreachable');
        });
    });
});
