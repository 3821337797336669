/** The client for objects, against a running service on every database. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHash, randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Progress, Stored } from '../../../../lib/client/web/index.js';
import { RepositoryClient, RepositoryError } from '../../../../lib/client/web/index.js';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import type { RestService } from '../../../support/rest-service.js';
import { onEveryDatabase } from '../../../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(3_000_000);
const ADMIN = { username: 'admin', password: ADMIN_PASSWORD };

interface Page {
    readonly name: string;
    readonly year?: number;
}

function sha256(bytes: Uint8Array): string {

    return createHash('sha256').update(bytes).digest('hex');
}

/** The RepositoryError with which an action fails. */
async function errorOf(action: Promise<unknown>): Promise<RepositoryError> {

    const error = await action.then(() => new Error('it did not fail'), (reason: unknown) => reason);
    if (!(error instanceof RepositoryError)) {
        throw error as Error;
    }

    return error;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {

    const found: T[] = [];
    for await (const item of items) {
        found.push(item);
    }

    return found;
}

onEveryDatabase((name, start) => {

    describe(`the client for objects on ${name}`, () => {

        let service: RestService;
        let repository: RepositoryClient;
        let folder: string;

        before(async () => {

            service = await start();
            repository = new RepositoryClient(service.url, ADMIN);
            folder = await mkdtemp(join(tmpdir(), 'gateway-web-'));
        });

        after(async () => {

            await service.stop();
            await rm(folder, { recursive: true });
        });

        it('creates, reads, changes and deletes an object', async () => {

            const made = await repository.create<Page>('Document', { name: 'A map' }, { id: 'test/map', acl: { readers: ['public'] }, userMetadata: { box: 7 } });
            const read = await repository.get<Page>('test/map');
            const changed = await repository.update<Page>('test/map', { name: 'A chart', year: 1891 });
            const anonymous = new RepositoryClient(service.url);

            expect<unknown>([made.content.name, made.userMetadata, made.acl]).to.equal(['A map', { box: 7 }, { readers: ['public'] }]);
            expect<unknown>(read).to.equal(made);
            expect(made.etag).to.equal(`"${made.metadata?.txnId}"`);
            expect<unknown>([changed.content.year, changed.acl, changed.userMetadata]).to.equal([1891, { readers: ['public'] }, { box: 7 }]);
            expect(changed.etag).to.not.equal(made.etag);
            expect((await anonymous.get<Page>('test/map'))?.content.name).to.equal('A chart');
            await repository.delete('test/map', { ifMatch: changed.etag });
            expect(await repository.get('test/map')).to.be.null();
        });

        it('makes ids, and takes every id that the service takes', async () => {

            const minted = await repository.create('Document', { name: 'no id' });
            const suffixed = await repository.create('Document', { name: 'a suffix' }, { suffix: 'suffix' });
            const ids = ['test/a b', 'test/ä?#%2F&', 'test/x/../y', 'test/x//y', 'test/...'];
            for (const id of ids) {
                await repository.create('Document', { name: id }, { id });
                expect((await repository.get<Page>(id))?.content.name, id).to.equal(id);
                await repository.delete(id);
            }

            expect(minted.id).to.match(/^test\/./);
            expect(suffixed.id).to.equal('test/suffix');
            await Promise.all(['', '.', '..', '\ud800'].map(async (id) => expect(repository.get(id)).to.reject(TypeError)));
        });

        it('lets only one of two editors of a version save', async () => {

            const { etag } = await repository.create('Document', { name: 'first' }, { id: 'test/edited' });
            const saved = await repository.update('test/edited', { name: 'by one' }, { ifMatch: etag });

            const rejected = await errorOf(repository.update('test/edited', { name: 'by another' }, { ifMatch: etag }));
            const deleted = await errorOf(repository.delete('test/edited', { ifMatch: etag }));
            const payload = await errorOf(repository.putPayload('test/edited', { name: 'p', body: Buffer.from('x') }, { ifMatch: etag }));
            const acl = await errorOf(repository.putAcl('test/edited', {}, { ifMatch: etag }));

            expect([rejected, deleted, payload, acl].map(({ status }) => status)).to.equal([412, 412, 412, 412]);
            expect(rejected.message).to.contain('object test/edited has another version');
            expect([rejected.mayHaveChanged, rejected.attempts]).to.equal([false, 1]);
            expect((await repository.get('test/edited'))?.etag).to.equal(saved.etag);
        });

        it('stores and reads payloads as streams, with progress', async () => {

            const reports: Progress[] = [];
            const file = join(folder, 'large.bin');
            await writeFile(file, LARGE);
            const made = await repository.create('Document', { name: 'scans' }, {
                id: 'test/scans', payloads: [
                    { name: 'file', body: await openAsBlob(file), filename: 'große "Karte".bin', mediaType: 'image/png' },
                    { name: 'stream', body: Readable.from([LARGE.subarray(0, 1000), LARGE.subarray(1000)]), size: LARGE.length }
                ],
                onProgress: (progress) => reports.push(progress)
            });

            const read: Progress[] = [];
            const download = await repository.getPayload('test/scans', 'file', { onProgress: (progress) => read.push(progress) });
            const bytes = new Uint8Array(await new Response(download?.body).arrayBuffer());

            expect<unknown>(made.payloads).to.equal([
                { name: 'file', filename: 'große "Karte".bin', mediaType: 'image/png', size: LARGE.length },
                { name: 'stream', filename: 'stream', mediaType: 'application/octet-stream', size: LARGE.length }
            ]);
            expect(reports.at(-1)).to.equal({ loaded: 2 * LARGE.length, total: 2 * LARGE.length });
            expect(reports.length).to.be.above(10);
            expect(reports.every(({ loaded }, index) => index === 0 || loaded >= (reports[index - 1]?.loaded ?? 0))).to.be.true();
            expect(sha256(bytes)).to.equal(sha256(LARGE));
            expect([download?.size, download?.mediaType, download?.filename, download?.etag]).to.equal([LARGE.length, 'image/png', 'große "Karte".bin', made.etag]);
            expect([read[0], read.at(-1)]).to.equal([{ loaded: 0, total: LARGE.length }, { loaded: LARGE.length, total: LARGE.length }]);
        });

        it('sends payloads as browsers do, with progress at the end', async () => {

            const reports: Progress[] = [];
            const browser = new RepositoryClient(service.url, { ...ADMIN, uploads: 'blob' });
            const made = await browser.create('Document', { name: 'x' }, {
                payloads: [
                    { name: 'a', body: new File([LARGE], 'a.bin', { type: 'text/plain' }) }, { name: 'b', body: LARGE.subarray(0, 10) },
                    { name: 'c', body: new Response('streamed').body ?? LARGE, size: 8 }
                ],
                onProgress: (progress) => reports.push(progress)
            });

            expect<unknown>(made.payloads).to.equal([
                { name: 'a', filename: 'a.bin', mediaType: 'text/plain', size: LARGE.length }, { name: 'b', filename: 'b', mediaType: 'application/octet-stream', size: 10 },
                { name: 'c', filename: 'c', mediaType: 'application/octet-stream', size: 8 }
            ]);
            expect(reports).to.equal([{ loaded: LARGE.length + 18, total: LARGE.length + 18 }]);
        });

        it('reads ranges, and replaces and deletes single payloads', async () => {

            await repository.create('Document', { name: 'notes' }, { id: 'test/notes', payloads: [{ name: 'one', body: Buffer.from('0123456789') }] });
            const range = await repository.getPayload('test/notes', 'one', { range: { start: 2, end: 4 } });
            const rest = await repository.getPayload('test/notes', 'one', { range: { start: 8 } });
            const text = [await new Response(range?.body).text(), await new Response(rest?.body).text()];

            const etag = await repository.putPayload('test/notes', { name: 'two', body: new Blob(['two'], { type: 'text/plain' }), filename: 'two.txt' });
            const again = await repository.putPayload('test/notes', { name: 'two', body: Readable.from([Buffer.from('TWO!')]) }, { ifMatch: etag });
            const both = await repository.get<Page>('test/notes') as Stored<Page>;
            await repository.deletePayload('test/notes', 'one', { ifMatch: again });

            expect(text).to.equal(['234', '89']);
            expect<unknown>([both.etag, both.content.name]).to.equal([again, 'notes']);
            expect<unknown>(both.payloads?.map(({ name: payload, size }) => [payload, size])).to.equal([['one', 10], ['two', 4]]);
            expect(await repository.getPayload('test/notes', 'one')).to.be.null();
            expect((await errorOf(repository.getPayload('test/notes', 'two', { range: { start: 99 } }))).status).to.equal(416);
            await expect(repository.getPayload('test/notes', 'two', { range: { start: 3, end: 2 } })).to.reject(TypeError);
        });

        it('adds a payload beside changes of others, and changes no number of the content', async () => {

            await service.asAdmin('POST /objects?type=Document&handle=test/shared', {
                payload: '{"name":"n","price":1.10,"big":12345678901234567890}', headers: { 'content-type': 'application/json' }
            });
            await Promise.all(['a', 'b', 'c'].map((payload) => repository.putPayload('test/shared', { name: payload, body: new Blob([payload]) })));
            const read = await service.asAdmin('GET /objects/test/shared?full');

            expect(read.payload).to.contain('"price":1.10,"big":12345678901234567890');
            expect((JSON.parse(read.payload) as Stored).payloads?.map((payload) => payload.name).sort()).to.equal(['a', 'b', 'c']);
            expect((await errorOf(repository.putPayload('test/none', { name: 'a', body: new Blob(['a']) }))).status).to.equal(404);
        });

        it('does not write back what code of a type makes of an object when it is read', async () => {

            await repository.create('Schema', {
                identifier: '', name: 'Shown', schema: { type: 'object' }, javascript: 'exports.onObjectResolution = (object) => { object.content.seen = 1; return object; };'
            });
            await repository.create('Shown', { a: 1 }, { id: 'test/shown' });
            const error = await errorOf(repository.putPayload('test/shown', { name: 'a', body: new Blob(['a']) }));

            expect((await repository.get('test/shown'))?.etag).to.be.null();
            expect([error.status, error.mayHaveChanged]).to.equal([0, false]);
            expect(error.message).to.contain('changes objects when they are read');
        });

        it('finds objects page by page, and stops when it is not read', async () => {

            const requests: string[] = [];
            const counting = new RepositoryClient(service.url, {
                ...ADMIN, fetch: (url, init) => {

                    requests.push(url);
                    return fetch(url, init);
                }
            });
            await repository.batch(Array.from({ length: 25 }, (_, n) => ({ id: `test/n${n}`, type: 'Document', content: { set: 'many', n, name: n % 2 ? 'odd' : 'even' } })));
            const options = { pageSize: 10, sortFields: [{ name: '/n', reverse: true }] };
            const found = await all(counting.search<{ n: number }>('/set:many', options));
            const paged = requests.filter((url) => url.endsWith('/search')).length;
            for await (const id of counting.searchIds('/set:many', options)) {
                expect(id).to.equal('test/n24');
                break;
            }

            const page = await repository.searchPage<{ n: number }>('/set:many', {
                pageSize: 2, pageNum: 1, sortFields: [{ name: '/n' }], filterQueries: ['/name:odd'], facets: [{ field: '/name', maxBuckets: 5 }], includeScore: true
            });
            const none = await repository.searchPage('/set:many', { pageSize: 0 });

            expect(found.map(({ content }) => content.n)).to.equal(Array.from({ length: 25 }, (_, n) => 24 - n));
            expect([paged, requests.filter((url) => url.endsWith('/search')).length]).to.equal([3, 4]);
            expect([page.size, page.results.map(({ content }) => content.n), page.facets?.length]).to.equal([12, [5, 7], 1]);
            expect([none.size, none.results.length]).to.equal([25, 0]);
            expect(await all(repository.searchIds('/set:nothing'))).to.equal([]);
            await expect(all(repository.search('*', { pageSize: 0 }))).to.reject(TypeError, 'pageSize must be a number from 1');
            expect((await errorOf(all(repository.search('/name:(broken')))).status).to.equal(400);
        });

        it('manages types, whose schemas it reports as errors with their pointers', async () => {

            const schema = { type: 'object', properties: { year: { type: 'integer' } }, required: ['year'] };
            await repository.putType('A type/ü', schema);
            const error = await errorOf(repository.create('A type/ü', { year: 'x' }));

            expect<unknown>(await repository.getType('A type/ü')).to.equal(schema);
            expect(Object.keys(await repository.types())).to.include(['Document', 'A type/ü']);
            expect<unknown>([error.status, error.errors]).to.equal([400, [{ pointer: '/year', message: 'must be a whole number, got a string' }]]);
            expect(error.requestId).to.match(/./);
            await repository.deleteType('A type/ü');
            expect(await repository.getType('A type/ü')).to.be.null();
        });

        it('publishes versions, sends batches, calls methods and manages access control lists', async () => {

            await repository.create('Document', { name: 'v1' }, { id: 'test/versioned', payloads: [{ name: 'p', body: Buffer.from('p') }] });
            const version = await repository.publish('test/versioned', { versionId: 'test/versioned-1' });
            const bare = await repository.publish('test/versioned', { clonePayloads: false });
            const batch = await repository.batch<object>([
                { type: 'Document', content: { name: 7 } }, { id: 'test/versioned', content: { name: 'v2' } }, { type: 'Document', content: { name: 'x' } }
            ], { parallel: false });
            const acl = await repository.putAcl('test/versioned', { readers: ['public'], writers: [] });

            expect([version.isTip, version.versionOf]).to.equal([false, 'test/versioned']);
            expect((await repository.versions('test/versioned')).map(({ isTip }) => isTip)).to.equal([false, false, true]);
            expect([(await repository.get(version.id))?.payloads?.length, (await repository.get(bare.id))?.payloads]).to.equal([1, undefined]);
            expect(batch.success).to.be.false();
            expect<unknown>(batch.results.map(({ position, responseCode }) => [position, responseCode])).to.equal([[0, 400], [1, 200], [2, 200]]);
            expect<unknown>(acl.acl).to.equal({ readers: ['public'], writers: [] });
            expect<unknown>(await repository.getAcl('test/versioned')).to.equal(acl);
            expect(await repository.getAcl('test/none')).to.be.null();

            const javascript = 'exports.methods = { add: (object, { params }) => object.content.n + params.more };';
            await repository.create('Schema', { identifier: '', name: 'Counter', schema: { type: 'object' }, javascript });
            await repository.create('Counter', { n: 4 }, { id: 'test/counter' });
            expect(await repository.call<number>({ objectId: 'test/counter' }, 'add', { params: { more: 3 } })).to.equal(7);
        });

        it('rejects content that is no JSON before anything is sent', async () => {

            for (const options of [{}, { acl: {} }]) {
                await expect(repository.create('Document', undefined, options)).to.reject(TypeError, 'content must be a JSON value');
                await expect(repository.update('test/x', () => 1, options)).to.reject(TypeError, 'content must be a JSON value');
            }
        });

        it('validates without storing anything', async () => {

            const dry = await repository.create<Page>('Document', { name: 'dry' }, { id: 'test/dry', dryRun: true });

            expect(dry.content.name).to.equal('dry');
            expect(await repository.get('test/dry')).to.be.null();
        });

        it('logs in once for many requests, again when its token is gone, and only once with a wrong password', async () => {

            const logins: string[] = [];
            let authorization = '';
            const counting = new RepositoryClient(service.url, {
                ...ADMIN, fetch: async (url, init) => {

                    logins.push(...url.endsWith('/auth/token') ? ['login'] : []);
                    authorization = new Headers(init.headers).get('authorization') ?? authorization;
                    return fetch(url, init);
                }
            });
            const callers = await Promise.all(Array.from({ length: 5 }, () => counting.caller()));
            expect<unknown>([callers.map(({ username }) => username), logins.length]).to.equal([['admin', 'admin', 'admin', 'admin', 'admin'], 1]);

            // Whoever has the token may revoke it: the client notices at the next request.
            const token = authorization.replace('Bearer ', '');
            await fetch(`${service.url}/auth/revoke`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) });
            const made = await counting.create('Document', { name: 'after' }, { payloads: [{ name: 'p', body: LARGE }] });
            expect<unknown>([made.payloads?.length, logins.length]).to.equal([1, 2]);

            await counting.logout();
            expect([(await counting.caller()).username, logins.length]).to.equal(['admin', 3]);
            const wrong = new RepositoryClient(service.url, { username: 'admin', password: 'wrong' });
            expect(await errorOf(wrong.get('test/x'))).to.include({ status: 401, message: 'Authentication failed', attempts: 1 });
        });

        it('sends tokens of others, and asks for another one when it is rejected', async () => {

            const { access_token: token } = await (await fetch(`${service.url}/auth/token`, {
                method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ADMIN)
            })).json() as { access_token: string };
            const asked: (string | null)[] = [];
            const supplied = new RepositoryClient(service.url, {
                token: (rejected) => {

                    asked.push(rejected);
                    return rejected === null ? 'old' : token;
                }
            });
            const fixed = new RepositoryClient(service.url, { token: 'wrong' });

            expect((await supplied.caller({ full: true })).typesPermittedToCreate).to.include('Document');
            expect(asked).to.equal([null, 'old']);
            expect((await errorOf(fixed.caller())).attempts).to.equal(1);
            expect((await new RepositoryClient(service.url, { token }).caller()).username).to.equal('admin');
            expect((await new RepositoryClient(service.url).caller()).active).to.be.false();
        });

        it('ends requests, downloads and searches by a signal', async () => {

            const aborted = AbortSignal.abort(new Error('not now'));
            await expect(repository.get('test/map', { signal: aborted })).to.reject('not now');
            await repository.create('Document', { name: 'large' }, { id: 'test/large', payloads: [{ name: 'p', body: LARGE }] });

            const stop = new AbortController();
            const download = await repository.getPayload('test/large', 'p', { signal: stop.signal });
            stop.abort(new Error('enough'));
            await expect(new Response(download?.body).arrayBuffer()).to.reject();

            const upload = new AbortController();
            const sending = repository.putPayload('test/large', {
                name: 'q', body: (async function *() {

                    yield LARGE.subarray(0, 100_000);
                    upload.abort(new Error('stopped'));
                    await new Promise(() => undefined);
                })()
            }, { signal: upload.signal });
            await expect(sending).to.reject('stopped');
            expect((await repository.get('test/large'))?.payloads?.map((payload) => payload.name)).to.equal(['p']);
        });

        it('fails with an upload whose source fails, and nothing is stored', async () => {

            const broken = (async function *(): AsyncGenerator<Uint8Array> {

                yield LARGE;
                throw new Error('the disk is gone');
            })();
            const error = await errorOf(repository.create('Document', { name: 'broken' }, { id: 'test/broken', payloads: [{ name: 'p', body: broken }] }));

            expect([error.status, error.mayHaveChanged]).to.equal([0, true]);
            expect(error.message).to.contain('the disk is gone');
            expect(await repository.get('test/broken')).to.be.null();
        });
    });
});
