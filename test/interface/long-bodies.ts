/**
 * Bodies that are small on the wire and large in memory, and many of them: what is expanded, parsed and held is bounded for each
 * request, for each address and for all together, and more narrowly for callers without credentials.
 */

import Http from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { bodyMemoryOf } from '../../translators/http/request/body-memory.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const KIB = 1024;
const MIB = 1024 * KIB;

const JSON_TYPE = { 'content-type': 'application/json' };

/** A member `junk` of some megabytes that is a few kilobytes in gzip. */
const withJunk = (members: string, junk: string): string => `{${members},"junk":${junk}}`;
const manyValues = `[${'{},'.repeat(MIB)}{}]`;
const longText = `"${'x'.repeat(3 * MIB)}"`;
const SEARCH = '"query":"x"';
const LOGIN = '"grant_type":"password","username":"admin","password":"wrong"';

interface Answer {
    readonly status: number;
    readonly message: string;
    readonly retryAfter: string | null;
}

describe('long bodies', () => {

    let service: TestServer;
    let small: TestServer;

    before(async () => {

        service = await startServer();
        small = await startServer({ MAX_BODY_MEMORY_BYTES: MIB });
    });

    after(() => Promise.all([service.stop(), small.stop()]));

    async function send(path: string, body: string | Buffer, headers: Record<string, string> = {}, method = 'POST', to = service): Promise<Answer> {

        const isZipped = typeof body !== 'string';
        const response = await fetch(to.url + path, {
            method, body, headers: { ...JSON_TYPE, ...headers, ...isZipped ? { 'content-encoding': 'gzip' } : {} }
        });
        const { message = '' } = await response.json() as { message?: string };
        return { status: response.status, message, retryAfter: response.headers.get('retry-after') };
    }

    const zipped: [string, string, string, Record<string, string>][] = [
        ['a search with many values', '/search', withJunk(SEARCH, manyValues), {}],
        ['a search with a long text', '/search', withJunk(SEARCH, longText), {}],
        ['a search of the administrator', '/search', withJunk(SEARCH, longText), ADMIN_HEADERS],
        ['a login with many values', '/auth/token', withJunk(LOGIN, manyValues), {}],
        ['a login with a repeated property at its end', '/auth/token', `{${LOGIN},"junk":${manyValues},"junk":1}`, {}],
        ['a login with a long text', '/auth/token', withJunk(LOGIN, `"${'x'.repeat(70 * KIB)}"`), {}],
        ['a login by DOIP', '/doip?operationId=20.DOIP/Op.Auth.Token&targetId=service', withJunk(LOGIN, manyValues), {}],
        ['a revocation', '/auth/revoke', withJunk('"token":"x"', manyValues), {}],
        ['a password of the administrator', '/adminPassword', withJunk('"password":"x"', longText), ADMIN_HEADERS],
        ['an object with many values', '/objects?type=Document', withJunk('"a":1', manyValues), ADMIN_HEADERS],
        ['an object by DOIP', '/doip?operationId=0.DOIP/Op.Create&targetId=service',
            `{"type":"Document","attributes":{"content":${withJunk('"a":1', manyValues)}}}`, ADMIN_HEADERS]
    ];

    for (const [title, path, body, headers] of zipped) {
        it(`are rejected: ${title}`, async () => {

            const method = path === '/adminPassword' ? 'PUT' : 'POST';
            const { status } = await send(path, gzipSync(body), headers, method);

            expect(status).to.equal(413);
        });
    }

    it('are rejected as forms', async () => {

        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const values = encodeURIComponent(`{"a":[${'{},'.repeat(20_000)}{}]}`);

        expect((await send('/search', gzipSync(`query=x&requestContext=${values}`), form)).status).to.equal(400);
        expect((await send('/search', gzipSync(`query=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
    });

    it('are rejected as forms of parameters, whatever credentials they have', async () => {

        for (const headers of [ADMIN_HEADERS, { authorization: 'Bearer x' }]) {
            const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };

            expect((await send('/search', gzipSync(`query=x&unknown=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
            expect((await send('/auth/token', gzipSync(`username=x&unknown=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
            expect((await send('/search', gzipSync(`query=x&unknown=${'a'.repeat(MIB / 2)}`), form)).status).to.equal(headers === ADMIN_HEADERS ? 200 : 401);
        }

        const object = await send('/objects?type=Document&dryRun', gzipSync(`content={"a":"${'a'.repeat(MIB * 1.2)}"}`), {
            'content-type': 'application/x-www-form-urlencoded', ...ADMIN_HEADERS
        });
        expect(object.status).to.equal(200);
    });

    it('are rejected for the number of their values, even if they are short', async () => {

        const body = `{"a":[${'1,'.repeat(20_000)}1]}`;
        const { status, message } = await send('/objects?type=Document', body, ADMIN_HEADERS);
        for (const headers of [{}, ADMIN_HEADERS, { authorization: 'Bearer x' }]) {
            const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };

            expect((await send('/doip/Search?targetId=service', gzipSync(`query=x&unknown=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
        }

        const wide = await send('/objects?type=Document', `{${Array.from({ length: 5001 }, (_, i) => `"k${i}":1`).join(',')}}`, ADMIN_HEADERS);
        const nearly = await send('/objects?type=Document&dryRun', `{"a":[${'1,'.repeat(19_990)}1]}`, ADMIN_HEADERS);

        expect([status, message]).to.equal([413, 'JSON holds more than the allowed 20000 values']);
        expect([wide.status, wide.message]).to.equal([413, 'JSON holds an object with more than the allowed 5000 properties']);
        expect(nearly.status).to.equal(200);
    it('are rejected as parameters that hold many values together, whether or not they are JSON', async () => {

        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const list = `[${'1,'.repeat(15_000)}1`;
        for (const path of ['/doip/Search?targetId=service', '/call?type=Document&method=none']) {
            const name = path.startsWith('/call') ? 'attributes.a' : 'a1';
            for (const text of [`${list}]`, list]) {
                const one = await send(path, gzipSync(`${name}1=${text}`), form);
                const two = await send(path, gzipSync(`${name}1=${text}&${name}2=${text}`), form);

                expect(one.status).to.not.equal(413);
                expect([two.status, two.message]).to.equal([413, 'the parameters hold more than the allowed 20000 values']);
            }
        }
    });

    });

    it('are rejected when an address uses too much memory, and accepted afterwards', async () => {

        const memory = bodyMemoryOf(small.server, 0);
        const open = [begin(200 * KIB), begin(200 * KIB)];
        await until(() => memory.used > 300 * KIB);
        const refused = await send('/search', withJunk(SEARCH, `"${'x'.repeat(200 * KIB)}"`), {}, 'POST', small);
        const short = await send('/search', `{${SEARCH}}`, {}, 'POST', small);
        open.forEach((request) => request.destroy());
        await until(() => memory.used === 0);
        const later = await send('/search', withJunk(SEARCH, `"${'x'.repeat(200 * KIB)}"`), {}, 'POST', small);

        expect([refused.status, refused.retryAfter]).to.equal([429, '1']);
        expect(short.status).to.equal(200);
        expect(later.status).to.equal(200);
        await until(() => memory.used === 0);
    });

    /** A search that sends a part of its body and then no more. */
    function begin(bytes: number): Http.ClientRequest {

        const request = Http.request(`${small.url}/search`, { method: 'POST', headers: { ...JSON_TYPE, 'content-length': bytes * 2 } });
        request.on('error', () => undefined);
        request.write(`{"query":"${'x'.repeat(bytes)}`);
        return request;
    }
});
