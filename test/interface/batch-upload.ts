/** Interface specification, "POST /batchUpload" and DOIP "BatchUpload", over HTTP. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { Received, RestService } from '../support/rest-service.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const DOIP = '/doip?operationId=20.DOIP/Op.BatchUpload&targetId=service';
const JSON_TYPE = { 'content-type': 'application/json' };

interface BatchRecord {
    readonly results: { readonly position: number; readonly responseCode: number; readonly response: Record<string, unknown> }[];
    readonly success: boolean;
    readonly message?: string;
}

const record = ({ payload }: Received): BatchRecord => JSON.parse(payload) as BatchRecord;

forEachWay((name, start, protocol) => {

    describe(`a batch upload on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start({ MAX_JSON_BYTES: 20_000 });
            await service.asAdmin('PUT /schemas/Plain', { payload: '{"type":"object"}' });
        });

        after(() => service.stop());

        it('returns objects in REST form', async () => {

            const items = [
                { id: 'test/r0', type: 'Plain', content: { a: 1 }, payloads: [{ name: 'p', filename: 'p.txt', mediaType: 'text/plain', base64Payload: 'YWI=', size: 2 }] },
                { id: 'test/r1', type: 'None', content: {} }
            ];
            const response = await service.asAdmin('POST /batchUpload', { payload: JSON.stringify(items) });

            expect(response.statusCode).to.equal(200);
            expect(String(response.headers['content-type'])).to.startWith('application/json');
            const { results, success } = record(response);
            expect(success).to.be.false();
            const [stored, refused] = results.toSorted((a, b) => a.position - b.position);
            expect(refused).to.equal({ position: 1, responseCode: 400, response: { message: 'Unknown type None' } });
            expect(stored?.response).to.include({
                id: 'test/r0', type: 'Plain', content: { a: 1 }, payloads: [{ name: 'p', filename: 'p.txt', mediaType: 'text/plain', size: 2 }]
            });
            expect((await service.asAdmin('GET /objects/test/r0?payload=p')).payload).to.equal('ab');
        });

        it('returns digital objects by DOIP', async () => {

            const payload = JSON.stringify({ results: [{ id: 'test/d0', type: 'Plain', attributes: { content: { a: 1 } }, elements: [{ id: 'p', base64Element: 'YWI' }] }] });
            const response = await service.asAdmin(`POST ${DOIP}`, { payload, headers: JSON_TYPE });

            expect(response.headers['doip-response']).to.equal('{"status":"0.DOIP/Status.001"}');
            const { results, success } = record(response);
            expect(success).to.be.true();
            expect(results[0]).to.include({ position: 0, responseCode: 200 });
            expect(results[0]?.response['elements']).to.equal([{ id: 'p', length: 2, attributes: {} }]);
        });

        it('accepts lines, declared by parameter or media type', async () => {

            const lines = (id: string) => ['', `{"id":"${id}0","type":"Plain","content":{}}`, 'oops', `{"id":"${id}2","type":"Plain","content":{}}`, ''].join('\n');
            const responses = [
                await service.asAdmin('POST /batchUpload?format=ndjson', { payload: lines('test/n') }),
                await service.asAdmin('POST /cordra/batchUpload/', { payload: lines('test/m'), headers: { 'content-type': 'application/x-ndjson' } }),
                await service.asAdmin(`POST ${DOIP}&format=ndjson`, { payload: lines('test/o'), headers: JSON_TYPE }),
                await service.asAdmin(`POST ${DOIP}`, { payload: lines('test/q'), headers: { 'content-type': 'application/x-ndjson' } })
            ];
            for (const response of responses) {
                const codes = record(response).results.toSorted((a, b) => a.position - b.position).map(({ responseCode }) => responseCode);
                expect(codes).to.equal([200, 400, 200]);
            }
        });

        it('may be longer than a JSON body, as may its response', async () => {

            const items = Array.from({ length: 400 }, (_, i) => ({ id: `test/big${i}`, type: 'Plain', content: { text: 'ü'.repeat(3000) } }));
            for (const line of ['POST /batchUpload', `POST ${DOIP}`]) {
                const response = await service.asAdmin(line, { payload: JSON.stringify(items), headers: JSON_TYPE });

                const { results, success } = record(response);
                expect([response.statusCode, success, results.length], line).to.equal([200, true, 400]);
                expect(new Set(results.map(({ position }) => position)).size).to.equal(400);
            }

            const other = await service.asAdmin('POST /doip?operationId=0.DOIP/Op.Create&targetId=service', { payload: JSON.stringify(items), headers: JSON_TYPE });
            expect(other.statusCode, 'other operations keep their limit').to.equal(413);
        });

        it('responds with 400 at a syntax error, and reports the items stored before', async () => {

            for (const [line, id, count] of [['POST /batchUpload', 'test/x', 2], [`POST ${DOIP}`, 'test/y', 2], ['POST /batchUpload', 'test/z', 600]] as const) {
                const items = Array.from({ length: count }, (_, i) => ({ id: `${id}${i}`, type: 'Plain', content: { text: 'x'.repeat(2000) } }));
                const payload = `${JSON.stringify(items).slice(0, -1)} {"id":"${id}-not"}]`;
                const response = await service.asAdmin(line, { payload, headers: JSON_TYPE });

                const { results, success, message } = record(response);
                expect([response.statusCode, success, results.length]).to.equal([400, false, count]);
                expect(message).to.equal(`the list of objects is broken at byte ${JSON.stringify(items).length}: expected , or ]`);
                expect((await service.asAdmin(`GET /objects/${id}${count - 1}`)).statusCode).to.equal(200);
                if (line !== 'POST /batchUpload') {
                    expect(response.headers['doip-response']).to.contain('0.DOIP/Status.101');
                }
            }
        });

        it('ignores up to 1 MiB beside the objects, and responds with 400 to more', async () => {

            for (const [line, id] of [['POST /batchUpload', 'test/beside-a'], [`POST ${DOIP}`, 'test/beside-b']] as const) {
                const send = (length: number): ReturnType<typeof service.asAdmin> => service.asAdmin(line, {
                    payload: JSON.stringify({ size: 1, facets: ['x'.repeat(length)], results: [{ id, type: 'Plain', content: {} }] }), headers: JSON_TYPE
                });
                const allowed = await send(1_048_000);
                const refused = await send(1_048_576);

                expect([allowed.statusCode, record(allowed).success]).to.equal([200, true]);
                expect([refused.statusCode, record(refused).results]).to.equal([400, []]);
                expect(record(refused).message).to.equal('the list of objects is broken at byte 19: the properties beside results are longer than the allowed 1048576 bytes');
            }
        });

        it('checks the rights of its caller', async () => {

            for (const line of ['POST /batchUpload', `POST ${DOIP}`]) {
                const refused = await service.anonymously(line, { payload: '[]', headers: JSON_TYPE });
                const wrong = await service.anonymously(line, { payload: '[]', headers: { ...JSON_TYPE, authorization: 'Bearer x' } });

                expect([refused.statusCode, wrong.statusCode]).to.equal([401, 401]);
            }
        });

        it('responds with 400 to an empty body and invalid parameters', async () => {

            expect(record(await service.asAdmin('POST /batchUpload', { payload: '' })).message).to.equal('Missing input');
            expect(record(await service.asAdmin('POST /batchUpload?format=csv', { payload: '[]' })).message).to.equal('format must be ndjson or json, got csv');
            expect((await service.asAdmin('GET /batchUpload')).statusCode).to.equal(405);
        });

        if (protocol === 'http/1.1') {
            it('sends nothing before the body has ended, even with failFast', async () => {

                const socket = connect(service.port, '127.0.0.1');
                const { authorization } = ADMIN_HEADERS;
                let answer = '';
                socket.on('data', (chunk) => {

                    answer += chunk.toString();
                });
                socket.write(`POST /batchUpload?failFast&parallel=false HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n` +
                    'transfer-encoding: chunked\r\nconnection: close\r\n\r\n');
                const chunk = (text: string): void => void socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
                chunk('[{"id":"test/slow","type":"Plain","content":{}},{"id":"bad"},');
                while ((await service.asAdmin('GET /objects/test/slow')).statusCode !== 200) {
                    expect(answer).to.equal('');
                }

                expect(answer).to.equal('');
                chunk('{"id":"test/late","type":"Plain","content":{}}]');
                socket.write('0\r\n\r\n');
                await once(socket, 'close');

                expect(answer).to.startWith('HTTP/1.1 200');
                expect(answer.match(/"responseCode":\d+/g)).to.equal(['"responseCode":200', '"responseCode":400']);
                expect((await service.asAdmin('GET /objects/test/late')).statusCode).to.equal(404);
            });
        }
        else {
            it('sends nothing before the body has ended', async () => {

                const session = connectHttp2(service.url, { rejectUnauthorized: false });
                const stream = session.request({ ':path': '/batchUpload?failFast&parallel=false', ':method': 'POST', ...ADMIN_HEADERS });
                const begun: string[] = [];
                for (const event of ['headers', 'response', 'data']) {
                    stream.on(event, () => begun.push(event));
                }

                stream.write('[{"id":"test/slow2","type":"Plain","content":{}},{"id":"bad"},');
                while ((await service.asAdmin('GET /objects/test/slow2')).statusCode !== 200) {
                    expect(begun).to.equal([]);
                }

                // A round trip after the refused item: what had been sent would be here by now.
                await new Promise((resolve) => session.ping(resolve));
                expect(begun).to.equal([]);
                const answered = once(stream, 'response') as Promise<[Record<string, unknown>]>;
                stream.end('{"id":"test/late2","type":"Plain","content":{}}]');
                const [headers] = await answered;
                const answer = (await stream.toArray() as Buffer[]).map(String).join('');
                session.close();

                expect(headers[':status']).to.equal(200);
                expect(answer.match(/"responseCode":\d+/g)).to.equal(['"responseCode":200', '"responseCode":400']);
                expect((await service.asAdmin('GET /objects/test/late2')).statusCode).to.equal(404);
            });
        }
    });
});
