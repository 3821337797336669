/** Indexes of nodes that were not heard of: removed by the clock of the database, whatever that of a node says. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Unit } from '../../../db/database.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchNode } from '../../support/search-node.js';
import { until } from '../../support/until.js';
import { watchedDatabase } from '../../support/watched-database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const EIGHT_DAYS = 8 * 86_400_000;

function object(id: string): StoredObject {

    return {
        id, type: 'Document', content: { title: 'many' }, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 }
    };
}

forEachDatabase((name, create) => {

    describe(`the index of a node on ${name}`, () => {

        const { now } = Date;
        let place: TestDatabase;
        let database: Database;
        let nodes: SearchNode[];
        /** What the clock of the database is ahead of its time. */
        let ahead: number;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            [nodes, ahead] = [[], 0];
        });

        afterEach(async () => {

            Date.now = now;
            await Promise.all(nodes.map((node) => node.index.stop()));
            await place.dispose();
        });

        /** A node that has stored some objects, and has looked for indexes to be removed. */
        async function storing(owner: string): Promise<SearchNode> {

            let hasLooked = false;
            const clocked: Database = Object.assign(watchedDatabase(database, () => {}), {
                // As of a server: an embedded database has the clock of the node.
                now: () => now() + ahead,
                commit: async (unit: Unit) => {

                    const result = await database.commit(unit);
                    const looks = unit.steps.some(({ sql }) => /^delete from .search_manifest/.test(sql));
                    hasLooked ||= looks && (await node.segments.segments()).length > 0;
                    return result;
                }
            });
            const node: SearchNode = new SearchNode(clocked, { owner, isShared: true, storeAfter: 20, aliveEvery: 0 });
            nodes.push(node);
            await node.index.start();
            await node.index.complete();
            for (let n = 0; n < 40; ++n) {
                await node.write(null, object(`test/${owner}-${n}`));
            }

            await until(() => hasLooked);
            return node;
        }

        async function stop(node: SearchNode): Promise<void> {

            nodes = nodes.filter((other) => other !== node);
            await node.index.stop();
        }

        const facts = async ({ segments }: SearchNode): Promise<[isKnown: boolean, segments: number[]]> => (
            [await segments.manifest() !== null, (await segments.segments()).map(({ id }) => id)]
        );

        it('stays while the clock of another one is days ahead', async () => {

            const there = await storing('there');
            await stop(there);
            const before = await facts(there);
            expect(before[1]).to.not.be.empty();
            Date.now = () => now() + EIGHT_DAYS;

            await stop(await storing('here'));

            expect(await facts(there)).to.equal(before);
            const seen = await database.read<{ owner: string; seen: number }>({ sql: 'select owner, seen_on as seen from search_manifest' }, []);
            expect(seen.filter((row) => row.seen > now() + EIGHT_DAYS / 2)).to.equal([]);
        });

        it('is removed when nothing was heard of it for days by the clock of the database', async () => {

            const there = await storing('there');
            await stop(there);
            ahead = EIGHT_DAYS;

            await storing('here');

            await until(async () => (await facts(there))[1].length === 0);
            expect(await facts(there)).to.equal([false, []]);
        });
    });
});
