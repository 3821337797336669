import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { ANONYMOUS, SERVICE } from '../../../lib/model/caller.js';
import { SearchService } from '../../../lib/search/search-service.js';
import type { SearchContext, SearchQuery } from '../../../lib/search/search-service.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import { createSqlite } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import type { TestGateway } from '../../support/gateway.js';
import { SearchNode } from '../../support/search-node.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const EVERYTHING: SearchQuery = {
    query: '*:*', filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: false
};

/** Number of unlimited searches that a caller may have. */
const AT_ONCE = 4;

/** Milliseconds after which results are checked again. */
const CURRENT_MS = 1000;

describe('unlimited searches', () => {

    let places: TestDatabase[];
    let database: Database;
    let node: SearchNode;
    let gateway: TestGateway;
    const context: SearchContext = { caller: SERVICE, remoteAddress: '', requestContext: {}, signal: new AbortController().signal };

    before(async () => {

        places = await Promise.all([createSqlite(), createSqlite()]);
        database = await places[0]!.open();
        node = new SearchNode(database);
        await node.index.start();
        gateway = await startGateway(places[1]!);
    });

    after(async () => {

        await Promise.all([node.index.stop(), gateway.stop()]);
        await Promise.all(places.map((place) => place.dispose()));
    });

    function serviceWith(times: { readonly timeoutMs: number; readonly idleMs: number }): SearchService {

        const { policy, catalog, resolution } = gateway.gateway.services;
        return new SearchService({
            index: node.index, objects: new ObjectScan(database), subjects: new ObjectStore(database), policy, catalog, resolution, ...times
        });
    }

    it('are released when their results are not read for too long', async () => {

        const service = serviceWith({ timeoutMs: 20_000, idleMs: 50 });
        const forgotten = await Promise.all(Array.from({ length: AT_ONCE }, () => service.indexedIds(EVERYTHING, context)));
        const { blocks } = await service.indexedIds(EVERYTHING, context);

        expect(await blocks.next()).to.equal({ done: true, value: undefined });
        // Until the last of them is released as well.
        await new Promise((resolve) => setTimeout(resolve, 500));
        for (const found of forgotten) {
            await expect(found.blocks.next()).to.reject('the results of the search were not read for too long');
        }
    });

    it('are kept until then', async () => {

        const service = serviceWith({ timeoutMs: 50, idleMs: 60_000 });
        const kept = await Promise.all(Array.from({ length: AT_ONCE }, () => service.indexedIds(EVERYTHING, context)));

        await expect(service.indexedIds(EVERYTHING, context)).to.reject(/still being answered/);
        await kept[0]?.blocks.return();
        const { blocks } = await service.indexedIds(EVERYTHING, context);
        expect((await blocks.next()).done).to.be.true();
    });
});

describe('ids of a search', () => {

    /** More than a block of ids. */
    const OBJECTS = 300;

    let place: TestDatabase;
    let gateway: TestGateway;

    before(async () => {

        place = await createSqlite();
        gateway = await startGateway(place);
        await gateway.create('Document', {});        // The password is verified once
        await Promise.all(Array.from({ length: OBJECTS }, (_, n) => gateway.create('Document', { name: 'listed' }, {
            id: `test/${String(n).padStart(4, '0')}`, attributes: { acl: { readers: ['public'], writers: [] } }
        })));
    });

    after(async () => {

        await gateway.stop();
        await place.dispose();
    });

    it('leave out what was deleted or may not be read any more, also while they are read', async () => {

        const { search } = gateway.gateway.services;
        const query: SearchQuery = { ...EVERYTHING, query: 'listed', sort: [{ field: 'id', reverse: false }] };
        const found = await search.ids(query, { caller: ANONYMOUS, remoteAddress: '', requestContext: {}, signal: new AbortController().signal });
        const first = await found.blocks.next();

        await gateway.asAdmin('gateway/Op.Acls.Update', { targetId: 'test/0290', input: { readers: [], writers: [] } });
        await gateway.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/0295' });
        await sleep(CURRENT_MS);
        const rest: string[] = [];
        for await (const ids of found.blocks) {
            rest.push(...ids);
        }

        expect([found.size, first.value?.length]).to.equal([OBJECTS, 250]);
        expect(rest.length).to.equal(48);
        expect(rest).to.not.include(['test/0290', 'test/0295']);
    });
});

describe('rights to results that are ids', () => {

    /** More than a block of ids. */
    const OBJECTS = 300;

    const cases: readonly (readonly [title: string, isShared: boolean, currentMs: number, checked: readonly number[]])[] = [
        ['are those of the index where every search has all changes', false, 600_000, []],
        ['are read again where other nodes make changes', true, 600_000, [250, 50]],
        ['are read again some time after the begin of the search', false, 0, [250, 50]]
    ];
    for (const [title, isShared, currentMs, expected] of cases) {
        it(title, async () => {

            const [place, other] = [await createSqlite(), await createSqlite()];
            const database = await place.open();
            const node = new SearchNode(database, { isShared });
            await node.index.start();
            const metadata = { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 };
            await Promise.all(Array.from({ length: OBJECTS }, (_, n) => node.write(null, {
                id: `test/${n}`, type: 'Document', content: {}, acl: { readers: ['public'], writers: [] }, userMetadata: null, metadata, elements: []
            })));
            const gateway = await startGateway(other);
            const { policy, catalog, resolution } = gateway.gateway.services;
            const objects = new ObjectStore(database);
            const checked: number[] = [];
            const service = new SearchService({
                index: node.index, objects: new ObjectScan(database), policy, catalog, resolution, currentMs,
                subjects: {
                    async decideOn(ids, rule) {

                        checked.push(ids.length);
                        return await objects.decideOn(ids, rule);
                    }
                }
            });

            const { blocks } = await service.ids(EVERYTHING, { caller: ANONYMOUS, remoteAddress: '', requestContext: {}, signal: new AbortController().signal });
            let count = 0;
            for await (const ids of blocks) {
                count += ids.length;
            }

            await Promise.all([node.index.stop(), gateway.stop()]);
            await Promise.all([place.dispose(), other.dispose()]);
            expect(count).to.equal(OBJECTS);
            expect(checked).to.equal([...expected]);
        });
    }
});
