/** Rate limits, as clients of every protocol see them: who is counted, when a request is rejected, how that is told, and who is not affected. */

import { gzipSync } from 'node:zlib';
import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { basic, ADMIN_HEADERS } from '../support/rest.js';
import type { Received, RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { NativeClient } from '../support/native.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Long enough that nothing is restored during a test. */
const WINDOW = 86_400;
const LIMITS = {
    RATE_LIMIT_SECONDS: WINDOW, RATE_LIMIT_USER_REQUESTS: 6, RATE_LIMIT_ADDRESS_REQUESTS: 4, RATE_LIMIT_CHANGE_COST: 2, RATE_LIMIT_SEARCH_COST: 3,
    RATE_LIMIT_BYTES_SECONDS: WINDOW, RATE_LIMIT_USER_BYTES: 20_000, RATE_LIMIT_ADDRESS_BYTES: 1000, DOIP_PORT: 0
};
const PASSWORD = 'password of a user';
const READ = 'GET /objects/design';

let addresses = 0;

/** Headers of a client with an address of its own, behind a proxy. */
function elsewhere(): Record<string, string> {

    addresses += 1;
    return { 'x-forwarded-for': `10.${addresses >> 8}.${addresses & 255}.1`, 'x-forwarded-proto': 'https' };
}

/** Sends a payload in chunks, without the length of the body. */
async function sendChunks(url: string, headers: Record<string, string>, bytes: number): Promise<IncomingMessage> {

    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' } });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.write('--b\r\nContent-Disposition: form-data; name="content"\r\n\r\n{}\r\n');
    sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n');
    for (let rest = bytes; rest > 0; rest -= 4000) {
        sent.write('x'.repeat(4000));
    }

    sent.end('\r\n--b--\r\n');
    const [response] = await answered;
    response.resume();
    return response;
}

function messageOf({ payload }: Received): string {

    return (JSON.parse(payload) as { message: string }).message;
}

onEveryDatabase((name, start) => {

    describe(`rate limits, ${name}, of clients behind a trusted proxy`, () => {

        let service: RestService;
        let users = 0;

        before(async () => {

            service = await start({ ...LIMITS, TRUSTED_PROXIES: 'loopback' });
        });

        after(() => service.stop());

        /** Headers of a new user with an address of its own. */
        const newUser = async (): Promise<{ username: string; headers: Record<string, string> }> => {

            const username = `user-${++users}`;
            await service.create('User', { username, password: PASSWORD });
            return { username, headers: { ...elsewhere(), ...basic(username, PASSWORD) } };
        };

        /** Sends a line until it is rejected, and returns how often it was not, with the rejection. */
        const untilRejected = async (lines: readonly string[], headers: Record<string, string>, payload?: string): Promise<[number, Received]> => {

            for (let count = 0; ; ++count) {
                const line = lines[count % lines.length] ?? '';
                const answer = await service.anonymously(line, { headers, ...payload === undefined ? {} : { payload } });
                if (answer.statusCode === 429 || count > 50) {
                    return [count, answer];
                }
            }
        };

        for (const [title, line, expected] of [
            ['reads count as one', READ, 4],
            ['reads of DOIP over HTTP count as one', 'GET /doip/Retrieve?targetId=design', 4],
            ['searches count as three', 'GET /search?query=nothing', 1],
            ['searches by DOIP count as three', 'GET /doip/0.DOIP/Op.Search?targetId=service&query=nothing', 1],
            ['changes count as two', 'DELETE /objects/test/nothing', 2],
            ['what is not known beforehand counts as a change', 'POST /doip/countWords?targetId=design', 2],
            ['missing objects count as well', 'GET /objects/test/nothing', 4]
        ] as const) {
            it(`without a login, ${title}`, async () => {

                const [count, rejected] = await untilRejected([line], elsewhere());

                expect(count).to.equal(expected);
                expect(rejected.statusCode).to.equal(429);
                expect(messageOf(rejected)).to.match(
                    /^an address may send at most 4 requests without a login in 86400 seconds: log in, or try again in \d+ seconds?$/);
                expect(Number(rejected.headers['retry-after'])).to.be.within(1, WINDOW);
                expect(rejected.headers['doip-response'] !== undefined).to.equal(line.includes('/doip'));
            });
        }

        it('credentials that cannot be read count for the address', async () => {

            for (const authorization of ['Digest x', 'Basic ?', 'Bearer a b', 'Doip x']) {
                const [count, rejected] = await untilRejected([READ, 'GET /doip/Retrieve?targetId=design'], { ...elsewhere(), authorization });
                expect([count, rejected.statusCode], authorization).to.equal([4, 429]);
            }
        });

        it('an address has one quota in whatever notation a proxy sends it', async () => {

            const sources = ['198.51.100.7', '198.51.100.7:1234', '::ffff:198.51.100.7', '[::ffff:198.51.100.7]:80', '::FFFF:c633:6407', '0:0:0:0:0:ffff:c633:6407'];
            const networks = ['2001:db8:7::1', '2001:0DB8:0007:0000:ffff:ffff:ffff:ffff', '[2001:db8:7:0:1::]:443', '2001:db8:7::2%eth0'];
            for (const spelt of [sources, networks]) {
                const statuses: number[] = [];
                for (const address of [...spelt, ...spelt].slice(0, 6)) {
                    statuses.push((await service.anonymously(READ, { headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' } })).statusCode);
                }

                expect(statuses).to.equal([200, 200, 200, 200, 429, 429]);
            }

        });

        it('the headers RateLimit and RateLimit-Policy say what is left', async () => {

            const { headers } = await newUser();
            const first = await service.anonymously(READ, { headers });
            const second = await service.anonymously('GET /doip/Retrieve?targetId=test/nothing', { headers });
            const anonymous = await service.anonymously(READ, { headers: elsewhere() });

            expect(first.headers['ratelimit-policy']).to.equal('"user";q=6;w=86400, "user-bytes";q=20000;qu="content-bytes";w=86400');
            expect(first.headers['ratelimit']).to.equal('"user";r=5;t=14400, "user-bytes";r=20000;t=0');
            expect([second.statusCode, String(second.headers['ratelimit'])]).to.satisfy(([status, limit]: unknown[]) =>
                status === 404 && /^"user";r=4;t=28\d{3}, "user-bytes";r=20000;t=0$/.test(String(limit)));
            expect(anonymous.headers['ratelimit-policy']).to.equal('"address";q=4;w=86400, "address-bytes";q=1000;qu="content-bytes";w=86400');
            expect(anonymous.headers['ratelimit']).to.equal('"address";r=3;t=21600, "address-bytes";r=1000;t=0');
        });

        it('a user has one quota over all protocols and addresses', async () => {

            const { username, headers } = await newUser();
            const { native } = service.gateway.services.endpoint();
            const client = await NativeClient.open(native?.port ?? 0);
            const ask = JSON.stringify({ targetId: 'design', operationId: 'Retrieve', authentication: { username, password: PASSWORD } });
            const oneOfEach = async (): Promise<unknown[]> => [
                (await service.anonymously(READ, { headers })).statusCode,
                (await service.anonymously('GET /doip/Retrieve?targetId=design', { headers: { ...headers, ...elsewhere() } })).statusCode,
                (await client.ask(`${ask}\n#\n#\n`)).head.status
            ];

            expect(await oneOfEach()).to.equal([200, 200, '0.DOIP/Status.001']);
            expect(await oneOfEach()).to.equal([200, 200, '0.DOIP/Status.001']);
            expect(await oneOfEach()).to.equal([429, 429, '0.DOIP/Status.101']);
            const { head: { attributes = {} } } = await client.ask(`${ask}\n#\n#\n`);
            client.close();
            expect(attributes['message']).to.match(/^a user may send at most 6 requests in 86400 seconds: try again in \d+ seconds?$/);
            expect(Number(attributes['retryAfter'])).to.be.within(1, WINDOW);
        });

        it('wrong logins count for the address, and lock out nobody with a valid one', async () => {

            const { headers: { 'x-forwarded-for': address, ...headers } } = await newUser();
            const proxied = { 'x-forwarded-for': address ?? '', 'x-forwarded-proto': 'https' };
            const statuses: number[] = [];
            for (let i = 0; i < 6; ++i) {
                statuses.push((await service.anonymously(READ, { headers: { ...proxied, authorization: `Bearer wrong-${i}` } })).statusCode);
            }

            const anonymous = await service.anonymously(READ, { headers: proxied });
            const valid = await service.anonymously(READ, { headers: { ...headers, ...proxied } });

            expect([...statuses, anonymous.statusCode, valid.statusCode]).to.equal([401, 401, 401, 401, 429, 429, 429, 200]);
            expect(String(valid.headers['ratelimit'])).to.match(/^"user";r=5;/);
        });

        it('administrators are not limited, also from an address that is', async () => {

            const address = elsewhere();
            await untilRejected([READ], address);
            for (let i = 0; i < 10; ++i) {
                const answer = await service.anonymously(READ, { headers: { ...ADMIN_HEADERS, ...address } });
                expect([answer.statusCode, answer.headers['ratelimit']]).to.equal([200, undefined]);
            }
        });

        it('health, status and what no operation is needed for are not limited', async () => {

            const address = elsewhere();
            await untilRejected([READ], address);
            for (const line of ['GET /health/live', 'GET /health/ready', 'GET /startupStatus', 'GET /robots.txt']) {
                const answer = await service.anonymously(line, { headers: address });
                expect([line, answer.statusCode, answer.headers['ratelimit']]).to.equal([line, 200, undefined]);
            }
        });

        it('the addresses of one IPv6 network of 64 bits count together, those of others apart', async () => {

            addresses += 1;
            const from = async (host: string): Promise<number> => (await service.anonymously(READ, {
                headers: { 'x-forwarded-for': `2001:db8:${addresses.toString(16)}:${host}`, 'x-forwarded-proto': 'https' }
            })).statusCode;
            const same = [await from('1::1'), await from('1::2'), await from('1:ff::3'), await from('1:1:2:3:4'), await from('1::5')];

            expect([...same, await from('2::1')]).to.equal([200, 200, 200, 200, 429, 200]);
        });

        it('what a client adds to the header of a trusted proxy does not count', async () => {

            const { 'x-forwarded-for': own = '' } = elsewhere();
            const statuses: number[] = [];
            for (let i = 0; i < 5; ++i) {
                statuses.push((await service.anonymously(READ, { headers: { 'x-forwarded-for': `192.0.2.${i}, ${own}`, forwarded: `for=192.0.2.${i}` } })).statusCode);
            }

            expect(statuses).to.equal([200, 200, 200, 200, 429]);
        });

        it('rejected requests have no line of the log each', async () => {

            const address = elsewhere();
            await untilRejected([READ], address);
            await Promise.all(Array.from({ length: 20 }, () => service.anonymously(READ, { headers: address })));
            const { 'x-forwarded-for': remote } = address;

            await until(() => Promise.resolve(service.log.some((line) => line['event'] === 'http.rate-limited' && line['remote'] === remote)), 20_000);
            expect(service.log.filter((line) => line['event'] === 'http.request' && line['remote'] === remote).length).to.equal(4);
        });

        describe('limits of bytes', () => {

            const put = (id: string, bytes: number): [string, string] =>
                [`POST /objects?type=Document&handle=test/${id}`, JSON.stringify({ text: 'x'.repeat(bytes - 11) })];

            it('count what is sent to be stored, and reject what is beyond, which is not stored', async () => {

                const { headers } = await newUser();
                const [line, payload] = put(`bytes-${users}-a`, 15_000);
                const [more, beyond] = put(`bytes-${users}-b`, 6000);
                const stored = await service.anonymously(line, { headers, payload });
                const rejected = await service.anonymously(more, { headers, payload: beyond });

                expect([stored.statusCode, rejected.statusCode]).to.equal([200, 429]);
                expect(stored.headers['ratelimit']).to.contain('"user-bytes";r=5000;t=64800');
                expect(messageOf(rejected)).to.match(/^a user may store at most 20000 bytes in 86400 seconds: try again in \d+ seconds?$/);
                expect(Number(rejected.headers['retry-after'])).to.be.within(4000, 4400);
                expect((await service.asAdmin(`GET /objects/test/bytes-${users}-b`)).statusCode).to.equal(404);
            });

            it('answer 413 to more than is ever allowed at once', async () => {

                const [line, payload] = put('never', 1001);
                const rejected = await service.anonymously(line, { headers: { ...elsewhere(), ...basic('admin', 'wrong') }, payload });
                const { headers } = await newUser();
                const tooMuch = await service.anonymously(line, { headers, payload: JSON.stringify({ text: 'x'.repeat(20_001) }) });

                expect(rejected.statusCode).to.equal(401);
                expect(tooMuch.statusCode).to.equal(413);
                expect(messageOf(tooMuch)).to.equal(
                    'a user may store at most 20000 bytes in 86400 seconds: send less at a time');
            });

            it('count bytes of compressed bodies as they are stored', async () => {

                const { headers } = await newUser();
                const payload = gzipSync(JSON.stringify({ text: 'x'.repeat(30_000) }));
                expect(payload.length).to.be.below(1000);
                const rejected = await service.anonymously(`POST /objects?type=Document&handle=test/gzip-${users}`, {
                    headers: { ...headers, 'content-encoding': 'gzip', 'content-type': 'application/json' }, payload
                });

                expect(rejected.statusCode).to.equal(413);
                expect((await service.asAdmin(`GET /objects/test/gzip-${users}`)).statusCode).to.equal(404);
            });

            for (const [title, before, status] of [['429 if it may be sent later', 15_000, 429], ['413 if it may never be sent', 0, 413]] as const) {
                it(`end a body without an announced length where the limit is reached, with ${title}`, async () => {

                    const { headers } = await newUser();
                    const id = `test/chunked-${users}`;
                    if (before > 0) {
                        const [line, payload] = put(`before-${users}`, before);
                        await service.anonymously(line, { headers, payload });
                    }

                    const response = await sendChunks(`${service.url}/objects?type=Document&handle=${id}`, headers, before > 0 ? 8000 : 24_000);

                    expect(response.statusCode).to.equal(status);
                    expect((await service.asAdmin(`GET /objects/${id}`)).statusCode).to.equal(404);
                });
            }

            it('do not count what is read or searched', async () => {

                const { headers } = await newUser();
                const search = await service.anonymously('POST /search', { headers, payload: JSON.stringify({ query: 'x'.repeat(500) }) });

                expect([search.statusCode, search.headers['ratelimit']]).to.equal([200, '"user";r=3;t=43200, "user-bytes";r=20000;t=0']);
            });
        });
    });

    describe(`rate limits, ${name}, of clients that connect directly`, () => {

        let service: RestService;

        before(async () => {

            service = await start(LIMITS);
        });

        after(() => service.stop());

        it('count the address of the connection, whatever headers claim', async () => {

            const statuses: number[] = [];
            for (let i = 0; i < 5; ++i) {
                const claimed = `198.51.100.${i}`;
                statuses.push((await service.anonymously(READ, {
                    headers: { 'x-forwarded-for': claimed, 'x-real-ip': claimed, forwarded: `for=${claimed}`, 'cf-connecting-ip': claimed }
                })).statusCode);
            }

            expect(statuses).to.equal([200, 200, 200, 200, 429]);
        });
    });

    describe(`a service without rate limits, ${name}`, () => {

        it('has none by default, and no headers', async () => {

            const service = await start();
            const answers = await Promise.all(Array.from({ length: 50 }, () => service.anonymously(READ)));
            await service.stop();

            expect(answers.filter(({ statusCode, headers }) => statusCode !== 200 || headers['ratelimit'] !== undefined || headers['ratelimit-policy'] !== undefined))
                .to.equal([]);
        });
    });
});
