/** Drafts of the editor, and differences between contents. */

import * as Lab from '@hapi/lab';
import { expect, fail } from '@hapi/code';
import type { Draft, DraftStorage } from '../../../ui/src/state/drafts.js';
import { browserStorage, draftSlots, dropAllDrafts, dropDraft, findDraft, keepDraft } from '../../../ui/src/state/drafts.js';
import { changesBetween, merged } from '../../../ui/src/json/changes.js';
import type { Json } from '../../../ui/src/json/exact-number.js';
import { parseJson } from '../../../ui/src/json/parse-json.js';
import { writeJson } from '../../../ui/src/json/write-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** The storage of a browser, which takes so many characters. */
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

            const others = [...values].reduce((sum, [each, text]) => sum + (each === name ? 0 : each.length + text.length), 0);
            if (others + name.length + value.length > limit) {
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

    it('are all kept, beside what others store', () => {

        const storage = storageOf();
        storage.setItem('other', 'x');
        for (let i = 0; i < 30; ++i) {
            keepDraft(storage, { user: 'a', target: `${i}` }, { savedOn: i, etag: null, text: '1' }, () => fail('none is removed'));
        }

        expect(storage.values.size).to.equal(31);

        dropAllDrafts(storage);
        expect([...storage.values.keys()]).to.equal(['other']);
    });

    it('of the same user and service go when there is no room, the oldest first, and that is said', () => {

        const storage = storageOf(1000);
        const other = { savedOn: 0, etag: null, text: '1' };
        for (const each of [{ user: 'bob', target: 'x' }, { user: 'a', target: 'x', base: '/second' }]) {
            keepDraft(storage, each, other);
        }

        const draft = (savedOn: number): Draft => ({ savedOn, etag: null, text: 'x'.repeat(200) });
        const targets = ['first', 'second', 'third'];
        targets.forEach((target, i) => keepDraft(storage, { user: 'a', target }, draft(3 - i)));
        const isThere = (): readonly boolean[] => targets.map((target) => findDraft(storage, { user: 'a', target }) !== null);
        expect(isThere()).to.equal([true, true, true]);
        const removed: number[] = [];

        expect(keepDraft(storage, { user: 'a', target: 'next' }, draft(9))).to.be.false();
        expect(isThere()).to.equal([true, true, true]);
        expect(keepDraft(storage, { user: 'a', target: 'next' }, draft(9), (count) => removed.push(count))).to.be.true();
        expect(isThere()).to.equal([true, true, false]);
        expect(keepDraft(storage, { user: 'a', target: 'long' }, { ...draft(9), text: 'x'.repeat(500) }, (count) => removed.push(count))).to.be.true();
        expect(isThere()).to.equal([false, false, false]);
        expect(removed).to.equal([1, 2]);
        expect(findDraft(storage, { user: 'bob', target: 'x' })).to.not.be.null();
        expect(findDraft(storage, { user: 'a', target: 'x', base: '/second' })).to.not.be.null();
    });

    it('all stay when there is no room without them either', () => {

        const storage = storageOf(1000);
        ['first', 'second'].forEach((target) => keepDraft(storage, { user: 'a', target }, { savedOn: 1, etag: null, text: 'x'.repeat(200) }));
        const before = new Map(storage.values);

        expect(keepDraft(storage, { user: 'a', target: 'long' }, { savedOn: 2, etag: null, text: 'x'.repeat(2000) }, () => fail('none is removed'))).to.be.false();
        expect(new Map(storage.values)).to.equal(before);
    });

    it('are not said to be kept where the browser has no storage', () => {

        const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
        Object.defineProperty(globalThis, 'localStorage', {
            configurable: true, get() {

                throw new Error('SecurityError');
            }
        });
        try {
            expect(keepDraft(browserStorage(), key, { savedOn: 1, etag: null, text: '1' }, () => fail('none is removed'))).to.be.false();
        }
        finally {
            Reflect.deleteProperty(globalThis, 'localStorage');
            if (before) {
                Object.defineProperty(globalThis, 'localStorage', before);
            }
        }
    });

    it('hold the id of a new object, and are counted for each', () => {

        const storage = storageOf();
        const draft = { savedOn: 1, etag: null, text: '1', names: { handle: 'test/own', suffix: '' } };
        [0, 20, 3].forEach((slot) => keepDraft(storage, { ...key, slot }, draft));
        keepDraft(storage, { ...key, user: 'test/bob', slot: 1 }, draft);
        keepDraft(storage, { ...key, base: '/second', slot: 2 }, draft);

        expect(findDraft(storage, { ...key, slot: 20 })).to.equal(draft);
        expect(draftSlots(storage, key)).to.equal([0, 3, 20]);
    });

    it('that are too large, or that the browser refuses, are not kept', () => {

        expect(keepDraft(storageOf(), key, { savedOn: 1, etag: null, text: 'x'.repeat(1_000_000) })).to.be.false();
        expect(keepDraft(storageOf(10), key, { savedOn: 1, etag: null, text: 'x'.repeat(100) })).to.be.false();
    });

    it('have the content on which they are based, where there is room for both, and the version that was seen', () => {

        const alone: Draft = { savedOn: 1, etag: '"1"', text: '"mine"', seen: '"2"' };
        const draft = { ...alone, basis: '"before"' };
        const storage = storageOf();
        keepDraft(storage, key, draft);
        expect(findDraft(storage, key)).to.equal(draft);
        keepDraft(storage, key, { ...draft, basis: 'x'.repeat(1_000_000) });
        expect(findDraft(storage, key)).to.equal(alone);

        // No other draft goes for it.
        const [name = ''] = storage.values.keys();
        const full = storageOf(2 * name.length + 2 + 2 * JSON.stringify(alone).length + 10);
        const removed: number[] = [];
        for (const slot of [0, 1]) {
            expect(keepDraft(full, { ...key, slot }, { ...draft, savedOn: slot }, (count) => removed.push(count))).to.be.true();
        }

        expect(removed).to.equal([]);
        expect(findDraft(full, { ...key, slot: 1 })).to.equal({ ...alone, savedOn: 1 });
    });

    it('that are damaged are none', () => {

        const storage = storageOf();
        keepDraft(storage, key, { savedOn: 1, etag: null, text: '1' });
        const [name = ''] = storage.values.keys();
        for (const text of ['{', 'null', '[]', '{"savedOn":"x","text":1}', '{"savedOn":1,"text":"1","names":null}']) {
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
