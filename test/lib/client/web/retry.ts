/** When requests are repeated: the rules as a table, and against a service whose network fails. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { RepositoryClient, RepositoryError } from '../../../../lib/client/web/index.js';
import { secondsIn } from '../../../../lib/client/web/errors.js';
import { type FailedAttempt, mayHaveChanged, type Repeatable, RetryPolicy } from '../../../../lib/client/web/retry.js';
import type { Fate, FlakyProxy } from '../../../support/flaky-proxy.js';
import { startFlakyProxy } from '../../../support/flaky-proxy.js';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import type { TestServer } from '../../../support/server.js';
import { startServer } from '../../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const READ = { isRead: true, isConditional: false, isReplayable: true };
const CHANGE = { ...READ, isRead: false };
const CONDITIONAL = { ...CHANGE, isConditional: true };
const STREAM = { isReplayable: false };

const RULES: readonly (readonly [title: string, request: Repeatable, failure: Partial<FailedAttempt>, isRepeated: boolean, mayHaveChanged?: boolean])[] = [
    ['a read without a response', READ, { status: 0 }, true],
    ['a read of an overloaded service', READ, { status: 503 }, true],
    ['a read through a proxy without service', READ, { status: 502 }, true],
    ['a read that was rejected', READ, { status: 403 }, false],
    ['a read with an internal error', READ, { status: 500 }, false],
    ['a change without a response', CHANGE, { status: 0 }, false, true],
    ['a change with 503', CHANGE, { status: 503 }, false, true],
    ...[408, 500, 502, 504, 520, 524].map((status) => [`a change of which the outcome is unknown, with ${status}`, CHANGE, { status }, false, true] as const),
    ['a change that would exceed a quota', CHANGE, { status: 507 }, false],
    ['a change without a response that could be used', CHANGE, { status: -1 }, false, true],
    ['a change whose connection failed before it was open', CHANGE, { status: -1, isUnsent: true }, false],
    ['a change that was rejected', CHANGE, { status: 409 }, false],
    ['a change that was rejected by a rate limit', CHANGE, { status: 429, retryAfter: 0 }, true],
    ['a change with a 429 that may be the answer of a method', CHANGE, { status: 429 }, false],
    ['a read with a 429 that does not say for how long', READ, { status: 429 }, true],
    ['a change of one version with such a 429', CONDITIONAL, { status: 429 }, true],
    ['a change for which there was no connection', CHANGE, { status: 0, isUnsent: true }, true],
    ['a stream for which there was no connection', { ...CHANGE, ...STREAM }, { status: 0, isUnsent: true }, false],
    ['a stream that was rejected by a rate limit', { ...CHANGE, ...STREAM }, { status: 429, retryAfter: 0 }, false],
    ['a change that a rate limit has ended', CHANGE, { status: 429, retryAfter: 0, isPartial: true }, false, true],
    ['a change of one version', CONDITIONAL, { status: 0 }, true, true],
    ['a change of one version by a stream', { ...CONDITIONAL, ...STREAM }, { status: 0 }, false, true],
    ['a change of one version without a usable response', CONDITIONAL, { status: 200, isPartial: true }, false, true]
];

describe('the rules of repetition', () => {

    for (const [title, request, failure, isRepeated, isUnknown = false] of RULES) {
        it(`${isRepeated ? 'repeat' : 'do not repeat'} ${title}`, () => {

            const failed = { status: 0, retryAfter: null, ...failure };

            expect(new RetryPolicy().delayAfter(request, failed, 1) !== null).to.equal(isRepeated);
            expect(mayHaveChanged(request, failed)).to.equal(isUnknown);
        });
    }

    it('double the delay, with jitter, up to a limit and for a number of attempts', () => {

        const error = new RepositoryError('', { status: 503 });
        const delays = (random: number): (number | null)[] => [1, 2, 3, 4, 5].map((attempts) =>
            new RetryPolicy({ attempts: 5, delayMs: 100, maxDelayMs: 500 }, () => random).delayAfter(READ, error, attempts));

        expect(delays(0)).to.equal([50, 100, 200, 250, null]);
        expect(delays(1)).to.equal([100, 200, 400, 500, null]);
    });

    it('wait as long as the service asks, unless that is too long', () => {

        const policy = new RetryPolicy({ delayMs: 100, maxDelayMs: 5000 }, () => 0);
        const after = (retryAfter: number): number | null => policy.delayAfter(READ, new RepositoryError('', { status: 503, retryAfter }), 1);

        expect([after(0), after(2), after(5), after(6)]).to.equal([50, 2050, 5050, null]);
    });

    it('read Retry-After as seconds or a date', () => {

        const now = Date.parse('2026-01-01T00:00:00Z');
        const cases: [string | null, number | null][] = [
            ['7', 7], [' 0 ', 0], ['Thu, 01 Jan 2026 00:00:30 GMT', 30], ['Wed, 31 Dec 2025 00:00:00 GMT', 0], ['soon', null], ['', null], [null, null]
        ];
        for (const [text, seconds] of cases) {
            expect(secondsIn(text, now), `${text}`).to.equal(seconds);
        }
    });

    it('are rejected when they make no sense', () => {

        for (const retries of [{ attempts: 0 }, { attempts: 1.5 }, { delayMs: -1 }, { maxDelayMs: Number.NaN }]) {
            expect(() => new RepositoryClient('http://localhost', { retries })).to.throw(TypeError);
        }
    });
});

describe('repetition', () => {

    let server: TestServer;
    let proxy: FlakyProxy;
    let repository: RepositoryClient;

    before(async () => {

        server = await startServer();
        proxy = await startFlakyProxy(server.url);
        repository = new RepositoryClient(proxy.url, { username: 'admin', password: ADMIN_PASSWORD, retries: { attempts: 4, delayMs: 1 } });
        await repository.create('Document', { name: 'a' }, { id: 'test/a' });
    });

    after(async () => {

        await proxy.stop();
        await server.stop();
    });

    const failing = async (action: () => Promise<unknown>, ...fates: Fate[]): Promise<RepositoryError> => {

        proxy.next(...fates);
        const error: unknown = await action().then(() => new Error('it did not fail'), (reason: unknown) => reason);
        if (!(error instanceof RepositoryError)) {
            throw error as Error;
        }

        return error;
    };

    it('reads in spite of cut connections, lost responses and an overloaded service', async () => {

        proxy.next('cut', 'lose', { status: 503, headers: { 'retry-after': '0' } });
        const read = await repository.get('test/a');
        const count = proxy.requests.length;
        proxy.next('cut', { status: 502 });
        const found: string[] = [];
        for await (const id of repository.searchIds('type:Document')) {
            found.push(id);
        }

        expect([read?.id, count]).to.equal(['test/a', 4]);
        expect([found, proxy.requests.length]).to.equal([['test/a'], 3]);
    });

    it('gives up after its attempts', async () => {

        const error = await failing(() => repository.get('test/a'), 'cut', 'cut', 'cut', 'cut', 'pass');

        expect([error.status, error.attempts, error.mayHaveChanged, proxy.requests.length]).to.equal([0, 4, false, 4]);
        expect(error.message).to.match(/^no response from http:\/\/127\.0\.0\.1:\d+: /);
        expect(error.cause).to.be.an.error();
    });

    it('never repeats a creation whose response was lost, and says that it may have been made', async () => {

        const error = await failing(() => repository.create('Document', { name: 'once' }, { id: 'test/once' }), 'lose');

        expect([error.status, error.attempts, error.mayHaveChanged]).to.equal([0, 1, true]);
        expect(proxy.requests).to.equal(['POST /objects']);
        expect((await repository.get<{ name: string }>('test/once'))?.content.name).to.equal('once');
        const rejected = await failing(() => repository.create('Document', { name: 'x' }), { status: 503, headers: { 'retry-after': '0' } });
        expect([rejected.status, proxy.requests.length]).to.equal([503, 1]);
    });

    it('takes neither a password nor content to where a redirect leads', async () => {

        const other = await startFlakyProxy(server.url);
        const redirect: Fate = { status: 307, headers: { location: `${other.url}/objects` } };
        const created = await failing(() => repository.create('Document', { name: 'elsewhere' }), redirect);
        const fresh = new RepositoryClient(proxy.url, { username: 'admin', password: ADMIN_PASSWORD, retries: { attempts: 1 } });
        const login = await failing(() => fresh.get('test/a'), redirect);
        const { requests } = other;
        await other.stop();

        expect([created.status, login.status, requests]).to.equal([0, 0, []]);
        expect(login.message).to.contain('redirect');
    });

    it('repeats a creation that was rejected before it was made', async () => {

        proxy.next({ status: 429, headers: { 'retry-after': '0' } });
        const made = await repository.create('Document', { name: 'limited' });

        expect([proxy.requests.length, made.type]).to.equal([2, 'Document']);
        const error = await failing(() => repository.get('test/a'), { status: 429, headers: { 'retry-after': '3600' } });
        expect([error.retryAfter, error.attempts, proxy.requests.length]).to.equal([3600, 1, 1]);
    });

    it('repeats a change of one version, and tells of a change that succeeded without a response', async () => {

        const { etag } = await repository.create('Document', { name: 'v1' }, { id: 'test/v' });
        proxy.next('cut');
        const saved = await repository.update('test/v', { name: 'v2' }, { ifMatch: etag });
        expect(proxy.requests).to.equal(['PUT /objects/test/v', 'PUT /objects/test/v']);

        const lost = await failing(() => repository.update('test/v', { name: 'v3' }, { ifMatch: saved.etag }), 'lose');
        expect([lost.status, lost.attempts, lost.mayHaveChanged]).to.equal([412, 2, true]);
        expect((await repository.get<{ name: string }>('test/v'))?.content.name).to.equal('v3');
        const plain = await failing(() => repository.update('test/v', { name: 'v4' }), 'cut');
        expect([plain.status, plain.attempts, plain.mayHaveChanged, proxy.requests.length]).to.equal([0, 1, true, 1]);
    });

    it('does not repeat a change of any version, however that is said', async () => {

        for (const ifMatch of ['*', null]) {
            const error = await failing(() => repository.update('test/a', { name: 'b' }, { ifMatch }), 'cut');
            expect([error.attempts, error.mayHaveChanged, proxy.requests.length], `${ifMatch}`).to.equal([1, true, 1]);
        }
    });

    for (const status of [401, 429, 503]) {
        it(`does not repeat a batch of which a part was stored before status ${status}`, async () => {

            // The access token is there.
            await repository.get('test/a');
            const report = { results: [{ position: 0, responseCode: 200, response: {} }], success: false, message: 'the batch has ended early' };
            const error = await failing(() => repository.batch([{ type: 'Document', content: {} }, { type: 'Document', content: {} }]), {
                status, headers: { 'retry-after': '0' }, body: report
            });

            expect([error.status, error.attempts, error.mayHaveChanged, error.message, proxy.requests]).to.equal([status, 1, true, report.message, ['POST /batchUpload']]);
            expect(Object.keys(error.details)).to.equal(['results', 'success']);
        });
    }

    it('is ended by a signal while it waits', async () => {

        const stop = new AbortController();
        const slow = new RepositoryClient(proxy.url, { retries: { delayMs: 3_600_000, maxDelayMs: 3_600_000 }, fetch: async () => {

            setImmediate(() => stop.abort(new Error('enough')));
            throw new TypeError('no network');
        } });

        await expect(slow.get('test/a', { signal: stop.signal })).to.reject('enough');
    });

    it('reads errors that are no JSON, and rejects responses that are not what was asked for', async () => {

        const answering = (body: string, status: number): RepositoryClient => new RepositoryClient('http://localhost', {
            retries: { attempts: 1 }, fetch: async () => new Response(body, { status, headers: { 'content-type': 'text/html' } })
        });
        const page = await failing(() => answering('<h1>Bad gateway</h1>', 502).get('test/a'));
        const wrong = await failing(() => answering('<h1>Welcome</h1>', 200).get('test/a'));
        const unknown = await failing(() => answering('<h1>Welcome</h1>', 200).create('Document', {}));

        expect(page.message).to.equal('GET /objects/test/a: status 502, <h1>Bad gateway</h1>');
        expect([wrong.message, wrong.status, wrong.mayHaveChanged]).to.equal(['GET /objects/test/a: the response is not JSON, or is not complete', 200, false]);
        expect(unknown.mayHaveChanged).to.be.true();
    });
});

describe('the options of the client', () => {

    const WRONG: readonly (readonly [title: string, url: string, options: ConstructorParameters<typeof RepositoryClient>[1], message: string])[] = [
        ['a URL of another protocol', 'doip://localhost', {}, 'is no URL of a service'],
        ['credentials in the URL', 'https://ann:pw@example.org', {}, 'credentials are options'],
        ['a query in the URL', 'https://example.org?x=1', {}, 'no query'],
        ['a username without password', 'https://example.org', { username: 'ann' }, 'belong together'],
        ['two kinds of credentials', 'https://example.org', { username: 'ann', password: 'x', token: 'y' }, 'either'],
        ['credentials without TLS', 'http://example.org', { token: 'x' }, 'without TLS'],
        ['credentials for a host that begins like this one', 'http://127.0.0.1.example.org', { token: 'x' }, 'without TLS']
    ];

    for (const [title, url, options, message] of WRONG) {
        it(`reject ${title}`, () => {

            expect(() => new RepositoryClient(url, options)).to.throw(TypeError, new RegExp(message));
        });
    }

    it('accept what is safe or allowed', () => {

        expect(new RepositoryClient('https://example.org/cordra/', { token: 'x' }).url).to.equal('https://example.org/cordra');
        for (const url of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://example.org']) {
            expect(new RepositoryClient(url, { token: 'x', insecure: true }).url).to.equal(url);
        }

        expect(new RepositoryClient('http://localhost:8080', { token: 'x' }).url).to.equal('http://localhost:8080');
    });
});
