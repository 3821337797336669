import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestDatabase } from '../../support/database.js';
import type { Answer, TestGateway } from '../../support/gateway.js';
import { readBytes } from '../../../lib/doip/segments.js';
import { defineOperation, result, type OperationContext } from '../../../lib/index.js';
import { forEachDatabase } from '../../support/database.js';
import { ADMIN, startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const MISSING = '0.DOIP/Status.104';

const ANN: JsonObject = { username: 'ann', password: 'password of ann' };

/** What a handler does, by name. */
const DEEDS: Readonly<Record<string, (context: OperationContext<{ id: string }>) => Promise<unknown>>> = {
    create: ({ objects, attributes: { id } }) => objects.create({ id, type: 'Document', content: { name: 'made' } }),
    rehearse: ({ objects, attributes: { id } }) => objects.create({ id, type: 'Document', content: {} }, { dryRun: true }),
    design: ({ objects }) => objects.create({ type: 'Schema', content: { name: 'Taken', schema: {} } }),
    retrieve: ({ objects, attributes: { id } }) => objects.retrieve(id),
    update: ({ objects, attributes: { id } }) => objects.update(id, {
        content: { name: 'changed' }, elements: { file: { body: bytes('0123456789'), mediaType: 'text/plain', filename: 'a.txt' } }
    }),
    element: async ({ objects, attributes: { id } }) => (await readBytes(await objects.element(id, 'file', { start: 2, end: 4 }), 10)).toString(),
    delete: ({ objects, attributes: { id } }) => objects.delete(id),
    search: async ({ search, attributes: { id } }) => (await search(`id:"${id}"`)).results.map((object) => object.id),
    perform: async ({ perform, attributes: { id } }) => (await perform('0.DOIP/Op.Delete', { targetId: id })).status,
    services: async (context) => Promise.resolve((context as unknown as { services: unknown }).services === undefined),
    unchecked: async ({ uncheckedServices, attributes: { id } }) => (await uncheckedServices.reader.view(id)).object?.id
};

async function *bytes(text: string): AsyncGenerator<Uint8Array> {

    yield Buffer.from(text);
}

forEachDatabase((name, create) => {

    describe(`a custom operation on ${name}`, () => {

        let database: TestDatabase;
        let node: TestGateway;

        before(async () => {

            database = await create();
            node = await startGateway(database, {}, (gateway) => {

                for (const [deed, work] of Object.entries(DEEDS)) {
                    gateway.registerOperation(defineOperation<{ id: string }>({
                        id: `x/${deed}`, summary: deed, target: 'service', methods: ['GET', 'POST'], authorise: 'anyone',
                        handler: async (context) => result.json(JSON.parse(JSON.stringify(await work(context) ?? null)) as JsonObject)
                    }));
                }
            });
            await node.create('User', { username: 'ann', password: 'password of ann' }, { id: 'test/ann' });
            await node.create('Document', { name: 'secret' }, { id: 'test/hidden', attributes: { acl: { readers: [], writers: [] } } });
        });

        after(async () => {

            await node.stop();
            await database.dispose();
        });

        const does = (deed: string, authentication: JsonObject, id = 'test/hidden', safe = false): Promise<Answer> => (
            node.perform(`x/${deed}`, { authentication, attributes: { id }, safe })
        );

        const REFUSED: readonly (readonly [deed: string, id: string, anonymous: string, ann: string])[] = [
            ['create', 'test/by-nobody', UNAUTHENTICATED, OK],
            ['rehearse', 'test/never', UNAUTHENTICATED, OK],
            ['design', '', UNAUTHENTICATED, FORBIDDEN],
            ['retrieve', 'test/hidden', UNAUTHENTICATED, FORBIDDEN],
            ['update', 'test/hidden', UNAUTHENTICATED, FORBIDDEN],
            ['element', 'test/hidden', UNAUTHENTICATED, FORBIDDEN],
            ['delete', 'test/hidden', UNAUTHENTICATED, FORBIDDEN],
            ['perform', 'test/hidden', UNAUTHENTICATED, FORBIDDEN],
            ['retrieve', 'test/none', MISSING, MISSING]
        ];
        for (const [deed, id, anonymous, ann] of REFUSED) {
            it(`does what its caller may do: ${deed} ${id}`, async () => {

                expect((await does(deed, {}, id)).status).to.equal(anonymous);
                expect((await does(deed, ANN, id)).status).to.equal(ann);
            });
        }

        it('creates, reads, changes, finds and deletes objects on behalf of its caller', async () => {

            const made = await does('create', ANN, 'test/own');
            const changed = await does('update', ANN, 'test/own');
            const read = await does('retrieve', {}, 'test/own');
            const part = await does('element', {}, 'test/own');
            const found = await does('search', {}, 'test/own');
            const removed = await does('delete', ANN, 'test/own');
            const gone = await does('retrieve', ANN, 'test/own');

            const { attributes: { metadata } } = made.value as { attributes: { metadata: JsonObject } };
            expect<unknown>(metadata).to.include({ createdBy: 'test/ann' });
            expect(changed.status).to.equal(OK);
            expect(read.value).to.include({ id: 'test/own', elements: [{ id: 'file', length: 10, type: 'text/plain', attributes: { filename: 'a.txt' } }] });
            expect(part.value).to.equal('234');
            expect(found.value).to.equal(['test/own']);
            expect([removed.status, gone.status]).to.equal([OK, MISSING]);
        });

        it('finds nothing that its caller may not read', async () => {

            const byAnn = await does('search', ANN);
            const byAdmin = await does('search', ADMIN);

            expect([byAnn.value, byAdmin.value]).to.equal([[], ['test/hidden']]);
        });

        it('changes nothing in a safe request', async () => {

            const answer = await does('create', ANN, 'test/by-get', true);
            const found = await does('retrieve', ADMIN, 'test/by-get', true);

            expect([answer.status, found.status]).to.equal([BAD, MISSING]);
        });

        it('reaches services without access control by a name that says so', async () => {

            const hidden = await does('services', {});
            const unchecked = await does('unchecked', {});

            expect([hidden.value, unchecked.value]).to.equal([true, 'test/hidden']);
        });
    });
});
