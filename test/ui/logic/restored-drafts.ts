/** Drafts that are restored: the version over which they are saved, and what they are merged over. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { knownVersion, mergeBase, newestOf, restoredBase } from '../../../ui/src/edit/restored-base.js';
import type { Base } from '../../../ui/src/edit/restored-base.js';
import { merged } from '../../../ui/src/json/changes.js';
import type { Draft } from '../../../ui/src/state/drafts.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a draft that is restored', () => {

    const draft: Draft = { savedOn: 1, etag: '"1"', text: '{"title":"mine","text":"before"}', basis: '{"title":"before","text":"before"}' };
    const mine = { title: 'mine', text: 'before' };
    const present: Base = { content: { title: 'before', text: 'theirs' }, etag: '"2"', isResolved: false };

    it('is saved over the version on which it is based, and merged over its content', () => {

        const base = restoredBase(draft, present);

        expect(base as object).to.equal({ content: { title: 'before', text: 'before' }, etag: '"1"', isResolved: false, newest: '"2"' });
        expect(merged(mergeBase(base), mine, present.content) as object).to.equal({ value: { title: 'mine', text: 'theirs' } });
        expect(newestOf(base)).to.equal('"2"');
    });

    it('is merged over nothing where it has no content of its version: a merge would be an overwriting', () => {

        const { basis, ...older } = draft;
        for (const each of [older, { ...older, basis: `${basis} no JSON` }]) {
            const base = restoredBase(each, present);

            expect([base.etag, base.isUnknown]).to.equal(['"1"', true]);
            expect(merged(mergeBase(base), mine, present.content) === null).to.be.true();
        }
    });

    for (const [title, each] of [
        ['it is of this version', { ...draft, etag: '"2"' }],
        ['it is of this version, which was sent compressed', { ...draft, etag: 'W/"2-gzip"' }],
        ['its user has seen this version beside it', { ...draft, seen: '"2"' }],
        ['its version is not known', { ...draft, etag: null }],
        ['others have changed no content', { ...draft, basis: '{"text":"theirs","title":"before"}' }]
    ] as const) {
        it(`is saved over the present version where ${title}`, () => {

            expect(restoredBase(each, present) === present).to.be.true();
        });
    }

    it('is saved over the version that its user has seen beside it, where there is a newer one', () => {

        expect(knownVersion({ etag: '"0"', seen: '"1"' })).to.equal('"1"');
        expect(restoredBase({ ...draft, etag: '"0"', seen: '"1"' }, present) as object).to.equal({
            content: { title: 'before', text: 'before' }, etag: '"1"', isResolved: false, newest: '"2"'
        });
    });

    it('is saved over its own version also where an older one was restored before', () => {

        const older = restoredBase(draft, present);

        expect(restoredBase(draft, older) === older).to.be.true();
        expect(restoredBase({ ...draft, etag: '"2"', basis: '{"title":"before","text":"theirs"}' }, older) as object).to.equal({ ...present, newest: '"2"' });
    });
});
