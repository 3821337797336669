/** Drafts of the editor, and differences between contents. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { DraftStorage } from '../../../ui/src/state/drafts.js';
import { dropAllDrafts, dropDraft, findDraft, keepDraft } from '../../../ui/src/state/drafts.js';
import { changesBetween, merged } from '../../../ui/src/json/changes.js';
import type { Json } from '../../../ui/src/json/exact-number.js';
import { parseJson } from '../../../ui/src/json/parse-json.js';
import { writeJson } from '../../../ui/src/json/write-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** The storage of a browser, with so many characters. */
function storageOf(limit = Infinity): DraftStorage & { readonly values: Map<string, string> } {

    const values = new Map<string, string>();
    return {
        values,
        get length() {

            return values.size;
        },
        key: (index) => [...values.keys()][index] ?? null,
        getItem: (name) => values.get(name) ?? null,
        setItem(name, value) {

            if (value.length > limit) {
                throw new Error('QuotaExceededError');
            }

            values.set(name, value);
        },
        removeItem: (name) => void values.delete(name)
    };
}

describe('drafts', () => {

    const key = { user: 'test/ann', target: 'test/book' };

    it('are kept for each user and object, until they are dropped', () => {

        const storage = storageOf();
        expect(keepDraft(storage, key, { savedOn: 5, etag: '"1"', text: '{"a":1.10}' })).to.be.true();

        expect(findDraft(storage, key)).to.equal({ savedOn: 5, etag: '"1"', text: '{"a":1.10}' });
        expect(findDraft(storage, { ...key, user: 'admin' })).to.be.null();
        expect(findDraft(storage, { ...key, target: 'test/boo' })).to.be.null();

        dropDraft(storage, key);
        expect(findDraft(storage, key)).to.be.null();
    });

    it('of several services of one origin are apart, as are several of one object', () => {

        const storage = storageOf();
        const keys = [key, { ...key, slot: 1 }, { ...key, base: '/second' }];
        keys.forEach((each, i) => keepDraft(storage, each, { savedOn: i + 1, etag: null, text: String(i) }));
        expect(keys.map((each) => findDraft(storage, each)?.text)).to.equal(['0', '1', '2']);

        dropAllDrafts(storage);
        expect(keys.map((each) => findDraft(storage, each)?.text)).to.equal([undefined, undefined, '2']);
    });

    it('are the latest dozen, beside what others store', () => {

        const storage = storageOf();
        storage.setItem('other', 'x');
        for (let i = 0; i < 20; ++i) {
            keepDraft(storage, { user: 'a', target: `${i}` }, { savedOn: i, etag: null, text: '1' });
        }

        expect(storage.values.size).to.equal(13);
        expect(findDraft(storage, { user: 'a', target: '7' })).to.be.null();
        expect(findDraft(storage, { user: 'a', target: '8' })).to.not.be.null();

        dropAllDrafts(storage);
        expect([...storage.values.keys()]).to.equal(['other']);
    });

    it('that are too large, or that the browser refuses, are not kept', () => {

        expect(keepDraft(storageOf(), key, { savedOn: 1, etag: null, text: 'x'.repeat(1_000_000) })).to.be.false();
        expect(keepDraft(storageOf(10), key, { savedOn: 1, etag: null, text: 'x'.repeat(100) })).to.be.false();
    });

    it('that are damaged are none', () => {

        const storage = storageOf();
        keepDraft(storage, key, { savedOn: 1, etag: null, text: '1' });
        const [name = ''] = storage.values.keys();
        for (const text of ['{', 'null', '[]', '{"savedOn":"x","text":1}']) {
            storage.setItem(name, text);

            expect(findDraft(storage, key), text).to.be.null();
        }
    });
});

describe('differences between contents', () => {

    it('are listed by their pointers', () => {

        const [before, after] = [parseJson('{"a":1,"b":{"c":[1,2],"d/e":1.0},"x":1}'), parseJson('{"a":1,"b":{"c":[1,3],"d/e":1.00},"y":null}')];

        expect(changesBetween(before, after).map(({ pointer, before: was, after: is }) => `${pointer} ${was === undefined ? '-' : writeJson(was)} ${is === undefined ? '-' : writeJson(is)}`))
            .to.equal(['/b/c/1 2 3', '/b/d~1e 1.0 1.00', '/x 1 -', '/y - null']);
        expect(changesBetween([1], [1, 2])).to.have.length(1);
        expect(changesBetween(before, before)).to.be.empty();
    });

    const MERGED: readonly (readonly [title: string, base: Json, mine: Json, theirs: Json, value: Json | undefined | null])[] = [
        ['changes of different properties', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
        ['an addition and a removal', { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }, { b: 1 }, { b: 1, c: 1 }],
        ['the same change', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
        ['nested changes', { a: { x: 1, y: 1 } }, { a: { x: 2, y: 1 } }, { a: { x: 1, y: 2 } }, { a: { x: 2, y: 2 } }],
        ['not two changes of a value', { a: 1 }, { a: 2 }, { a: 3 }, null],
        ['not a change of what is removed', { a: { x: 1 } }, { a: { x: 2 } }, {}, null],
        ['not two changes of an array', { a: [1] }, { a: [1, 2] }, { a: [1, 3] }, null]
    ];
    for (const [title, base, mine, theirs, value] of MERGED) {
        it(`are merged: ${title}`, () => {

            expect((merged(base, mine, theirs)?.value ?? null) as object).to.equal((value ?? null) as object);
        });
    }
});
