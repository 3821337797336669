/** Requests of the client to servers, and proxies before them, that do anything but what they should. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewPayload, RepositoryOptions } from '../../../../lib/client/web/index.js';
import { RepositoryClient, RepositoryError } from '../../../../lib/client/web/index.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const STORED = '{"id": "test/a", "type": "Document", "content": {}}';

describe('requests to servers that fail', () => {

    let server: Server;
    let url: string;
    let listener: RequestListener;
    const requests: string[] = [];

    before(async () => {

        server = createServer((request, response) => {

            requests.push(`${request.method} ${request.url}`);
            request.on('error', () => undefined);
            listener(request, response);
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });

    after(async () => {

        server.close();
        server.closeAllConnections();
        await once(server, 'close');
    });

    beforeEach(() => {

        requests.length = 0;
    });

    const client = (options: RepositoryOptions = {}): RepositoryClient => new RepositoryClient(url, { retries: { delayMs: 1 }, ...options });

    const failure = async (action: Promise<unknown>): Promise<RepositoryError> => {

        const error: unknown = await action.then(() => new Error('it did not fail'), (reason: unknown) => reason);
        if (!(error instanceof RepositoryError)) {
            throw error as Error;
        }

        return error;
    };

    /** A response after the whole request. */
    const answer = (status: number, body: string, headers: Record<string, string> = {}): RequestListener => {

        return (request, response) => {

            request.resume().on('end', () => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body));
        };
    };

    /** Text without an end. */
    const endless = (status: number): RequestListener => {

        return (request, response) => {

            request.resume();
            response.writeHead(status, { 'content-type': 'application/json' });
            const write = (): void => {

                while (!response.destroyed && response.write(' '.repeat(65_536))) {
                    // Until the buffer is full.
                }

                response.once('drain', write);
            };

            write();
        };
    };

    const CHANGES: readonly (readonly [title: string, change: (repository: RepositoryClient) => Promise<unknown>, request: string])[] = [
        ['a deletion', (repository) => repository.delete('test/a'), 'DELETE /objects/test/a'],
        ['the deletion of a payload', (repository) => repository.deletePayload('test/a', 'p'), 'DELETE /objects/test/a?payload=p'],
        ['the publication of a version', (repository) => repository.publish('test/a'), 'POST /versions?objectId=test%2Fa&clonePayloads=true']
    ];
    for (const [title, change, request] of CHANGES) {
        it(`does not take a redirect of ${title} for success`, async () => {

            for (const status of [301, 302, 303, 307, 308]) {
                requests.length = 0;
                listener = (incoming, response) => (incoming.url === '/login' ? answer(200, '{}') : answer(status, '', { location: '/login' }))(incoming, response);
                const error = await failure(change(client()));

                expect([error.status, error.message], String(status)).to.equal([0, `no response from ${url}: unexpected redirect`]);
                expect(requests).to.equal([request]);
            }
        });
    }

    it('names a user to act as to its own service only', async () => {

        const seen: unknown[] = [];
        const other = createServer((request, response) => {

            seen.push(request.headers['as-user']);
            response.writeHead(200, { 'content-type': 'application/json' }).end(STORED);
        });
        other.listen(0, '127.0.0.1');
        await once(other, 'listening');
        listener = answer(302, '', { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/objects/test/a` });
        const header = { headers: { 'as-user': 'test/ann' } };
        const error = await failure(client({ token: 'a', asUserId: 'test/ann' }).get('test/a'));
        const own = await failure(client({ token: 'a' }).request({ method: 'GET', path: '/objects/test/a', ...header }));
        await client({ token: 'a' }).get('test/a');
        other.close();
        other.closeAllConnections();

        expect([error, own].map(({ status, message }) => [status, message])).to.equal([error, error].map(() => [0, `no response from ${url}: unexpected redirect`]));
        expect(seen).to.equal([undefined]);
    });

    const OBJECT = { id: 'test/a', type: 'Document', content: {} };

    /** What a method does not take for a response: JSON of another form. */
    const FORMS: readonly (readonly [method: string, call: (repository: RepositoryClient) => Promise<unknown>, wrong: readonly unknown[]])[] = [
        ['get', (repository) => repository.get('test/a'), [null, [], 'text', {}, { ...OBJECT, id: 1 }, { id: 'test/a' }]],
        ['create', (repository) => repository.create('Document', {}), [null, [], {}]],
        ['update', (repository) => repository.update('test/a', {}), [null, [], {}]],
        ['getAcl', (repository) => repository.getAcl('test/a'), [null, [], 1]],
        ['putAcl', (repository) => repository.putAcl('test/a', {}), [null, [], 1]],
        ['searchPage', (repository) => repository.searchPage('*:*'), [null, [], {}, { size: 1 }, { size: 1, results: {} }, { size: '1', results: [] }, { size: 1, results: [null] }]],
        ['search', (repository) => repository.search('*:*').next(), [null, {}, { size: 1, results: null }, { size: 1, results: ['test/a'] }]],
        ['searchIds', (repository) => repository.searchIds('*:*').next(), [null, {}, { size: 1, results: 'test/a' }, { size: 1, results: [OBJECT] }]],
        ['types', (repository) => repository.types(), [null, []]],
        ['versions', (repository) => repository.versions('test/a'), [null, {}, [null]]],
        ['publish', (repository) => repository.publish('test/a'), [null, [], {}]],
        ['batch', (repository) => repository.batch([]), [null, {}, { results: {}, success: true }, { results: [null], success: true }, { results: [{}], success: true }]],
        ['caller', (repository) => repository.caller(), [null, [], {}, { active: 'yes' }]],
        ['a login', (repository) => repository.caller(), [null, [], {}]]
    ];
    for (const [method, call, wrong] of FORMS) {
        it(`fails with its own error where the response to ${method} has another form`, async () => {

            const credentials = method === 'a login' ? { username: 'ann', password: 'PASSWORD' } : {};
            for (const form of wrong) {
                requests.length = 0;
                listener = answer(200, JSON.stringify(form), { 'request-id': 'r1' });
                const error = await failure(call(client(credentials)));

                expect(error.message, JSON.stringify(form)).to.match(/^(GET|POST|PUT) \S+: the response has an unexpected form$/);
                expect([error.status, error.requestId, error.mayHaveChanged, requests.length], JSON.stringify(form))
                    .to.equal([200, 'r1', ['create', 'update', 'putAcl', 'publish', 'batch'].includes(method), 1]);
            }
        });
    }

    for (const size of [-1, 1e15]) {
        it(`ends a search of which the pages are empty and the number of results is ${size}`, async () => {

            let pages = 0;
            listener = (request, response) => {

                // A page may be empty, as the caller may no longer read its objects.
                const results = pages === 10 ? [OBJECT] : [];
                pages += 1;
                answer(200, JSON.stringify({ pageNum: 0, pageSize: 100, size, results }))(request, response);
            };

            const found: string[] = [];
            const search = async (): Promise<void> => {

                for await (const { id } of client().search('*:*')) {
                    found.push(id);
                }
            };

            if (size < 0) {
                await search();
                expect([pages, found]).to.equal([1, []]);
                return;
            }

            const error = await failure(search());

            expect([error.status, error.message]).to.equal([200, 'POST /search: 100 pages in a row have no results, although there should be more']);
            expect([pages, found]).to.equal([111, ['test/a']]);
        });
    }

    it('reads no more of an error than a limit', async () => {

        listener = endless(500);
        const error = await failure(client().get('test/a'));

        expect([error.status, error.message.length < 300]).to.equal([500, true]);
    });

    it('ends with the reason of the signal while an error is received', async () => {

        const stop = new AbortController();
        listener = (request, response) => {

            request.resume();
            response.writeHead(503).write('{"message": "');
            setTimeout(() => stop.abort(new Error('enough')), 100);
        };

        await expect(client().get('test/a', { signal: stop.signal })).to.reject('enough');
        expect(requests).to.equal(['GET /objects/test/a?full=true']);
    });

    for (const uploads of ['stream', 'blob'] as const) {
        it(`fails once where the listener for progress fails, with uploads by ${uploads}`, async () => {

            listener = answer(200, STORED, { etag: '"1"' });
            const cause = new Error('the page is gone');
            const error = await failure(client({ uploads }).update('test/a', {}, {
                ifMatch: '"1"', payloads: [{ name: 'p', body: new Uint8Array(1000) }], onProgress: () => {

                    throw cause;
                }
            }));

            expect([error.attempts, error.mayHaveChanged, error.cause === cause]).to.equal([1, true, true]);
            expect(requests.length).to.be.at.most(1);
        });
    }

    it('does not repeat an upload whose own bytes cannot be read', async () => {

        listener = answer(200, STORED, { etag: '"1"' });
        const file = new Blob(['x']);
        Object.defineProperty(file, 'stream', { value: () => new ReadableStream({ start: (controller) => controller.error(new Error('the file has changed')) }) });
        const error = await failure(client().update('test/a', {}, { ifMatch: '"1"', payloads: [{ name: 'p', body: file }], onProgress: () => undefined }));

        expect([error.attempts, (error.cause as Error).message]).to.equal([1, 'the file has changed']);
    });

    /** A payload that never ends, and what was read of it. */
    const endlessPayload = (): { readonly payload: NewPayload; readonly read: { chunks: number; isClosed: boolean } } => {

        const read = { chunks: 0, isClosed: false };
        const body = (async function *(): AsyncGenerator<Uint8Array> {

            try {
                for (;;) {
                    read.chunks += 1;
                    yield new Uint8Array(65_536);
                    await nextTurn();
                }
            }
            finally {
                read.isClosed = true;
            }
        })();
        return { read, payload: { name: 'p', body } };
    };

    it('closes the source of an upload when the connection breaks', async () => {

        listener = (request) => void request.once('data', () => request.socket.destroy());
        const { payload, read } = endlessPayload();
        const error = await failure(client().create('Document', {}, { payloads: [payload] }));
        await until(() => read.isClosed);

        expect([error.status, error.attempts, error.mayHaveChanged]).to.equal([0, 1, true]);
    });

    it('closes the source of an upload that a signal ends', async () => {

        const stop = new AbortController();
        listener = (request) => void request.once('data', () => {

            request.pause();
            stop.abort(new Error('enough'));
        });
        const { payload, read } = endlessPayload();
        await expect(client().create('Document', {}, { payloads: [payload], signal: stop.signal })).to.reject('enough');

        await until(() => read.isClosed);
    });

    it('closes the source of an upload that is rejected before its end', async () => {

        listener = (request, response) => void request.once('data', () => response.writeHead(413).end('{"message": "too large"}'));
        const { payload, read } = endlessPayload();
        const error = await failure(client().create('Document', {}, { payloads: [payload] }));
        await until(() => read.isClosed);

        expect([error.status, error.message, error.mayHaveChanged]).to.equal([413, 'too large', false]);
    });
});
