import type { JsonObject } from '../../../lib/util/json-types.js';
import type { More, RecordingServer } from '../../support/recorder.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { recordingServer } from '../../support/recorder.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

describe('credentials of REST requests', () => {

    let server: RecordingServer;
    before(async () => {

        server = await recordingServer();
    });
    beforeEach(() => server.recorder.reset());

    const cases: [string, string, More, JsonObject][] = [
        ['are absent by default', 'GET /design', {}, {}],
        ['come from a Basic header', 'GET /design', { headers: { authorization: 'Basic dTpwOnE=' } }, { username: 'u', password: 'p:q' }],
        ['are left to the service where they cannot be read', 'GET /design', { headers: { authorization: 'Digest x' } },
            { unreadable: 'the Authorization header must use the scheme Basic, Bearer or Doip' }],
        ['come from a Bearer header', 'GET /design', { headers: { authorization: 'Bearer abc' } }, { token: 'abc' }],
        ['may act as another user', 'GET /design', { headers: { authorization: 'Bearer abc', 'as-user': 't/u' } },
            { token: 'abc', asUserId: 't/u' }],
        ['come from a parameter of a GET', 'GET /design?access_token=abc', {}, { token: 'abc' }],
        ['come from a field of a form', 'POST /search', {
            payload: 'query=x&access_token=abc', headers: { 'content-type': 'application/x-www-form-urlencoded' }
        }, { token: 'abc' }],
        ['do not come from a parameter of a PUT', 'PUT /acls/t/1?access_token=abc', { payload: '{}' }, {}],
        ['prefer the header to the parameter', 'GET /design?access_token=abc', { headers: { authorization: 'Bearer xyz' } },
            { token: 'xyz' }],
        ['come from a session cookie and its CSRF token', 'PUT /acls/t/1',
            { payload: '{}', headers: { cookie: 'a=b; JSESSIONID=s1; ;;x', 'x-csrf-token': 'c1' } }, { sessionId: 's1', csrfToken: 'c1' }],
        ['come from a session cookie alone', 'GET /design', { headers: { cookie: 'JSESSIONID="s1"' } }, { sessionId: 's1' }],
        ['take the CSRF token from a form', 'POST /search', {
            payload: 'query=x&csrfToken=c1',
            headers: { cookie: 'JSESSIONID=s1', 'content-type': 'application/x-www-form-urlencoded' }
        }, { sessionId: 's1', csrfToken: 'c1' }],
        ['prefer a header to a cookie', 'GET /design', { headers: { cookie: 'JSESSIONID=s1', authorization: 'Bearer abc' } },
            { token: 'abc' }],
        ['ignore other and broken cookies', 'GET /design', { headers: { cookie: '=;a;b=\u0001;JSESSIONID=' } }, {}]
    ];
    for (const [title, line, options, expected] of cases) {
        it(title, async () => {

            await server.inject(line, options);

            expect<unknown>(server.recorder.requests[0]?.authentication).to.equal(expected);
        });
    }

    it('make a response private unless they are in an Authorization header', async () => {

        const withToken = await server.inject('GET /design?access_token=abc');
        const without = await server.inject('GET /design', { headers: { authorization: 'Bearer abc' } });

        const byForm = await server.inject('POST /search', {
            payload: 'query=x&access_token=abc', headers: { 'content-type': 'application/x-www-form-urlencoded' }
        });
        const byCookie = await server.inject('GET /design', { headers: { cookie: 'JSESSIONID=s1' } });

        expect([withToken, byForm, byCookie].map(({ headers }) => headers['cache-control'])).to.equal(Array<string>(3).fill('private, no-cache'));
        expect(without.headers['cache-control']).to.equal('no-cache');
        expect([withToken, without].map(({ headers }) => headers['referrer-policy'])).to.equal(['no-referrer', undefined]);
    });

    it('come with a flag for safe methods', async () => {

        for (const method of ['GET', 'HEAD', 'PUT', 'POST']) {
            await server.inject(`${method} /acls/t/1`, { headers: { cookie: 'JSESSIONID=s1' }, ...method === 'GET' || method === 'HEAD' ? {} : { payload: '{}' } });
        }

        expect(server.recorder.requests.map(({ safe }) => safe)).to.equal([true, true, undefined, undefined]);
    });

    it('in tokens are never cached', async () => {

        const response = await server.inject('POST /auth/token', { payload: '{}' });

        expect(response.headers['cache-control']).to.equal('no-store');
        expect(response.headers['pragma']).to.equal('no-cache');
    });
});
