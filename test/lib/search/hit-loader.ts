/** How many rows are read for whom: counted between the reader of results and a real database. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Caller } from '../../../lib/model/caller.js';
import type { StoredElement, StoredObject } from '../../../lib/model/stored-object.js';
import { ANONYMOUS } from '../../../lib/model/caller.js';
import { Policy } from '../../../lib/identity/access/access-policy.js';
import { WITHOUT_CODE } from '../../support/without-code.js';
import { ObjectResolution } from '../../../lib/objects/read/object-resolution.js';
import { EventLoopYielder } from '../../../lib/util/concurrency/event-loop-yielder.js';
import { ResultReader } from '../../../lib/search/hit-loader.js';
import type { SearchHit } from '../../../lib/search/query/search-request.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { LIMITS } from '../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const ADMIN: Caller = { ...ANONYMOUS, userId: 'admin', username: 'admin', isAdmin: true, isAuthenticated: true };

/** Objects; every tenth is long. */
const COUNT = 100;
const AT_ONCE = 25;

/** Objects that are not long enough to come alone, and how long their texts are. */
const WIDE = 30;
const WIDE_LENGTH = 10_000;

/** Parts besides content, and how many objects with such a part come together at most; to be read alone, or together with others. */
const PARTS: readonly (readonly [kind: string, parts: Partial<StoredObject>, together: number, isAlone: boolean])[] = [
    ['access control lists', { acl: { readers: ['public'], writers: entries(700) } }, 1, true],
    ['many elements', { elements: elements(100, 10) }, 1, true],
    ['wide access control lists', { acl: { readers: ['public'], writers: entries(400) } }, 9, false],
    ['elements with long names', { elements: elements(50, 250) }, 3, false],
    ['a few elements', { elements: elements(2, 10) }, AT_ONCE, false]
];

/** Objects with each of these parts. */
const OF_EACH = 30;

function entries(count: number): string[] {

    return Array.from({ length: count }, (_, n) => `test/somebody-of-them-${n}`);
}

function elements(count: number, length: number): StoredElement[] {

    return Array.from({ length: count }, (_, n) => {

        const name = `${n}`.padEnd(length, '-');
        return { name, filename: name, mediaType: `text/${name}`.slice(0, 250), size: 1, blobId: 1, store: 'database', hash: null };
    });
}

const system = { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] };
const policy = new Policy(() => ({ system, entryOf: () => undefined, typeNames: () => [], entryNames: () => [] }));

