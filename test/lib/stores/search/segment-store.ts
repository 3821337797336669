import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Unit } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import { SearchSegmentStore } from '../../../../lib/stores/search/segment-store.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { watchedDatabase } from '../../../support/watched-database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`a change of the segments whose outcome is unknown, on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let store: SearchSegmentStore;
        /** What is lost of commits: nothing, the answer, or all. */
        let lost: 'nothing' | 'answer' | 'all';
        let stored: number;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            lost = 'nothing';
            store = new SearchSegmentStore(Object.assign(watchedDatabase(database, () => {}), {
                commit: async (unit: Unit) => {

                    const result = lost === 'all' ? null : await database.commit(unit);
                    if (!result || lost === 'answer') {
                        throw new DatabaseError('unknown-outcome', 'cut');
                    }

                    return result;
                }
            }), 'node');
            await store.reset(1);
            stored = await store.write(1, [['deleted', Buffer.alloc(4)]]);
            await store.switch({ added: [stored], removed: [], covered: 0 }, []);
        });

        afterEach(() => place.dispose());

        for (const [change, loss, isStored] of [
            ['added', 'answer', true], ['added', 'all', false], ['removed', 'answer', true], ['removed', 'all', false], ['deletions', 'all', false]
        ] as const) {
            it(`counts as ${isStored ? 'stored' : 'failed'} when ${loss === 'all' ? 'it' : 'its answer'} is lost: ${change}`, async () => {

                const added = change === 'added' ? [await store.write(1, [])] : [];
                const steps = change === 'deletions' ? store.rewriteSteps(stored, 'deleted', Buffer.alloc(4, 1)) : [];
                lost = loss;
                const switched = store.switch({ added, removed: change === 'removed' ? [stored] : [], covered: 1 }, steps);

                expect(await switched.then(() => true, ({ fault }: DatabaseError) => fault)).to.equal(isStored ? true : 'unknown-outcome');
            });
        }
    });
});
