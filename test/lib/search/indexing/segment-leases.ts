import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { LruCache } from '../../../../lib/util/cache/lru-cache.js';
import { LiveSegments } from '../../../../lib/search/indexing/live-segments.js';
import { SearchCorpus } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('leased segments', () => {

    it('stay in the cache until the end of the search in which they are replaced, and not afterwards', () => {

        const memory = new LruCache();
        const set = new LiveSegments(memory, () => new Uint8Array(0));
        const corpus = new SearchCorpus(1);
        let number = 0;
        const search = (): void => {

            set.apply({ kind: 'put', document: corpus.document(`test/${++number}`) });
            set.withSnapshot((segments) => segments.forEach(({ segment }) => segment.dictionary('text')));
        };

        search();
        set.withSnapshot(([first]) => {

            const space = first?.segment.dictionary('text');
            for (let i = 0; i < 20; ++i) {
                search();
            }

            expect(set.snapshot()).to.not.include(first);
            expect(first?.segment.dictionary('text')).to.shallow.equal(space);
        });

        for (const { segment } of set.snapshot()) {
            segment.release();
        }

        expect(memory.bytes).to.equal(0);
    });
});
