import * as Code from '@hapi/code';
import * as Hapi from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import type { Transport } from '../../../../lib/doip/envelope.js';
import { createTransportReader } from '../../../../translators/http/request/transport.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

async function read(trustedProxies: string[], remoteAddress: string, headers: Record<string, string> = {}): Promise<Transport> {

    const server = Hapi.server();
    const reader = createTransportReader('rest', trustedProxies);
    server.route({ method: 'GET', path: '/', handler: (request) => JSON.stringify(reader(request)) });
    const { payload } = await server.inject({ url: '/', remoteAddress, headers });
    return JSON.parse(payload) as Transport;
}

describe('the transport of a request', () => {

    const https = { 'x-forwarded-proto': 'https' };
    const cases: [string, string[], string, Record<string, string>, Partial<Transport>][] = [
        ['is insecure from another machine', [], '203.0.113.5', {}, { protocol: 'http', secure: false, remoteAddress: '203.0.113.5' }],
        ['is secure on the same machine', [], '127.0.0.1', {}, { protocol: 'http', secure: true }],
        ['is secure on the same machine by IPv6', [], '::1', {}, { secure: true, remoteAddress: '::1' }],
        ['is insecure behind an untrusted proxy on the same machine', [], '127.0.0.1', { 'x-forwarded-for': '203.0.113.5' },
            { secure: false, remoteAddress: '127.0.0.1' }],
        ['ignores headers of untrusted clients', ['10.0.0.1'], '203.0.113.5', { ...https, 'x-forwarded-for': '127.0.0.1' },
            { protocol: 'http', secure: false, remoteAddress: '203.0.113.5' }],
        ['uses headers of a trusted proxy', ['10.0.0.0/8'], '10.1.2.3', { ...https, 'x-forwarded-for': '203.0.113.5' },
            { protocol: 'https', secure: true, remoteAddress: '203.0.113.5' }],
        ['uses the last address that is not a trusted proxy', ['10.0.0.0/8'], '10.1.2.3', { 'x-forwarded-for': '6.6.6.6, 203.0.113.5, 10.9.9.9' },
            { remoteAddress: '203.0.113.5', secure: false }],
        ['uses the farthest address if all are trusted', ['10.0.0.0/8'], '10.1.2.3', { 'x-forwarded-for': '10.0.0.7, 10.9.9.9' }, { remoteAddress: '10.0.0.7' }],
        ['is as secure as its least secure hop', ['10.0.0.1'], '10.0.0.1', { 'x-forwarded-proto': 'https, http' }, { protocol: 'http', secure: false }],
        ['is insecure when a proxy does not send the protocol', ['loopback'], '127.0.0.1', { 'x-forwarded-for': '203.0.113.5' },
            { protocol: 'http', secure: false, remoteAddress: '203.0.113.5' }],
        ['is secure on the same machine with trusted proxies configured', ['loopback'], '127.0.0.1', {}, { protocol: 'http', secure: true, remoteAddress: '127.0.0.1' }],
        ['is insecure when a proxy on another machine sends no headers', ['10.0.0.1'], '10.0.0.1', {}, { protocol: 'http', secure: false, remoteAddress: '10.0.0.1' }],
        ['is insecure behind a proxy that only names itself', [], '127.0.0.1', { 'x-real-ip': '203.0.113.5' }, { secure: false }],
        ['recognises IPv6 forms of loopback addresses', [], '::ffff:127.0.0.1', {}, { secure: true, remoteAddress: '127.0.0.1' }],
        ['accepts loopback as a keyword', ['loopback'], '127.0.0.1', { ...https, 'x-forwarded-for': '203.0.113.5' }, { secure: true, remoteAddress: '203.0.113.5' }],
        ['recognises IPv4-mapped IPv6 addresses', ['10.0.0.1/32'], '::ffff:10.0.0.1', { 'x-forwarded-for': '::ffff:203.0.113.5' }, { remoteAddress: '203.0.113.5' }],
        ['reads addresses with ports', ['10.0.0.1'], '10.0.0.1', { 'x-forwarded-for': '203.0.113.5:1234' }, { remoteAddress: '203.0.113.5' }],
        ['reads IPv6 addresses with ports', ['fd00::/8'], 'fd00::1', { 'x-forwarded-for': '[2001:db8::1]:1234' }, { remoteAddress: '2001:db8::1' }],
        ['reads IPv4-mapped addresses with ports', ['10.0.0.1'], '10.0.0.1', { 'x-forwarded-for': '[::ffff:203.0.113.5]:1234' }, { remoteAddress: '203.0.113.5' }],
        ['recognises trusted proxies in every notation', ['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': '203.0.113.5, [::ffff:a00:9]:80, ::ffff:0a00:0008' },
            { remoteAddress: '203.0.113.5' }],
        ['reads addresses with zones', ['fe80::/10'], 'fe80::1%eth0', { 'x-forwarded-for': '2001:db8::1, [fe80::2%eth0]:80' }, { remoteAddress: '2001:db8::1' }],
        ['uses the peer when the header is invalid', ['10.0.0.1'], '10.0.0.1', { 'x-forwarded-for': 'unknown' }, { remoteAddress: '10.0.0.1' }],
        ['carries the id of the request', [], '127.0.0.1', { 'request-id': 'abc' }, { logId: 'abc' }]
    ];

    for (const [title, proxies, address, headers, expected] of cases) {
        it(title, async () => {

            expect<Partial<Transport>>(await read(proxies, address, headers)).to.include(expected as object);
        });
    }

    const bearer = { authorization: 'Bearer abc' };
    const local: [string, string[], string, Record<string, string>, string | undefined][] = [
        ['keeps a bearer token from the same machine', [], '127.0.0.1', bearer, 'abc'],
        ['keeps one from the same machine where proxies are', ['loopback'], '::1', bearer, 'abc'],
        ['keeps none from another machine', [], '203.0.113.5', bearer, undefined],
        ['keeps none from a proxy', [], '127.0.0.1', { ...bearer, 'x-forwarded-for': '8.8.8.8' }, undefined],
        ['keeps none from a trusted proxy', ['loopback'], '127.0.0.1', { ...bearer, ...https, 'x-forwarded-for': '127.0.0.1' }, undefined],
        ['keeps no other credentials', [], '127.0.0.1', { authorization: 'Basic YWJj' }, undefined]
    ];
    for (const [title, proxies, address, headers, expected] of local) {
        it(title, async () => {

            expect((await read(proxies, address, headers)).localToken).to.equal(expected);
        });
    }

    for (const entry of ['', 'localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::1/129', '10.0.0.0/-1']) {
        it(`rejects ${entry || 'nothing'} as a trusted proxy`, () => {

            expect(() => createTransportReader('rest', [entry])).to.throw(Error, /^trusted proxy/);
        });
    }
});
