import type { Server } from 'node:http';
import * as Http2 from 'node:http2';
import { connect } from 'node:net';
import * as Code from '@hapi/code';
import * as Hapi from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import { parseParameters, pathParameter, queryOf } from '../../../../translators/http/request/url.js';
import { portOf } from '../../../support/performers.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('the URL of a request', () => {

    let server: Hapi.Server;

    before(async () => {

        server = Hapi.server({ port: 0, host: '127.0.0.1', debug: false });
        server.route({ method: 'GET', path: '/x/{name*}', handler: (request) => JSON.stringify([pathParameter(request, 'name'), queryOf(request)]) });
        await server.start();
    });

    after(() => server.stop({ timeout: 100 }));

    /** Sends an address byte for byte, which no client library would. */
    function ask(address: string): Promise<unknown> {

        return new Promise((resolve, reject) => {

            const socket = connect(portOf(server), '127.0.0.1');
            const chunks: Buffer[] = [];
            socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject).on('end', () => {

                const text = Buffer.concat(chunks).toString();
                resolve(text.startsWith('HTTP/1.1 200') ? JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) : text.slice(9, 12));
            });
            socket.end(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        });
    }

    const cases: [string, string, unknown][] = [
        ['no name and no query', '/x/', ['', '']],
        ['a name with a slash', '/x/test/1', ['test/1', '']],
        ['a name with an encoded slash', '/x/test%2F1', ['test/1', '']],
        ['a plus as a plus', '/x/test/a+b', ['test/a+b', '']],
        ['percent-encoded UTF-8', '/x/test/%C3%BC?a=%C3%BC', ['test/ü', 'a=%C3%BC']],
        ['plain UTF-8, which HTTP/1.1 does not allow', '/x/test/ü', '400'],
        ['an encoded question mark', '/x/a%3Fb?c?d', ['a?b', 'c?d']],
        ['broken percent-encoding', '/x/%zz', '400']
    ];

    for (const [title, address, expected] of cases) {
        it(`is decoded: ${title}`, async () => {

            expect(await ask(address)).to.equal(expected);
        });
    }

    it('is decoded from plain UTF-8 under HTTP/2', async () => {

        const listener = Http2.createServer() as unknown as Server;
        const own = Hapi.server({ listener, tls: false, port: 0, host: '127.0.0.1', debug: false });
        own.route({ method: 'GET', path: '/x/{name*}', handler: (request) => JSON.stringify([pathParameter(request, 'name'), queryOf(request)]) });
        await own.start();
        const session = Http2.connect(`http://127.0.0.1:${portOf(own)}`);
        const stream = session.request({ ':path': Buffer.from('/x/test/ü€?a=ü').toString('latin1') });
        let text = '';
        for await (const chunk of stream) {
            text += String(chunk);
        }

        session.close();
        await own.stop();

        expect(JSON.parse(text)).to.equal(['test/ü€', 'a=ü']);
    });
});

describe('the parameters of a URL or form', () => {

    const cases: [string, string, [string, string][]][] = [
        ['spaces as plus signs', 'a+b=+c++ü+%2B+', [['a b', ' c  ü + ']]],
        ['characters of any length', '+é€😀+=+%F0%9F%98%80😀+', [[' é€😀 ', ' 😀😀 ']]],
        ['names without value, and empty ones', '?a&b=&&=c', [['a', ''], ['b', ''], ['', 'c']]]
    ];

    for (const [title, text, expected] of cases) {
        it(`are decoded: ${title}`, () => {

            expect(parseParameters(text, 10)).to.equal(expected);
        });
    }

    it('are decoded in a time by their length, with many spaces as well', () => {

        const elapsed = processorTime();

        expect(parseParameters(`a=${'+'.repeat(32_000_000)}`, 10)[0]?.[1]).to.have.length(32_000_000);
        expect(elapsed()).to.be.below(1500);
    });
});
