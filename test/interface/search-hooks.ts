/** How often a search goes into the sandbox: seen by the messages that the thread of the scripts is sent. */

import type { Worker } from 'node:worker_threads';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { forEachDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { SCRIPT_LIMITS, startGateway } from '../support/gateway.js';
import type { TestGateway } from '../support/gateway.js';
import { watchWorkers } from '../support/worker-threads.js';
import type { WatchedWorkers } from '../support/worker-threads.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CODE = (type: string): string => `exports.onObjectResolution = (object) => {
    if (object.content.n % 10 === 3) {
        throw 'kept back';
    }

    object.content.seenBy = '${type}';
    return object;
};`;

const TYPES = ['One', 'Other'];

/** Objects of each type, and of a third one without code. */
const EACH = 100;

/** A type with longer objects. */
const LONGER = 'Longer';
const LONGER_COUNT = 20;
const LONGER_TEXT = 'l'.repeat(10_000);
const CODED = [...TYPES, LONGER];

interface SearchRecord {
    readonly size: number;
    readonly results: readonly { readonly type: string; readonly attributes: { readonly content: { readonly n: number; readonly seenBy?: string } } }[];
}

/** Notes the runs that a thread is sent from now on. */
function countRuns(worker: Worker): { runs: number } {

    const counter = { runs: 0 };
    const send = worker.postMessage.bind(worker);
    worker.postMessage = (message: { readonly request?: string | null }, ...more) => {

        counter.runs += typeof message.request === 'string' ? 1 : 0;
        send(message, ...more as []);
    };

    return counter;
}

forEachDatabase((name, create) => {

    describe(`results with type code on ${name}`, () => {

        let watched: WatchedWorkers;
        let database: TestDatabase;
        let gateway: TestGateway;

        before(async () => {

            watched = watchWorkers();
            database = await create();
            gateway = await startGateway(database, { scripts: { ...SCRIPT_LIMITS, workers: 1 } });
            for (const type of CODED) {
                await gateway.create('Schema', { name: type, schema: { type: 'object' }, javascript: CODE(type) });
            }

            for (let n = 0; n < EACH; ++n) {
                for (const type of [...TYPES, 'Document']) {
                    await gateway.create(type, { n, mark: 'm' });
                }
            }

            for (let n = 0; n < LONGER_COUNT; ++n) {
                await gateway.create(LONGER, { n, mark: 'm', text: LONGER_TEXT });
            }
        });

        after(async () => {

            await gateway.stop();
            await database.dispose();
            watched.restore();
        });

        const cases: readonly (readonly [title: string, query: string, pageSize: number, runs: number, kept: number])[] = [
            ['enter the sandbox once for a hundred of one type', 'type:One', 100, 1, 10],
            ['enter the sandbox once per type for a hundred of two types', 'type:(One Other)', 100, 2, 10],
            ['enter the sandbox once per type with code', 'type:(One Other Document)', 100, 2, 6],
            ['do not enter the sandbox without code', 'type:Document', 100, 0, 0],
            ['enter the sandbox twice for twenty longer ones', `type:${LONGER}`, LONGER_COUNT, 2, 2],
            ['enter the sandbox twice per type for two hundred of two types', 'type:(One Other)', 200, 4, 20]
        ];
        for (const [title, query, pageSize, runs, kept] of cases) {
            it(title, async () => {

                const search = async (): Promise<SearchRecord> => {

                    const { value } = await gateway.asAdmin('0.DOIP/Op.Search', { attributes: { query: `+/mark:m +${query}`, sortFields: '/n,type', pageSize } });
                    return value as SearchRecord;
                };

                // The first time the thread may have to be started, and the code to be described.
                await search();
                const [worker] = watched.alive('scripting/sandbox/worker-main.js');
                const counter = worker ? countRuns(worker) : { runs: 0 };
                const { results } = await search();

                expect(counter.runs).to.equal(runs);
                for (const { type, attributes: { content } } of results) {
                    const [isCoded, isKept] = [CODED.includes(type), content.n % 10 === 3];
                    expect(content.seenBy, type).to.equal(isCoded ? type : undefined);
                    expect(isCoded && isKept).to.be.false();
                }

                const numbers = results.map(({ attributes: { content: { n } } }) => n);
                expect(numbers).to.equal(numbers.toSorted((a, b) => a - b));
                expect(numbers.length).to.equal(pageSize - kept);
            });
        }
    });
});
