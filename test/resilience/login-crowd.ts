/** A flood of wrong logins from one address, seen from outside: who is turned away, how it is told, and who goes on. */

import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { basic } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PATHS = ['/objects/design', '/doip/0.DOIP/Op.Retrieve?targetId=design', '/search?query=*'];

interface Answer {
    readonly status: number;
    readonly headers: IncomingMessage['headers'];
    readonly text: string;
}

describe('a flood of wrong logins', () => {

    let server: TestServer;
    before(async () => {

        server = await startServer({ SHUTDOWN_SECONDS: 1 });
    });

    after(() => server.stop().catch(() => undefined));

    const send = async (path: string, headers: Record<string, string>, localAddress = '127.0.0.1'): Promise<Answer> => {

        const sent = request(server.url + path, { headers, localAddress, agent: false });
        sent.end();
        const [response] = await once(sent, 'response') as [IncomingMessage];
        let text = '';
        for await (const chunk of response) {
            text += String(chunk);
        }

        return { status: response.statusCode ?? 0, headers: response.headers, text };
    };

    it('is rejected with 429, without affecting others', async () => {

        const login = await fetch(`${server.url}/auth/token`, { method: 'POST', body: JSON.stringify({ username: 'admin', password: 'admin-password' }) });
        const { access_token: token } = await login.json() as { access_token: string };
        await fetch(`${server.url}/objects?type=User`, {
            method: 'POST', body: JSON.stringify({ username: 'bob', password: 'password of bob' }), headers: { authorization: `Bearer ${token}` }
        });
        let guesses = 0;
        let isOver = false;
        const flood = Array.from({ length: 40 }, async () => {

            while (!isOver) {
                await send('/objects/design', basic(`name-${++guesses}`, 'guess')).catch(() => undefined);
            }
        });
        const refused = async (path: string, name: string): Promise<Answer> => {

            let answer: Answer | undefined;
            await until(async () => {

                answer = await send(path, basic(name, 'wrong'));
                return answer.status === 429;
            });
            return answer!;
        };

        for (const path of PATHS) {
            const [known, unknown] = await Promise.all([refused(path, 'bob'), refused(path, 'nobody')]);

            expect(known.headers['retry-after']).to.equal('2');
            expect([known.headers['content-type'], known.headers['x-content-type-options']]).to.equal(['application/json; charset=utf-8', 'nosniff']);
            expect(JSON.parse(known.text)).to.equal({ message: 'too many logins at this moment, try again a little later' });
            expect([unknown.text, unknown.headers['retry-after'], unknown.headers['doip-response']]).to.equal(
                [known.text, known.headers['retry-after'], known.headers['doip-response']]);
            expect(known.headers['doip-response'] !== undefined).to.equal(path.startsWith('/doip'));
        }

        const [withToken, anonymous, elsewhere] = await Promise.all([
            send('/check-credentials', { authorization: `Bearer ${token}` }), send('/objects/design', {}),
            send('/check-credentials', basic('bob', 'password of bob'), '127.0.0.2')
        ]);

        expect([withToken.status, anonymous.status, elsewhere.status]).to.equal([200, 200, 200]);
        isOver = true;
        await server.stop();
        await Promise.all(flood);
        const lines = server.log.filter(({ event }) => event === 'http.rate-limited');
        const single = server.log.filter(({ status, msg }) => msg === 'request' && status === 429);
        expect(lines.length).to.be.above(0);
        expect(lines[0]).to.include({ remote: '127.0.0.1', status: 429 });
        expect(lines.reduce((sum, { count }) => sum + Number(count), 0)).to.be.above(single.length);
    });
});
