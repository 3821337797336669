/** What has become of a change of many objects after it was continued, or tried again. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { doneIn, joined, NOTHING_DONE, retriedIn, totalIn, type BulkProgress, type Failed } from '../../../ui/src/search/bulk/outcomes.js';

export const lab = Lab.script();
const { describe, it } = lab;

const range = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, i) => `test/${from + i}`);

const failures = (ids: readonly string[], message = 'refused', isOther = false): readonly Failed[] => ids.map((id) => ({ id, message, isOther }));

const run = (before: BulkProgress, outcomes: Partial<BulkProgress>): BulkProgress => joined(before, { ...NOTHING_DONE, ...outcomes });

const counts = ({ changed, unchanged, failed, rest }: BulkProgress): readonly number[] => [changed.length, unchanged.length, failed.length, rest.length];

describe('the outcomes of a change of many objects', () => {

    const all: BulkProgress = { ...NOTHING_DONE, rest: range(0, 250) };

    it('keep what was not touched when those that failed are tried again', () => {

        const away = run(all, { changed: range(0, 50), failed: failures(range(50, 54)), rest: range(54, 250) });
        expect(counts(away)).to.equal([50, 0, 4, 196]);
        expect(retriedIn(away)).to.equal(range(50, 54));

        const again = run(away, { changed: range(50, 53), unchanged: range(53, 54) });
        expect(counts(again)).to.equal([53, 1, 0, 196]);
        expect(again.rest).to.equal(range(54, 250));
        expect([doneIn(again), totalIn(again)]).to.equal([54, 250]);
        expect(counts(run(again, { changed: range(54, 250) }))).to.equal([249, 1, 0, 0]);
    });

    it('keep what failed when the change goes on with the rest', () => {

        const cancelled = run(all, { changed: range(10, 50), failed: failures(range(0, 10)), rest: range(50, 250) });
        const over = run(cancelled, { changed: range(50, 249), failed: failures(range(249, 250), 'also') });

        expect(counts(over)).to.equal([239, 0, 11, 0]);
        expect(over.failed.map(({ message }) => message)).to.equal([...Array<string>(10).fill('refused'), 'also']);
        expect(retriedIn(over)).to.equal([...range(0, 10), 'test/249']);
    });

    it('have the newest reason of an object that fails again, and the former one where the attempt did not come to it', () => {

        const first = run(all, { changed: range(5, 250), failed: failures(range(0, 5)) });
        const again = run(first, { failed: failures(range(0, 2), 'still refused'), rest: range(2, 5) });

        expect(again.failed).to.equal([...failures(range(2, 5)), ...failures(range(0, 2), 'still refused')]);
        expect([again.rest, totalIn(again)]).to.equal([[], 250]);
    });

    it('name those that another attempt may change: not an object that is another one', () => {

        const first = run(all, { failed: [...failures(range(0, 2)), ...failures(range(2, 3), 'changed meanwhile', true)], changed: range(3, 250) });
        const again = run(first, { changed: range(0, 2) });

        expect(retriedIn(first)).to.equal(range(0, 2));
        expect(again.failed).to.equal(failures(range(2, 3), 'changed meanwhile', true));
        expect(retriedIn(again)).to.equal([]);
    });
});
