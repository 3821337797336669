/** Objects and their elements are rows of two tables: what is read of them belongs together, whatever is written in between. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Step } from '../../../db/database.js';
import type { StoredElement, StoredObject } from '../../../lib/model/stored-object.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import { watchedDatabase } from '../../support/watched-database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

function element(name: string): StoredElement {

    return { name, filename: null, mediaType: null, size: 0, blobId: 1, store: 'database', hash: null };
}

/** An object whose content tells which elements it has. */
function object(id: string, txnId: number, names: readonly string[]): StoredObject {

    const metadata = { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId };
    return { id, type: 'Document', content: { names: [...names] }, acl: null, userMetadata: null, elements: names.map(element), metadata };
}

forEachDatabase((name, create) => {

    describe(`reading objects with elements on ${name}`, () => {

        let place: TestDatabase;
        let writer: Database;
        let stored: ObjectStore;
        /** What is written between the reading of rows and of their elements. */
        let between: Step[][];
        let db: Database;

        beforeEach(async () => {

            place = await create();
            writer = await place.open();
            stored = new ObjectStore(writer);
            between = [];
            const reader = await place.open();
            db = watchedDatabase(reader, async (sql) => {

                const steps = /payloads/.test(sql) ? between.shift() : undefined;
                if (steps) {
                    await writer.commit({ steps });
                }
            });
            for (const id of ['test/1', 'test/2', 'test/3']) {
                await writer.commit({ steps: stored.insertSteps(object(id, 1, ['a', 'b']), 'taken') });
            }
        });

        afterEach(() => place.dispose());

        const change = (id: string, txnId: number, names: readonly string[]): Step[] =>
            stored.updateSteps(object(id, txnId - 1, ['any']), object(id, txnId, names), 'changed');
        const remove = (id: string): Step[] => stored.deleteSteps(object(id, 1, ['a', 'b']), 'changed');
        const told = (found: readonly (StoredObject | null)[]): unknown[] =>
            found.map((one) => one && [one.id, one.content['names'], one.elements.map((each) => each.name)]);
        const whole = (id: string, names: readonly string[]): unknown[] => [id, names, names];

        it('returns one object in a consistent state, even if it is changed or deleted concurrently', async () => {

            const store = new ObjectStore(db);
            between = [change('test/1', 2, ['c']), change('test/1', 3, ['c', 'd', 'e'])];
            const changed = await store.view('test/1');
            between = [change('test/2', 2, [])];
            const emptied = await store.view('test/2');
            between = [remove('test/3')];
            const gone = await store.view('test/3');

            expect<unknown>(told([changed.object, emptied.object, gone.object])).to.equal([whole('test/1', ['c', 'd', 'e']), whole('test/2', []), null]);
        });

        it('returns many objects, each in a consistent state, in order', async () => {

            const scan = new ObjectScan(db);
            between = [[...change('test/1', 2, ['c']), ...remove('test/2')], change('test/1', 3, ['d'])];
            const paged = await scan.after('');
            between = [change('test/3', 2, ['x'])];
            const named = await scan.byIds(['test/3']);

            expect<unknown>(told(paged)).to.equal([whole('test/1', ['d']), whole('test/3', ['a', 'b'])]);
            expect<unknown>(told(named)).to.equal([whole('test/3', ['x'])]);
        });

        it('does not end at a page whose objects were all deleted concurrently', async () => {

            const scan = new ObjectScan(db);
            const ids = Array.from({ length: 100 }, (_, i) => `test/1.${String(i).padStart(3, '0')}`);
            await writer.commit({ steps: ids.flatMap((id) => stored.insertSteps(object(id, 1, ['a', 'b']), 'taken')) });
            between = [ids.flatMap(remove)];

            expect<unknown>(told(await scan.after('test/1'))).to.equal([whole('test/2', ['a', 'b']), whole('test/3', ['a', 'b'])]);
        });

        it('never returns an object without its elements because of constant changes', async () => {

            const changes = Array.from({ length: 20 }, (_, i) => change('test/1', i + 2, ['c']));
            between = changes.slice(0, 10);
            await expect(new ObjectStore(db).view('test/1')).to.reject('object test/1 is being changed all the time, try again');
            const written = 10 - between.length;
            between = changes.slice(written, written + 10);
            await expect(new ObjectScan(db).byIds(['test/1'])).to.reject('object test/1 is being changed all the time, try again');
        });

        it('ends for an object with missing elements', async () => {

            await writer.commit({ steps: [{ sql: 'delete from payloads where object_id = ?', bindings: ['test/1'] }] });

            const { object: viewed } = await new ObjectStore(db).view('test/1');
            const found = await new ObjectScan(db).byIds(['test/1']);
            expect<unknown>(told([viewed, ...found])).to.equal([['test/1', ['a', 'b'], []], ['test/1', ['a', 'b'], []]]);
        });

        describe('of any size', () => {

            const insert = async (id: string, length: number): Promise<void> => {

                const long = { ...object(id, 1, []), content: { text: 'x'.repeat(length) } };
                await writer.commit({ steps: stored.insertSteps(long, 'taken') });
            };

            it('keeps few large ones in memory', async () => {

                const MIB = 1024 * 1024;
                await insert('test/4', MIB);
                await insert('test/5', MIB);
                await insert('test/6', 10);
                await insert('test/7', 10);
                await insert('test/8', MIB);

                const scan = new ObjectScan(db);
                const pages: string[][] = [];
                const lengths: number[] = [];
                for (let page = await scan.after(''); page.length > 0; page = await scan.after(page.at(-1)?.id ?? '')) {
                    pages.push(page.map(({ id }) => id));
                    lengths.push(...page.map(({ content }) => ((content['text'] ?? '') as string).length));
                }

                expect(pages).to.equal([['test/1', 'test/2', 'test/3'], ['test/4'], ['test/5'], ['test/6', 'test/7'], ['test/8']]);
                expect(lengths).to.equal([0, 0, 0, MIB, MIB, 10, 10, MIB]);
            });

            it('is divided into portions that fit into memory', async () => {

                await insert('test/4', 5_000_000);
                await insert('test/5', 5_000_000);
                await insert('test/6', 12_000_000);

                const scan = new ObjectScan(db);
                const portions = await scan.portions(['test/1', 'test/4', 'test/none', 'test/5', 'test/2', 'test/6', 'test/3', 'test/4']);
                expect(portions).to.equal([['test/1', 'test/4', 'test/none'], ['test/5', 'test/2'], ['test/6'], ['test/3', 'test/4']]);
                expect(await scan.portions([])).to.equal([]);
            });

            it('continues after a large one that is deleted concurrently', async () => {

                await insert('test/10', 1024 * 1024);
                const last = await new ObjectScan(db).after('test/1');
                expect(last.map(({ id }) => id)).to.equal(['test/10']);

                let isDeleted = false;
                const gone = watchedDatabase(db, async (sql) => {

                    // The page is read first, then the long object.
                    if (!isDeleted && !/case when/.test(sql)) {
                        isDeleted = true;
                        await writer.commit({ steps: stored.deleteSteps(object('test/10', 1, []), 'changed') });
                    }
                });
                expect((await new ObjectScan(gone).after('test/1')).map(({ id }) => id)).to.equal(['test/2', 'test/3']);
            });
        });
    });
});
