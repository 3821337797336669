/** What is said of an engine whose name for searches is not that of the index in use. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SILENT } from '../../../../db/log.js';
import type { EngineClient } from '../../../../lib/search/opensearch/engine-client.js';
import { EngineWatch } from '../../../../lib/search/opensearch/engine-watch.js';
import type { FeedStates } from '../../../../lib/search/opensearch/feed-state.js';
import type { SearchLogStore } from '../../../../lib/stores/search/change-log-store.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('the watch over an engine', () => {

    let controller: AbortController;
    let watch: EngineWatch;
    let running: Promise<void>;
    let index: string | null;
    let used: string;
    let looks: number;

    beforeEach(() => {

        controller = new AbortController();
        looks = 0;
        const changes = { snapshot: () => Promise.resolve({ unordered: new Set<number>(), last: 0 }) } as unknown as SearchLogStore;
        watch = new EngineWatch({ changes, log: SILENT, maxLagMs: 300_000, read: () => {}, onState: () => {} });
    });

    afterEach(async () => {

        controller.abort();
        await running;
    });

    /** Watches an engine with an index, while searches use one. */
    function start(): void {

        const states = {
            read: () => Promise.resolve({ state: { index, position: 0, digest: '', shards: 1, building: null }, mark: { seqNo: 1, term: 1 } })
        } as unknown as FeedStates;
        const control = {
            send: ({ path }: { path: string }) => {

                looks += path.endsWith('/_alias') ? 1 : 0;
                return Promise.resolve(path.endsWith('/_alias') ? { [used]: {} } : {});
            }
        } as unknown as EngineClient;
        running = watch.run({ control, states, alias: 'any', demand: () => Promise.resolve() }, controller.signal);
    }

    it('says that the index is built until searches use it', async () => {

        [index, used] = ['lost', 'lost'];
        start();
        await until(() => watch.condition === 'up');
        index = null;
        await until(() => watch.condition === 'building');
        index = 'new';
        const before = looks;
        await until(() => looks > before + 2);
        expect(watch.condition).to.equal('building');

        used = 'new';
        await until(() => watch.condition === 'up');
    });

    it('lets searches go on in an index that is replaced', async () => {

        [index, used] = ['first', 'first'];
        start();
        await until(() => watch.condition === 'up');
        index = 'second';
        const before = looks;

        await until(() => looks > before + 2);

        expect(watch.condition).to.equal('up');
    });
});
