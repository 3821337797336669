/** The states of indexes of several formats beside each other. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SILENT } from '../../../../db/log.js';
import { EngineIndexes, writeAlias } from '../../../../lib/search/opensearch/engine-indexes.js';
import { FORMAT } from '../../../../lib/search/opensearch/engine-document.js';
import { FeedStates } from '../../../../lib/search/opensearch/feed-state.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../../../support/opensearch.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the states of indexes in OpenSearch', { skip: !HAS_OPENSEARCH, timeout: 300_000 }, () => {

    let engine: TestOpenSearch;

    before({ timeout: 600_000 }, async () => {

        engine = await startOpenSearch();
    });

    after(() => engine.stop());

    it('keep the log for indexes of other formats, as long as these are there', async () => {

        const prefix = engine.newUrl().split('/').at(-1) ?? '';
        const { client } = engine;
        const states = new FeedStates(client, `${prefix}-meta`);
        await client.send({ method: 'PUT', path: `/${prefix}-meta`, body: { mappings: { dynamic: false } } });
        const put = (id: string, body: object): Promise<unknown> => client.send({ method: 'PUT', path: `/${prefix}-meta/_doc/${id}`, body, query: { refresh: true } });
        const own = { index: 'any', position: 3, digest: '', shards: 1, building: null };
        await states.write(own, await states.read());
        await put('repository', { repository: 'x' });
        await put('feed-1', { index: `${prefix}-v1-gone`, position: 5, shards: 1, building: { index: `${prefix}-v1-gone-too`, after: '', position: 4 } });
        await engine.refresh();
        const gone = await states.lowestOfOthers();

        const index = await new EngineIndexes({ client, log: SILENT, prefix: `${prefix}-old` }).create(1);
        await put('feed-1', { index, position: 7, shards: 1, building: null });
        await put(`feed-${FORMAT + 1}`, { index: null, position: 0, building: { index, position: 6 } });
        const there = await states.lowestOfOthers();
        await client.send({ method: 'DELETE', path: `/${index}` });

        expect([gone, there, await states.lowestOfOthers()]).to.equal([Infinity, 6, Infinity]);
        expect(writeAlias(index)).to.equal(`${index}-w`);
    });
});
