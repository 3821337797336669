/**
 * Objects and their versions share the bytes of payloads, and each still has its own: whatever is published, replaced, deleted, swept
 * and restarted, in any order and beside each other, compared with a model that keeps the bytes of every object apart.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import type { Segment } from '../../../../lib/doip/envelope.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { startGateway } from '../../../support/gateway.js';
import { seeded } from '../../../support/random.js';
import { rounds, roundsMs } from '../../../support/rounds.js';
import { changeDesign } from '../../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const NAMES = ['a', 'b'];
const ROUNDS = rounds(20, 100);
const DAY_MS = 86_400_000;

/** What each object must give back: bytes, as the text that stands for them, by the names of payloads. */
type Model = Map<string, { readonly versionOf: string | null; readonly payloads: Map<string, string> }>;

forEachDatabase((name, create) => {

    describe(`the bytes that versions share on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let test: TestGateway;
        let blobs: BlobStore;
        let sweeper: BlobSweeper;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await changeDesign(test, { enableVersionEdits: true });
            database = await place.open();
            const stores = new ElementStores(new DatabaseElementStore(database.blobs));
            blobs = new BlobStore(database, stores, { log: SILENT });
            sweeper = new BlobSweeper(database, stores, blobs, SILENT);
        });

        after(async () => {

            blobs.close();
            await test.stop();
            await place.dispose();
        });

        async function succeed(operation: string, request: ShortRequest): Promise<unknown> {

            const { status, value } = await test.asAdmin(operation, request);
            expect(status, `${operation} ${JSON.stringify(request.attributes ?? {})}: ${JSON.stringify(value)}`).to.equal('0.DOIP/Status.001');
            return value;
        }

        /** What nobody links any more goes at once; what is being stored stays. */
        function sweep(): Promise<unknown> {

            return sweeper.sweep(Date.now() + 1, { grace: 0, stagedTtl: DAY_MS, limit: 1000 });
        }

        async function check(model: Model, context: string): Promise<void> {

            for (const [id, { payloads }] of model) {
                const { elements } = await succeed(Op.retrieve, { targetId: id }) as { elements: { id: string }[] };
                expect(elements.map((element) => element.id).toSorted(), `${context}: ${id}`).to.equal([...payloads.keys()].toSorted());
                for (const [element, text] of payloads) {
                    const found = await succeed(Op.retrieve, { targetId: id, attributes: { element } });
                    expect(found === text, `${context}: bytes ${element} of ${id}`).to.be.true();
                }
            }
        }

        it('stay available to each object when others change', { timeout: roundsMs(300_000) }, async () => {

            const random = seeded(20261);
            const model: Model = new Map();
            let count = 0;

            /** Sometimes so much that it is kept in several pieces. */
            const text = (): string => `${++count};`.repeat(random.chance(0.15) ? 120_000 : random.integer(0, 50));
            const segments = (object: JsonObject, payloads: ReadonlyMap<string, string>): Segment[] => [
                jsonSegment(object), ...[...payloads].flatMap(([id, bytes]) => [jsonSegment({ id }), bytesSegment(Buffer.from(bytes))])
            ];
            const some = (): Map<string, string> => new Map(NAMES.filter(() => random.chance(0.6)).map((id) => [id, text()]));

            const make = async (): Promise<void> => {

                const [id, payloads] = [`test/d${++count}`, some()];
                await succeed(Op.create, { input: segments({ id, type: 'Document', attributes: { content: {} } }, payloads) });
                model.set(id, { versionOf: null, payloads });
            };

            const publish = async (id: string): Promise<void> => {

                const [versionId, clonePayloads] = [`test/v${++count}`, random.chance(0.8)];
                const known = model.get(id)?.payloads ?? new Map<string, string>();
                const payloads = clonePayloads ? new Map(known) : new Map<string, string>();
                await succeed(Op.versionsPublish, { targetId: id, attributes: { versionId, clonePayloads } });
                model.set(versionId, { versionOf: id, payloads });
            };

            const change = async (id: string): Promise<void> => {

                const payloads = model.get(id)?.payloads ?? new Map<string, string>();
                const [fresh, gone] = [some(), NAMES.filter(() => random.chance(0.3))];
                await succeed(Op.update, { targetId: id, input: segments({ attributes: { content: { n: ++count }, elementsToDelete: gone } }, fresh) });
                gone.forEach((element) => payloads.delete(element));
                fresh.forEach((bytes, element) => payloads.set(element, bytes));
            };

            const remove = async (id: string): Promise<void> => {

                await succeed(Op.delete, { targetId: id });
                model.delete(id);
            };

            for (let round = 0; round < ROUNDS; ++round) {
                const [tips, all] = [[...model].filter(([, { versionOf }]) => versionOf === null).map(([id]) => id), [...model.keys()]];
                const busy = new Set<string>();
                const work = Array.from({ length: 6 }, (): Promise<unknown> => {

                    const kind = random.integer(0, 9);
                    const id = all.length === 0 ? undefined : kind < 6 && tips.length > 0 ? random.pick(tips) : random.pick(all);
                    if (id === undefined || kind === 9 || busy.has(id)) {
                        return make();
                    }

                    busy.add(id);
                    return kind < 3 && tips.includes(id) ? publish(id) : kind < 7 ? change(id) : remove(id);
                });
                await Promise.all([...work, sweep(), sweep()]);
                await sweep();
                if (round % 13 === 12) {
                    await test.stop();
                    test = await startGateway(place);
                }

                await check(model, `round ${round}`);
            }

            await Promise.all([...model.keys()].map((id) => remove(id)));
            await sweep();
            const left = await database.read({ sql: 'select id, state, links from blobs' }, []);
            expect(left.map((row) => ({ ...row }))).to.equal([]);
        });
    });
});
