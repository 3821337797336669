/** The methods of the client for DOIP besides objects and searches, over both transports; and that they are those of the client for REST. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import type { DoipClient, Progress } from '../../../lib/client/index.js';
import { connect, DoipClient as DoipClientClass, DoipError, readBytes, RepositoryClient, RequestError, Status } from '../../../lib/client/index.js';
import { READING } from '../../../lib/client/reading-operations.js';
import { bytesOf } from '../../../lib/doip/segments.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { isReading } from '../../../lib/core/authorise.js';
import { builtInOperations } from '../../../lib/operations/index.js';
import { addressOf, TRANSPORTS } from '../../support/doip-links.js';
import { ADMIN } from '../../support/native.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(3_000_000);

async function *chunks(): AsyncGenerator<Uint8Array> {

    for (let start = 0; start < LARGE.length; start += 100_000) {
        yield LARGE.subarray(start, start + 100_000);
    }
}

async function statusOf(action: Promise<unknown>): Promise<unknown> {

    const error: unknown = await action.then(() => null, (reason: unknown) => reason);
    return error instanceof DoipError ? error.status : error;
}

for (const transport of TRANSPORTS) {
    describe(`methods of the client over ${transport}`, () => {

        let test: TestServer;
        let client: DoipClient;

        before(async () => {

            test = await startServer({ DOIP_PORT: 0 });
            client = connect(addressOf(test, transport), ADMIN);
        });

        after(async () => {

            client.close();
            await test.stop();
        });

        const create = (id: string, elements: Parameters<DoipClient['create']>[0]['elements'] = []): ReturnType<DoipClient['create']> =>
            client.create({ id, type: 'Document', attributes: { content: { name: id } }, elements });

        /** Reports that make sense: from 0, never fewer, with one total. */
        const end = (reports: readonly Progress[]): Progress | undefined => {

            const loaded = reports.map((each) => each.loaded);
            const isRising = loaded.every((each, n) => each >= (loaded[n - 1] ?? 0));
            expect([loaded[0], isRising, new Set(reports.map(({ total }) => total)).size]).to.equal([0, true, 1]);
            expect(reports.length).to.be.above(3);
            return reports.at(-1);
        };

        it('report the progress of elements that are sent and received', async () => {

            const sent: Progress[] = [];
            const unsized: Progress[] = [];
            const received: Progress[] = [];
            const part: Progress[] = [];
            await client.create({
                id: 'test/progress', type: 'Document', attributes: { content: {} },
                elements: [{ id: 'a', body: chunks(), size: LARGE.length }, { id: 'b', body: Buffer.from('five!') }, { id: 'c', body: new Blob(['six!!!']) }]
            }, { onProgress: (progress) => sent.push(progress) });
            await client.putElement('test/progress', { id: 'd', body: chunks() }, { onProgress: (progress) => unsized.push(progress) });
            const whole = await client.retrieveElement('test/progress', 'a', { onProgress: (progress) => received.push(progress) });
            const bytes = whole && await readBytes(whole, 1e9);
            const range = await client.retrieveElement('test/progress', 'a', {
                range: { start: 10, end: 2_000_009 }, onProgress: (progress) => part.push(progress)
            });
            const ranged = range && await readBytes(range, 1e9);

            const total = LARGE.length + 11;
            expect([end(sent), end(unsized)]).to.equal([{ loaded: total, total }, { loaded: LARGE.length, total: null }]);
            expect([end(received), end(part)]).to.equal([{ loaded: LARGE.length, total: LARGE.length }, { loaded: 2_000_000, total: 2_000_000 }]);
            expect([bytes?.equals(LARGE), ranged?.equals(LARGE.subarray(10, 2_000_010))]).to.equal([true, true]);
        });

        it('create, read, replace and delete types', async () => {

            await client.putType('Book', { type: 'object', required: ['title'] });
            await client.putType('Book', { type: 'object', required: ['name'] });

            expect<unknown>([await client.getType('Book'), Object.keys(await client.types()).includes('Book')]).to.equal([{ type: 'object', required: ['name'] }, true]);
            const error: unknown = await client.create({ type: 'Book', attributes: { content: {} } }).catch((reason: unknown) => reason);
            expect(error instanceof RequestError && error.errors.map(({ message }) => message)).to.equal(['is required']);
            await client.deleteType('Book');
            expect([await client.getType('Book'), await statusOf(client.deleteType('Book'))]).to.equal([null, Status.notFound]);
        });

        it('publish versions, with their elements or without', async () => {

            await create('test/published', [{ id: 'a', body: Buffer.from('bytes') }]);
            const first = await client.publish('test/published', { versionId: 'test/published-1' });
            const second = await client.publish('test/published', { clonePayloads: false });
            const versions = await client.versions('test/published');

            expect([first.id, first.isTip, first.versionOf]).to.equal(['test/published-1', false, 'test/published']);
            expect(versions.map(({ id, isTip }) => [id, isTip])).to.equal([[first.id, false], [second.id, false], ['test/published', true]]);
            expect([(await client.retrieve(first.id))?.elements.length, (await client.retrieve(second.id))?.elements.length]).to.equal([1, 0]);
        });

        it('store many objects, each on its own, with the results in their order', async () => {

            const { attributes: { metadata } } = await create('test/many');
            const { success, results } = await client.batch([
                { id: 'test/many', attributes: { content: { name: 'changed' } }, ifMatch: metadata?.txnId ?? 0 },
                { type: 'None', attributes: { content: {} } },
                { id: 'test/many-2', type: 'Document', attributes: { content: {} }, elements: [{ id: 'a', base64Element: 'Ynl0ZXM=' }] },
                { id: 'test/many', attributes: { content: {} }, ifMatch: 1 }
            ], { parallel: false });
            const bytes = await client.retrieveElement('test/many-2', 'a');

            const codes = results.map(({ position, responseCode }) => [position, responseCode]);
            expect([success, codes]).to.equal([false, [[0, 200], [1, 400], [2, 200], [3, 412]]]);
            expect([(await client.retrieve<{ name: string }>('test/many'))?.attributes.content.name, bytes && (await readBytes(bytes, 99)).toString()])
                .to.equal(['changed', 'bytes']);
            expect(await client.batch([])).to.equal({ success: true, results: [] });
        });

        it('read and replace access control lists', async () => {

            const { attributes: { metadata } } = await create('test/acl');
            const acl = { readers: ['public'], writers: [] };

            expect(await client.putAcl('test/acl', acl, { ifMatch: metadata?.txnId ?? 0 })).to.equal(acl);
            expect([await client.getAcl('test/acl'), await client.getAcl('test/none')]).to.equal([acl, null]);
            expect(await statusOf(client.putAcl('test/acl', {}, { ifMatch: metadata?.txnId ?? 0 }))).to.equal(Status.conflict);
            expect(await client.putAcl('test/acl', {})).to.equal({});
        });

        it('change and delete one element, of one version if that is wanted', async () => {

            const { attributes: { metadata } } = await create('test/element', [{ id: 'a', body: Buffer.from('one') }]);
            const ifMatch = `"${metadata?.txnId}"`;
            const put = await client.putElement('test/element', { id: 'b', body: Buffer.from('two'), type: 'text/plain', filename: 'b.txt' }, { ifMatch });

            expect<unknown>(put.attributes.content).to.equal({ id: 'test/element', name: 'test/element' });
            expect(put.elements.map(({ id, type, attributes }) => [id, type, attributes.filename])).to.equal([['a', undefined, undefined], ['b', 'text/plain', 'b.txt']]);
            expect([await statusOf(client.deleteElement('test/element', 'a', { ifMatch })), await statusOf(client.delete('test/element', { ifMatch }))])
                .to.equal([Status.conflict, Status.conflict]);
            await client.deleteElement('test/element', 'a', { ifMatch: put.attributes.metadata?.txnId ?? 0 });
            expect((await client.retrieve('test/element'))?.elements.map(({ id }) => id)).to.equal(['b']);
        });

        it('put an element beside changes of others, and leave long numbers as they are', async () => {

            await client.call('service', Op.create, { input: parseJson('{"id": "test/put", "type": "Document", "attributes": {"content": {"n": 12345678901234567890.10}}}') });
            await Promise.all(['a', 'b', 'c'].map((id) => client.putElement('test/put', { id, body: Buffer.from(id) })));
            const { output } = await client.perform({ targetId: 'test/put', operationId: Op.retrieve, jsonAsBytes: true });
            const text = (await readBytes(bytesOf(output), 10_000)).toString();

            expect((await client.retrieve('test/put'))?.elements.map(({ id }) => id).sort()).to.equal(['a', 'b', 'c']);
            expect(text).to.contain('12345678901234567890.10');
            expect(await statusOf(client.putElement('test/none', { id: 'a', body: Buffer.from('a') }))).to.equal(Status.notFound);
        });

        it('validate without storing, and complete the prefix of an id', async () => {

            const described = { type: 'Document', attributes: { content: { name: 'x' } } };
            const dry = await client.create({ ...described, id: 'test/dry' }, { dryRun: true });
            const { id, attributes: { metadata } } = await client.create(described, { suffix: 'suffixed' });
            const changed = await client.update({ id, attributes: { content: { name: 'y' } } }, { dryRun: true });

            expect<unknown>([dry.id, id, changed.attributes.content['name']]).to.equal(['test/dry', 'test/suffixed', 'y']);
            expect([dry.attributes.metadata?.txnId, changed.attributes.metadata?.txnId]).to.equal([undefined, metadata?.txnId]);
            expect<unknown>([await client.retrieve('test/dry'), (await client.retrieve<{ name: string }>(id))?.attributes.content.name]).to.equal([null, 'x']);
        });

        it('narrow and order searches', async () => {

            await Promise.all(['b', 'a', 'c'].map((name) => create(`test/found-${name}`)));
            const ids: string[] = [];
            for await (const { id, attributes: { content } } of client.search<{ name: string }>('type:Document', {
                filterQueries: ['id:test/found*'], sortFields: [{ name: 'id', reverse: true }], filter: ['/id', '/attributes/content/name']
            })) {
                ids.push(id, content.name);
            }

            expect(ids).to.equal(['c', 'b', 'a'].flatMap((name) => [`test/found-${name}`, `test/found-${name}`]));
        });

        it('say who is calling', async () => {

            expect([(await client.caller()).username, (await client.caller({ full: true })).groupIds]).to.equal(['admin', []]);
        });
    });
}

describe('the clients for DOIP and REST', () => {

    /** Methods that have other names in DOIP. */
    const WORDS: Readonly<Record<string, string>> = {
        retrieve: 'get', retrieveElement: 'getPayload', putElement: 'putPayload', deleteElement: 'deletePayload', perform: 'request'
    };
    /** Methods that only one of both needs. */
    const OWN = ['hello', 'listOperations', 'close', 'logout', 'url'];

    it('have the same methods', () => {

        const namesOf = ({ prototype }: { prototype: object }): string[] =>
            Object.getOwnPropertyNames(prototype).map((name) => WORDS[name] ?? name).filter((name) => !OWN.includes(name)).sort();

        expect(namesOf(DoipClientClass)).to.equal(namesOf(RepositoryClient));
    });

    it('know which operations only read', () => {

        // A call depends on the method, and a login is completed once.
        const others: readonly string[] = [Op.call, Op.loginBegin, Op.loginComplete];
        const reading = builtInOperations.filter(isReading).map(({ id }) => id).filter((id) => !others.includes(id));

        expect([...READING].sort()).to.equal(reading.sort());
    });
});
