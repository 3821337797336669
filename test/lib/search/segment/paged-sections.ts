import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { LruCache } from '../../../../lib/util/cache/lru-cache.js';
import { PAGE_BYTES, PagedSections } from '../../../../lib/search/segment/paged-sections.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('paged sections of a stored segment', () => {

    it('are read again after a failed read', () => {

        let isAway = false;
        const stored = Uint8Array.from({ length: PAGE_BYTES * 2 }, (_, at) => Math.floor(at / PAGE_BYTES) + 1);
        const fetch = (_segment: number, _section: string, start: number, end: number): Uint8Array => {

            if (isAway) {
                throw new Error('away');
            }

            return stored.slice(start, end);
        };

        const reader = new PagedSections(1, new Map([['text.post', stored.length]]), { fetch, memory: new LruCache() }).reader('text.post');
        const read = (at: number): number | undefined => {

            const place = reader.open(at, at + 1);
            return reader.bytes[place];
        };

        expect(read(0)).to.equal(1);
        isAway = true;
        for (const at of [PAGE_BYTES, PAGE_BYTES + 1]) {
            expect(() => read(at)).to.throw('away');
        }

        expect(reader.offsetOf(PAGE_BYTES, 1)).to.equal(-1);
        expect(read(1)).to.equal(1);
        isAway = false;
        expect(read(PAGE_BYTES)).to.equal(2);
    });
});
