import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { StoredElement, StoredObject } from '../../../../lib/model/stored-object.js';
import { jsonText } from '../../../../lib/json/raw-json.js';
import { ObjectCache } from '../../../../lib/stores/objects/object-cache.js';
import { EpochHistory } from '../../../../lib/stores/objects/epoch-history.js';
import { ObjectStore } from '../../../../lib/stores/objects/object-store.js';
import { CatalogStore } from '../../../../lib/stores/catalog-store.js';
import { forEachDatabase } from '../../../support/database.js';
import { watchedDatabase } from '../../../support/watched-database.js';

export const lab = Lab.script();
const { describe, it } = lab;

const METADATA = { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin' };

function object(id: string, txnId: number, content = {}): StoredObject {

    return { id, type: 'Document', content, acl: null, userMetadata: null, elements: [], metadata: { ...METADATA, txnId } };
}

describe('the object cache', () => {

    it('evicts the least recently used when its budget is exceeded', () => {

        const cache = new ObjectCache(100_000);
        for (let i = 0; i < 10; ++i) {
            cache.put(object(`test/${i}`, i), null, 4_000);
            cache.touch('test/0');
        }

        cache.put(object('test/new', 1), null, 5_500);
        cache.put(object('test/newer', 1), null, 5_500);

        expect(cache.get('test/newer')).to.exist();
        expect(cache.get('test/0')).to.exist();
        expect(cache.get('test/1')).to.be.undefined();
    });

    it('does not store an entry that would take much of it', () => {

        const cache = new ObjectCache(100_000);

        cache.put(object('test/large', 1), null, 10_000);

        expect(cache.get('test/large')).to.be.undefined();
    });

    it('replaces entries, and stores nothing without a budget', () => {

        const cache = new ObjectCache(100_000);
        cache.put(object('test/a', 1), null, 10);
        cache.put(object('test/a', 2), null, 90_000);

        const none = new ObjectCache(0);
        none.put(object('test/a', 1), null, 10);

        expect(cache.get('test/a')).to.be.undefined();
        expect(none.get('test/a')).to.be.undefined();
    });
});

/** Objects with one part of some 100 KB or more. */
const LONG = 'x'.repeat(100_000);
const LARGE: readonly (readonly [part: string, object: StoredObject])[] = [
    ['content', object('test/large', 10, { text: LONG })],
    ['user metadata', { ...object('test/large', 10), userMetadata: { text: LONG } }],
    ['access control list', {
        ...object('test/large', 10), acl: { readers: [], writers: [], methods: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`method-${n}`, [LONG.slice(0, 100)]])) }
    }],
    ['hashes', { ...object('test/large', 10), metadata: { ...METADATA, txnId: 10, hashes: { full: LONG } } }],
    ['elements', { ...object('test/large', 10), elements: Array.from({ length: 200 }, (_, n) => element(`${n}${LONG.slice(0, 240)}`)) }]
];

function element(name: string): StoredElement {

    return { name, filename: name, mediaType: `text/${name}`, size: 0, blobId: 1, store: 'database', hash: null };
}

forEachDatabase((name, create) => {

    describe(`cached objects on ${name}`, () => {

        for (const [part, large] of LARGE) {
            it(`count with their ${part}`, async () => {

                const place = await create();
                const db = await place.open();
                const store = new ObjectStore(db);
                await db.commit({ steps: store.insertSteps(large, 'taken') });

                const { object: found } = await store.view('test/large');
                await place.dispose();

                expect<unknown>(found).to.equal(large);
                expect(store.cacheUsage.bytes ?? 0).to.be.between(2 * 100_000, 6 * 100_000);
            });
        }

        it('are few when their user metadata are long', async () => {

            const place = await create();
            const db = await place.open();
            const store = new ObjectStore(db, new EpochHistory(), 4 * 1024 * 1024);
            const ids = Array.from({ length: 40 }, (_, n) => `test/${n}`);
            await db.commit({ steps: ids.flatMap((id, n) => store.insertSteps({ ...object(id, n + 1), userMetadata: { text: LONG } }, 'taken')) });
            for (const id of ids) {
                await store.view(id);
            }

            await place.dispose();
            expect(store.cacheUsage.entries).to.be.between(1, 21);
        });

        it('are the latest of any node, and absent when deleted', async () => {

            const place = await create();
            const db = await place.open();
            const [one, other] = [new ObjectStore(db), new ObjectStore(db)];
            const first = object('test/a', 10, { n: 1 });
            const second = object('test/a', 11, { n: 2 });
            const missing = [await one.view('test/a'), await one.view('test/a')];
            await db.commit({ steps: other.insertSteps(first, 'taken') });

            const read = [(await one.view('test/a')).object, (await one.view('test/a')).object];
            await db.commit({ steps: other.updateSteps(first, second, 'changed') });
            const changed = (await one.view('test/a')).object;
            await db.commit({ steps: other.deleteSteps(second, 'changed') });
            const gone = (await one.view('test/a')).object;
            await place.dispose();

            expect<unknown>(missing.map(({ object }) => object)).to.equal([null, null]);
            expect<unknown>(read[0]).to.equal(first);
            expect(read[1] === read[0]).to.be.true();
            expect<unknown>(changed).to.equal(second);
            expect(jsonText(changed?.content ?? {})).to.equal('{"n":2}');
            expect(gone).to.be.null();
        });

        it('are read once after a write, and epochs without an object once after a commit', async () => {

            const place = await create();
            const db = await place.open();
            const reads: string[] = [];
            const store = new ObjectStore(watchedDatabase(db, (sql) => void reads.push(sql)));
            const first = object('test/a', 10, { n: 1 });
            const second = object('test/a', 11, { n: 2 });
            await db.commit({ steps: store.insertSteps(first, 'taken') });
            await store.view('test/a');
            await db.commit({ steps: store.updateSteps(first, second, 'changed') });
            store.forget('test/a');
            reads.length = 0;

            const { object: found } = await store.view('test/a');
            const readsOfObject = reads.length;
            const before = await store.epochs();
            const readsOfEpochs = reads.length - readsOfObject;
            await store.epochs();
            const readsAgain = reads.length - readsOfObject - readsOfEpochs;
            await db.commit({ steps: [new CatalogStore(db).bumpStep()] });
            const after = await store.epochs();
            await place.dispose();

            expect<unknown>(found).to.equal(second);
            expect([readsOfObject, readsOfEpochs, readsAgain]).to.equal([1, 1, db.revision === null ? 1 : 0]);
            expect<unknown>(after).to.equal({ ...before, types: before.types + 1, storedTypes: before.storedTypes + 1 });
        });
    });
});
