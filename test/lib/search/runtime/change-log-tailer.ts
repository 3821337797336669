import { setImmediate } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { ChangeLogTailer } from '../../../../lib/search/runtime/change-log-tailer.js';
import type { LogBatch, LogRow } from '../../../../lib/stores/search/change-log-store.js';
import { SearchLogStore } from '../../../../lib/stores/search/change-log-store.js';
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
        /** What the next readings of objects do first, and last. */
        let before: () => Promise<void>;
        let after: () => Promise<void>;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            before = async () => {};
            after = async () => {};
            const stored = sourceOf(new ObjectScan(database), new IndexFormStore(database));
            const source: IndexSource = {
                ...stored,
                byIds: async (ids) => {

                    await before();
                    const found = await stored.byIds(ids);
                    await after();
                    return found;
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
        async function writeUntold(id: string, formerly: StoredObject | null = null, next = objectOf(new SearchCorpus(1).document(id))): Promise<() => void> {

            const { participant } = node.index;
            const tell = participant.committed?.bind(participant);
            const untold: ObjectChange[] = [];
            participant.committed = (change) => void untold.push(change);
            await node.write(formerly, next);
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

        const moments: [moment: string, tellDuring: (tell: () => void) => void][] = [
            ['before the object is looked up', (tell) => {

                before = async () => tell();
            }],
            ['after the object was looked up', (tell) => {

                after = async () => tell();
            }],
            ['after the log was read', () => {}]
        ];
        for (const [moment, tellDuring] of moments) {
            for (const isDeleted of [false, true]) {
                it(`do not hide a newer change by another node, ${isDeleted ? 'a deletion' : 'an update'}, when their commit is reported ${moment}`, async () => {

                    const other = new SearchNode(database, { owner: 'other' });
                    await other.index.start();
                    await other.index.complete();
                    const [first, own, newest] = ['first', 'mine', 'theirs'].map((title, n) => titled('test/1', title, n + 1)) as [StoredObject, StoredObject, StoredObject];
                    await node.write(null, first);
                    await node.index.catchUp();
                    const tell = await writeUntold('test/1', first, own);
                    await new SearchLogStore(database).order();
                    await other.write(own, isDeleted ? null : newest);
                    let isTold = false;
                    const tellOnce = (): void => {

                        if (!isTold) {
                            isTold = true;
                            tell();
                        }
                    };

                    tellDuring(tellOnce);
                    await node.index.catchUp();
                    tellOnce();
                    const found = await Promise.all(['mine', 'theirs'].map(async (title) => (await node.search({ query: `/title:${title}` })).size));
                    await other.index.stop();

                    expect(found).to.equal([0, isDeleted ? 0 : 1]);
                });
            }
        }
    });
});

function titled(id: string, title: string, txnId: number): StoredObject {

    return {
        id, type: 'Document', content: { title }, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
    };
}

describe('an own change that is reported late', () => {

    let unordered: LogRow[];
    let batches: LogBatch[];
    let replayed: string[];
    let tailer: ChangeLogTailer;

    beforeEach(() => {

        [unordered, batches, replayed] = [[], [], []];
        tailer = new ChangeLogTailer({
            unordered: async (after) => unordered.filter(({ seq }) => seq > after),
            batches: async (after) => batches.filter(({ position }) => position > after)
        }, { replay: async (ids) => void replayed.push(...ids) });
    });

    const theirs = (seq: number, objectId: string): LogRow => ({ seq, objectId, origin: 'other', number: seq });
    const own = (seq: number, objectId: string, number: number): LogRow => ({ seq, objectId, origin: tailer.origin, number });

    it('is looked up when a newer one by another node was read before it, also in an earlier reading', async () => {

        const number = tailer.nextNumber();
        batches = [{ position: 1, rows: [theirs(1, 'test/x')] }];
        await tailer.catchUp();
        const answer = tailer.markCommitted(number, 'test/x');
        const isPending = tailer.hasPending;
        batches = [...batches, { position: 2, rows: [own(2, 'test/x', number)] }];
        await tailer.catchUp();

        expect([answer, isPending, tailer.hasPending]).to.equal(['replay', true, false]);
        expect(replayed).to.equal(['test/x', 'test/x']);
    });

    it('is applied as it is when changes of the object were read before it began, or are of other objects', async () => {

        unordered = [theirs(1, 'test/x')];
        await tailer.catchUp();
        const number = tailer.nextNumber();
        unordered = [...unordered, theirs(2, 'test/y')];
        await tailer.catchUp();

        expect(tailer.markCommitted(number, 'test/x')).to.equal('apply');
        expect(replayed).to.equal(['test/x', 'test/y']);
    });

    it('is looked up when so many were read that nobody knows which', async () => {

        const [early] = [tailer.nextNumber()];
        unordered = Array.from({ length: 10_001 }, (_, n) => theirs(n + 1, `test/${n}`));
        await tailer.catchUp();
        const late = tailer.nextNumber();

        expect([tailer.markCommitted(early, 'test/other'), tailer.markCommitted(late, 'test/other')]).to.equal(['replay', 'apply']);
    });

    it('is looked up when a newer one was reported before it, with a higher number or a lower one', () => {

        const [creation, update] = [tailer.nextNumber(), tailer.nextNumber()];

        expect([tailer.markCommitted(update, 'test/x'), tailer.markCommitted(creation, 'test/x')]).to.equal(['apply', 'replay']);
        expect(tailer.hasPending).to.be.true();

        // The deletion takes its number after the creation, which is stored when the object is gone.
        const [anew, deletion] = [tailer.nextNumber(), tailer.nextNumber()];

        expect([tailer.markCommitted(anew, 'test/y'), tailer.markCommitted(deletion, 'test/y')]).to.equal(['apply', 'replay']);
    });

    it('is looked up when a newer one of this process was read before it, in a reading that failed', async () => {

        const [creation, update] = [tailer.nextNumber(), tailer.nextNumber()];
        unordered = [own(2, 'test/x', update)];
        batches = [{ position: 2, rows: [] }];
        await expect(tailer.catchUp()).to.reject(/removed from the log/);

        expect([tailer.markCommitted(creation, 'test/x'), tailer.markCommitted(update, 'test/x')]).to.equal(['replay', 'replayed']);
        expect(replayed).to.equal(['test/x']);
    });

    it('is applied as it is when it began after the one before was reported, of any number of objects, many at a time', () => {

        const answers = new Set<string>();
        for (let n = 0; n < 25_000; n += 200) {
            for (let round = 0; round < 2; ++round) {
                const changes = Array.from({ length: 200 }, (_, k) => [tailer.nextNumber(), `test/${n + k}`] as const);
                changes.forEach((change) => answers.add(tailer.markCommitted(...change)));
            }
        }

        expect([...answers]).to.equal(['apply']);
    });
});
