/** Requests with many objects while OpenSearch does not index as fast: they wait for it, as long as it gets changes. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { LagLoad } from '../../lib/search/runtime/search-index.js';
import { createSqlite, type TestDatabase } from '../support/database.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../support/opensearch.js';
import { startS3Relay, type S3Relay } from '../support/s3.js';
import { found, SEARCH } from '../support/searching.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

/** Requests with many objects wait at a fifth of it. */
const MAX_LAG_MS = 30_000;

/** More than are stored between two waits. */
const COUNT = 350;

describe('requests with many objects, beside OpenSearch,', { skip: !HAS_OPENSEARCH, timeout: 600_000 }, () => {

    let engine: TestOpenSearch;
    let relay: S3Relay;
    let database: TestDatabase;
    let gateway: TestGateway;

    before({ timeout: 600_000 }, async () => {

        engine = await startOpenSearch();
        relay = await startS3Relay(engine.url);
        database = await createSqlite();
        gateway = await startGateway(database, { search: { engine: { url: engine.newUrl(relay.url), shards: 1, maxLagMs: MAX_LAG_MS } } });
    });

    after(async () => {

        await gateway?.stop();
        await database?.dispose();
        await relay?.stop();
        await engine?.stop();
    });

    beforeEach(async () => {

        relay.behave();
        await until(() => gateway.gateway.state.load?.search.isUp === true);
    });

    function lag(): LagLoad {

        return gateway.gateway.state.load?.search.lag ?? { ms: 0, waiting: 0, waitedMs: 0 };
    }

    async function falls(behind: number): Promise<void> {

        await gateway.create('Document', { name: 'held up' });
        await until(() => lag().ms > behind);
    }

    async function upload(word: string): Promise<unknown> {

        const items: JsonObject[] = Array.from({ length: COUNT }, (_, i) => ({ id: `test/${word}-${i}`, type: 'Document', attributes: { content: { name: word } } }));
        const { value } = await gateway.asAdmin('20.DOIP/Op.BatchUpload', { input: items });
        return (value as { success: boolean }).success;
    }

    async function stored(word: string): Promise<number> {

        const db = await database.open();
        const [row] = await db.read<{ count: number }>({ sql: 'select count(*) as count from objects where id like ?' }, [`test/${word}-%`]);
        return Number(row?.count);
    }

    it('wait while its index lacks older changes, and go on when it has them', async () => {

        const { waitedMs } = lag();
        relay.behave((request) => (request.includes('_bulk') ? { delayMs: 20_000 } : undefined));
        await falls(MAX_LAG_MS / 5);
        const uploading = upload('slow');
        await until(() => lag().waiting > 0);
        const before = await stored('slow');
        relay.behave();
        const isStored = await uploading;

        expect(before).to.be.below(COUNT);
        expect([isStored, await stored('slow')]).to.equal([true, COUNT]);
        expect(lag().waitedMs).to.be.above(waitedMs);
        expect((await found(gateway, { query: 'slow', pageSize: 1 })).size).to.equal(COUNT);
    });

    it('do not wait while it does not answer', async () => {

        relay.behave(() => 'cut');
        await until(() => gateway.gateway.state.load?.search.isUp === false);
        await falls(MAX_LAG_MS / 5);
        const { waitedMs } = lag();
        const isStored = await upload('away');

        expect([isStored, await stored('away'), lag().waitedMs]).to.equal([true, COUNT, waitedMs]);
        relay.behave();
        // On a busy machine it may answer too late once more.
        await until(async () => (await gateway.asAdmin(SEARCH, { attributes: { query: 'away', pageSize: 1 } })).status === '0.DOIP/Status.001');
        expect((await found(gateway, { query: 'away', pageSize: 1 })).size).to.equal(COUNT);
    });
});
