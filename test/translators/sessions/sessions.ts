import type { JsonObject } from '../../../lib/util/json-types.js';
import type { More, RecordingServer } from '../../support/recorder.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { recordingServer } from '../../support/recorder.js';
import { basic } from '../../support/rest.js';
import { sessionCookies } from '../../../translators/sessions/cookies.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

describe('legacy sessions', () => {

    let server: RecordingServer;
    before(async () => {

        server = await recordingServer({ trustedProxies: ['loopback'] });
    });

    beforeEach(() => server.recorder.reset());

    const cookies = { cookie: 'JSESSIONID=s1', 'x-csrf-token': 'c1' };
    const session = { sessionId: 's1', csrfToken: 'c1' };
    const translations: [string, More, string, JsonObject, JsonObject][] = [
        ['GET /sessions/this', { headers: cookies }, 'gateway/Op.Sessions.Get', { full: false, session: 'this' }, session],
        ['GET /sessions/this/?full=true', {}, 'gateway/Op.Sessions.Get', { full: true, session: 'this' }, {}],
        ['POST /sessions/', { headers: basic('u', 'p') }, 'gateway/Op.Sessions.Create', { full: false }, { username: 'u', password: 'p' }],
        ['POST /cordra/sessions?full', {}, 'gateway/Op.Sessions.Create', { full: true }, {}],
        ['GET /sessions', {}, 'gateway/Op.Sessions.Get', { full: false, session: '' }, {}],
        ['DELETE /sessions/other', {}, 'gateway/Op.Sessions.Delete', { full: false, session: 'other' }, {}],
        ['DELETE /sessions/this', { headers: cookies }, 'gateway/Op.Sessions.Delete', { full: false, session: 'this' }, session]
    ];
    for (const [line, options, operationId, attributes, authentication] of translations) {
        it(`translate ${line}`, async () => {

            const response = await server.inject(line, options);
            const [request] = server.recorder.requests;

            expect(response.statusCode).to.equal(200);
            expect<unknown>([request?.operationId, request?.targetId, request?.attributes, request?.authentication]).to.equal(
                [operationId, 'service', attributes, authentication]);
        });
    }

    it('set both cookies on a new session, secure ones over https', async () => {

        server.recorder.answer = { attributes: { session: { sessionId: 's1', csrfToken: 'c1' } } };

        const plain = await server.inject('POST /sessions');
        const encrypted = await server.inject('POST /sessions', { headers: { 'x-forwarded-proto': 'https' } });

        expect(plain.headers['set-cookie']).to.equal(
            ['JSESSIONID=s1; Path=/; HttpOnly; SameSite=Lax', 'Csrf-token=c1; Path=/; SameSite=Lax']);
        expect(encrypted.headers['set-cookie']).to.equal(
            ['JSESSIONID=s1; Path=/; HttpOnly; Secure; SameSite=Lax', 'Csrf-token=c1; Path=/; Secure; SameSite=Lax']);
        expect(plain.headers['cache-control']).to.equal('no-store');
    });

    it('clear both cookies when they end', async () => {

        const response = await server.inject('DELETE /sessions/this', { headers: cookies });

        expect(response.headers['set-cookie']).to.equal(
            ['JSESSIONID=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax', 'Csrf-token=; Path=/; Max-Age=0; SameSite=Lax']);
    });

    it('set cookies with the valid settings of the design', () => {

        const overrides = {
            jsessionid: { path: '/repository', httpOnly: false, secure: true }, csrfToken: { path: 'x; Domain=evil', secure: 'yes' }
        };

        expect(sessionCookies({ session: { sessionId: 's1', csrfToken: 'c1' }, cookies: overrides }, false)).to.equal(
            ['JSESSIONID=s1; Path=/repository; Secure; SameSite=Lax', 'Csrf-token=c1; Path=/; SameSite=Lax']);
    });
});
