import type { RestService } from '../support/rest-service.js';
import type { IncomingMessage } from 'node:http';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_HEADERS, jsonOf, multipart } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const TEXT = '0123456789';

forEachWay((name, start, protocol) => {

    describe(`payloads by REST on ${name}`, () => {

        let service: RestService;
        let active = 0;
        before(async () => {

            service = await start();
            await service.asAdmin('PUT /schemas/Loose', { payload: '{"type":"object"}' });
            await service.asAdmin('POST /objects?type=Loose&handle=test/1', multipart(
                { name: 'content', value: '{}' },
                { name: 'text', value: TEXT, filename: 'a "b".txt', type: 'text/plain' },
                { name: 'content', value: 'file', filename: 'C:\\temp\\ü€.html', type: 'text/html; charset=iso-8859-1' },
                { name: 'bare', value: 'x', filename: '' },
                { name: 'empty', value: '', filename: 'e', type: 'application/json' },
                { name: 'a/b ü', value: 'y', filename: '../../etc/passwd' }));
        });

        after(() => service.stop());

        const looks: [string, string, string, string, string][] = [
            ['text', '', TEXT, 'text/plain;charset=utf-8', 'inline; filename="a \\"b\\".txt"'],
            ['text', '&disposition=attachment', TEXT, 'text/plain;charset=utf-8', 'attachment; filename="a \\"b\\".txt"'],
            ['content', '', 'file', 'text/html; charset=iso-8859-1', 'inline; filename="??.html"; filename*=UTF-8\'\'%C3%BC%E2%82%AC.html'],
            ['bare', '', 'x', 'application/octet-stream', 'inline'],
            ['empty', '', '', 'application/json', 'inline; filename="e"'],
            ['a%2Fb%20%C3%BC', '', 'y', 'application/octet-stream', 'inline; filename="passwd"']
        ];
        for (const [payload, more, text, type, disposition] of looks) {
            it(`are returned as sent: ${payload}${more}`, async () => {

                const response = await service.anonymously(`GET /objects/test/1?payload=${payload}${more}`);
                const { headers } = response;

                expect([response.statusCode, response.payload]).to.equal([200, text]);
                expect([headers['content-type'], headers['content-disposition'], Number(headers['content-length'])]).to.equal(
                    [type, disposition, Buffer.byteLength(text)]);
                expect([headers['x-schema'], headers['x-permission'], headers['accept-ranges']]).to.equal(['Loose', 'READ', 'bytes']);
            });
        }

        const ranges: [string, number, string, string?][] = [
            ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
            ['bytes=7-', 206, '789', 'bytes 7-9/10'],
            ['bytes=-3', 206, '789', 'bytes 7-9/10'],
            ['bytes=-99', 206, TEXT, 'bytes 0-9/10'],
            ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
            ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
            ['bytes=10-', 416, '', 'bytes */10'],
            ['bytes=99999999999999999999-', 416, '', 'bytes */10'],
            ['bytes=5-2', 416, '', 'bytes */10'],
            ['bytes=0-1,4-5', 200, TEXT],
            ['items=0-1', 200, TEXT],
            ['bytes=a-b', 200, TEXT],
            ['bytes=-', 200, TEXT],
            ['', 200, TEXT]
        ];
        for (const [range, code, text, contentRange] of ranges) {
            it(`have the status ${code} for the range "${range}"`, async () => {

                const response = await service.anonymously('GET /objects/test/1?payload=text', { headers: { range } });

                expect([response.statusCode, response.headers['content-range']]).to.equal([code, contentRange]);
                if (code === 416) {
                    expect(jsonOf(response)['message']).to.be.a.string();
                }
                else {
                    expect(response.payload).to.equal(text);
                    expect(Number(response.headers['content-length'])).to.equal(text.length);
                }
            });
        }

        const ofNothing: [string, number][] = [['bytes=0-1', 416], ['bytes=0-', 416], ['bytes=3-', 416], ['bytes=-1', 200], ['bytes=-', 200]];
        for (const [range, code] of ofNothing) {
            it(`have the status ${code} for the range "${range}" of an empty one`, async () => {

                const response = await service.anonymously('GET /objects/test/1?payload=empty', { headers: { range } });

                expect([response.statusCode, response.headers['content-range']]).to.equal([code, code === 416 ? 'bytes */0' : undefined]);
                expect(response.payload === '').to.equal(code === 200);
            });
        }

        it('ignore a conditional range', async () => {

            const conditional = await service.anonymously('GET /objects/test/1?payload=text', {
                headers: { range: 'bytes=0-1', 'if-range': '"x"' }
            });

            expect([conditional.statusCode, conditional.payload]).to.equal([200, TEXT]);
        });

        it('have their length in a response to HEAD', async () => {

            const response = await service.anonymously('HEAD /objects/test/1?payload=text');

            expect([response.statusCode, response.payload, Number(response.headers['content-length'])]).to.equal([200, '', 10]);
        });

        it('ignore ranges for HEAD', async () => {

            const answers = await Promise.all([
                'HEAD /objects/test/1?payload=text', 'HEAD /doip?operationId=0.DOIP/Op.Retrieve&targetId=test/1&element=text'
            ].map((line) => service.anonymously(line, { headers: { range: 'bytes=2-4' } })));

            for (const { statusCode, headers } of answers) {
                expect([statusCode, Number(headers['content-length']), headers['content-range']]).to.equal([200, 10, undefined]);
            }
        });

        it('are sent uncompressed, with their length, to clients that accept compression', async () => {

            const text = 'abcdefghij'.repeat(20_000);
            const data = { type: 'application/octet-stream', value: text };
            await service.asAdmin('POST /objects?type=Loose&handle=test/plain', multipart(
                { name: 'content', value: '{}' }, { name: 'text', value: text, filename: 't', type: 'text/plain' },
                { name: 'data', filename: 'd', ...data }, { name: 'small', value: text.slice(0, 5000), filename: 's', type: 'application/json' }));
            const paths = ['/objects/test/plain?payload=', '/doip?operationId=0.DOIP/Op.Retrieve&targetId=test/plain&element='];
            for (const [name, length] of [['text', text.length], ['data', text.length], ['small', 5000]] as const) {
                for (const path of paths) {
                    const headers = { 'accept-encoding': 'gzip' };
                    const whole = await service.anonymously(`GET ${path}${name}`, { headers });
                    const head = await service.anonymously(`HEAD ${path}${name}`, { headers });
                    const part = await service.anonymously(`GET ${path}${name}`, { headers: { ...headers, range: 'bytes=1-3000' } });

                    expect([whole.statusCode, part.statusCode]).to.equal([200, 206]);
                    expect(whole.payload).to.equal(text.slice(0, length));
                    expect(part.payload).to.equal(text.slice(1, 3001));
                    expect([whole, head, part].map((answer) => [answer.headers['content-encoding'], Number(answer.headers['content-length'])]))
                        .to.equal([[undefined, length], [undefined, length], [undefined, 3000]]);
                }
            }

            const object = await service.anonymously('GET /design', { headers: { 'accept-encoding': 'gzip' } });
            expect(object.headers['content-encoding']).to.equal('gzip');
        });

        it('are returned as stored when they are multipart themselves', async () => {

            const text = '--x\r\nContent-Type: text/plain\r\n\r\npart\r\n--x--\r\n';
            for (const [id, type, value] of [
                ['related', 'multipart/related; boundary=x', text], ['mixed', 'multipart/mixed', 'no parts at all'],
                ['long', 'multipart/form-data; boundary=x', text.repeat(5000)]
            ] as const) {
                await service.asAdmin(`POST /objects?type=Loose&handle=test/${id}`, multipart(
                    { name: 'content', value: '{}' }, { name: 'p', value, filename: 'f.eml', type }));
                for (const path of [`/objects/test/${id}?payload=p`, `/doip?operationId=0.DOIP/Op.Retrieve&targetId=test/${id}&element=p`]) {
                    const whole = await service.anonymously(`GET ${path}`);
                    const part = await service.anonymously(`GET ${path}`, { headers: { range: 'bytes=0-3' } });

                    expect([whole.statusCode, whole.payload, whole.headers['content-type']]).to.equal([200, value, type]);
                    expect(whole.headers['content-disposition']).to.contain('f.eml');
                    expect([part.statusCode, part.payload, part.headers['content-range']])
                        .to.equal([206, value.slice(0, 4), `bytes 0-3/${value.length}`]);
                }
            }
        });

        it('may contain scripts if only the administrator writes them, and are sandboxed otherwise', async () => {

            const parts = [{ name: 'content', value: '{}' }, { name: 'page', value: '<script></script>', filename: 'p.html', type: 'text/html' }];
            const design = await service.anonymously('GET /objects/design');
            await service.asAdmin('PUT /objects/design', multipart({ name: 'content', value: design.payload }, ...parts.slice(1)));
            await service.asAdmin('POST /objects?type=Loose&handle=test/page', multipart(...parts));

            const policies = await Promise.all([
                'GET /objects/design?payload=page', 'GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=design&element=page',
                'GET /objects/test/page?payload=page', 'GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=test/page&element=page'
            ].map(async (line) => {

                const { headers } = await service.anonymously(line);
                return [headers['content-security-policy'], headers['x-content-type-options']];
            }));

            expect(policies).to.equal([[undefined, 'nosniff'], [undefined, 'nosniff'], ['sandbox', 'nosniff'], ['sandbox', 'nosniff']]);
        });

        for (const type of [
            'text/plain; x=x, text/html', 'image/png;x, text/html', 'application/json;a=b,image/svg+xml', 'image/x+xml', 'audio/mpeg+xml; a=b', 'font/xml', 'video/a+xml'
        ]) {
            it(`are sandboxed where browsers may find something active in their type: ${type}`, async () => {

                const part = { name: 'page', value: '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>', filename: 'p', type };
                const handle = `test/active${++active}`;
                const made = await service.asAdmin(`POST /objects?type=Loose&handle=${handle}`, multipart({ name: 'content', value: '{}' }, part));
                expect(made.statusCode, made.payload).to.equal(200);
                for (const line of [`GET /objects/${handle}?payload=page`, `GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${handle}&element=page`]) {
                    const { headers } = await service.anonymously(line);
                    expect(headers['content-security-policy']).to.equal('sandbox');
                }
            });
        }

        it('are described without bytes on request', async () => {

            const facts = await service.anonymously('GET /objects/test/1?payload=content&metadata');
            const bare = await service.anonymously('GET /objects/test/1?payload=bare&metadata=true');
            const none = await service.anonymously('GET /objects/test/1?payload=none&metadata');

            expect(jsonOf(facts)).to.equal({ filename: 'ü€.html', mimetype: 'text/html; charset=iso-8859-1' });
            expect(jsonOf(bare)).to.equal({ filename: '', mimetype: 'application/octet-stream' });
            expect(none.statusCode).to.equal(404);
        });

        it('are named when they are missing', async () => {

            const response = await service.anonymously('GET /objects/test/1?payload=none');

            expect([response.statusCode, jsonOf(response)['message']]).to.equal([404, 'No payload none in object test/1']);
        });

        it('of several megabytes can be sent before the content, and are returned whole and in part', async () => {

            const bytes = randomBytes(5 * 1024 * 1024 + 7);
            const { payload, headers } = multipart(
                { name: 'big', value: bytes, filename: 'big', type: 'application/zip' }, { name: 'content', value: '{}' });

            const created = await service.asAdmin('POST /objects?type=Loose&handle=test/big', { payload, headers });
            const whole = await service.anonymously('GET /objects/test/big?payload=big');
            const part = await service.anonymously('GET /objects/test/big?payload=big', { headers: { range: 'bytes=300000-4000000' } });

            expect([created.statusCode, whole.statusCode, part.statusCode]).to.equal([200, 200, 206]);
            expect(hash(whole.rawPayload)).to.equal(hash(bytes));
            expect(hash(part.rawPayload)).to.equal(hash(bytes.subarray(300_000, 4_000_001)));
        });

        if (protocol !== 'http/1.1') {
            return;
        }

        it('of an aborted request leave no object', async () => {

            const socket = connect(service.port, '127.0.0.1');
            socket.write('POST /objects?type=Loose&handle=test/broken HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n' +
                `Authorization: ${ADMIN_HEADERS.authorization}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n` +
                '--b\r\nContent-Disposition: form-data; name="content"\r\n\r\n{}\r\n' +
                '--b\r\nContent-Disposition: form-data; name="p"; filename="p"\r\n\r\n' + 'x'.repeat(300_000));
            await delay(50);
            socket.destroy();
            await once(socket, 'close');

            const after = await service.asAdmin('GET /objects/test/broken');

            expect(after.statusCode).to.equal(404);
        });

        it('can be aborted by the client', async () => {

            const bytes = Buffer.alloc(3 * 1024 * 1024, 'x');
            await service.asAdmin('POST /objects?type=Loose&handle=test/slow', multipart(
                { name: 'content', value: '{}' }, { name: 'p', value: bytes, filename: 'p' }));
            const client = httpRequest(`${service.url}/objects/test/slow?payload=p`).end();
            const [response] = await once(client, 'response') as [IncomingMessage];
            await once(response, 'readable');
            response.destroy();
            await once(response, 'close');

            const again = await service.anonymously('GET /objects/test/slow?payload=p');

            expect(again.rawPayload.length).to.equal(bytes.length);
        });

        it('can share a persistent connection with other requests', async () => {

            const socket = connect(service.port, '127.0.0.1');
            const request = (line: string, body = '') => `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${ADMIN_HEADERS.authorization}\r\n` +
                `${body === '' ? '' : `Content-Length: ${body.length}\r\n`}\r\n${body}`;
            const lines = ['GET /objects/test/1?payload=text', 'DELETE /objects/test/1?payload=none', 'GET /objects/test/none'];
            let text = '';
            socket.on('data', (chunk: Buffer) => {

                text += chunk.toString('latin1');
            });
            for (const [i, line] of lines.entries()) {
                socket.write(request(line));
                while ((text.match(/HTTP\/1\.1 /g) ?? []).length <= i) {
                    await once(socket, 'data');
                }
            }

            socket.destroy();

            expect(text.match(/HTTP\/1\.1 [0-9]+/g)).to.equal(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 404']);
            expect(text).to.not.match(/connection: close/i);
        });
    });
});

function hash(bytes: Uint8Array): string {

    return createHash('sha256').update(bytes).digest('hex');
}
