import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { StoredIndexSource } from '../../../../lib/search/mapping/document-source.js';

export const lab = Lab.script();
const { describe, it } = lab;

function object(id: string): StoredObject {

    return {
        id, type: 'Document', content: {}, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 }
    };
}

/** The objects of these ids, in pages. */
function sourceOf(ids: readonly string[], pageSize: number): StoredIndexSource {

    return new StoredIndexSource({
        objects: {
            portions: async (wanted) => [[...wanted]],
            byIds: async (wanted) => ids.filter((id) => wanted.includes(id)).map(object),
            after: async (after) => ids.filter((id) => id > after).slice(0, pageSize).map(object)
        },
        forms: { read: async () => ({ byId: new Map(), changed: new Set() }) } as never,
        texts: { of: async (objects: readonly StoredObject[]) => new Map(objects.map(({ id }) => [id, undefined])) } as never,
        catalog: { current: { get: () => null, design: { searchLanguage: null }, prefix: 'test' } } as never,
        refresh: async () => {}
    });
}

/** All pages, as an index is built. */
async function pagesOf(source: StoredIndexSource): Promise<string[][]> {

    const pages: string[][] = [];
    for (let page = await source.after(''); page.length > 0; page = await source.after(page.at(-1)?.id ?? '')) {
        pages.push(page.map(({ id }) => id));
    }

    return pages;
}

describe('the source of documents', () => {

    for (const [ids, pageSize, pages] of [
        [['a', 'b', 'design', 'test/1', 'test/2'], 2, [['a', 'b'], ['test/1'], ['test/2']]],
        [['a', 'design', 'test/1', 'test/2'], 2, [['a'], ['test/1'], ['test/2']]],
        [['design', 'test/1'], 1, [['test/1']]],
        [['a', 'design'], 1, [['a']]],
        [['design'], 1, []]
    ] as const) {
        it(`has all objects of ${ids.join(', ')} but the design object, in pages of ${pageSize}`, async () => {

            const found = await pagesOf(sourceOf(ids, pageSize));

            expect(found.flat()).to.equal(pages.flat());
            expect(found.every(({ length }) => length <= pageSize)).to.be.true();
        });
    }

    it('does not find the design object by its id', async () => {

        const { documents } = await sourceOf(['design', 'test/1'], 10).byIds(['design', 'test/1', 'test/2']);

        expect(documents.map(({ id }) => id)).to.equal(['test/1']);
    });
});