forEachDatabase((name, create) => {

    describe(`results loaded from ${name}`, () => {

        let place: TestDatabase;
        let scan: ObjectScan;
        const ids = Array.from({ length: COUNT }, (_, n) => `test/${n}`);
        const wide = Array.from({ length: WIDE }, (_, n) => `test/wide-${n}`);

        before(async () => {

            place = await create();
            const database = await place.open();
            scan = new ObjectScan(database);
            const store = new ObjectStore(database);
            const steps = ids.flatMap((id, n) => store.insertSteps({
                id, type: 'T', content: { n, text: 'ü'.repeat(n % 10 === 9 ? 20_000 : 10) }, acl: n % 4 === 3 ? { readers: [] } : null,
                userMetadata: n % 10 === 8 ? { long: 'x'.repeat(20_000) } : null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: n + 1 }
            }, 'taken'));
            steps.push(...wide.flatMap((id, n) => store.insertSteps({
                id, type: 'T', content: { text: 'w'.repeat(WIDE_LENGTH) }, acl: null, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: COUNT + n + 1 }
            }, 'taken')));
            steps.push(...PARTS.flatMap(([, parts], of) => idsOf(of).flatMap((id, n) => store.insertSteps({
                id, type: 'T', content: {}, acl: null, userMetadata: null, elements: [], ...parts,
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1000 * (of + 1) + n }
            }, 'taken'))));
            expect((await database.commit({ steps })).ok).to.be.true();
        });

        after(() => place.dispose());

        /** Ids of the objects with one of the parts. */
        function idsOf(part: number): string[] {

            return Array.from({ length: OF_EACH }, (_, n) => `test/part-${part}-${n}`);
        }

        async function *hits(of: readonly string[]): AsyncGenerator<readonly SearchHit[]> {

            // Some are gone.
            yield of.flatMap((id) => [{ id, score: null }, { id: `${id}-gone`, score: null }]);
        }

        function reading(caller: Caller, { signal = new AbortController().signal, of = ids } = {}) {

            const read: string[] = [];
            const alone: string[] = [];
            const reader = new ResultReader({
                policy, resolution: new ObjectResolution({ lifecycle: WITHOUT_CODE, limits: LIMITS, policy }), yielder: new EventLoopYielder(),
                objects: {
                    texts: (wanted) => {

                        read.push(...wanted);
                        return scan.texts(wanted);
                    },
                    text: (id) => {

                        alone.push(id);
                        return scan.text(id);
                    }
                }
            });
            return { read, alone, blocks: reader.load(hits(of), { caller, requestContext: {}, signal }) };
        }

        for (const [who, caller, isShown] of [['the administrator', ADMIN, () => true], ['others', ANONYMOUS, (n: number) => n % 4 !== 3]] as const) {
            it(`are for ${who} the readable objects in order, with long ones alone`, async () => {

                const { read, blocks } = reading(caller);
                const found: string[] = [];
                for await (const block of blocks) {
                    found.push(...block.map(({ id }) => id));
                    for (const { attributes: { content, userMetadata } } of block) {
                        const length = JSON.stringify([content, userMetadata]).length;
                        expect(length < 1000 || block.length === 1, `${block.length} with ${length}`).to.be.true();
                    }
                }

                expect(found).to.equal(ids.filter((_, n) => isShown(n)));
                expect(read).to.have.length(2 * COUNT);
            });
        }

        it('are loaded together while they are short enough', async () => {

            const sizes: number[] = [];
            const found: string[] = [];
            for await (const block of reading(ANONYMOUS, { of: wide }).blocks) {
                sizes.push(block.length);
                found.push(...block.map(({ id }) => id));
            }

            expect(found).to.equal(wide);
            expect(Math.max(...sizes)).to.be.between(1, 10);
        });

        for (const [part, [kind, parts, together, isAlone]] of PARTS.entries()) {
            it(`are loaded at most ${together} at a time with ${kind}`, async () => {

                const { alone, blocks } = reading(ANONYMOUS, { of: idsOf(part) });
                const sizes: number[] = [];
                const found: string[] = [];
                for await (const block of blocks) {
                    sizes.push(block.length);
                    for (const { id, attributes, elements: own } of block) {
                        found.push(id);
                        expect<unknown>(attributes.acl).to.equal(parts.acl ?? undefined);
                        expect(own?.length).to.equal(parts.elements?.length ?? 0);
                    }
                }

                expect(found).to.equal(idsOf(part));
                expect(alone).to.equal(isAlone ? idsOf(part) : []);
                expect(Math.max(...sizes)).to.be.between(0, together + 1);
            });
        }

        it('are loaded only as fast as they are consumed', async () => {

            const { read, blocks } = reading(ADMIN);
            for (let taken = 0; taken < 4; ++taken) {
                await blocks.next();
                const before = read.length;
                await new Promise((resolve) => setImmediate(resolve));
                expect(read.length).to.equal(before).and.to.be.at.most(AT_ONCE * (taken + 1));
            }

            await blocks.return();
            expect(read.length).to.be.at.most(AT_ONCE * 4);
        });

        it('are no longer loaded when the request is aborted', async () => {

            const gone = new AbortController();
            const { read, blocks } = reading(ADMIN, { signal: gone.signal });
            await blocks.next();
            gone.abort(new Error('gone'));

            await expect((async () => {

                for await (const block of blocks) {
                    expect(block.length).to.be.at.most(AT_ONCE);
                }
            })()).to.reject('gone');
            expect(read.length).to.equal(AT_ONCE);
        });
    });
});
