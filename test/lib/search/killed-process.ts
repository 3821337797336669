import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { naiveSearch } from '../../support/naive-search.js';
import { SearchCorpus } from '../../support/search-corpus.js';
import { rounds, roundsMs } from '../../support/rounds.js';
import { documentOf, SearchNode } from '../../support/search-node.js';
import type { SearchProgramOptions } from '../../support/search-program.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const KILLS = rounds(3, 20);
const WRITES = 40;

forEachDatabase((name, create) => {

    describe(`the search index of a killed process on ${name}`, () => {

        let place: TestDatabase;

        before(async () => {

            place = await create();
        });

        after(() => place.dispose());

        it('has exactly the stored objects in their stored state', { timeout: roundsMs(300_000) }, async () => {

            const database = await place.open();
            const scan = new ObjectScan(database);
            const corpus = new SearchCorpus(4711);
            for (let kill = 0; kill < KILLS; ++kill) {
                await writeUntilKilled({ database: place.options, seed: kill, firstTxnId: 1 + kill * 1_000_000 });
                const documents = (await scan.after('')).map((object) => documentOf(object));
                const node = new SearchNode(database, { storeAfter: 15 });
                await node.index.start();
                try {
                    for (let round = 0; round < 25; ++round) {
                        const request = round === 0 ? { query: '*:*', sort: [{ field: 'id', reverse: false }], limit: null, start: 0 } : corpus.request();
                        const full = { ...corpus.request(), ...request };
                        const [found, naive] = [await node.search(full), naiveSearch(documents, full)];
                        const context = `after ${kill + 1} kills: ${JSON.stringify(full)}`;
                        expect(found.size, context).to.equal(naive.size);
                        if (full.sort.length > 0) {
                            expect(found.hits.map(({ id }) => id), context).to.equal([...naive.ids]);
                        }
                    }
                }
                finally {
                    await node.index.stop();
                }
            }
        });
    });
});

/** Kills the program some moments after it has written a few objects. */
async function writeUntilKilled(options: SearchProgramOptions): Promise<void> {

    const child = spawn(process.execPath, [join(__dirname, '../../support/search-program.js'), JSON.stringify(options)], {
        stdio: ['ignore', 'pipe', 'inherit']
    });
    const ended = once(child, 'exit');
    let written = 0;
    await new Promise<void>((resolve, reject) => {

        child.stdout.on('data', (chunk: Buffer) => {

            written += chunk.length;
            if (written >= WRITES) {
                resolve();
            }
        });
        void ended.then(() => reject(new Error('the program has ended before it was killed')));
    });
    await sleep(Math.random() * 100);
    child.kill('SIGKILL');
    await ended;
}
