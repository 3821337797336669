import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ForPrimary } from '../../../../lib/errors/for-primary.js';
import { IndexProgress } from '../../../../lib/search/relay/index-progress.js';
import { type Need, RemoteSearches } from '../../../../lib/search/relay/remote-searches.js';

export const lab = Lab.script();
const { beforeEach, describe, it } = lab;

describe('a search of a worker process', () => {

    let progress: IndexProgress;
    let needs: Need[];
    let searches: RemoteSearches;
    let done: string[];

    const admit = (name: string): void => searches.admit(() => done.push(name), (error) => done.push(error instanceof ForPrimary ? `${name} refused` : 'failed'));

    beforeEach(() => {

        progress = new IndexProgress();
        progress.isOpen = true;
        needs = [];
        done = [];
        searches = new RemoteSearches({ progress, freshnessMs: null, ask: (need) => needs.push(need) });
    });

    const apply = (upTo: number): void => {

        progress.apply(upTo);
        searches.applied();
    };

    it('begins at once when everything is applied, without a message to the main thread', () => {

        progress.give(3);
        apply(progress.send());
        admit('one');

        expect([done, needs]).to.equal([['one'], []]);
    });

    it('is for the primary process while the index is not complete', () => {

        progress.isOpen = false;
        admit('one');

        expect(done).to.equal(['one refused']);
    });

    it('waits for the changes that were given before it, and asks once for those that were not sent', () => {

        progress.give(2);
        admit('one');
        admit('other');
        progress.give(1);
        expect([done, needs]).to.equal([[], [{ kind: 'changes' }]]);

        apply(2);
        expect(done).to.equal(['one', 'other']);
        admit('third');
        expect(done).to.have.length(2);
        expect(needs).to.have.length(2);
        apply(progress.send());
        expect(done).to.equal(['one', 'other', 'third']);
    });

    it('waits without asking for changes that are on their way', () => {

        progress.give(2);
        const sent = progress.send();
        admit('one');
        expect([done, needs]).to.equal([[], []]);
        apply(sent);
        expect(done).to.equal(['one']);
    });

    it('counts changes beyond the range of its numbers', () => {

        for (let i = 0; i < 5; ++i) {
            progress.give(2 ** 30);
            apply(progress.send());
            progress.give(1);
            admit(`search ${i}`);
            expect(done).to.have.length(i);
            apply(progress.send());
            expect(done).to.have.length(i + 1);
        }
    });

    it('waits until the log was read while changes are read from it', () => {

        progress.isBehind = true;
        admit('one');
        admit('other');
        expect([done, needs]).to.equal([[], [{ kind: 'read', read: 1 }]]);

        progress.isBehind = false;
        searches.hasRead(1, true);
        expect(done).to.equal(['one', 'other']);
    });

    it('waits for a read of the log that begins after it where other nodes write', () => {

        searches = new RemoteSearches({ progress, freshnessMs: 200, ask: (need) => needs.push(need) });
        progress.read(300);
        admit('one');
        admit('other');
        expect(needs).to.equal([{ kind: 'read', read: 1 }]);

        // So slow that what it has read is too old already
        progress.read(250);
        searches.hasRead(1, true);
        expect([done, needs.length]).to.equal([['one'], 2]);
        searches.hasRead(2, true);
        expect(done).to.equal(['one', 'other']);

        progress.read(0);
        admit('third');
        expect([done.length, needs.length]).to.equal([3, 2]);
    });

    it('is for the primary process when the log cannot be read', () => {

        progress.isBehind = true;
        admit('one');
        searches.hasRead(1, false);
        expect(done).to.equal(['one refused']);
        admit('other');
        expect(needs).to.have.length(2);
    });

    it('still waits for changes after the log was read', () => {

        progress.isBehind = true;
        progress.give(1);
        admit('one');
        progress.isBehind = false;
        searches.hasRead(1, true);
        expect([done, needs.at(-1)]).to.equal([[], { kind: 'changes' }]);
        apply(progress.send());
        expect(done).to.equal(['one']);
    });

    it('is for the primary process where very many wait', () => {

        progress.give(1);
        for (let i = 0; i < 1001; ++i) {
            admit(String(i));
        }

        expect(done).to.equal(['1000 refused']);
        apply(progress.send());
        expect(done).to.have.length(1001);
    });
});
