/**
 * Searches in OpenSearch while its index lacks changes that another gateway has made: of a right that was taken away, ids tell at once, numbers and facets
 * after a limit, from which on searches are refused. And the results of a search in progress when its index is replaced by another one.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ANONYMOUS } from '../../lib/model/caller.js';
import { FORMAT } from '../../lib/search/opensearch/engine-document.js';
import { forEachDatabase, type TestDatabase } from '../support/database.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../support/opensearch.js';
import { found, SEARCH, type SearchRecord } from '../support/searching.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The least that the configuration takes. */
const MAX_LAG_MS = 5000;
const KEEP_FORMER_MS = 45_000;

/** More than one caller may have at a time. */
const SEARCHES = 300;

function recordOf(value: unknown): SearchRecord {

    return (typeof value === 'string' ? JSON.parse(value) : value) as SearchRecord;
}

forEachDatabase((name, create, dialect) => {

    describe(`searches in OpenSearch on ${name}`, { skip: !HAS_OPENSEARCH || dialect === 'sqlite', timeout: 600_000 }, () => {

        let engine: TestOpenSearch;
        let database: TestDatabase;
        let url: string;
        let one: TestGateway;
        let other: TestGateway;

        before({ timeout: 600_000 }, async () => {

            engine = await startOpenSearch();
            database = await create();
            url = engine.newUrl();
            one = await start('one');
            other = await start('other', 2);
        });

        after(async () => {

            await Promise.all([one?.stop(), other?.stop()]);
            await database?.dispose();
            await engine?.stop();
        });

        async function start(folder: string, shards = 1): Promise<TestGateway> {

            const gateway = await startGateway({ ...database, options: { ...database.options, dataDir: `${database.options.dataDir}/${folder}` } }, {
                search: { engine: { url, shards, maxLagMs: MAX_LAG_MS, keepFormerMs: KEEP_FORMER_MS } }
            });
            await until(() => gateway.gateway.state.subsystems.get('indexer') === 'UP');
            return gateway;
        }

        const alias = (): string => `${url.split('/').at(-1)}-v${FORMAT}`;

        async function block(isBlocked: boolean): Promise<void> {

            await engine.client.send({ method: 'PUT', path: `/${alias()}/_settings`, body: { 'index.blocks.read_only_allow_delete': isBlocked ? true : null } });
        }

        /** Number of results at the other gateway; null while it refuses searches. */
        async function sizeOf(query: string): Promise<number | null> {

            const { http, value } = await other.perform(SEARCH, { attributes: { query, pageSize: 1 } });
            return http === 503 ? null : recordOf(value).size;
        }

        async function isReady(gateway: TestGateway): Promise<boolean> {

            return (await gateway.perform('gateway/Op.Health')).http !== 503;
        }

        it('show no id that may not be read any more, and are refused when changes that the index lacks are too old', async () => {

            const attributes = { query: 'withdrawn', facets: [{ field: '/topic' }] };
            await one.create('Document', { name: 'withdrawn', topic: 'secret' }, { id: 'test/withdrawn', attributes: { acl: { readers: ['public'], writers: [] } } });
            await until(async () => await sizeOf('withdrawn') === 1);

            await block(true);
            const { status } = await one.asAdmin('gateway/Op.Acls.Update', { targetId: 'test/withdrawn', input: { readers: [], writers: [] } });
            const seen: unknown[] = [];
            await until(async () => {

                const { http, value } = await other.perform(SEARCH, { attributes: { ...attributes, type: 'id' } });
                if (http === 503) {
                    return true;
                }

                seen.push(...recordOf(value).results);
                return false;
            });
            // More than may wait at a time, in less time than one would.
            const refused = await Promise.all(Array.from({ length: SEARCHES }, async (_, i) => {

                await sleep(9 * i);
                return await other.perform(SEARCH, { attributes: { ...attributes, pageSize: 1 } });
            }));
            const { subsystems, load } = other.gateway.state;
            const state = [subsystems.get('indexer'), load?.search.isUp, await isReady(other)];

            await block(false);
            await until(async () => await sizeOf('withdrawn') !== null);
            const last = await found(other, attributes, {});

            expect(status).to.equal('0.DOIP/Status.001');
            expect(seen).to.equal([]);
            expect(new Set(refused.map(({ http, value }) => `${http} ${(value as { message: string }).message}`)))
                .to.equal(new Set(['503 the search engine lacks changes that were made long ago, try again later']));
            expect(state).to.equal(['FAILED', false, false]);
            expect([last.size, last.facets?.[0]?.buckets]).to.equal([0, []]);
            await until(() => isReady(other));
        });

        const COUNT = 1203;

        async function createMany(writer: TestGateway): Promise<void> {

            await writer.create('Document', {});        // The password is verified once
            for (let i = 0; i < COUNT; i += 401) {
                await Promise.all(Array.from({ length: 401 }, (_, n) => writer.create('Document', { name: 'manifold' }, {
                    id: `test/many-${i + n}`, attributes: { acl: { readers: ['public'], writers: [] } }
                })));
            }

            await until(async () => await sizeOf('manifold') === COUNT);
        }

        /** Begins a search of the other gateway for all of them, which is read further when the function is called. */
        async function search(): Promise<() => Promise<readonly string[]>> {

            const query = { query: 'manifold', filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: false };
            const context = { caller: ANONYMOUS, remoteAddress: '', requestContext: {}, signal: new AbortController().signal };
            const { blocks } = await other.gateway.services.search.ids(query, context);
            const ids = [...(await blocks.next()).value ?? []];
            return async () => {

                for await (const block of blocks) {
                    ids.push(...block);
                }

                return ids;
            };
        }

        /** Names of the indexes, and of those that are searched. */
        async function indexes(): Promise<{ readonly all: readonly string[]; readonly used: readonly string[] }> {

            const found = Object.entries(await engine.client.send<Record<string, { aliases: object }>>({ method: 'GET', path: `/${alias()}-*/_alias` }));
            return { all: found.map(([index]) => index), used: found.filter(([, { aliases }]) => alias() in aliases).map(([index]) => index) };
        }

        /** Name of the index that has the changes; null while there is none. */
        async function fedIndex(): Promise<string | null> {

            const { _source: { index } } = await engine.client.send<{ _source: { index: string | null } }>({ method: 'GET', path: `/${url.split('/').at(-1)}-meta/_doc/feed-${FORMAT}` });
            return index;
        }

        it('are answered to the end when their index is replaced, which is removed a little later', async () => {

            await createMany(one);
            const readOn = await search();

            // The other one goes on with another number of shards.
            await one.stop();
            await until(async () => {

                const shards = await engine.client.send<Record<string, { settings: { index: { number_of_shards: string } } }>>({ method: 'GET', path: `/${alias()}/_settings` });
                return Object.values(shards).every(({ settings }) => settings.index.number_of_shards === '2');
            });
            // Found when it has done all that belongs to the replacement.
            await other.create('Document', { name: 'replaced' });
            await until(async () => await sizeOf('replaced') !== null);
            const ids = await readOn();

            const before = await indexes();
            await other.stop();
            other = await start('other', 2);
            await until(async () => (await indexes()).all.length === 1, 240_000);

            expect([ids.length, new Set(ids).size, before.all.length]).to.equal([COUNT, COUNT, 2]);
            await until(async () => await sizeOf('manifold') === COUNT);
        });

        for (const [when, isOut] of [['while the index is fed', false], ['while it takes no changes', true]] as const) {
            it(`are answered to the end when changes are lost ${when}, so that it has to be built again`, async () => {

                const readOn = await search();
                const [former = ''] = (await indexes()).used;
                if (isOut) {
                    await block(true);
                    await other.create('Document', { name: 'unindexed' });
                    await until(() => other.gateway.state.subsystems.get('indexer') === 'FAILED');
                }

                const db = await database.open();
                // A batch behind a gap; what is before it is gone as well.
                await db.commit({ steps: [
                    { sql: 'insert into search_batches (position, changes) select max(position) + 2, ? from search_batches', bindings: ['[]'] },
                    { sql: 'delete from search_batches where position < (select last from (select max(position) as last from search_batches) as newest)', bindings: [] }
                ] });
                await until(async () => ![null, former].includes(await fedIndex()));
                if (isOut) {
                    // Searches would still ask the former one, as a blocked index cannot be taken from them.
                    expect((await indexes()).used).to.equal([former]);
                    expect(await sizeOf('unindexed')).to.be.null();
                    await block(false);
                }

                await until(async () => !(await indexes()).used.includes(former));
                const ids = await readOn();
                const { all } = await indexes();

                expect([ids.length, new Set(ids).size]).to.equal([COUNT, COUNT]);
                expect(all).to.include(former);
                await until(async () => await sizeOf('manifold') === COUNT);
                await until(async () => (await indexes()).all.length === 1, 240_000);
            });
        }
    });
});
