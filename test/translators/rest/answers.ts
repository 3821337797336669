import type { More, RecordingServer } from '../../support/recorder.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { RecordOutput } from '../../../lib/doip/record-output.js';
import { json, sequence } from '../../../lib/doip/segments.js';
import { Status } from '../../../lib/errors/status.js';
import { recordingServer } from '../../support/recorder.js';
import { jsonOf } from '../../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

describe('responses of the REST interface', () => {

    let server: RecordingServer;
    before(async () => {

        server = await recordingServer();
    });
    beforeEach(() => server.recorder.reset());

    const body = { payload: '{"a":1}' };

    const refusals: [string, More, string | RegExp][] = [
        ['GET /objects', {}, /^Missing object id in GET: it follows in the path/],
        ['GET /objects/', {}, /^Missing object id in GET: it follows in the path/],
        ['PUT /objects/', body, /^Missing object id in PUT: it follows in the path/],
        ['DELETE /objects', {}, /^Missing object id in DELETE: it follows in the path/],
        ['POST /objects/t/1', body, 'Unexpected object id in POST'],
        ['GET /acls', {}, /^Missing object id in GET: it follows in the path/],
        ['GET /relationships', {}, /^Missing object id in GET: it follows in the path/],
        ['GET /versions', {}, /objectId/],
        ['POST /versions?objectId=', {}, /objectId/],
        ['DELETE /objects/t/1?jsonPointer=/a&payload=p', {}, 'DELETE specified both jsonPointer and payload'],
        ['DELETE /objects/t/1?jsonPointer', {}, 'Cannot delete empty json pointer'],
        ['PUT /schemas', { payload: '{}' }, /type/],
        ['GET /call?method=m', {}, /objectId and type/],
        ['GET /call?objectId=t/1&type=T&method=m', {}, /together/],
        ['POST /call?type=T&method=m&attributes.requestContext={}&requestContext={}', {}, /requestContext is given more than once/],
        ['GET /call?type=T&method=m&attributes.requestContext=1', {}, /requestContext/],
        ['GET /call?type=T&method=m&params={', {}, /params/],
        ['POST /search', { payload: '[]' }, 'the body of a search must be a JSON object'],
        ['POST /search?query=x', { payload: '{"query":"x"}' }, /^parameter query is given more than once/],
        ['GET /objects/t/1?payload=p&disposition=a%0d%0ab', {}, /disposition/],
        ['GET /objects/t/1?x=%ff', {}, /parameter x is not percent-encoded UTF-8/],
        ['GET /acls/t/1?requestContext=1', {}, /^Unable to parse requestContext/],
        ['POST /updateHandles?requestContext=[]', {}, /^Unable to parse requestContext/],
        ['POST /objects?type=T', { payload: '{"name":"x"}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
            /Content-Type application\/json/],
        ['PUT /users/this/password?requestContext=1', { payload: 'x' }, /^Unable to parse requestContext/],
        ['GET /startupStatus?requestContext={', {}, /^Unable to parse requestContext/]
    ];
    for (const [line, options, message] of refusals) {
        it(`reject ${line} with body ${JSON.stringify(options.payload ?? null)} without performing an operation`, async () => {

            const response = await server.inject(line, options);

            expect(response.statusCode).to.equal(400);
            expect(jsonOf(response)['message']).to.match(typeof message === 'string' ? new RegExp(`^${message}$`) : message);
            expect(server.recorder.requests).to.have.length(0);
        });
    }

    for (const [line, allow] of [
        ['PATCH /objects/t/1', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'], ['DELETE /search', 'GET, HEAD, POST, OPTIONS'], ['POST /design/', 'GET, HEAD, OPTIONS']
    ] as const) {
        it(`to ${line} list the allowed methods`, async () => {

            const response = await server.inject(line, { payload: '{}' });

            expect([response.statusCode, response.headers['allow']]).to.equal([405, allow]);
            expect(jsonOf(response)['message']).to.match(/is not allowed here: use GET/);
        });
    }

    it('have the HTTP status and message of an error of the operation', async () => {

        server.recorder.answer = { status: Status.notFound, output: json({ message: 'object t/1 does not exist' }) };

        const response = await server.inject('GET /objects/t/1');

        expect(response.statusCode).to.equal(404);
        expect(response.headers['content-type']).to.match(/^application\/json/);
        expect(jsonOf(response)).to.equal({ message: 'object t/1 does not exist' });
    });

    it('to HEAD are those of GET without a body', async () => {

        server.recorder.answer = { attributes: { type: 'T', permission: 'READ' } };

        const response = await server.inject('HEAD /objects/t/1');

        expect(response.statusCode).to.equal(200);
        expect(response.payload).to.equal('');
        expect(response.headers['x-schema']).to.equal('T');
        expect(server.recorder.requests[0]?.operationId).to.equal('0.DOIP/Op.Retrieve');
    });

    it('have valid headers for any type and id', async () => {

        server.recorder.answer = { attributes: { type: 'Tüp 猫', permission: 'WRITE' } };

        const response = await server.inject('GET /cordra/objects/t/%E7%8C%AB%20x');

        expect(response.headers['x-schema']).to.equal('T%C3%BCp %E7%8C%AB');
        expect(response.headers['x-permission']).to.equal('WRITE');
        expect(response.headers['location']).to.equal('/cordra/objects/t/%E7%8C%AB%20x');
    });

    it('contain the objects of a batch in REST form, and rejections unchanged', async () => {

        const stored = { id: 't/1', type: 'T', attributes: { content: { a: 1 } }, elements: [{ id: 'p', length: 2, attributes: {} }] };
        server.recorder.answer = { output: json({
            results: [
                { position: 0, responseCode: 200, response: stored },
                { position: 1, responseCode: 400, response: { message: 'no' } }
            ],
            success: false
        }) };

        const response = await server.inject('POST /batchUpload', { payload: '[]' });

        expect(response.payload).to.equal(JSON.stringify({
            results: [
                { position: 0, responseCode: 200, response: { id: 't/1', type: 'T', content: { a: 1 }, payloads: [{ name: 'p', size: 2 }] } },
                { position: 1, responseCode: 400, response: { message: 'no' } }
            ],
            success: false
        }));
    });

    it('contain the objects of a graph in the compatible form of the path', async () => {

        const node = { id: 't/1', type: 'T', attributes: { content: { a: 1 }, metadata: { createdOn: 5, createdBy: 'u' } }, elements: [] };
        server.recorder.answer = { output: json({ nodes: [{ id: 't/1' }], edges: [], results: { 't/1': node } }) };

        const response = await server.inject('GET /relationships/t/1');

        expect(jsonOf(response)).to.equal({
            nodes: [{ id: 't/1' }], edges: [],
            results: { 't/1': { id: 't/1', type: 'T', json: { a: 1 }, createdOn: 5, createdBy: 'u' } }
        });
    });

    it('contain many objects and references in chunks, identical to few', async () => {

        const ids = Array.from({ length: 1000 }, (_, i) => `t/${i}`);
        const edges = ids.map((id) => ({ from: id, to: 't/0', style: 'arrow', jsonPointer: '/hub' }));
        const results = Object.fromEntries(ids.map((id, i) => [id, {
            id, type: 'T', attributes: { content: { i, text: 'ü'.repeat(i) }, ...i % 2 === 0 ? { metadata: { createdOn: i, createdBy: 'u' } } : {} }, elements: []
        }]));
        server.recorder.answer = { output: json({ nodes: ids.map((id) => ({ id })), edges, results, truncated: true }) };

        const response = await server.inject('GET /relationships/t/0');
        const graph = jsonOf(response);

        expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(response.headers['content-length']).to.be.undefined();
        expect(Object.keys(graph)).to.equal(['nodes', 'edges', 'truncated', 'results']);
        expect(graph['nodes']).to.equal(ids.map((id) => ({ id })));
        expect(graph['edges']).to.equal(edges);
        expect<unknown>(graph['results']).to.equal(Object.fromEntries(ids.map((id, i) => [id, {
            id, type: 'T', json: { i, text: 'ü'.repeat(i) }, ...i % 2 === 0 ? { createdOn: i, createdBy: 'u' } : {}
        }])));
    });

    it('stream the results of a search in batches', async () => {

        const results = Array.from({ length: 9000 }, (_, i) => ({
            id: `t/${i}`, type: 'T', attributes: { content: { i } }, elements: []
        }));
        const blocks = async function *(): AsyncGenerator<JsonValue[], void, undefined> {

            yield results.slice(0, 2000);
            yield results.slice(2000);
        };

        server.recorder.answer = { output: await RecordOutput.open({ before: { size: 9000 }, after: {}, blocks: blocks() }) };

        const response = await server.inject('GET /search?query=x&full=false');
        const record = jsonOf(response);

        expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(response.headers['content-length']).to.be.undefined();
        expect(Object.keys(record)).to.equal(['pageNum', 'pageSize', 'size', 'results']);
        expect(record['results']).to.equal(results.map((_, i) => ({ i })));
    });

    it('to an update of handles are empty', async () => {

        server.recorder.answer = { output: json({ anything: 1 }) };

        const response = await server.inject('POST /updateHandles');

        expect(response.payload).to.equal('{}');
    });

    it('hide an internal error behind a 500', async () => {

        server.recorder.answer = { output: sequence({ kind: 'bytes', body: (async function *() {})() }) };

        const response = await server.inject('GET /search?query=x');

        expect(response.statusCode).to.equal(500);
        expect(jsonOf(response)).to.equal({ message: 'Something went wrong. Contact your sysadmin.' });
    });

    it('pass on the output of an operation without a specific format', async () => {

        server.recorder.answer = { output: (async function *() {})() };
        const nothing = await server.inject('POST /call?type=T&method=m');
        server.recorder.answer = { output: json(null) };
        const nil = await server.inject('POST /call?type=T&method=m');

        expect([nothing.statusCode, nothing.payload, nothing.headers['content-type']]).to.equal([200, '', undefined]);
        expect([nil.statusCode, nil.payload]).to.equal([200, 'null']);
    });
});

describe('the REST interface of a server with a base path and limits', () => {

    let server: RecordingServer;
    before(async () => {

        server = await recordingServer({ prefix: '/api', limits: { jsonBytes: 100, jsonDepth: 5 } });
    });

    it('is served below the base path', async () => {

        const plain = await server.inject('GET /api/objects/t/1');
        const alias = await server.inject('GET /api/cordra/objects/t/1');
        const without = await server.inject('GET /objects/t/1');

        expect([plain.headers['location'], alias.headers['location'], without.statusCode]).to.equal(
            ['/api/objects/t/1', '/api/cordra/objects/t/1', 404]);
    });

    it('rejects JSON that is too long or too deep', async () => {

        const long = await server.inject('PUT /api/acls/t/1', { payload: JSON.stringify({ a: 'x'.repeat(100) }) });
        const deep = await server.inject('PUT /api/acls/t/1', { payload: '[[[[[[]]]]]]' });

        expect(long.payload).to.match(/longer than the allowed 100 bytes/);
        expect(deep.payload).to.match(/levels|deep|nested/);
    });
});
