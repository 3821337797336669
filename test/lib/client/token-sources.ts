/** Sources of tokens that fail, in both clients. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Login, type TokenSource } from '../../../lib/client/web/login.js';
import { connect, RepositoryClient } from '../../../lib/client/index.js';
import { ADMIN } from '../../support/native.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a source of tokens', () => {

    let test: TestServer;
    let valid = '';

    before(async () => {

        test = await startServer();
        const made = await fetch(`${test.url}/auth/token`, {
            method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ grant_type: 'password', ...ADMIN })
        });
        valid = (await made.json() as { access_token: string }).access_token;
    });

    after(() => test.stop());

    const CLIENTS: readonly (readonly [name: string, caller: (token: TokenSource) => () => Promise<{ username?: string | null }>])[] = [
        ['for REST', (token) => {

            const client = new RepositoryClient(test.url, { token });
            return () => client.caller();
        }],
        ['for DOIP', (token) => {

            const client = connect(test.url, { token });
            return () => client.caller();
        }]
    ];
    for (const [name, callerOf] of CLIENTS) {
        it(`that throws once, at once or later, does not hold up the later requests of the client ${name}`, async () => {

            for (const isAsync of [false, true]) {
                let calls = 0;
                const caller = callerOf(() => {

                    calls += 1;
                    if (calls > 1) {
                        return valid;
                    }

                    const error = new Error('the keyring is locked');
                    if (isAsync) {
                        return Promise.reject(error);
                    }

                    throw error;
                });
                const [first, second] = await Promise.allSettled([caller(), caller()]);
                const { username } = await caller();

                expect([first, second].map((each) => each.status === 'rejected' && (each.reason as Error).message))
                    .to.equal(['the keyring is locked', 'the keyring is locked']);
                expect([username, calls]).to.equal(['admin', 2]);
            }
        });
    }

    it('is told the rejected token again after it has failed', async () => {

        const asked: (string | null)[] = [];
        const login = new Login({ token: (rejected) => {

            asked.push(rejected);
            if (asked.length === 2) {
                throw new Error('the keyring is locked');
            }

            return `token-${asked.length}`;
        } }, () => Promise.reject(new Error('there is no password')));
        login.reject(await login.token());
        await expect(login.token()).to.reject('the keyring is locked');
        const third = await login.token();

        expect([third, asked]).to.equal(['token-3', [null, 'token-1', 'token-1']]);
    });
});
