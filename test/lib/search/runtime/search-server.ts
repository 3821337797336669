import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { FULL_ACCESS } from '../../../../lib/search/matching/acl-filter.js';
import type { Found, MoreFound } from '../../../../lib/search/runtime/protocol.js';
import { SearchServer } from '../../../../lib/search/runtime/search-server.js';
import { serveSections } from '../../../../lib/search/runtime/section-channel.js';
import { SearchCorpus } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { describe, it } = lab;

const DOCUMENTS = 5;
const MOST = 1000;

const REQUEST = {
    query: '*:*', filterQueries: [], sort: [{ field: 'id', reverse: false }], facets: [], start: 0, limit: null, includeScore: false,
    includeVersions: true, access: FULL_ACCESS
};

/** A searcher with some documents, the clock it looks at, and a search that is read bit by bit. */
function start() {

    const clock = { now: 0 };
    const { port, close } = serveSections(() => Promise.reject(new Error('nothing is stored')), () => {});
    const searcher = new SearchServer({ sections: port, memory: 1e6 }, () => clock.now);
    const corpus = new SearchCorpus(1);
    const changes = Array.from({ length: DOCUMENTS }, (_, i) => ({ kind: 'put', document: corpus.document(`test/${i}`) }));
    searcher.handle({ kind: 'apply', changes: JSON.stringify(changes), upTo: 0 });
    const search = (first: number, askedAt = Date.now()): Found => {

        return JSON.parse(searcher.handle({
            kind: 'search', request: JSON.stringify(REQUEST), first, milliseconds: 10_000, requestedAt: askedAt, caller: ''
        }) as string) as Found;
    };

    const more = (cursor: number | null): MoreFound => {

        return JSON.parse(searcher.handle({ kind: 'more', cursor: cursor ?? 0, count: 2 }) as string) as MoreFound;
    };

    return { searcher, clock, close, search, more };
}

describe('searches that have queued for longer than their timeout', () => {

    it('are ended when they waited for other searches, and served when they waited for changes', () => {

        const { search, close } = start();
        try {
            expect(search(10, Date.now() - 60_000).size).to.equal(DOCUMENTS);
            expect(() => search(10, Date.now() - 60_000)).to.throw(DoipError, /took too long/);
            expect(search(10).size).to.equal(DOCUMENTS);
        }
        finally {
            close();
        }
    });
});

describe('open result cursors', () => {

    it('are limited, beyond which new ones are rejected with 503', () => {

        const { searcher, close, search, more } = start();
        const cursors = Array.from({ length: MOST }, () => search(1).cursor);
        expect(() => search(1)).to.throw(DoipError, /^too many results of searches are being read/);
        try {
            search(1);
        }
        catch (error) {
            expect((error as DoipError).http).to.equal(503);
        }

        // A page that comes with the answer needs no place.
        expect(search(DOCUMENTS).hits.length).to.equal(DOCUMENTS);
        for (const cursor of cursors) {
            expect(more(cursor)).to.include({ isDone: false });
            expect(more(cursor)).to.include({ isDone: true });
        }

        expect(search(1).cursor).to.not.be.null();
        searcher.handle({ kind: 'forget', cursor: cursors[1] ?? 0 });
        close();
    });

    it('expire after a minute without a read when others need the space, the least recently read first', () => {

        const { clock, close, search, more } = start();
        const cursors = Array.from({ length: MOST }, () => search(1).cursor);
        clock.now = 30_000;
        expect(more(cursors[0] ?? 0).isDone).to.be.false();
        clock.now = 60_000;
        expect(search(1).cursor).to.not.be.null();
        expect(() => more(cursors[1] ?? 0)).to.throw(DoipError, 'the results of the search were not read for too long');
        expect(more(cursors[0] ?? 0).isDone).to.be.true();
        expect(more(cursors[2] ?? 0).isDone).to.be.false();
        close();
    });

    it('are released when they are closed', () => {

        const { searcher, close, search } = start();
        const cursors = Array.from({ length: MOST }, () => search(1).cursor);
        searcher.handle({ kind: 'forget', cursor: cursors[500] ?? 0 });
        expect(search(1).cursor).to.not.be.null();
        expect(() => search(1)).to.throw(DoipError);
        close();
    });
});
