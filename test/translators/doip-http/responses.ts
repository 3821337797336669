import * as Code from '@hapi/code';
import type { Server, ServerInjectResponse } from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import type { BytesSegment, DoipResponse, Segment } from '../../../lib/doip/envelope.js';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { bytesSegment, empty, json, jsonSegment, sequence } from '../../../lib/doip/segments.js';
import { parseMediaType } from '../../../translators/http/headers/content-type.js';
import { parseMultipart } from '../../../translators/http/request/multipart.js';
import { doipServer, performer, success } from '../../support/performers.js';

export const lab = Lab.script();
const { describe, it, before } = lab;
const { expect } = Code;

const BIG = 200_000;

/** A body that is no small buffer, and tells when it was closed. */
function stream(length: number, facts: Partial<BytesSegment> = {}, watch: { closed?: boolean } = {}): BytesSegment {

    const body = async function *(): AsyncGenerator<Uint8Array> {

        try {
            for (let i = 0; i < length; i += 1000) {
                yield Buffer.alloc(Math.min(1000, length - i), 0x61);
            }
        }
        finally {
            watch.closed = true;
        }
    };

    return { kind: 'bytes', body: body(), length, ...facts };
}

async function *watched(watch: { closed?: boolean }, ...segments: Segment[]): AsyncGenerator<Segment> {

    try {
        yield *segments;
    }
    finally {
        watch.closed = true;
    }
}

