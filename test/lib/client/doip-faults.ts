/** Requests of the client for DOIP that fail: which are repeated, and what their errors say. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientOptions, DoipClient } from '../../../lib/client/index.js';
import { connect, ConnectionError, DoipError, readBytes, RequestError, Status } from '../../../lib/client/index.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { addressOf, documentOf, type DoipLink, openLink, TRANSPORTS } from '../../support/doip-links.js';
import { freePorts } from '../../support/free-ports.js';
import { ADMIN, nativePort } from '../../support/native.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(3_000_000);

/** What is known of a request that fails. @throws anything else than an error of the client */
async function failure(action: Promise<unknown>): Promise<RequestError | ConnectionError> {

    const error: unknown = await action.then(() => new Error('it did not fail'), (reason: unknown) => reason);
    if (!(error instanceof RequestError) && !(error instanceof ConnectionError)) {
        throw error as Error;
    }

    return error;
}

function factsOf(error: RequestError | ConnectionError): unknown[] {

    return [error instanceof RequestError ? error.status : error.name, error.attempts, error.mayHaveChanged];
}

async function *stream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

    yield bytes;
}

for (const transport of TRANSPORTS) {
    describe(`repetition of requests over ${transport}`, () => {

        let server: TestServer;
        let way: DoipLink;
        let client: DoipClient;

        before(async () => {

            server = await startServer();
            way = await openLink(server, transport);
            client = way.client();
            await client.create(documentOf('test/a'));
        });

        after(async () => {

            await way.stop();
            await server.stop();
        });

        it('reads in spite of cut connections and lost responses', async () => {

            way.link.next('cut', 'lose', { received: 20 });
            const read = await client.retrieve('test/a');
            const count = way.link.requests;
            way.link.next('lose');
            const found: string[] = [];
            for await (const id of client.searchIds('id:"test/a"')) {
                found.push(id);
            }

            expect([read?.id, count, found, way.link.requests]).to.equal(['test/a', 4, ['test/a'], 2]);
        });

        it('gives up after its attempts', async () => {

            way.link.next('cut', 'cut', 'lose', 'cut', 'pass');
            const error = await failure(client.retrieve('test/a'));
            const requests = way.link.requests;
            way.link.next('cut');
            const once = await failure(way.client({ retries: { attempts: 1 } }).hello());

            expect([...factsOf(error), requests]).to.equal(['ConnectionError', 4, false, 4]);
            expect([...factsOf(once), way.link.requests]).to.equal(['ConnectionError', 1, false, 1]);
        });

        it('never repeats a creation whose response was lost, and says that it may have been made', async () => {

            way.link.next('lose');
            const lost = await failure(client.create(documentOf('test/lost')));
            const requests = way.link.requests;
            way.link.next('cut');
            const cut = await failure(client.create(documentOf('test/cut')));

            expect([...factsOf(lost), requests]).to.equal(['ConnectionError', 1, true, 1]);
            expect(factsOf(cut)).to.equal(['ConnectionError', 1, true]);
            expect([(await client.retrieve('test/lost'))?.id, await client.retrieve('test/cut')]).to.equal(['test/lost', null]);
        });

        it('repeats a change of one version, with its elements, and tells of one that succeeded without a response', async () => {

            const { attributes: { metadata } } = await client.create(documentOf('test/v'));
            const elements = [{ id: 'bytes', body: LARGE }, { id: 'blob', body: new Blob([LARGE]) }];
            way.link.next('cut', { sent: 1_000_000 });
            const saved = await client.update({ id: 'test/v', attributes: { content: { name: 'v2' } }, elements }, { ifMatch: metadata?.txnId ?? 0 });
            expect([way.link.requests, saved.elements.map(({ length }) => length)]).to.equal([3, [LARGE.length, LARGE.length]]);

            const ifMatch = saved.attributes.metadata?.txnId ?? 0;
            way.link.next('lose');
            const lost = await failure(client.update({ id: 'test/v', attributes: { content: { name: 'v3' } } }, { ifMatch }));
            expect(factsOf(lost)).to.equal([Status.conflict, 2, true]);
            expect((await client.retrieve<{ name: string }>('test/v'))?.attributes.content.name).to.equal('v3');
        });

        it('does not repeat a change of any version', async () => {

            for (const ifMatch of ['*', null]) {
                way.link.next('cut');
                const error = await failure(client.update({ id: 'test/a', attributes: { content: {} } }, { ifMatch }));

                expect([...factsOf(error), way.link.requests], `${ifMatch}`).to.equal(['ConnectionError', 1, true, 1]);
            }

            way.link.next('lose');
            expect(factsOf(await failure(client.deleteElement('test/a', 'none')))).to.equal(['ConnectionError', 1, true]);
            way.link.next('lose');
            expect(factsOf(await failure(client.publish('test/a')))).to.equal(['ConnectionError', 1, true]);
            way.link.next('lose');
            expect(factsOf(await failure(client.call('service', Op.batchUpload, { input: [] })))).to.equal(['ConnectionError', 1, true]);
        });

        it('sends a stream once', async () => {

            const { attributes: { metadata } } = await client.create(documentOf('test/stream'));
            const change = { id: 'test/stream', attributes: { content: {} }, elements: [{ id: 'a', body: stream(LARGE) }] };
            way.link.next('cut');
            const error = await failure(client.update(change, { ifMatch: metadata?.txnId ?? 0 }));
            const { requests } = way.link;
            way.link.next('cut', 'lose', 'pass', 'cut');
            const put = await failure(client.putElement('test/stream', { id: 'a', body: stream(LARGE) }));

            expect([...factsOf(error), requests]).to.equal(['ConnectionError', 1, true, 1]);
            expect([...factsOf(put), way.link.requests]).to.equal(['ConnectionError', 1, true, 4]);
        });

        it('repeats a call of which it is told that it reads', async () => {

            way.link.next('cut');
            const sunk = await client.call('service', 'test/Op.Sink', { isRead: true });
            const requests = way.link.requests;
            way.link.next('cut');
            const error = await failure(client.call('service', 'test/Op.Sink'));

            expect([sunk, requests, ...factsOf(error)]).to.equal([{ bytes: 0 }, 2, 'ConnectionError', 1, true]);
        });

        it('performs any request in the same way, and returns its last response whatever its status', async () => {

            way.link.next('cut', 'lose');
            const { status, output } = await client.perform({ targetId: 'test/none', operationId: Op.retrieve });
            await output.return();
            const requests = way.link.requests;
            way.link.next('cut');
            const error = await failure(client.perform({ targetId: 'service', operationId: Op.create, input: { type: 'Document', attributes: { content: {} } } }));

            expect([status, requests, ...factsOf(error)]).to.equal([Status.notFound, 3, 'ConnectionError', 1, true]);
        });

        it('passes on the error of bytes that cannot be read, and of a listener for progress, after one attempt', async () => {

            const { attributes: { metadata } } = await client.create(documentOf('test/source'));
            const ifMatch = metadata?.txnId ?? 0;
            const unreadable = new Blob(['x']);
            Object.defineProperty(unreadable, 'stream', { value: () => new ReadableStream({ start: (controller) => controller.error(new Error('the file has changed')) }) });
            way.link.next();
            await expect(client.putElement('test/source', { id: 'a', body: unreadable }, { ifMatch })).to.reject(Error, 'the file has changed');
            const onProgress = (): void => {

                throw new Error('the page is gone');
            };

            await expect(client.putElement('test/source', { id: 'a', body: LARGE }, { ifMatch, onProgress })).to.reject(Error, 'the page is gone');
            // Each reads the object before.
            expect(way.link.requests).to.be.at.most(4);
            expect((await client.retrieve('test/source'))?.elements).to.equal([]);
        });

        it('closes the source of an upload when the connection breaks', async () => {

            let isClosed = false;
            const endless = async function *(): AsyncGenerator<Uint8Array> {

                try {
                    for (;;) {
                        yield new Uint8Array(65_536);
                        await nextTurn();
                    }
                }
                finally {
                    isClosed = true;
                }
            };

            way.link.next({ sent: 500_000 });
            const error = await failure(client.create(documentOf('test/endless', [{ id: 'a', body: endless() }])));
            await until(() => isClosed);

            expect(factsOf(error)).to.equal(['ConnectionError', 1, true]);
        });

        it('fails where the bytes of an element break off, and reads the rest by a range', async () => {

            await client.create(documentOf('test/large', [{ id: 'a', body: LARGE }]));
            way.link.next({ received: 1_000_000 });
            const bytes = await client.retrieveElement('test/large', 'a');
            const parts: Uint8Array[] = [];
            const error = await failure((async () => {

                for await (const part of bytes ?? []) {
                    parts.push(part);
                }
            })());
            const start = Buffer.concat(parts).length;
            const rest = await client.retrieveElement('test/large', 'a', { start });

            expect([...factsOf(error), start > 0 && start < LARGE.length]).to.equal(['ConnectionError', 1, false, true]);
            expect(Buffer.concat([...parts, await readBytes(rest ?? stream(Buffer.alloc(0)), 1e9)]).equals(LARGE)).to.be.true();
        });

        it('holds no connection for bytes that were not read', async () => {

            await client.create(documentOf('test/unread', [{ id: 'a', body: Buffer.from('bytes') }]));
            const other = way.client();
            await other.hello();
            const { open } = way.link;
            for (let n = 0; n < 5; ++n) {
                await (await other.retrieveElement('test/unread', 'a', { onProgress: () => undefined }))?.return();
                await other.hello();
            }

            // HTTP may open one before the other is free again.
            await until(() => way.link.open <= open + 1);
        });
    });

    describe(`rate limits of requests over ${transport}`, () => {

        it('make the client wait, also with a creation', async () => {

            const server = await startServer({ RATE_LIMIT_SECONDS: 6, RATE_LIMIT_USER_REQUESTS: 2, RATE_LIMIT_ADDRESS_REQUESTS: 2 });
            const way = await openLink(server, transport);
            await way.client().create({ type: 'User', id: 'test/ann', attributes: { content: { username: 'ann', password: 'a long password' } } });
            await way.client().update({ id: 'design', attributes: { content: await designWithOpenDocuments(way.client()) } });
            const ann = { authentication: { username: 'ann', password: 'a long password' } };
            const client = way.client(ann);
            way.link.next();
            for (let n = 0; n < 4; ++n) {
                expect<unknown>((await client.create(documentOf(`test/${n}`))).id).to.equal(`test/${n}`);
            }

            const repeated = way.link.requests;
            const impatient = way.client({ ...ann, retries: { attempts: 1 } });
            const errors = (await Promise.allSettled(Array.from({ length: 8 }, () => impatient.retrieve('test/0'))))
                .flatMap((each) => (each.status === 'rejected' ? [each.reason as RequestError] : []));
            const [error] = errors;
            await way.stop();
            await server.stop();

            expect(repeated).to.be.above(4);
            expect([error instanceof RequestError, error?.status, error?.attempts, error?.mayHaveChanged, error?.http])
                .to.equal([true, Status.badRequest, 1, false, transport === 'native DOIP' ? undefined : 429]);
            expect((error?.retryAfter ?? 0) > 0).to.be.true();
        });
    });

    describe(`access tokens over ${transport}`, () => {

        let server: TestServer;
        let way: DoipLink;

        before(async () => {

            server = await startServer();
            way = await openLink(server, transport);
        });

        after(async () => {

            await way.stop();
            await server.stop();
        });

        const newToken = async (): Promise<string> => {

            const made = await way.client({}).call('service', Op.authToken, { input: { grant_type: 'password', ...ADMIN } }) as { access_token: string };
            return made.access_token;
        };

        const revoke = (token: string): Promise<unknown> => way.client({}).call('service', Op.authRevoke, { input: { token } });

        it('are renewed when the service no longer accepts them, once for requests at the same time', async () => {

            const tokens: string[] = [];
            const rejected: (string | null)[] = [];
            const client = way.client({ token: async (old) => {

                rejected.push(old);
                tokens.push(await newToken());
                return tokens.at(-1) ?? '';
            } });
            await client.create(documentOf('test/t'));
            await revoke(tokens[0] ?? '');
            const created = await client.create(documentOf('test/u'));
            await revoke(tokens[1] ?? '');
            const callers = await Promise.all([1, 2, 3].map(() => client.caller()));

            expect([created.id, ...callers.map(({ username }) => username)]).to.equal(['test/u', 'admin', 'admin', 'admin']);
            expect(rejected).to.equal([null, tokens[0], tokens[1]]);
        });

        it('are renewed once for a request, and not for one that cannot be sent again, nor where they are given as text', async () => {

            let calls = 0;
            const useless = way.client({ token: () => `wrong-${++calls}` });
            const twice = await failure(useless.create(documentOf('test/x')));
            const before = calls;
            const stale = way.client({ token: (old) => (old === null ? 'wrong' : newToken()) });
            const once = await failure(stale.create(documentOf('test/x', [{ id: 'a', body: stream(LARGE) }])));
            const later = await stale.caller();
            const fixed = await failure(way.client({ authentication: { token: 'wrong' } }).create(documentOf('test/x')));

            expect([factsOf(twice), before]).to.equal([[Status.unauthenticated, 2, false], 2]);
            expect([factsOf(once), later.username]).to.equal([[Status.unauthenticated, 1, false], 'admin']);
            expect(factsOf(fixed)).to.equal([Status.unauthenticated, 1, false]);
        });

        it('are not asked for where a request has credentials of its own', async () => {

            const client = way.client({ token: () => Promise.reject(new Error('no one is asked')) });
            const { status, output } = await client.perform({ targetId: 'service', operationId: Op.checkCredentials, authentication: ADMIN });
            await output.return();

            expect(status).to.equal(Status.ok);
            await expect(client.caller()).to.reject(Error, 'no one is asked');
        });
    });

    describe(`a restart of the service, over ${transport}`, () => {

        it('is not noticed by reads, nor by creations that find no connection', async () => {

            const [folder, port] = [await mkdtemp(join(tmpdir(), 'client-restart-')), await freePorts(2)];
            const settings = { DATA_DIR: folder, PORT: port, DOIP_PORT: port + 1 };
            const first = await startServer(settings);
            const options: ClientOptions = { ...ADMIN, retries: { attempts: 1000, delayMs: 50, maxDelayMs: 200 } };
            const client = connect(addressOf(first, transport), options);
            await client.create(documentOf('test/a'));
            await first.stop();
            const requests = [client.retrieve('test/a'), client.create(documentOf('test/b')), client.create(documentOf('test/c'))];
            const starting = startServer(settings);
            const found = await Promise.all(requests);
            const second = await starting;
            const after = await client.create(documentOf('test/d'));
            client.close();
            await second.stop();
            await rm(folder, { recursive: true });

            expect([...found, after].map((each) => each?.id)).to.equal(['test/a', 'test/b', 'test/c', 'test/d']);
        });
    });
}

describe('connections that are not trusted', () => {

    it('are not tried again', async () => {

        const server = await startServer({ DOIP_PORT: 0 });
        const native = connect(`doip://127.0.0.1:${nativePort(server)}/other/service`, ADMIN);
        const outcome: unknown = await native.hello().catch((reason: unknown) => reason);
        native.close();
        await server.stop();

        expect([outcome instanceof DoipError, outcome instanceof ConnectionError]).to.equal([false, false]);
        expect((outcome as Error).message).to.match(/is test\/service, not other\/service$/);
        expect(() => connect('doip://127.0.0.1', { ...ADMIN, token: () => 'x' })).to.throw(TypeError, 'credentials are either username and password, or a token');
        expect(() => connect('doip://127.0.0.1', { retries: { attempts: 0 } })).to.throw(TypeError);
    });
});

/** The design of a service where whoever is logged in may create documents. */
async function designWithOpenDocuments(admin: DoipClient): Promise<object> {

    const design = await admin.retrieve('design');
    return { ...design?.attributes.content, authConfig: { schemaAcls: { Document: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] } } } };
}
