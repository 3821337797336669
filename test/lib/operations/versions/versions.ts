/** Versions by their operations, on every database. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, whoIs } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import type { RecordOutput } from '../../../../lib/doip/record-output.js';
import { envelope, startGateway } from '../../../support/gateway.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { VersionKit } from '../../../support/versions.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD_REQUEST = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const NOT_FOUND = '0.DOIP/Status.104';
const CONFLICT = '0.DOIP/Status.105';

forEachDatabase((name, create) => {

    describe(`versions on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let kit: VersionKit;
        let ann: string;
        let count = 0;
        let tip = '';

        before(async () => {

            place = await create();
            test = await startGateway(place);
            kit = new VersionKit(test);
            await defineAccounts(test);
            ann = (await test.create(ACCOUNT, account('ann'))).id;
            await test.create(ACCOUNT, account('bob'));
        });

        beforeEach(async () => {

            tip = `test/doc${++count}`;
            await kit.document(tip, { content: { name: 'Map' }, acl: { readers: ['public'], writers: [ann] }, userMetadata: { batch: 7 } }, 'old bytes');
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        it('are full copies of the object', async () => {

            const record = await kit.publish(tip, {}, { authentication: basic('ann') });
            const [version, object] = [await kit.retrieve(record.id), await kit.retrieve(tip)];

            expect(Object.keys(record)).to.equal(['id', 'type', 'versionOf', 'publishedBy', 'publishedOn', 'isTip']);
            expect<unknown>(record).to.include({ type: 'Document', versionOf: tip, publishedBy: ann, isTip: false });
            const { txnId: ownTxnId, ...metadata } = version.attributes.metadata;
            const { txnId, ...metadataOfTip } = object.attributes.metadata;
            expect<unknown>(metadata).to.equal({
                ...metadataOfTip, isVersion: true, versionOf: tip, publishedBy: ann, publishedOn: record['publishedOn']
            });
            expect(ownTxnId as number).to.be.above(txnId as number);
            expect<unknown>({ ...version, id: tip, attributes: { ...version.attributes, metadata: object.attributes.metadata } }).to.equal(object);
            expect<unknown>(version.attributes['content']).to.include({ id: tip });
            expect((await kit.bytesOf(record.id)).value).to.equal('old bytes');
        });

        it('stay unchanged when the object is changed or deleted', async () => {

            const { id } = await kit.publish(tip);
            const before = await kit.retrieve(id);
            await kit.change(tip, { name: 'Other' }, 'new');

            expect<unknown>(await kit.retrieve(id)).to.equal(before);
            expect((await kit.bytesOf(id)).value).to.equal('old bytes');
            expect((await kit.bytesOf(tip)).value).to.equal('new');

            await test.asAdmin(Op.delete, { targetId: tip });

            expect<unknown>(await kit.retrieve(id)).to.equal(before);
            expect((await kit.bytesOf(id)).value).to.equal('old bytes');
        });

        it('have no elements when clonePayloads is false', async () => {

            const { id } = await kit.publish(tip, { clonePayloads: false });

            expect<unknown>((await kit.retrieve(id)).elements).to.equal([]);
            expect((await kit.bytesOf(id)).status).to.equal(NOT_FOUND);
            expect((await kit.bytesOf(tip)).value).to.equal('old bytes');
        });

        it('are listed in blocks, each of which is read when it is asked for, until the client is gone', async () => {

            const ids: string[] = [];
            for (let n = 0; n < 401; ++n) {
                ids.push((await kit.publish(tip, { clonePayloads: false })).id);
            }

            const list = async (): Promise<{ output: RecordOutput; leave: () => void }> => {

                const leaving = new AbortController();
                const { output } = await test.gateway.perform({ ...envelope(Op.versionsGet, { targetId: tip }), signal: leaving.signal });
                return { output: output as RecordOutput, leave: () => leaving.abort(new Error('the client has left')) };
            };

            const { output } = await list();
            const blocks: string[][] = [];
            for (let block = await output.next(); block; block = await output.next()) {
                blocks.push((block as JsonObject[]).map(({ id }) => id as string));
            }

            expect(blocks.map(({ length }) => length)).to.equal([200, 200, 1, 1]);
            const publishedOn = (await kit.list(tip)).map((record) => record['publishedOn'] as number);
            expect(publishedOn.slice(0, -1)).to.equal(publishedOn.slice(0, -1).sort((one, other) => one - other));
            expect(blocks.flat().sort()).to.equal([...ids, tip].sort());
            expect(blocks.at(-1)).to.equal([tip]);

            const left = await list();
            await left.output.next();
            left.leave();
            await expect(left.output.next()).to.reject('the client has left');
            expect(await left.output.next()).to.be.null();

            const closed = await list();
            await closed.output.next();
            await closed.output.close();
            expect(await closed.output.next()).to.be.null();
        });

        it('are listed from the oldest to the tip, for any id of the family', async () => {

            const ids = [(await kit.publish(tip)).id, (await kit.publish(tip, { versionId: `${tip}.v2` })).id, (await kit.publish(tip)).id];
            const records = await kit.list(tip);
            expect(ids[1]).to.equal(`${tip}.v2`);
            expect<unknown>(records.map(({ id }) => id).sort()).to.equal([...ids, tip].sort());
            expect<unknown>(records.slice(0, 3).map(({ publishedOn }) => publishedOn)).to.equal(
                records.slice(0, 3).map(({ publishedOn }) => publishedOn as number).sort((one, other) => one - other));
            expect<unknown>(records.at(-1)).to.equal({
                id: tip, type: 'Document', modifiedOn: (await kit.retrieve(tip)).attributes.metadata['modifiedOn'], isTip: true
            });
            expect<unknown>(await kit.list(ids[1]!)).to.equal(records);
        });

        it('are listed completely when there are many', async () => {

            const ids: string[] = [];
            // Each waits for the others of the same object, and not for ever.
            for (let i = 0; i < 9; ++i) {
                ids.push(...await Promise.all(Array.from({ length: 50 }, async () => (await kit.publish(tip, { clonePayloads: false })).id)));
            }

            const records = await kit.list(tip);

            expect<unknown>(records.map(({ id }) => id).sort()).to.equal([...ids, tip].sort());
            expect<unknown>(records.at(-1)?.['isTip']).to.be.true();
        });

        it('outlive their tip, and are still listed by its id', async () => {

            const { id } = await kit.publish(tip);
            const [record] = await kit.list(tip);
            await test.asAdmin(Op.delete, { targetId: tip });

            expect<unknown>(await kit.list(tip)).to.equal([record]);
            expect<unknown>(await kit.list(id)).to.equal([record]);

            await test.asAdmin(Op.delete, { targetId: id });

            expect((await test.asAdmin(Op.versionsGet, { targetId: tip })).status).to.equal(NOT_FOUND);
        });

        it('are visible to their readers', async () => {

            const open = await kit.publish(tip);
            await test.asAdmin(Op.aclsUpdate, { targetId: tip, input: { readers: [ann], writers: [] } });
            const closed = await kit.publish(tip);
            await test.asAdmin(Op.aclsUpdate, { targetId: tip, input: { readers: ['public'], writers: [] } });
            const ids = async (request: ShortRequest): Promise<unknown[]> => (await kit.list(tip, request)).map(({ id }) => id);

            expect(await ids({ authentication: {} })).to.equal([open.id, tip]);
            expect(await ids({ authentication: basic('ann') })).to.equal([open.id, closed.id, tip]);

            await test.asAdmin(Op.delete, { targetId: tip });
            await test.asAdmin(Op.delete, { targetId: open.id });

            expect((await test.perform(Op.versionsGet, { targetId: tip })).status).to.equal(NOT_FOUND);
            expect(await ids({ authentication: basic('ann') })).to.equal([closed.id]);
        });

        it('cannot be changed, only deleted', async () => {

            const { id } = await kit.publish(tip);
            const before = await kit.retrieve(id);
            const changes: readonly (readonly [string, ShortRequest])[] = [
                [Op.update, { input: { attributes: { content: { name: 'x' } } } }],
                [Op.update, { attributes: { elementsToDelete: ['scan'] } }],
                [Op.aclsUpdate, { input: { readers: [] } }]
            ];
            for (const [operation, request] of changes) {
                const { status, value } = await test.asAdmin(operation, { targetId: id, ...request });
                expect([status, value]).to.equal([BAD_REQUEST, { message: 'Object versions cannot be edited' }]);
            }

            expect<unknown>(await kit.retrieve(id)).to.equal(before);
            expect((await test.perform(Op.delete, { targetId: id, authentication: basic('bob') })).status).to.equal(FORBIDDEN);
            expect((await test.perform(Op.delete, { targetId: id, authentication: basic('ann') })).status).to.equal(OK);
            expect((await test.asAdmin(Op.retrieve, { targetId: id })).status).to.equal(NOT_FOUND);
            expect((await kit.bytesOf(tip)).value).to.equal('old bytes');
        });

        it('can be changed if the design allows it, and stay versions', async () => {

            const { id } = await kit.publish(tip);
            await kit.withDesign({ enableVersionEdits: true }, async () => {

                const { status } = await test.asAdmin(Op.update, { targetId: id, input: { attributes: { content: { name: 'Mended' } } } });
                const { attributes: { content, metadata } } = await kit.retrieve(id);

                expect(status).to.equal(OK);
                expect<unknown>(content).to.include({ name: 'Mended' });
                expect<unknown>(metadata).to.include({ isVersion: true, versionOf: tip });
            });
        });

        const refused: readonly (readonly [title: string, status: string, request: () => ShortRequest, message?: string])[] = [
            ['for anonymous callers', UNAUTHENTICATED, () => ({ targetId: tip, authentication: {} })],
            ['for callers who may not write', FORBIDDEN, () => ({ targetId: tip, authentication: basic('bob') })],
            ['of a missing object', NOT_FOUND, () => ({ targetId: 'test/none' })],
            ['under an id that is taken', CONFLICT, () => ({ targetId: tip, attributes: { versionId: ann } }), 'Object already exists: '],
            ['under the id of the object', CONFLICT, () => ({ targetId: tip, attributes: { versionId: tip } }), 'Object already exists: '],
            ['under an invalid id', BAD_REQUEST, () => ({ targetId: tip, attributes: { versionId: 'none' } }), 'Invalid handle: none'],
            ['under an empty id', BAD_REQUEST, () => ({ targetId: tip, attributes: { versionId: '' } }), 'Invalid handle'],
            ['under the id of the service', BAD_REQUEST, () => ({ targetId: tip, attributes: { versionId: 'test/service' } }), 'Invalid handle'],
            ['under the id of the design', BAD_REQUEST, () => ({ targetId: tip, attributes: { versionId: 'design' } }), 'Invalid handle'],
            ['under an id that is no text', BAD_REQUEST, () => ({ targetId: tip, attributes: { versionId: ['test/x'] } }), 'versionId'],
            ['with an invalid clonePayloads', BAD_REQUEST, () => ({ targetId: tip, attributes: { clonePayloads: 'perhaps' } }), 'clonePayloads'],
            ['by GET', BAD_REQUEST, () => ({ targetId: tip, safe: true }), 'use POST']
        ];
        for (const [title, status, request, message = ''] of refused) {
            it(`are not published ${title}`, async () => {

                const answer = await test.asAdmin(Op.versionsPublish, request());

                expect(answer.status, JSON.stringify(answer.value)).to.equal(status);
                expect((answer.value as { message: string }).message).to.contain(message);
                expect((await kit.list(tip)).length).to.equal(1);
            });
        }

        it('have no versions themselves', async () => {

            const { id } = await kit.publish(tip);
            const { status, value } = await test.asAdmin(Op.versionsPublish, { targetId: id });

            expect([status, value]).to.equal([BAD_REQUEST, { message: 'Cannot publish a version for an object that is not the tip.' }]);
            expect((await kit.list(tip)).length).to.equal(2);
        });

        it('get one id each when many request the same one', async () => {

            const answers = await Promise.all(Array.from({ length: 8 }, () => test.asAdmin(Op.versionsPublish, {
                targetId: tip, attributes: { versionId: `${tip}.same` }
            })));

            expect(answers.map(({ status }) => status).sort()).to.equal([OK, ...Array<string>(7).fill(CONFLICT)]);
            expect((await kit.list(tip)).length).to.equal(2);
        });

        it('are found on request only', async () => {

            const { id } = await kit.publish(tip);
            const search = async (more: JsonObject): Promise<unknown> => {

                const { value } = await test.asAdmin(Op.search, { attributes: { query: `versionOf:"${tip}" id:"${tip}"`, type: 'id', ...more } });
                return (value as { results: string[] }).results.sort();
            };

            expect(await search({})).to.equal([tip]);
            expect(await search({ includeVersions: true })).to.equal([tip, id].sort());
        });

        it('of a user are not users', async () => {

            const { id } = await kit.publish(ann);

            expect((await whoIs(test, basic('ann'))).value).to.include({ userId: ann });
            expect((await whoIs(test, { username: id, password: 'ann-password' })).status).to.equal(UNAUTHENTICATED);

            await test.asAdmin(Op.delete, { targetId: id });

            expect((await whoIs(test, basic('ann'))).value).to.include({ userId: ann, active: true });
        });

        it('of a type are not types', async () => {

            const type = await test.create('Schema', { name: `Kind${count}`, schema: { type: 'object', required: ['x'] } });
            const { id } = await kit.publish(type.id);
            await test.asAdmin(Op.update, { targetId: type.id, input: { attributes: { content: { name: `Kind${count}`, schema: { type: 'object' } } } } });

            await test.create(`Kind${count}`, {});
            await test.asAdmin(Op.delete, { targetId: id });
            await test.create(`Kind${count}`, {});
        });

        it('can be published of objects whose type was deleted', async () => {

            const type = await test.create('Schema', { name: `Lost${count}`, schema: { type: 'object' } });
            const { id } = await test.create(`Lost${count}`, { n: 1 });
            await test.asAdmin(Op.delete, { targetId: type.id });
            const record = await kit.publish(id);

            expect<unknown>((await kit.retrieve(record.id)).attributes['content']).to.equal({ n: 1 });
        });

        it('are not published while the service is read-only', async () => {

            await kit.withDesign({ isReadOnly: true }, async () => {

                const { status, value } = await test.asAdmin(Op.versionsPublish, { targetId: tip });
                expect([status, value]).to.equal([BAD_REQUEST, { message: 'Cordra is read-only' }]);
            });
        });

        it('are among the listed operations', async () => {

            const offered = async (request: ShortRequest): Promise<string[]> => {

                const { value } = await test.perform(Op.listOperations, { targetId: tip, ...request });
                return (value as string[]).filter((id) => id.includes('Versions'));
            };

            expect(await offered({})).to.equal([Op.versionsGet]);
            expect(await offered({ authentication: basic('ann') })).to.equal([Op.versionsPublish, Op.versionsGet]);
        });
    });
});
