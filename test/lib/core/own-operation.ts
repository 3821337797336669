import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestDatabase } from '../../support/database.js';
import type { Answer, TestGateway } from '../../support/gateway.js';
import { DEFAULT_TEXT_LIMITS } from '../../../lib/payloads/text-extractor.js';
import { RecordOutput } from '../../../lib/doip/record-output.js';
import { jsonSegment, readBytes } from '../../../lib/doip/segments.js';
import { conflict, defineOperation, result, type ElementStore, type OperationContext } from '../../../lib/index.js';
import { forEachDatabase } from '../../support/database.js';
import { ADMIN, startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const MISSING = '0.DOIP/Status.104';
const CONFLICT = '0.DOIP/Status.105';

const ANN: JsonObject = { username: 'ann', password: 'password of ann' };

/** Milliseconds that a search may take, and waits for others of its caller: enough for a loaded machine. */
const SEARCH_MS = 60_000;

/** More unlimited searches than a caller may have at once. */
const SEARCHES = 5;

/** True if the results that were passed on are a record, which translators write in forms of their own. */
let isRecord = false;

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
    forget: async ({ perform }) => void await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } }),
    leave: async ({ perform }) => {

        const { output } = await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } });
        await output[Symbol.asyncIterator]().next();
    },
    fail: async ({ perform }) => {

        await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } });
        throw conflict('after a search');
    },
    peek: async ({ objects, attributes: { id } }) => {

        const chunks = (await objects.element(id, 'file'))[Symbol.asyncIterator]();
        return Buffer.from((await chunks.next()).value as Uint8Array).toString();
    },
    services: async (context) => Promise.resolve((context as unknown as { services: unknown }).services === undefined),
    unchecked: async ({ uncheckedServices, attributes: { id } }) => (await uncheckedServices.reader.view(id)).object?.id
};

/** Reads of element bytes. */
const reads = { begun: 0, ended: 0 };
const stored = new Map<number, Buffer>();

const MEMORY: ElementStore = {
    async write(blobId, body) {

        stored.set(blobId, await readBytes(body, 1000));
    },
    async *read(blobId, { start, end }) {

        ++reads.begun;
        try {
            yield stored.get(blobId)?.subarray(start, end + 1) ?? Buffer.alloc(0);
        }
        finally {
            ++reads.ended;
        }
    },
    remove: async (blobId) => void stored.delete(blobId),
    list: async () => []
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
            // Without extraction of texts, which reads elements in the background.
            const texts = { ...DEFAULT_TEXT_LIMITS, characters: 0 };
            const options = { search: { timeout: SEARCH_MS }, elementStores: { memory: MEMORY }, storageChooser: () => 'memory', texts };
            node = await startGateway(database, options, (gateway) => {

                gateway.registerOperation(defineOperation({
                    id: 'x/pass', summary: 'pass the results on', target: 'service', methods: ['GET', 'POST'], authorise: 'anyone',
                    async handler({ perform }) {

                        await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } });
                        const found = await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } });
                        isRecord = found.output instanceof RecordOutput;
                        return found;
                    }
                }));
                gateway.registerOperation(defineOperation({
                    id: 'x/later', summary: 'search while the output is read', target: 'service', methods: ['GET', 'POST'],
                    async authorise({ perform }) {

                        await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } });
                    },
                    handler: async ({ perform }) => result.segments((async function *() {

                        yield jsonSegment(1);
                        await perform('0.DOIP/Op.Search', { attributes: { query: '*:*' } });
                    })())
                }));

                for (const [id, authorise] of [['x/read', 'reader'], ['x/write', 'writer']] as const) {
                    gateway.registerOperation(defineOperation({
                        id, summary: 'name the properties of the target', target: 'object', methods: ['GET', 'POST'], authorise,
                        handler: async ({ target }) => Promise.resolve(result.json(Object.keys(target.content).toSorted()))
                    }));
                }

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

        for (const [deed, status] of [['forget', OK], ['leave', OK], ['fail', CONFLICT], ['pass', OK], ['later', OK]] as const) {
            it(`keeps no search beyond the request: ${deed}`, async () => {

                const statuses: string[] = [];
                for (let n = 0; n < SEARCHES; ++n) {
                    statuses.push((await does(deed, ANN)).status);
                }

                expect(statuses).to.equal(Array.from({ length: SEARCHES }, () => status));
            });
        }

        it('passes the results of a search on as they are', async () => {

            const { value } = await does('pass', ADMIN);

            expect((value as { results: { id: string }[] }).results.map(({ id }) => id)).to.include(['test/ann', 'test/hidden']);
            expect(isRecord).to.be.true();
        });

        it('keeps no element open beyond the request', async () => {

            await node.create('Document', {}, { id: 'test/file' });
            await does('update', ADMIN, 'test/file');
            Object.assign(reads, { begun: 0, ended: 0 });
            const peeked = await does('peek', ADMIN, 'test/file');

            expect(peeked.value).to.equal('0123456789');
            expect(reads).to.equal({ begun: 1, ended: 1 });
        });

        it('gives a reader the target as type code shows it, and a writer as it is stored', async () => {

            const javascript = `exports.onObjectResolution = (object, { userId }) => {
                if (object.content.isGone) { throw 'gone'; }
                delete object.content.secret;
                return object;
            };`;
            await node.create('Schema', { name: 'Veiled', schema: { type: 'object' }, javascript });
            const acl = { readers: ['public'], writers: ['test/ann'] };
            await node.create('Veiled', { secret: 's', shown: 'x' }, { id: 'test/veiled', attributes: { acl } });
            await node.create('Veiled', { isGone: true }, { id: 'test/gone', attributes: { acl } });
            const seen = async (operation: string, targetId: string): Promise<unknown> => {

                const { status, value } = await node.perform(operation, { targetId, authentication: ANN });
                return status === OK ? value : status;
            };

            expect(await seen('x/read', 'test/veiled')).to.equal(['shown']);
            expect(await seen('x/read', 'test/gone')).to.equal(BAD).and.to.equal(await seen('0.DOIP/Op.Retrieve', 'test/gone'));
            expect(await seen('x/write', 'test/veiled')).to.equal(['secret', 'shown']);
        });

        it('reaches services without access control by a name that says so', async () => {

            const hidden = await does('services', {});
            const unchecked = await does('unchecked', {});

            expect([hidden.value, unchecked.value]).to.equal([true, 'test/hidden']);
        });
    });
});
