/** Lists of objects with access control lists of any length: versions, references to an object, and decisions on many objects. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database, Row, Step } from '../../../../db/database.js';
import type { Acl } from '../../../../lib/doip/digital-object.js';
import type { Subject } from '../../../../lib/model/access-subject.js';
import { ObjectStore } from '../../../../lib/stores/objects/object-store.js';
import { ReferenceStore } from '../../../../lib/stores/reference-store.js';
import { VersionStore } from '../../../../lib/stores/version-store.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { watchedDatabase } from '../../../support/watched-database.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

/** More than are read at a time. Every third has a long list; of the others, each second one has none. */
const COUNT = 300;
const LONG = 40_000;
const ids = Array.from({ length: COUNT }, (_, n) => `test/v${String(n).padStart(3, '0')}`);
const small = ids.slice(0, 10).map((id) => `${id}-small`);

/** Length of the lists that one statement reads, and of those that are parsed in one turn. */
const MOST_READ = 200 * 4096;
const MOST_PARSED = 130 * 1024;

const POINTERS = ['/a', '/b', '/c'];

type Listed = Pick<Subject, 'id' | 'acl'>;

function aclOf(n: number): Acl | null {

    return n % 3 === 2 ? { readers: [`${n}`.padEnd(LONG, '-')], writers: ['public'] } : n % 2 === 0 ? null : { readers: [`${n}`] };
}

const expected = ids.map((id, n): Listed => ({ id, acl: aclOf(n) }));

/** Gives objects in blocks, of one tip or target, or by their ids. */
type Lister = (db: Database, of: string, wanted: readonly string[]) => AsyncGenerator<readonly Listed[]>;

/** The lists, and how often each gives an object. */
const LISTS: readonly (readonly [title: string, list: Lister, rows: number])[] = [
    ['versions', (db, of) => new VersionStore(db).versionsOf(of), 1],
    ['references', (db, of) => referrers(db, of), POINTERS.length],
    ['decisions', (db, _of, wanted) => decisions(db, wanted), 1]
];

async function *referrers(db: Database, of: string): AsyncGenerator<readonly Listed[]> {

    for await (const block of new ReferenceStore(db).inbound(of)) {
        yield block.map(({ from }) => from);
    }
}

/** What the rule is given; blocks are what it is given in one turn. */
async function *decisions(db: Database, wanted: readonly string[]): AsyncGenerator<readonly Listed[]> {

    const blocks: Listed[][] = [];
    let isNew = true;
    const decided = await new ObjectStore(db).decideOn(wanted, ({ id, acl }) => {

        if (isNew) {
            blocks.push([]);
            isNew = false;
            setImmediate(() => {

                isNew = true;
            });
        }

        blocks.at(-1)?.push({ id, acl });
        return id;
    });
    expect([...decided]).to.equal(blocks.flat().map(({ id }) => [id, id]));
    yield *blocks;
}

function lengthOf(block: readonly Listed[]): number {

    const each = new Map(block.map(({ id, acl }) => [id, acl === null ? 0 : JSON.stringify(acl).length]));
    return [...each.values()].reduce((sum, length) => sum + length, 0);
}

forEachDatabase((name, create) => {

    describe(`access control lists of many objects on ${name}`, () => {

        let place: TestDatabase;
        let writer: Database;
        let db: Database;
        /** Length of the lists that each statement has read. */
        let read: number[];
        let afterRead: () => Promise<unknown> | void;

        before(async () => {

            place = await create();
            writer = await place.open();
            db = watchedDatabase(writer, () => {}, (rows: readonly Row[]) => {

                read.push(rows.reduce((sum, { acl }) => sum + (typeof acl === 'string' ? acl.length : 0), 0));
                return afterRead();
            });
            await commit(ids.flatMap((id, n) => insert(id, n, 'test/tip')));
            await commit(small.flatMap((id, n) => insert(id, 3 * n + 1, 'test/small')));
        });

        beforeEach(() => {

            read = [];
            afterRead = () => {};
        });

        after(() => place.dispose());

        async function commit(steps: readonly Step[]): Promise<void> {

            expect((await writer.commit({ steps })).ok).to.be.true();
        }

        /** A version that refers to its object. */
        function insert(id: string, n: number, versionOf: string): Step[] {

            const metadata = {
                createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: n + 1,
                isVersion: true, versionOf, publishedBy: 'admin', publishedOn: 1 + Math.floor(n / 7)
            };
            return [
                ...new ObjectStore(writer).insertSteps({ id, type: 'T', content: {}, acl: aclOf(n), userMetadata: null, elements: [], metadata }, 'taken'),
                ...new ReferenceStore(writer).replaceSteps(id, POINTERS.map((pointer) => ({ pointer, toId: versionOf })), true)
            ];
        }

        for (const [title, list, rows] of LISTS) {
            it(`are read and parsed few at a time for ${title}`, async () => {

                const found: Listed[] = [];
                for await (const block of list(db, 'test/tip', ids)) {
                    expect(lengthOf(block)).to.be.below(MOST_PARSED);
                    found.push(...block);
                }

                const sorted = found.map(({ id, acl }) => ({ id, acl })).sort((a, b) => Number(a.id > b.id) - Number(a.id < b.id));
                expect<unknown>(sorted).to.equal(expected.flatMap((one) => Array<Listed>(rows).fill(one)));
                expect(Math.max(...read)).to.be.below(MOST_READ);
            });

            it(`are read with the objects for ${title} when they are short`, async () => {

                const found: string[] = [];
                for await (const block of list(db, 'test/small', small)) {
                    found.push(...block.map(({ id }) => id));
                }

                expect(new Set(found)).to.equal(new Set(small));
                // A list ends with an empty page.
                expect(read.length).to.equal(title === 'decisions' ? 1 : 2);
            });

            it(`are not missing for ${title} because their objects are deleted meanwhile`, async () => {

                const gone = ['test/gone-1', 'test/gone-2'];
                await commit([...insert('test/gone-1', 1, 'test/brief'), ...insert('test/gone-2', 2, 'test/brief')]);
                afterRead = async () => {

                    afterRead = () => {};

                    await commit([{ sql: 'delete from objects where version_of = ?', bindings: ['test/brief'] }]);
                };

                const found: Listed[] = [];
                for await (const block of list(db, 'test/brief', gone)) {
                    found.push(...block);
                }

                await commit([{ sql: 'delete from object_refs where to_id = ?', bindings: ['test/brief'] }]);
                expect(found.map(({ id, acl }) => ({ id, acl }))).to.equal(Array<Listed>(rows).fill({ id: 'test/gone-1', acl: aclOf(1) }));
            });
        }
    });
});
