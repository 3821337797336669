/** A repository whose searches are in OpenSearch: from start to start, through outages, and with two nodes. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { cp, rename, rm } from 'node:fs/promises';
import { bytesSegment, jsonSegment } from '../../lib/doip/segments.js';
import { parseJson } from '../../lib/json/strict-parser.js';
import { FORMAT } from '../../lib/search/opensearch/engine-document.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN, startGateway, type TestGateway } from '../support/gateway.js';
import { foundIds as ids, searchesReady as ready, startWithEngine as start } from '../support/engine-gateways.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../support/opensearch.js';
import { startS3Relay, type S3Relay } from '../support/s3.js';
import { found, SEARCH } from '../support/searching.js';
import { changeMembers, defineType } from '../support/type-code.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

/** Milliseconds within which a change is stored beside searches that are not answered: they end after 15 seconds. */
const CROWD_MS = 9000;

let engine: TestOpenSearch;
let relay: S3Relay;

describe('searches in OpenSearch', { skip: !HAS_OPENSEARCH, timeout: 300_000 }, () => {

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

        describe(`of a repository on ${name}`, () => {

            let database: TestDatabase;
            let url: string;
            let one: TestGateway;

            before(async () => {

                database = await create();
                url = engine.newUrl(relay.url);
                one = await start(database, url);
                await ready(one);
            });

            after(async () => {

                await one?.stop();
                await database?.dispose();
            });

            it('find each change with the next request', async () => {

                for (let i = 0; i < 10; ++i) {
                    await one.create('Document', { name: `word${i} common`, n: i }, { id: `test/change-${i}` });
                    expect(await ids(one, `word${i}`)).to.equal([`test/change-${i}`]);
                }

                expect((await found(one, { query: '/name:common', pageSize: 3, facets: [{ field: '/n' }] })).size).to.equal(10);
                await one.asAdmin('0.DOIP/Op.Update', { targetId: 'test/change-3', input: { attributes: { content: { name: 'other' } } } });
                expect([await ids(one, 'word3'), await ids(one, 'other')]).to.equal([[], ['test/change-3']]);
                await one.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/change-3' });
                expect([await ids(one, 'other'), (await ids(one, '/n:[* TO *]')).length]).to.equal([[], 9]);
            });

            it('find each of many concurrent changes with the next request', async () => {

                const missing: string[] = [];
                await Promise.all(Array.from({ length: 12 }, async (_, writer) => {

                    for (let i = 0; i < 12; ++i) {
                        const word = `concurrent${writer}x${i}`;
                        await one.create('Document', { name: word, pad: 'x'.repeat(writer * 10_000) });
                        missing.push(...(await ids(one, `/name:${word}`)).length === 1 ? [] : [word]);
                    }
                }));

                expect(missing).to.equal([]);
            });

            it('never find the design object, which is not stored there', async () => {

                const { value } = await one.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'design' });
                const { attributes: { content } } = value as { attributes: { content: JsonObject } };
                await one.asAdmin('0.DOIP/Op.Update', { targetId: 'design', input: { attributes: { content: { ...content, note: 'changed' } } } });
                await one.create('Document', { name: 'beside the design' }, { id: 'test/beside' });
                expect(await ids(one, 'id:design id:test/beside')).to.equal(['test/beside']);
                await engine.refresh();
                const prefix = url.split('/').at(-1);
                const stored = await engine.client.send<{ count: number }>({
                    method: 'POST', path: `/${prefix}-v${FORMAT}/_count`, body: { query: { terms: { id: ['design', 'test/beside'] } } }
                });
                expect(stored.count).to.equal(1);
            });

            it('find numbers as they were sent, and as JavaScript writes them', async () => {

                await one.create('Document', parseJson('{"sent":[9007199254740993,5.0]}') as JsonObject, { id: 'test/number' });
                const queries = ['/sent/_:9007199254740993', '/sent/_:5.0', '/sent/_:5', '/sent/_:9007199254740992'];
                expect(await Promise.all(queries.map((query) => ids(one, query)))).to.equal([['test/number'], ['test/number'], ['test/number'], []]);
            });

            it('have rights before counts', async () => {

                await one.create('Document', { name: 'secretword' }, { id: 'test/secret', attributes: { acl: { readers: [], writers: [] } } });
                await one.create('Document', { name: 'secretword' }, { id: 'test/open', attributes: { acl: { readers: ['public'], writers: [] } } });

                expect((await found(one, { query: 'secretword' })).size).to.equal(2);
                expect((await found(one, { query: 'secretword', type: 'id' }, {})).size).to.equal(1);
            });

            it('find the texts of payloads, and versions where they are wanted', async () => {

                const { status } = await one.asAdmin('0.DOIP/Op.Create', {
                    input: [
                        jsonSegment({ id: 'test/payload', type: 'Document', attributes: { content: { name: 'with payload' } }, elements: [{ id: 'file', type: 'text/plain' }] }),
                        jsonSegment({ id: 'file' }), bytesSegment(Buffer.from('an ornithopter'))
                    ]
                });
                expect(status).to.equal('0.DOIP/Status.001');
                await until(async () => (await ids(one, 'ornithopter')).length === 1);
                const { value } = await one.asAdmin('20.DOIP/Op.Versions.Publish', { targetId: 'test/payload' });
                const { id } = value as { id: string };

                expect(await ids(one, '"with payload"')).to.equal(['test/payload']);
                expect(await ids(one, '"with payload"', { includeVersions: true })).to.equal(['test/payload', id].sort());
                expect(await ids(one, 'file:ornithopter', { filterQueries: ['elname_file:true'] })).to.equal(['test/payload']);
            });

            it('find objects as they are stored when their type has lost its hook for indexing, and they are indexed again', async () => {

                // Its own object does not have the word.
                const code = 'exports.objectForIndexing = (object) => ({ ...object, content: { name: "form" + "word" } });';
                const schemaId = await defineType(one, 'Formed', code, { type: 'object' });
                await one.create('Formed', { name: 'storedword' }, { id: 'test/formed' });
                expect([await ids(one, 'formword'), await ids(one, 'storedword')]).to.equal([['test/formed'], []]);
                await changeMembers(one, schemaId, { javascript: null });
                await one.asAdmin('20.DOIP/Op.ReindexBatch', { attributes: { all: true } });
                expect([await ids(one, 'formword'), await ids(one, 'storedword')]).to.equal([[], ['test/formed']]);
            });

            it('go on after the server was killed and started again', { skip: process.env['TEST_OPENSEARCH_URL'] !== undefined }, async () => {

                await one.create('Document', { name: 'killedserver' }, { id: 'test/killed-1' });
                expect(await ids(one, 'killedserver')).to.equal(['test/killed-1']);
                await engine.kill();
                await one.create('Document', { name: 'killedserver' }, { id: 'test/killed-2' });
                expect((await one.asAdmin(SEARCH, { attributes: { query: 'killedserver' } })).http).to.equal(503);
                await engine.restart();
                await until(async () => (await one.asAdmin(SEARCH, { attributes: { query: 'killedserver' } })).http !== 503);
                expect(await ids(one, 'killedserver')).to.equal(['test/killed-1', 'test/killed-2']);
            });

            it('go on after an outage with all that was written during it', async () => {

                await one.create('Document', { name: 'before outage' }, { id: 'test/outage-before' });
                expect(await ids(one, 'outage')).to.equal(['test/outage-before']);
                relay.behave(() => 'cut');
                await one.create('Document', { name: 'during outage' }, { id: 'test/outage-during' });
                const refused = await one.asAdmin(SEARCH, { attributes: { query: 'outage' } });
                await until(() => one.gateway.state.subsystems.get('indexer') === 'FAILED');
                expect(refused.http).to.equal(503);
                relay.behave();
                await ready(one);
                expect(await ids(one, 'outage')).to.equal(['test/outage-before', 'test/outage-during']);
            });

            it('do not keep a service from starting during an outage, also where another node has found the engine at another address since', async () => {

                await one.create('Document', { name: 'starts without' }, { id: 'test/starts-without' });
                await one.stop();
                const other = await startS3Relay(engine.url);
                await start(database, url.replace(relay.url, other.url)).then((node) => node.stop()).finally(() => other.stop());
                relay.behave(() => 'cut');

                one = await start(database, url);

                expect((await one.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/starts-without' })).status).to.equal('0.DOIP/Status.001');
                expect((await one.asAdmin(SEARCH, { attributes: { query: 'any' } })).http).to.equal(503);
                relay.behave();
                await ready(one);
                expect(await ids(one, 'without')).to.equal(['test/starts-without']);
            });

            it('do not hold up the end of the service when the server is silent', async () => {

                relay.behave((request) => (request.includes('_bulk') ? 'silent' : undefined));
                await one.create('Document', { name: 'silentserver' }, { id: 'test/silent' });
                await until(() => relay.requests.some((request) => request.includes('_bulk')));
                const started = performance.now();
                await one.stop();
                expect(performance.now() - started).to.be.below(25_000);
                relay.behave();
                one = await start(database, url);
                await ready(one);
                expect(await ids(one, 'silentserver')).to.equal(['test/silent']);
            });

            it('are repeated where answers are lost, without a change twice or not at all', async () => {

                let count = 0;
                relay.behave((request) => (request.includes('_bulk') ? (++count % 3 === 0 ? undefined : count % 3 === 1 ? 'lose' : { status: 503 }) : undefined));
                for (let i = 0; i < 5; ++i) {
                    await one.create('Document', { name: 'repeated' }, { id: `test/repeated-${i}` });
                }

                relay.behave();
                await until(async () => (await one.asAdmin(SEARCH, { attributes: { query: 'repeated' } })).http !== 503);
                expect((await ids(one, 'repeated')).length).to.equal(5);
            });

            it('continue after a restart, and after changes while the service was not there', async () => {

                await one.create('Document', { name: 'restarted' }, { id: 'test/restarted' });
                await one.stop();
                one = await start(database, url);
                await ready(one);
                expect(await ids(one, 'restarted')).to.equal(['test/restarted']);
            });

            it('use the old index while a new one is built, for another number of shards', async () => {

                const before = await ids(one, '*:*');
                await one.stop();
                one = await start(database, url, 3);
                await ready(one);
                const isRenewed = async (): Promise<boolean> => {

                    expect(await ids(one, '*:*')).to.equal(before);
                    const prefix = url.split('/').at(-1);
                    const shards = await engine.client.send<Record<string, { settings: { index: { number_of_shards: string } } }>>({ method: 'GET', path: `/${prefix}-v*/_settings` });
                    return Object.values(shards).every(({ settings }) => settings.index.number_of_shards === '3');
                };

                await until(isRenewed);
                await one.create('Document', { name: 'resharded' }, { id: 'test/resharded' });
                expect(await ids(one, 'resharded')).to.equal(['test/resharded']);
            });

            it('come back by themselves when the indexes are lost', async () => {

                const before = await ids(one, '*:*');
                const prefix = url.split('/').at(-1);
                for (const index of Object.keys(await engine.client.send<object>({ method: 'GET', path: `/${prefix}-v*/_alias` }))) {
                    await engine.client.send({ method: 'DELETE', path: `/${index}` });
                }

                await one.create('Document', { name: 'woken' }, { id: 'test/woken' });
                await until(async () => (await one.asAdmin(SEARCH, { attributes: { query: 'woken' } })).http !== 503);
                expect(await ids(one, '*:*')).to.equal([...before, 'test/woken'].sort());
            });

            /** The milliseconds until a change is stored while many searches wait for an answer, which they do not get. */
            const timeBesideCrowd = async (attempt: number): Promise<number> => {

                relay.behave((request) => (request.includes('/_search') && request.startsWith('POST') ? 'silent' : undefined));
                const [word, id] = [`crowd${attempt}`, `test/crowd-${attempt}`];
                const search = (authentication?: JsonObject) => one.perform(SEARCH, { ...authentication && { authentication }, attributes: { query: word, type: 'id', pageSize: 10 } });
                const crowd = Array.from({ length: 400 }, () => search(ADMIN));
                await until(() => relay.requests.filter((request) => request.includes('/_search')).length >= 200);
                const other = search();
                await one.create('Document', { name: word }, { id });
                const prefix = url.split('/').at(-1);
                const isStored = async (): Promise<boolean> => {

                    await engine.refresh();
                    const body = { query: { term: { id } } };
                    return (await engine.client.send<{ count: number }>({ method: 'POST', path: `/${prefix}-v${FORMAT}/_count`, body })).count === 1;
                };

                const started = performance.now();
                await until(isStored);
                const took = performance.now() - started;
                expect(one.gateway.state.subsystems.get('indexer')).to.equal('UP');

                const statuses = (await Promise.all(crowd)).map(({ http }) => http);
                expect(statuses.filter((http) => http === 429).length).to.equal(150);
                expect(statuses.filter((http) => http === 503).length).to.equal(250);
                expect((await other).http).to.equal(503);
                relay.behave();
                expect(await ids(one, word)).to.equal([id]);
                return took;
            };

            it('do not hold up changes, however many wait, and leave something to other callers', { timeout: 600_000 }, async () => {

                let least = Infinity;
                // A busy machine takes longer at times.
                for (let attempt = 0; attempt < 3 && least >= CROWD_MS; ++attempt) {
                    least = Math.min(least, await timeBesideCrowd(attempt));
                }

                expect(least).to.be.below(CROWD_MS);
            });

            it('are built again after the restore of an earlier database, also when it has come as far since', { skip: name !== 'SQLite' }, async () => {

                await one.create('Document', { name: 'restored' }, { id: 'test/kept' });
                expect(await ids(one, 'restored')).to.equal(['test/kept']);
                await one.stop();
                const { dataDir } = database.options;
                await cp(dataDir, `${dataDir}-copy`, { recursive: true });
                one = await start(database, url);
                await ready(one);
                for (const id of ['test/lost-1', 'test/lost-2']) {
                    await one.create('Document', { name: 'restored' }, { id });
                    expect(await ids(one, 'restored')).to.include(id);
                }

                await one.stop();
                await rm(dataDir, { recursive: true });
                await rename(`${dataDir}-copy`, dataDir);
                // While the service has an embedded index, its log goes on.
                one = await startGateway(database);
                for (let i = 0; i < 6; ++i) {
                    await one.create('Document', { name: 'restored since' }, { id: `test/since-${i}` });
                    expect(await ids(one, '"restored since"')).to.include(`test/since-${i}`);
                }

                await one.stop();
                one = await start(database, url);
                await ready(one);
                await until(async () => (await one.asAdmin(SEARCH, { attributes: { query: 'restored' } })).http !== 503);
                expect(await ids(one, 'restored')).to.equal(['test/kept', ...Array.from({ length: 6 }, (_, i) => `test/since-${i}`)]);
            });

            it('leave no indexes but the one in use, whatever was given up', async () => {

                const prefix = url.split('/').at(-1);
                const indexes = async (): Promise<string[]> => Object.keys(await engine.client.send<object>({ method: 'GET', path: `/${prefix}-v${FORMAT}-*/_alias` }));
                const strays = [`${prefix}-v${FORMAT}-${Date.now().toString(36)}-abcdef`, `${prefix}-v${FORMAT}-other-v${FORMAT}-1-abcdef`];
                for (const stray of strays) {
                    await engine.client.send({ method: 'PUT', path: `/${stray}` });
                }

                await one.stop();
                one = await start(database, url);
                await ready(one);
                // That of another repository is left alone, however it is called.
                await until(async () => (await indexes()).length === 2 && !(await indexes()).includes(strays[0] ?? ''));
                expect(await indexes()).to.include(strays[1] ?? '');
                await engine.client.send({ method: 'DELETE', path: `/${strays[1]}` });
            });

            it('return all results from a point in time', async () => {

                const many = Array.from({ length: 1203 }, (_, i) => ({ id: `test/many-${String(i).padStart(4, '0')}`, type: 'Document', attributes: { content: { name: 'manifold', i } } }));
                await one.create('Document', {});        // The password is verified once
                for (let i = 0; i < many.length; i += 400) {
                    await Promise.all(many.slice(i, i + 400).map(({ id, attributes: { content } }) => one.create('Document', content, { id })));
                }

                expect(await ids(one, 'manifold')).to.equal(many.map(({ id }) => id));
                expect(await ids(one, 'manifold', { pageNum: 60, pageSize: 20 })).to.equal(many.slice(1200).map(({ id }) => id));
            });

            it('are of one index on two nodes, each of which finds what it wrote', { skip: name === 'SQLite' }, async () => {

                const other = await startGateway({ ...database, options: { ...database.options, dataDir: `${database.options.dataDir}-2` } }, { search: { engine: { url, shards: 3 } } });
                try {
                    await ready(other);
                    for (let i = 0; i < 10; ++i) {
                        const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
                        await writer.create('Document', { name: `node${i}` }, { id: `test/node-${i}` });
                        expect(await ids(writer, `node${i}`)).to.equal([`test/node-${i}`]);
                        await until(async () => (await ids(reader, `node${i}`)).length === 1);
                    }

                    await one.stop();
                    await other.create('Document', { name: 'takenover' }, { id: 'test/taken-over' });
                    await until(async () => (await other.asAdmin(SEARCH, { attributes: { query: 'takenover' } })).http !== 503);
                    expect(await ids(other, 'takenover')).to.equal(['test/taken-over']);
                    one = await start(database, url, 3);
                    await ready(one);
                }
                finally {
                    await other.stop();
                }
            });
        });
    });

    it('are refused with the reason until there is an index', async () => {

        const database = await createSqlite();
        relay.behave((request) => (/^PUT .*-v\d+-/.test(request) ? { status: 503 } : undefined));
        const gateway = await start(database, engine.newUrl(relay.url));
        try {
            const { http, value } = await gateway.asAdmin(SEARCH, { attributes: { query: 'any' } });
            relay.behave();
            await ready(gateway);

            expect([http, value]).to.equal([503, { message: 'the search index is being built, try again later' }]);
        }
        finally {
            await gateway.stop();
            await database.dispose();
        }
    });
});
