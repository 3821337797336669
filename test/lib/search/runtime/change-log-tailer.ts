import { setImmediate } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import type { ObjectChange } from '../../../../lib/model/write-participant.js';
import type { IndexSource } from '../../../../lib/search/mapping/document-source.js';
import { IndexFormStore } from '../../../../lib/stores/search/indexed-form-store.js';
import { ObjectScan } from '../../../../lib/stores/objects/object-scan.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { objectOf, SearchNode, sourceOf } from '../../../support/search-node.js';
import { SearchCorpus } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`own changes that are first read from the log on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let node: SearchNode;
        /** What the next readings of objects do first. */
        let before: () => Promise<void>;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            before = async () => {};
            const stored = sourceOf(new ObjectScan(database), new IndexFormStore(database));
            const source: IndexSource = {
                ...stored,
                byIds: async (ids) => {

                    await before();
                    return await stored.byIds(ids);
                }
            };
            node = new SearchNode(database, { source });
            await node.index.start();
            await node.index.complete();
        });

        afterEach(async () => {

            await node.index.stop();
            await place.dispose();
        });

        /** Writes an object. Returns how to tell the index that this was committed. */
        async function writeUntold(id: string): Promise<() => void> {

            const { participant } = node.index;
            const tell = participant.committed?.bind(participant);
            const untold: ObjectChange[] = [];
            participant.committed = (change) => void untold.push(change);
            await node.write(null, objectOf(new SearchCorpus(1).document(id)));
            return () => untold.forEach((change) => tell?.(change));
        }

        it('are found by the next search during concurrent lookups', async () => {

            const tell = await writeUntold('test/1');
            let open: () => void = () => {};
            const gate = new Promise<void>((resolve) => {

                open = resolve;
            });
            const met = new Promise<void>((resolve) => {

                before = async () => {

                    resolve();
                    await gate;
                };
            });
            const reading = node.index.catchUp();
            await met;
            tell();

            const searching = node.search({ query: 'id:test/1' });
            await setImmediate();
            open();

            expect((await searching).size).to.equal(1);
            await reading;
        });

        it('are found by the next search after a failed lookup', async () => {

            const tell = await writeUntold('test/1');
            before = async () => {

                throw new Error('the database is away');
            };

            await expect(node.index.catchUp()).to.reject('the database is away');
            tell();
            before = async () => {};

            expect((await node.search({ query: 'id:test/1' })).size).to.equal(1);
        });

        it('are found when they were looked up before their commit was reported', async () => {

            const tell = await writeUntold('test/1');
            await node.index.catchUp();
            before = async () => {

                throw new Error('nothing has to be looked up');
            };

            tell();

            expect((await node.search({ query: 'id:test/1' })).size).to.equal(1);
        });
    });
});
