/** What errors of the client for DOIP say: of responses by their statuses, of other servers, and of batches that end early. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { connect, ConnectionError, HttpConnection, RequestError, Status } from '../../../lib/client/index.js';
import { connectionErrorOf, failureOf } from '../../../lib/client/errors.js';
import { mayHaveChanged } from '../../../lib/client/web/retry.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { badRequest, DoipError, tooManyRequests, unauthenticated, unavailable } from '../../../lib/errors/errors.js';
import { openLink, TRANSPORTS } from '../../support/doip-links.js';
import { startFlakyProxy } from '../../support/flaky-proxy.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it } = lab;

const CASES: readonly (readonly [title: string, error: DoipError, status: number, retryAfter: number | null])[] = [
    ['a rate limit', tooManyRequests('', 3), 429, 3], ['an outage', unavailable('', 7), 503, 7], ['wrong credentials', unauthenticated(''), 401, null],
    ['a bad request', badRequest(''), 400, null], ['an internal error', new DoipError(Status.internal, ''), 500, null],
    ['a status of an extension', new DoipError('20.500.123/Status.Teapot', ''), 400, null], ['one of the class 5xx', new DoipError('20.500.123/Status.512', ''), 500, null]
];

describe('a rejection', () => {

    for (const [title, { status, attributes, http }, code, retryAfter] of CASES) {
        it(`is understood over both transports: ${title}`, () => {

            const response = { status, attributes };

            const failure = { status: code, retryAfter, isTokenRejected: false, isPartial: false };
            expect(failureOf(response)).to.equal(failure);
            expect(failureOf({ ...response, ...http === undefined ? {} : { http } })).to.equal(failure);
        });
    }

    it('has the time of Retry-After where the response has no attributes', () => {

        expect(failureOf({ status: Status.badRequest, attributes: {}, http: 429, retryAfter: 5 })).to.include({ status: 429, retryAfter: 5 });
    });

    it('is that of a token where the service says so', () => {

        const { status, attributes } = unauthenticated('', { attributes: { error: 'invalid_token' } });

        expect(failureOf({ status, attributes }).isTokenRejected).to.be.true();
        expect(failureOf({ status: Status.forbidden, attributes }).isTokenRejected).to.be.false();
    });

    it('is partial where it reports what was done', () => {

        expect(failureOf({ status: Status.badRequest, attributes: { report: true } }).isPartial).to.be.true();
        expect(failureOf({ status: Status.badRequest, attributes: {} }, { results: [] }).isPartial).to.be.true();
    });
});

describe('an error of a connection', () => {

    const LOST: readonly (readonly [code: string, more: object, facts: object])[] = [
        ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'].flatMap((code) => [
            [code, { syscall: 'connect' }, { status: 0, isUnsent: true, isPartial: false }] as const,
            [code, { syscall: 'read' }, { status: 0, isUnsent: false, isPartial: false }] as const
        ]),
        ['ENOTFOUND', { syscall: 'getaddrinfo' }, { status: 0, isUnsent: true, isPartial: false }],
        ['ETIMEDOUT', { syscall: 'connect' }, { status: 0, isUnsent: true, isPartial: false }], ['ETIMEDOUT', {}, { status: 0, isUnsent: false, isPartial: false }],
        ['ECONNRESET', {}, { status: 0, isUnsent: false, isPartial: false }], ['HPE_INVALID_CONSTANT', {}, { status: -1, isUnsent: false, isPartial: true }],
        ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].map((code) => (
            [code, {}, { status: -1, isUnsent: true, isPartial: false }] as const
        )),
        ...['ENETDOWN', 'ERR_SSL_BAD_RECORD_TYPE', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'].map((code) => (
            [code, {}, { status: -1, isUnsent: false, isPartial: false }] as const
        ))
    ];
    for (const [code, more, facts] of LOST) {
        it(`says what is known: ${code} ${JSON.stringify(more)}`, () => {

            const cause = Object.assign(new Error(''), { code }, more);
            const error = connectionErrorOf(cause);

            expect([error?.message, error?.code, error?.cause === cause]).to.equal([code, code, true]);
            expect(error && ConnectionError.failureOf(error)).to.equal({ retryAfter: null, ...facts });
        });
    }

    it('is one of many where a name has many addresses, and none was reached', () => {

        const refused = (syscall: string): Error => Object.assign(new Error(''), { code: 'EHOSTUNREACH', syscall });
        const isUnsent = (...errors: Error[]): unknown => {

            const error = connectionErrorOf(Object.assign(new AggregateError(errors), { code: 'EHOSTUNREACH' }));
            return error && ConnectionError.failureOf(error).isUnsent;
        };

        expect([isUnsent(refused('connect'), refused('connect')), isUnsent(refused('connect'), refused('read')), isUnsent()]).to.equal([true, false, false]);
    });

    it('may have come after the change, unless nothing was sent', () => {

        const facts = ['ENETDOWN', 'ERR_SSL_BAD_RECORD_TYPE', 'ECONNRESET', 'CERT_HAS_EXPIRED'].map((code) => {

            const error = connectionErrorOf(Object.assign(new Error(''), { code }));
            const failure = error && ConnectionError.failureOf(error);
            return failure && [false, true].map((isRead) => mayHaveChanged({ isRead, isConditional: false, isReplayable: true }, failure));
        });

        expect(facts).to.equal([[true, false], [true, false], [true, false], [false, false]]);
    });

    it('is none of the program itself', () => {

        expect([connectionErrorOf(new TypeError('x')), connectionErrorOf('x'), connectionErrorOf(undefined)]).to.equal([null, null, null]);
        expect(connectionErrorOf(badRequest('no JSON'))?.message).to.equal('the response cannot be read: no JSON');
    });
});

describe('requests by DOIP over HTTP through a proxy', () => {

    it('are repeated where the proxy says that the service is away or busy', async () => {

        const server = await startServer();
        const proxy = await startFlakyProxy(server.url);
        const client = connect(proxy.url, { username: 'admin', password: 'x', retries: { delayMs: 1 } });
        const busy = { status: 429, headers: { 'retry-after': '0' } };
        proxy.next({ status: 502 }, { status: 503 }, { status: 504 });
        const { id } = await connect(proxy.url, { retries: { delayMs: 1 } }).hello();
        const reads = proxy.requests.length;
        proxy.next(busy);
        const rejected: unknown = await client.create({ type: 'Document', attributes: { content: {} } }).catch((reason: unknown) => reason);
        const creations = proxy.requests.length;
        const outcomes: unknown[] = [];
        for (const status of [502, 200, 404]) {
            proxy.next({ status });
            const error: unknown = await client.create({ type: 'Document', attributes: { content: {} } }).catch((reason: unknown) => reason);
            outcomes.push(error instanceof ConnectionError && [error.attempts, error.mayHaveChanged, /without Doip-Response$/.test(error.message), proxy.requests.length]);
        }

        client.close();
        await proxy.stop();
        await server.stop();

        expect([id, reads, creations, rejected instanceof RequestError && [rejected.status, rejected.http, rejected.attempts]])
            .to.equal(['test/service', 4, 2, [Status.unauthenticated, 401, 2]]);
        expect(outcomes).to.equal([[1, true, true, 1], [1, true, true, 1], [1, false, true, 1]]);
    });

    it('fail where JSON of another form comes', async () => {

        const server = await startServer();
        const proxy = await startFlakyProxy(server.url);
        const headers = { 'doip-response': JSON.stringify({ status: Status.ok }) };
        const client = connect(proxy.url);
        const outcomes: unknown[] = [];
        for (const call of [() => client.retrieve('test/a'), () => client.create({ type: 'Document', attributes: { content: {} } }), () => client.versions('test/a'), () => client.batch([])]) {
            proxy.next({ status: 200, headers, body: { id: 1 } });
            const error: unknown = await call().catch((reason: unknown) => reason);
            outcomes.push(error instanceof ConnectionError && [error.message, error.mayHaveChanged]);
        }

        client.close();
        await proxy.stop();
        await server.stop();

        expect(outcomes).to.equal([[Op.retrieve, false], [Op.create, true], [Op.versionsGet, false], [Op.batchUpload, true]]
            .map(([id, mayHaveChanged]) => [`${id}: the response has an unexpected form`, mayHaveChanged]));
    });

    it('have the status of HTTP, which native DOIP does not know', async () => {

        const server = await startServer();
        const connection = new HttpConnection({ url: server.url });
        const { http, output } = await connection.perform({ targetId: 'test/none', operationId: Op.retrieve });
        await output.return();
        connection.close();
        await server.stop();

        expect(http).to.equal(404);
    });
});

for (const transport of TRANSPORTS) {
    describe(`a batch that ends early over ${transport}`, () => {

        it('is not repeated, as a part of it is stored, and its error lists what was', async () => {

            const server = await startServer({ RATE_LIMIT_BYTES_SECONDS: 120, RATE_LIMIT_USER_BYTES: 600_000 });
            const way = await openLink(server, transport);
            const admin = way.client();
            await admin.create({ type: 'User', id: 'test/ann', attributes: { content: { username: 'ann', password: 'a long password' } } });
            const schema = { identifier: '', name: 'Open', schema: { type: 'object' }, authConfig: { aclCreate: ['authenticated'] } };
            await admin.create({ type: 'Schema', attributes: { content: schema } });
            const ann = way.client({ authentication: { username: 'ann', password: 'a long password' } });
            const items = Array.from({ length: 50 }, () => ({ type: 'Open', attributes: { content: { text: 'x'.repeat(10_000) } } }));
            way.link.next();
            await ann.batch(items);
            const error: unknown = await ann.batch(items, { parallel: false }).catch((reason: unknown) => reason);
            const { requests } = way.link;
            const { size } = await admin.searchPage('type:Open', { pageSize: 0 });
            await way.stop();
            await server.stop();

            const results = error instanceof RequestError ? error.details['results'] as unknown[] : [];
            expect(error instanceof RequestError && [error.attempts, error.mayHaveChanged, error.retryAfter !== null, requests]).to.equal([1, true, true, 2]);
            expect([results.length > 0, size]).to.equal([true, 50 + results.length]);
        });
    });
}
