import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { ADMIN, BAD, NativeClient, nativePort, OK, UNAUTHENTICATED } from '../support/native.js';
import type { TestServer } from '../support/server.js';
import { pathOf, startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;

const ERRORS = {
    cut: 'the connection ended within a message',
    length: 'a chunk must begin with its length in decimal digits'
};

/** Text of a first segment. */
const head = (operation: string, more: JsonObject = {}): string =>
    JSON.stringify({ requestId: 'r', targetId: 'service', operationId: operation, authentication: ADMIN, ...more });

const compact = (operation: string, more: JsonObject = {}): string => `${head(operation, more)}\n#\n#\n`;

const TWO_FILES = '{"type":"Document","attributes":{"content":{"text":"two files"}},"elements":' +
    '[{"id":"a","type":"text/plain","attributes":{"filename":"a.txt"}},{"id":"b","type":"application/octet-stream"}]}';

/** Creation of an object with two elements; one of them contains the end of a message, the other one is empty. */
const create = (more: JsonObject = {}): string =>
    `${head(Op.create, more)}\n#\n${TWO_FILES}\n#\n{"id":"a"}\n#\n@\n3\nabc\n5\n\n#\n#\n\n#\n{"id":"b"}\n#\n@\n#\n#\n`;

describe('native DOIP', () => {

    let test: TestServer;
    let client: NativeClient;

    before(async () => {

        test = await startServer({ DOIP_PORT: 0 });
    });

    after(() => test.stop());

    beforeEach(async () => {

        client = await NativeClient.open(nativePort(test));
    });

    afterEach(() => client.close());

    const stored = async (text: string): Promise<string> => {

        const { head: { status, output } } = await client.ask(text);
        expect(status).to.equal(OK);
        return (output as { id: string }).id;
    };

    /** The response to a retrieval, without what differs from run to run. */
    const octets = async (text: string): Promise<string> => {

        const from = client.records.length;
        await client.ask(text);
        return client.records.slice(from).join('');
    };

    describe('writes exactly these octets:', () => {

        it('a response with one JSON value has it in the first segment', async () => {

            expect(await octets(`{"requestId":"r2","targetId":"service","operationId":"0.DOIP/Op.Search","authentication":${JSON.stringify(ADMIN)},` +
                '"attributes":{"query":"no-such-word","pageSize":0}}\n#\n#\n'))
                .to.equal('{"requestId":"r2","status":"0.DOIP/Status.001"}\n#\n{"size":0,"results":[],"pageNum":0,"pageSize":0}\n#\n#\n');
            expect(await octets(`{"requestId":"r1","targetId":"service","operationId":"${Op.startupStatus}"}\n#\n#\n`))
                .to.match(/^\{"requestId":"r1","status":"0\.DOIP\/Status\.001","output":\{[^\n]+\}\}\n#\n#\n$/);
        });

        it('an error has its message twice', async () => {

            expect(await octets('{"requestId":"r5","targetId":"test/none","operationId":"0.DOIP/Op.Retrieve"}\n#\n#\n')).to.equal(
                '{"requestId":"r5","status":"0.DOIP/Status.104","attributes":{"message":"Missing object test/none"},' +
                '"output":{"message":"Missing object test/none"}}\n#\n#\n');
        });

        it('a response without output is one segment', async () => {

            const id = await stored(create());
            expect(await octets(compact(Op.delete, { targetId: id }))).to.equal('{"requestId":"r","status":"0.DOIP/Status.001"}\n#\n#\n');
        });

        it('a request without an id gets a response without one', async () => {

            expect(await octets('{"targetId":"test/none","operationId":"0.DOIP/Op.Retrieve"}\n#\n#\n')).to.startWith('{"status":"0.DOIP/Status.104"');
        });

        it('a part of an element', async () => {

            const id = await stored(create());
            expect(await octets(compact(Op.retrieve, { targetId: id, attributes: { element: 'a', range: { start: 0, end: 2 } } }))).to.equal(
                '{"requestId":"r","status":"0.DOIP/Status.001","attributes":{"mediaType":"text/plain","filename":"a.txt","type":"Document",' +
                '"permission":"WRITE","size":8,"range":{"start":0,"end":2,"size":8}}}\n#\n@\n3\nabc\n#\n#\n');
        });

        it('an element without a file name has its id for one', async () => {

            const id = await stored(create());
            expect(await octets(compact(Op.retrieve, { targetId: id, attributes: { element: 'b' } }))).to.equal(
                '{"requestId":"r","status":"0.DOIP/Status.001","attributes":{"mediaType":"application/octet-stream","filename":"b","type":"Document",' +
                '"permission":"WRITE","size":0}}\n#\n@\n#\n#\n');
        });
    });

    it('sends text, the end of a segment and the end of the message as records of their own', async () => {

        await client.ask(compact(Op.hello));
        const [text, ...ends] = client.records;
        expect(text).to.match(/^[^\n]*\}$/);
        expect(ends).to.equal(['\n#\n', '#\n']);
    });

    it('reads a message however it is cut', async () => {

        await client.send(create({ requestId: 'whole' }) + create({ requestId: 'next' }));
        await client.send(create({ requestId: 'octets' }), { byOctet: true });
        for (const requestId of ['whole', 'next', 'octets']) {
            const { head: { status, requestId: echoed, output } } = (await client.receive())!;
            expect(status).to.equal(OK);
            expect(String(echoed)).to.equal(requestId);
            const { elements, attributes: { content } } = output as { elements: Record<string, unknown>[]; attributes: { content: Record<string, unknown> } };
            expect(content['text']).to.equal('two files');
            expect(elements.map(({ id, length, type, attributes }) => [id, length, type, attributes])).to.equal([
                ['a', 8, 'text/plain', { filename: 'a.txt' }], ['b', 0, 'application/octet-stream', {}]
            ]);
        }
    });

    it('returns with element data what was sent to create the object', async () => {

        const id = await stored(create());
        const { segments } = await client.ask(compact(Op.retrieve, { targetId: id, attributes: { includeElementData: 'true' } }));
        const [object, ...data] = segments;
        expect((object?.json as { id: string }).id).to.equal(id);
        expect(data).to.equal([{ json: { id: 'a' } }, { bytes: 'abc\n#\n#\n' }, { json: { id: 'b' } }, { bytes: '' }]);
    });

    it('responds to pipelined requests in their order, with and without ids', async () => {

        const asked = Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? {} : { requestId: `é${n}` }));
        await client.send(asked.map((more) => `${JSON.stringify({ targetId: 'service', operationId: Op.hello, ...more })}\n#\n#\n`).join(''));
        for (const { requestId } of asked as { requestId?: string }[]) {
            const { head: { requestId: echoed, status } } = (await client.receive())!;
            expect([echoed, status]).to.equal([requestId, OK]);
        }
    });

    it('takes pairs of elements in any order, and their data as JSON', async () => {

        const id = await stored(`${head(Op.create)}\n#\n${TWO_FILES}\n#\n{"id":"b"}\n#\n{"json":1}\n#\n{"id":"a"}\n#\n@\n1\nx\n#\n#\n`);
        const { segments } = await client.ask(compact(Op.retrieve, { targetId: id, attributes: { element: 'b' } }));
        expect(segments).to.equal([{ bytes: '{"json":1}' }]);
    });

    const refusals: readonly [title: string, text: string | Buffer, status: string, message: string | RegExp][] = [
        ['a message without segments', '#\n', BAD, 'No initial segment'],
        ['bytes as first segment', '@\n1\nx\n#\n#\n', BAD, 'the first segment must be JSON'],
        ['an array as first segment', '[]\n#\n#\n', BAD, 'the first segment must be a JSON object'],
        ['invalid JSON', '{"a":}\n#\n#\n', BAD, /^the segment.* line 1, column 6/],
        ['a text that is not UTF-8', Buffer.from('{"\xff":1}\n#\n#\n', 'latin1'), BAD, /UTF-8/],
        ['an unknown property', compact(Op.hello, { inptu: {} }), BAD, 'unknown property "inptu" of the request'],
        ['a request without target', '{"operationId":"0.DOIP/Op.Hello"}\n#\n#\n', BAD, 'Missing targetId'],
        ['a request without operation', '{"targetId":"service"}\n#\n#\n', BAD, 'Missing operationId'],
        ['a target that is no text', '{"targetId":1,"operationId":"x"}\n#\n#\n', BAD, 'targetId must be a string'],
        ['attributes that are no object', compact(Op.hello, { attributes: [] }), BAD, 'attributes must be a JSON object'],
        ['two kinds of input', `${head(Op.create, { input: {} })}\n#\n{}\n#\n#\n`, BAD, /Unexpected input segments/],
        ['input where none is expected', compact(Op.hello, { input: {} }), BAD, 'Unexpected input'],
        ['a segment where none is expected', `${head(Op.hello)}\n#\n{}\n#\n#\n`, BAD, 'Unexpected input'],
        ['a creation without input', compact(Op.create), BAD, 'Missing object type'],
        ['data of an element that is not declared', `${head(Op.create)}\n#\n{"type":"Document","attributes":{"content":{}}}\n#\n{"id":"x"}\n#\n@\n#\n#\n`, BAD,
            'Unexpected input segments: the object does not declare element x'],
        ['data of the same element twice', `${head(Op.create)}\n#\n${TWO_FILES}\n#\n{"id":"b"}\n#\n@\n#\n{"id":"b"}\n#\n@\n#\n#\n`, BAD, 'Duplicate payload b'],
        ['an unknown operation', compact('x/unknown'), '0.DOIP/Status.200', /^Operation not supported/],
        ['credentials that are no object', compact(Op.hello, { authentication: 'x' }), UNAUTHENTICATED, /^Unable to parse authentication/],
        ['credentials of an unknown kind', compact(Op.hello, { authentication: { key: 'x' } }), UNAUTHENTICATED, /^Unable to parse authentication/],
        ['a wrong password', compact(Op.hello, { authentication: { username: 'admin', password: 'wrong' } }), UNAUTHENTICATED, 'Authentication failed'],
        ['a client id without proof', compact(Op.hello, { authentication: {}, clientId: 'test/ann' }), UNAUTHENTICATED,
            'No authentication provided for test/ann']
    ];
    for (const [title, text, status, message] of refusals) {
        it(`refuses ${title}, and goes on`, async () => {

            const { head: refusal } = await client.ask(text);
            expect(refusal.status).to.equal(status);
            const { message: shown } = refusal.attributes as { message: string };
            expect(refusal.output).to.include({ message: shown });
            if (typeof message === 'string') {
                expect(shown).to.equal(message);
            }
            else {
                expect(shown).to.match(message);
            }

            expect((await client.ask(compact(Op.hello))).head.status).to.equal(OK);
        });
    }

    const breaches: readonly [title: string, text: string, message: string][] = [
        ['HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'this is not a DOIP message: the first segment must be a JSON object'],
        ['a length with a leading zero', `${head(Op.create)}\n#\n${TWO_FILES}\n#\n{"id":"a"}\n#\n@\n03\nabc\n#\n#\n`, ERRORS.length],
        ['too few bytes', `${head(Op.create)}\n#\n${TWO_FILES}\n#\n{"id":"a"}\n#\n@\n9\nabc\n#\n#\n{}\n#\n#\n`,
            'unexpected text after a mark or a length: only blanks may stand before the end of the line']
    ];
    for (const [title, text, message] of breaches) {
        it(`answers ${title} with one message and closes`, async () => {

            const { head: refusal } = await client.ask(text);
            expect([refusal.status, refusal.attributes?.['message']]).to.equal([BAD, message]);
            expect(await client.receive()).to.be.null();
            await client.closed();
            expect(client.errors).to.equal([]);
        });
    }

    it('returns the id of a request that cannot be performed, also a long or numeric one', async () => {

        for (const [sent, echoed] of [['ключ', 'ключ'], [-886484722, '-886484722'], ['x'.repeat(500_000), 'x'.repeat(500_000)]] as const) {
            expect((await client.ask(compact(Op.hello, { requestId: sent, unknown: 1 }))).head.requestId).to.equal(echoed);
        }
    });

    it('returns a number as request id with all its digits', async () => {

        const { head: { requestId } } = await client.ask(compact(Op.hello, { requestId: 'ID' }).replace('"ID"', '12345678901234567890'));
        expect(requestId).to.equal('12345678901234567890');
    });

    it('logs only the beginning of a long operation id', async () => {

        const from = test.log.length;
        await client.ask(compact(`x/${'y'.repeat(500_000)}`, { authentication: { username: 'admin', password: 'wrong' } }));
        await until(() => test.log.slice(from).some(({ event }) => event === 'operation.refused'));
        expect(JSON.stringify(test.log.slice(from)).length).to.be.below(5000);
    });

    it('calls a static method by the name of its type', async () => {

        const javascript = 'exports.staticMethods = { double: ({ params }) => params * 2 };';
        await stored(compact(Op.create, { input: { type: 'Schema', attributes: { content: { name: 'Numbers', schema: { type: 'object' }, javascript } } } }));
        const call = { targetId: 'Numbers', attributes: { isCallForType: 'true' }, input: 21 };

        expect((await client.ask(compact('double', call))).head).to.include({ status: OK, output: 42 });
        expect((await client.ask(compact('double', { ...call, attributes: { isCallForType: true } }))).head).to.include({ status: OK, output: 42 });
        expect((await client.ask(compact('double', { ...call, attributes: {} }))).head.status).to.equal('0.DOIP/Status.104');
        expect((await client.ask(compact('halve', call))).head.status).to.equal('0.DOIP/Status.200');
    });

    it('takes null for what is absent', async () => {

        const nothing = { input: null, attributes: null, clientId: null, authentication: null, requestId: null };
        const { head: { status } } = await client.ask(compact(Op.hello, nothing));
        expect(status).to.equal(OK);
        const search = { attributes: { query: 'type:Schema', facets: null, filterQueries: null, pageNum: null } };
        expect((await client.ask(compact(Op.search, search))).head.status).to.equal(OK);
        expect((await client.ask(compact(Op.search, { ...search, input: null }))).head.status).to.equal(OK);
        const id = await stored(create());
        const ranges: readonly [JsonObject | null, string][] = [
            [{ start: 1, end: null }, 'bc\n#\n#\n'], [{ start: null, end: 6 }, 'c\n#\n#\n'], [{ start: null, end: null }, 'abc\n#\n#\n'], [{}, 'abc\n#\n#\n'],
            [null, 'abc\n#\n#\n']
        ];
        for (const [range, bytes] of ranges) {
            const part = { targetId: id, attributes: { element: 'a', range } };
            expect((await client.ask(compact(Op.retrieve, part))).segments, JSON.stringify(range)).to.equal([{ bytes }]);
        }
    });

    it('writes the size of a search first, then the results', async () => {

        await client.ask(compact(Op.search, { attributes: { query: 'type:Schema', pageSize: 1, facets: [{ field: 'type' }] } }));
        const [, , results] = client.records;
        expect(Object.keys(JSON.parse(results!) as object)).to.equal(['size', 'results', 'pageNum', 'pageSize', 'facets']);
    });

    it('stores nothing of an upload that breaks off', async () => {

        const suffix = `broken${Math.random()}`;
        const text = create({ attributes: { suffix } });
        await client.send(text.slice(0, text.indexOf('abc') + 2));
        client.close();
        await until(() => test.log.some(({ event, broken, status }) => event === 'doip.request' && broken === true && status === BAD));
        const other = await NativeClient.open(nativePort(test));
        expect((await other.ask(compact(Op.retrieve, { targetId: `test/${suffix}` }))).head.status).to.equal('0.DOIP/Status.104');
        other.close();
    });

    it('answers a client that has closed its side', async () => {

        client.socket.end(compact(Op.hello));
        expect((await client.receive())?.head.status).to.equal(OK);
        expect(await client.receive()).to.be.null();
        await client.closed();
    });

    it('sends signs of life while an operation takes long', async () => {

        await client.send(compact('test/Op.Wait'));
        await until(() => client.socket.bytesRead > 0 && test.waiting.calls > 0);
        const waiting = client.receive();
        await until(() => client.records.join('').length > 0);
        expect(client.records.join('')).to.match(/^\n+$/);
        test.waiting.release();
        expect((await waiting)?.head.status).to.equal(OK);
    });

    it('tells an operation that its client is gone', async () => {

        const { calls, aborted } = test.waiting;
        await client.send(compact('test/Op.Wait'));
        await until(() => test.waiting.calls > calls);
        client.close();
        await until(() => test.waiting.aborted > aborted);
    });

    it('does not take a client that has gone for a fault of the operation, nor does HTTP', async () => {

        const { calls, aborted } = test.waiting;
        const from = test.log.length;
        await client.send(compact('test/Op.Abort'));
        const leaving = new AbortController();
        const left = fetch(`${test.url}${pathOf('Abort')}`, { signal: leaving.signal });
        await until(() => test.waiting.calls > calls + 1);
        client.close();
        leaving.abort();
        await expect(left).to.reject();
        await until(() => test.waiting.aborted > aborted + 1 && test.log.slice(from).filter(({ event }) => String(event).endsWith('.request')).length === 2);
        expect(test.log.slice(from).filter(({ level }) => level === 'error')).to.equal([]);
    });

    it('reads the rest of a message of which an operation has no need', async () => {

        const chunk = `65536\n${'x'.repeat(65_536)}\n`;
        await client.send(`${head(Op.create, { requestId: 'long', authentication: { token: 'none' } })}\n#\n@\n${chunk.repeat(50)}#\n#\n${compact(Op.hello)}`);
        expect((await client.receive())?.head).to.include({ status: UNAUTHENTICATED, requestId: 'long' });
        expect((await client.receive())?.head.status).to.equal(OK);
    });

    it('shows nothing of an internal error', async () => {

        expect(JSON.stringify(await client.ask(compact('test/Op.Crash')))).to.not.include('42');
    });

    it('streams elements of any size in both directions', async () => {

        const chunk = `65536\n${'y'.repeat(65_536)}\n`;
        await client.send(`${head('test/Op.Sink')}\n#\n@\n`);
        for (let n = 0; n < 320; ++n) {
            await client.send(chunk);
        }

        await client.send('#\n#\n');
        expect((await client.receive())?.head.output).to.equal({ bytes: 320 * 65_536 });
        const { segments } = await client.ask(compact('test/Op.Source', { attributes: { size: 5_000_000 } }));
        expect(segments[0]?.bytes?.length).to.equal(5_000_000);
    });

    it('announces itself in Hello and in the record of the service', async () => {

        const { head: { output } } = await client.ask(compact(Op.hello));
        const { attributes } = output as { attributes: Record<string, unknown> };
        expect(attributes).to.include({ ipAddress: '127.0.0.1', port: nativePort(test), protocol: 'TCP', protocolVersion: '2.0' });
        expect(attributes['publicKey']).to.include({ kty: 'RSA', e: 'AQAB' });
        expect(attributes['interfaces']).to.equal([
            { protocol: 'TCP', ipAddress: '127.0.0.1', port: nativePort(test), baseUri: null, path: null },
            { protocol: 'HTTP', ipAddress: '127.0.0.1', port: test.port, baseUri: `${test.url}/doip/`, path: '/doip/' }
        ]);
        const record = await fetch(`${test.url}/api/handles/test/service`).then((response) => response.json()) as { values: JsonObject[] };
        expect(JSON.stringify(record)).to.include('0.TYPE/DOIPServiceInfo').and.to.include(`\\"port\\":${nativePort(test)}`);
        const { head: { output: initial } } = await client.ask(compact('20.DOIP/Op.GetInitData'));
        expect((initial as Record<string, unknown>)['doip']).to.include({ port: nativePort(test) });
    });

    it('logs each request with its operation, target, user and status', async () => {

        await client.ask(compact(Op.hello));
        await until(() => test.log.some(({ event, operation, target, user, status }) =>
            event === 'doip.request' && operation === Op.hello && target === 'service' && user === 'admin' && status === OK));
    });
});
