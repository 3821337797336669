import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Step } from '../../../db/database.js';
import { SILENT } from '../../../db/log.js';
import { KeyedLocks } from '../../../lib/util/concurrency/keyed-mutex.js';
import { DoipError, tooManyRequests, unavailable } from '../../../lib/errors/errors.js';
import { Status } from '../../../lib/errors/status.js';
import { ANONYMOUS } from '../../../lib/model/caller.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { Reindexer } from '../../../lib/search/reindexer.js';
import type { ReindexParts } from '../../../lib/search/reindexer.js';
import { IndexFormStore } from '../../../lib/stores/search/indexed-form-store.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchNode } from '../../support/search-node.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const LONG_OBJECTS = 10;
const LONG_BYTES = 2_000_000;

/** Types of which all are known, or none while an upload is in progress. */
function catalogOf(isKnown: boolean): ReindexParts['catalog'] {

    return {
        current: { get: () => (isKnown ? {} : undefined) } as unknown as ReindexParts['catalog']['current'],
        checkComplete: () => {

            throw unavailable('an upload is in progress', 10);
        }
    };
}

const OPTIONS = { caller: ANONYMOUS, lockObjects: true };

forEachDatabase((name, create) => {

    describe(`reindexing with indexed forms on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let node: SearchNode;
        let locks: KeyedLocks;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            node = new SearchNode(database);
            locks = new KeyedLocks();
            await node.index.start();
            for (let n = 0; n < 20; ++n) {
                await node.write(null, object(n, n + 1));
            }
        });

        afterEach(async () => {

            await node.index.stop();
            await place.dispose();
        });

        function object(n: number, txnId: number, title = 'stored'): StoredObject {

            return {
                id: `test/${n}`, type: 'Document', content: { title, n }, acl: null, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
            };
        }

        function reindexing(
            makeForm: ReindexParts['makeForm'], { objects = new ObjectScan(database), ...more }: Partial<ReindexParts> = {}
        ): Reindexer {

            return new Reindexer({
                index: node.index, objects, forms: new IndexFormStore(database), locks, makeForm, log: SILENT,
                catalog: catalogOf(true), refresh: () => Promise.resolve(), ...more,
                texts: { unread: () => Promise.resolve([]) } as unknown as ReindexParts['texts'],
                jobs: { enqueueStep: () => ({ sql: '', bindings: [] }), wake: () => {} }
            });
        }

        const formOf = ({ content }: StoredObject, title: string) => Promise.resolve({ content: { ...content, title }, userMetadata: null, acl: null });

        async function size(query: string): Promise<number> {

            return (await node.search({ query })).size;
        }

        it('computes, replaces and drops forms', async () => {

            expect(await reindexing((each) => formOf(each, 'first')).run('all', OPTIONS)).to.equal(20);
            expect(await size('/title:first')).to.equal(20);

            await reindexing((each) => (each.id === 'test/1' ? Promise.resolve(undefined) : formOf(each, 'second'))).run('all', OPTIONS);
            expect([await size('/title:second'), await size('/title:stored')]).to.equal([19, 1]);
            expect(await database.read({ sql: 'select object_id from index_forms' }, [])).to.have.length(19);

            await node.index.stop();
            await database.commit({ steps: [{ sql: 'update search_manifest set layout = 0', bindings: [] }] });
            node = new SearchNode(database);
            await node.index.start();
            expect([await size('/title:second'), await size('/title:stored')]).to.equal([19, 1]);
        });

        it('leaves an object as it is indexed when its code fails', async () => {

            await reindexing((each) => formOf(each, 'first')).run('all', OPTIONS);
            await reindexing((each) => (each.id === 'test/1' ? Promise.reject(new Error('no')) : formOf(each, 'second'))).run('all', OPTIONS);
            expect([await size('/title:first'), await size('/title:second')]).to.equal([1, 19]);
        });

        it('has something to store only for objects that have a form, or had one', async () => {

            const only = async (each: StoredObject) => (each.id === 'test/1' ? formOf(each, 'first') : undefined);
            await reindexing(only).run('all', OPTIONS);
            const counts: number[] = [];
            const index = Object.assign(Object.create(node.index) as typeof node.index, {
                reindex: (ids: readonly string[], steps: readonly Step[] = []) => {

                    counts.push(steps.length);
                    return node.index.reindex(ids, steps);
                }
            });
            await reindexing(only, { index }).run('all', OPTIONS);
            await reindexing(() => Promise.resolve(undefined), { index }).run('all', OPTIONS);
            await reindexing(() => Promise.resolve(undefined), { index }).run('all', OPTIONS);

            // A guard and a change; of 20 objects in two batches.
            expect(counts.toSorted()).to.equal([0, 0, 0, 0, 2, 2]);
            expect(await size('/title:stored')).to.equal(20);
        });

        const service: readonly (readonly [why: string, error: Error | null, message: string])[] = [
            ['too many scripts of the caller wait', tooManyRequests('too many for you', 2), 'too many for you'],
            ['too many scripts wait', unavailable('too many', 2), 'too many'],
            ['an upload may create the type later', null, 'an upload is in progress']
        ];
        for (const [why, error, message] of service) {
            it(`ends while ${why}, and keeps the forms`, async () => {

                await reindexing((each) => formOf(each, 'first')).run('all', OPTIONS);
                const work = reindexing(() => (error ? Promise.reject(error) : Promise.resolve(undefined)), { catalog: catalogOf(error !== null) });

                await expect(work.run('all', OPTIONS)).to.reject(message);
                expect(await size('/title:first')).to.equal(20);
            });
        }

        it('keeps the forms of objects whose code throws the status of a busy service', async () => {

            await reindexing((each) => formOf(each, 'first')).run('all', OPTIONS);
            for (const http of [429, 503]) {
                await reindexing(() => Promise.reject(new DoipError(Status.internal, 'of my own', { http }))).run('all', OPTIONS);
            }

            expect(await size('/title:first')).to.equal(20);
        });

        it('computes forms with the types that the database has', async () => {

            let isRefreshed = false;
            const refresh = async (): Promise<void> => {

                isRefreshed = true;
            };

            await reindexing((each) => formOf(each, isRefreshed ? 'current' : 'outdated'), { refresh }).run({ ids: ['test/1'] }, OPTIONS);

            expect([await size('/title:current'), await size('/title:outdated')]).to.equal([1, 0]);
        });

        it('computes a form again when its object changed, and gives up when it keeps changing', async () => {

            let txnId = 100;
            let current = object(3, 4);
            const change = async (): Promise<void> => {

                const after = object(3, ++txnId, `changed ${txnId}`);
                await node.write(current, after, await formOf(after, `form${txnId}`));
                current = after;
            };

            const once = reindexing(async (each) => {

                if (each.id === 'test/3' && txnId === 100) {
                    await change();
                }

                return await formOf(each, `${JSON.stringify(each.content['title'])} anew`);
            });
            await once.run('all', OPTIONS);
            expect(await size('/title:"changed 101 anew"')).to.equal(1);
            expect(await size('/title:anew')).to.equal(20);

            const always = reindexing(async (each) => {

                if (each.id === 'test/3') {
                    await change();
                }

                return await formOf(each, 'late');
            });
            await always.run({ ids: ['test/3'] }, OPTIONS);
            expect(await size('/title:late')).to.equal(0);
            expect(await size(`/title:form${txnId}`)).to.equal(1);
        });

        it('locks the objects of a batch by default', async () => {

            for (const lockObjects of [true, false]) {
                const states: boolean[] = [];
                await reindexing(async (each) => {

                    const release = await locks.acquire(each.id, 1).catch(() => null);
                    states.push(release === null);
                    release?.();
                    return undefined;
                }).run('all', { ...OPTIONS, lockObjects });
                expect(states).to.equal(Array.from({ length: 20 }, () => lockObjects));
            }

            (await locks.acquire('test/1', 1))();
        });

        it('locks long objects only as far as they fit into memory, and skips none', async () => {

            const ids = Array.from({ length: LONG_OBJECTS }, (_, n) => `test/long${n}`);
            for (const [n, id] of ids.entries()) {
                const long = object(n, 200 + n, n % 2 === 0 ? 'long '.repeat(LONG_BYTES / 5) : 'long');
                await node.write(null, { ...long, id });
            }

            const read: number[] = [];
            const scan = new ObjectScan(database);
            const objects = {
                portions: (wanted: readonly string[]) => scan.portions(wanted),
                after: (id: string) => scan.after(id),
                idsAfter: (id: string) => scan.idsAfter(id),
                byIds: async (wanted: readonly string[]) => {

                    const found = await scan.byIds(wanted);
                    read.push(found.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0));
                    return found;
                }
            };
            const count = await reindexing((each) => formOf(each, 'anew'), { objects }).run('all', OPTIONS);

            expect(count).to.equal(20 + LONG_OBJECTS);
            expect(await size('/title:anew')).to.equal(20 + LONG_OBJECTS);
            expect(read.length).to.be.below(20 + LONG_OBJECTS);
            expect(Math.max(...read)).to.be.below(8 * 1024 * 1024);
        });

        it('resumes after completed work, and reports progress', async () => {

            const order = Array.from({ length: 20 }, (_, n) => `test/${n}`).sort();
            for (const wish of ['all', { ids: order.toReversed() }] as const) {
                const done: string[] = [];
                const reached: string[] = [];
                const work = reindexing((each) => {

                    done.push(each.id);
                    return Promise.resolve(undefined);
                });
                await work.run(wish, { ...OPTIONS, after: order[2] ?? '', onProgress: async (id) => void reached.push(id) });
                expect(done.toSorted()).to.equal(order.slice(3));
                expect(reached).to.equal([order[18], order[19]]);
            }
        });

        it('stops with the service, after a batch', async () => {

            const stopping: Reindexer = reindexing(() => {

                void stopping.stop();
                return Promise.resolve(undefined);
            });
            await expect(stopping.run('all', OPTIONS)).to.reject(/the service stops/);
            await stopping.stop();
        });
    });
});