describe('responses of DOIP over HTTP', () => {

    let server: Server;
    let next: () => DoipResponse;

    before(async () => {

        const gateway = performer((request) => Promise.resolve({ ...next(), requestId: request.requestId }));
        gateway.statuses.register('20.500.123/Status.Teapot', { http: 418 });
        gateway.statuses.register('20.500.123/Status.Odd');
        server = await doipServer(gateway);
    });

    async function answer(response: DoipResponse | (() => DoipResponse), query = '', headers = {}, method = 'GET'): Promise<ServerInjectResponse> {

        next = typeof response === 'function' ? response : () => response;
        return await server.inject({ method, url: `/doip?o=Op&t=t/1${query}`, headers });
    }

    const doipOf = ({ headers }: ServerInjectResponse): unknown => JSON.parse(String(headers['doip-response']));
    const failing = (status: string, body: JsonValue, more: Partial<DoipResponse> = {}): DoipResponse =>
        ({ requestId: null, status, attributes: {}, output: json(body), ...more });

    it('consist of one JSON segment', async () => {

        const response = await answer(success(json({ a: 'ü', b: [1] }), { permission: 'READ' }), '&r=r1');

        expect(response.statusCode).to.equal(200);
        expect(response.payload).to.equal('{"a":"ü","b":[1]}');
        expect(response.headers).to.include({ 'content-type': 'application/json; charset=utf-8', 'content-length': 18 });
        expect(doipOf(response)).to.equal({ requestId: 'r1', status: '0.DOIP/Status.001', attributes: { permission: 'READ' } });
    });

    it('may be null or indented JSON', async () => {

        expect((await answer(success(json(null)))).payload).to.equal('null');
        expect((await answer(success(json({ a: 1 })), '&pretty=true')).payload).to.equal('{\n  "a": 1\n}');
        expect((await answer(success(json({ a: 1 })), '&pretty=false')).payload).to.equal('{"a":1}');
    });

    it('have no media type without a body', async () => {

        const response = await answer(success(empty()), '', {}, 'POST');

        expect(response.statusCode).to.equal(200);
        expect(response.payload).to.equal('');
        expect(response.headers['content-type']).to.be.undefined();
        expect(doipOf(response)).to.equal({ status: '0.DOIP/Status.001' });
    });

    const byteCases: [string, () => DoipResponse, number, object][] = [
        ['few bytes', () => success(sequence(bytesSegment(Buffer.alloc(10), { mediaType: 'image/png', filename: 'a.png' }))), 10,
            { 'content-type': 'image/png', 'content-disposition': 'inline; filename="a.png"', 'content-length': 10 }],
        ['no bytes', () => success(sequence(bytesSegment(Buffer.alloc(0), { mediaType: 'image/png' }))), 0, { 'content-type': 'image/png' }],
        ['many bytes', () => success(sequence(stream(BIG)), { mediaType: 'text/plain', filename: 'ü.txt' }), BIG, {
            'content-type': 'text/plain;charset=utf-8', 'content-length': BIG,
            'content-disposition': 'inline; filename="?.txt"; filename*=UTF-8\'\'%C3%BC.txt', 'x-content-type-options': 'nosniff'
        }],
        ['attributes rather than facts of the segment', () => success(sequence(stream(BIG, { mediaType: 'a/b', filename: 'c' })), { mediaType: 'image/gif', filename: 'd' }),
            BIG, { 'content-type': 'image/gif', 'content-disposition': 'inline; filename="d"' }],
        ['a media type that would break the header', () => success(sequence(stream(BIG)), { mediaType: 'text/plain\r\nx: y' }), BIG,
            { 'content-type': 'application/octet-stream' }],
        ['a file name that would break the header', () => success(sequence(stream(BIG)), { filename: 'a\r\nx: y' }), BIG,
            { 'content-disposition': 'inline; filename="a??x: y"; filename*=UTF-8\'\'a%0D%0Ax%3A%20y' }],
        ['pages, which must not act with our rights', () => success(sequence(stream(BIG)), { mediaType: 'text/HTML; charset=utf-8' }), BIG,
            { 'content-security-policy': 'sandbox' }],
        ['drawings likewise', () => success(sequence(stream(BIG)), { mediaType: 'image/svg+xml' }), BIG, { 'content-security-policy': 'sandbox' }],
        ['whatever else nobody knows likewise', () => success(sequence(stream(BIG)), { mediaType: 'chemical/x-pdb' }), BIG,
            { 'content-security-policy': 'sandbox' }]
    ];

    for (const [title, response, length, headers] of byteCases) {
        it(`consist of ${title}`, async () => {

            const written = await answer(response);

            expect(written.statusCode).to.equal(200);
            expect(written.rawPayload.length).to.equal(length);
            expect(written.headers).to.include(headers);
        });
    }

    for (const mediaType of ['application/pdf', 'image/png', 'text/plain; charset=utf-8', 'application/ld+json', 'video/mp4']) {
        it(`show ${mediaType} outside of a sandbox`, async () => {

            const { headers } = await answer(success(sequence(stream(BIG)), { mediaType }));

            expect(headers['content-security-policy']).to.be.undefined();
            expect(headers['x-content-type-options']).to.equal('nosniff');
        });
    }

    it('show pages of the design outside of a sandbox, but not what its methods return', async () => {

        const pages: readonly [operation: string, target: string, policy: string | undefined][] = [
            ['0.DOIP/Op.Retrieve', 'design', undefined], ['Retrieve', 'design', undefined], ['0.DOIP/Op.Retrieve', 'test/1', 'sandbox'],
            ['echo', 'design', 'sandbox'], ['gateway/Op.Call', 'design', 'sandbox'], ['20.DOIP/Op.Versions.Get', 'design', 'sandbox']
        ];
        for (const [operation, target, policy] of pages) {
            next = () => success(sequence(stream(BIG)), { mediaType: 'text/html' });
            const { headers } = await server.inject(`/doip/${operation}?targetId=${target}&element=page`);

            expect(headers['content-security-policy'], `${operation} ${target}`).to.equal(policy);
        }
    });

    it('may have bytes of unknown length', async () => {

        const { length: _, ...segment } = stream(BIG);
        const response = await answer(success(sequence(segment)));

        expect(response.rawPayload.length).to.equal(BIG);
        expect(response.headers['content-length']).to.be.undefined();
    });

    it('may have another disposition, limited to a token', async () => {

        const bytes = (): DoipResponse => success(sequence(stream(BIG)), { filename: 'x' });

        expect((await answer(bytes, '&disposition=attachment')).headers['content-disposition']).to.equal('attachment; filename="x"');
        expect((await answer(bytes, '&disposition=a%0D%0Ab')).statusCode).to.equal(400);
    });

    it('have the status 206 for a Range header when the output is a range', async () => {

        const ranged = (): DoipResponse => success(sequence(stream(100_000)), { range: { start: 5, end: 100_004, size: 500_000 } });
        const response = await answer(ranged, '&element=x', { range: 'bytes=5-100004' });

        expect(response.statusCode).to.equal(206);
        expect(response.headers).to.include({ 'content-range': 'bytes 5-100004/500000', 'content-length': 100_000 });
        expect((await answer(ranged)).statusCode).to.equal(200);
    });

    it('are complete when the output is', async () => {

        const response = await answer(success(sequence(stream(BIG))), '', { range: 'bytes=0-9' });

        expect(response.statusCode).to.equal(200);
        expect(response.rawPayload.length).to.equal(BIG);
    });

    it('have several segments as multipart/mixed', async () => {

        const output = sequence(jsonSegment({ id: 't/1' }), jsonSegment({ id: 'e"ü' }), stream(BIG, { mediaType: 'image/png', filename: 'x.png' }),
            jsonSegment([1]), bytesSegment(Buffer.from('abc')));
        const response = await answer(success(output));
        const parts: object[] = [];
        const source = sequenceOf(response.rawPayload);
        for await (const { name, filename, mediaType, body } of parseMultipart(source, parseMediaType(String(response.headers['content-type'])), { parts: 9, partHeaderBytes: 999 })) {
            const chunks: Uint8Array[] = [];
            for await (const chunk of body) {
                chunks.push(Uint8Array.from(chunk));
            }

            const text = Buffer.concat(chunks).toString();
            parts.push({ name, filename, mediaType, body: text.length > 99 ? text.length : text });
        }

        expect(response.headers['content-type']).to.match(/^multipart\/mixed; boundary=[0-9a-f]{32}$/);
        expect<unknown>(parts).to.equal([
            { name: undefined, filename: undefined, mediaType: 'application/json', body: '{"id":"t/1"}' },
            { name: undefined, filename: undefined, mediaType: 'application/json', body: '{"id":"e\\"ü"}' },
            { name: 'e"?', filename: 'x.png', mediaType: 'image/png', body: BIG },
            { name: undefined, filename: undefined, mediaType: 'application/json', body: '[1]' },
            { name: undefined, filename: undefined, mediaType: 'application/octet-stream', body: 'abc' }
        ]);
    });

    it('have bytes and further segments as multipart/mixed: few bytes always, many by the media type', async () => {

        const few = await answer(success(sequence(bytesSegment(Buffer.from('abc')), jsonSegment(1))));
        const many = await answer(success(sequence(stream(BIG), jsonSegment(1)), { mediaType: 'multipart/mixed' }));

        for (const { headers, payload } of [few, many]) {
            expect(String(headers['content-type'])).to.startWith('multipart/mixed; boundary=');
            expect(payload.match(/Content-Type/g)).to.have.length(2);
        }
    });

    it('to HEAD are those of GET without a body, and release the bytes', async () => {

        const watch: { closed?: boolean } = {};
        const bytes = await answer(success(watched(watch, stream(BIG)), { mediaType: 'a/b' }), '', {}, 'HEAD');
        const text = await answer(success(json({ a: 1 })), '', {}, 'HEAD');

        expect(bytes.statusCode).to.equal(200);
        expect(bytes.payload).to.equal('');
        expect(bytes.headers).to.include({ 'content-length': BIG, 'content-type': 'a/b' });
        expect(watch.closed).to.be.true();
        expect(text.payload).to.equal('');
        expect(text.headers).to.include({ 'content-length': 7 });
    });

    it('release the output after it was read', async () => {

        for (const segments of [[jsonSegment(1)], [stream(BIG)], [jsonSegment(1), stream(10)], [bytesSegment(Buffer.alloc(3))]]) {
            const watch: { closed?: boolean } = {};
            await answer(success(watched(watch, ...segments)));

            expect(watch.closed).to.be.true();
        }
    });

    const errors: [string, DoipResponse, number, object, object][] = [
        ['an unauthenticated caller', failing('0.DOIP/Status.102', { message: 'm' }), 401, { message: 'm' }, { 'www-authenticate': 'Bearer realm="cordra"' }],
        ['a bad token', failing('0.DOIP/Status.102', { message: 'm' }, { attributes: { error: 'invalid_token' } }), 401, { message: 'm' },
            { 'www-authenticate': 'Bearer realm="cordra", error="invalid_token"' }],
        ['a forbidden thing', failing('0.DOIP/Status.103', { message: 'm' }), 403, { message: 'm' }, {}],
        ['a missing object', failing('0.DOIP/Status.104', { message: 'm' }), 404, { message: 'm' }, {}],
        ['a conflict', failing('0.DOIP/Status.105', { message: 'm' }), 409, { message: 'm' }, {}],
        ['an unknown operation', failing('0.DOIP/Status.200', { message: 'm' }), 400, { message: 'm' }, {}],
        ['more members', failing('0.DOIP/Status.101', { message: 'm', errors: [1] }), 400, { message: 'm', errors: [1] }, {}],
        ['an internal error', failing('0.DOIP/Status.500', { message: 'm', state: 'FAILED' }), 500, { message: 'm', state: 'FAILED' }, {}],
        ['a range that cannot be satisfied', failing('0.DOIP/Status.101', { message: 'm' }, { http: 416, attributes: { size: 7 } }), 416, { message: 'm' },
            { 'content-range': 'bytes */7' }],
        ['a service that is busy', failing('0.DOIP/Status.500', { message: 'm' }, { http: 503, attributes: { retryAfter: 1.5 } }), 503, { message: 'm' },
            { 'retry-after': '2' }],
        ['a custom status', failing('20.500.123/Status.Teapot', { message: 'm' }), 418, { message: 'm' }, {}],
        ['a custom status with HTTP 200', failing('20.500.123/Status.Odd', { message: 'm', x: 1 }), 200, { message: 'm', x: 1 }, { 'content-type': 'application/json; charset=utf-8' }],
        ['a status nobody knows', failing('20.500.123/Status.Unknown', { message: 'm' }), 200, { message: 'm' }, {}],
        ['an output that is not an object', failing('0.DOIP/Status.101', 'text', { attributes: { message: 'm' } }), 400, { message: 'm' }, {}],
        ['an output without message', failing('0.DOIP/Status.103', { x: 1 }), 403, { message: 'not permitted', x: 1 }, {}],
        ['an output of bytes', failing('0.DOIP/Status.101', 1, { output: sequence(stream(BIG)) }), 400, { message: 'invalid request' }, {}],
        ['no output', failing('0.DOIP/Status.105', 1, { output: empty() }), 409, { message: 'conflict' }, {}]
    ];

    for (const [title, response, code, body, headers] of errors) {
        it(`have the status ${code} for ${title}`, async () => {

            const written = await answer(response);

            expect(written.statusCode).to.equal(code);
            expect<unknown>(JSON.parse(written.payload)).to.equal(body);
            expect(written.headers).to.include(headers);
            expect(doipOf(written)).to.include({ status: response.status });
        });
    }

    it('have the status 500 without details when an output fails before its first byte', async () => {

        const broken = async function *(): AsyncGenerator<Segment> {

            yield *[];
            await Promise.reject(new Error('SELECT secret FROM x'));
        };

        const response = await answer(success(broken()));

        expect(response.statusCode).to.equal(500);
        expect(response.payload).to.equal('{"message":"Something went wrong. Contact your sysadmin."}');
        expect(response.headers['doip-response']).to.not.contain('secret');
    });
});

async function *sequenceOf(bytes: Buffer): AsyncGenerator<Buffer> {

    yield bytes;
}
