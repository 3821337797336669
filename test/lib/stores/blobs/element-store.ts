import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import type { ElementStore } from '../../../../lib/stores/blobs/element-store.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NOWHERE: ElementStore = {
    write: () => Promise.resolve(),
    async *read() {},
    remove: () => Promise.resolve(),
    list: () => Promise.resolve([])
};
const OBJECT = { id: 'test/1', type: 'Document', content: { size: 'large' } };

describe('element stores', () => {

    it('use the database by default', async () => {

        expect(await new ElementStores(NOWHERE).choose(OBJECT, {})).to.equal('database');
    });

    it('pass the object and the request context to the chooser', async () => {

        const stores = new ElementStores(NOWHERE, ({ content }, { tier }) => {

            return content?.['size'] === 'large' && tier === 'cold' ? 'large-cold' : 'database';
        });
        stores.register('large-cold', NOWHERE);

        expect(await stores.choose(OBJECT, { tier: 'cold' })).to.equal('large-cold');
    });

    for (const answer of ['elsewhere', '', null, undefined, 7, ['database']]) {
        it(`reject a chooser that returns ${JSON.stringify(answer)}`, async () => {

            const stores = new ElementStores(NOWHERE, () => answer as string);

            await expect(stores.choose(OBJECT, {})).to.reject(/the storage chooser must name one of database, got/);
        });
    }

    it('reject taken and invalid names', () => {

        const stores = new ElementStores(NOWHERE);

        expect(() => stores.register('database', NOWHERE)).to.throw('element store database is registered already');
        expect(() => stores.register('a b', NOWHERE)).to.throw(/element store name "a b" must be/);
        expect(() => stores.get('gone')).to.throw('the payload store is not set up on this node');
        ['database', 'needed'].forEach((name) => stores.need(name));
        expect(['gone', 'database', 'needed'].map((name) => stores.isMissing(name))).to.equal([false, false, true]);
        stores.release('needed');
        expect(stores.isMissing('needed')).to.be.false();
    });
});
