/** Searches of several callers in the thread that searches. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { createSqlite } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchCorpus } from '../../support/search-corpus.js';
import { objectOf, SearchNode } from '../../support/search-node.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Takes some ten milliseconds: it is not interrupted, and not answered by what was lent. */
const COSTLY = { query: Array.from({ length: 150 }, (_, i) => `abcdef${i}~2`).join(' '), limit: 0 };

/** Searches of the caller who sends many. */
const FLOOD = 500;

describe('searches of many callers', () => {

    let place: TestDatabase;
    let database: Database;
    let node: SearchNode;

    before(async () => {

        place = await createSqlite();
        database = await place.open();
        node = new SearchNode(database, { timeout: 60_000 });
        await node.index.start();
        const corpus = new SearchCorpus(3);
        for (let i = 0; i < 300; ++i) {
            await node.write(null, objectOf(corpus.document(`test/${i}`)));
        }

        await node.search({});
    });

    after(async () => {

        await node.index.stop();
        await place.dispose();
    });

    it('are served in turn: those of one caller do not wait for all earlier ones of another', async () => {

        let flood = 0;
        const flooding = Array.from({ length: FLOOD }, () => node.search({ ...COSTLY, caller: 'flood' }).then(() => ++flood));

        const others = await Promise.all(['ann', 'ben'].map((caller) => node.search({ ...COSTLY, caller }).then(() => flood)));
        await Promise.all(flooding);

        // Those that the thread answers before it hears of the others: on a busy machine some dozens.
        expect(Math.max(...others)).to.be.below(FLOOD / 2);
        expect(flood).to.equal(FLOOD);
    });

    it('are rejected when one caller has too many', async () => {

        const outcomes = await Promise.allSettled(Array.from({ length: 5000 }, () => node.search({ query: 'abc~1', limit: 0, filterQueries: ['*:*'], caller: 'flood' })));
        const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as { http?: number }).http] : []));

        expect(refused.length).to.be.within(1, 4000);
        expect(new Set(refused)).to.equal(new Set([429]));
        await node.search({ query: 'abc~1', limit: 0, caller: 'flood' });
    });
});
