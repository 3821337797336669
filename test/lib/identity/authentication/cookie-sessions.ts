/** Legacy sessions: the two values, and what they are good for. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { Identity } from '../../../../lib/identity/identity.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit, INTERNAL } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The credentials have not ended. */
const still = (): Promise<void> => Promise.resolve();

async function numberOfTokens({ db }: IdentityKit): Promise<number> {

    return (await db.read({ sql: 'select * from tokens' }, [])).length;
}

forEachDatabase((name, create) => {

    describe(`cookie sessions on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;
        let node: Identity;

        before(async () => {

            place = await create();
            kit = new IdentityKit(await place.open());
            node = kit.node({ design: { useLegacySessionsApi: true, cookies: { jsessionid: { path: '/x' } } } });
            await kit.addUser('test/ann', { username: 'ann' });
        });

        after(() => place.dispose());

        async function begin() {

            return node.sessions.create(await kit.authenticate(node, { username: 'ann', password: 'secret' }), still);
        }

        it('identify their user when id and CSRF token are sent', async () => {

            const { sessionId, csrfToken } = await begin();

            const caller = await kit.authenticate(node, { sessionId, csrfToken });

            expect(caller).to.include({ userId: 'test/ann', method: 'session' });
            expect<unknown>(node.sessions.cookies).to.equal({ jsessionid: { path: '/x' } });
        });

        const uses: readonly (readonly [title: string, csrf: 'right' | 'wrong' | 'none', good: boolean])[] = [
            ['reject requests without the CSRF token', 'none', false],
            ['reject a wrong CSRF token', 'wrong', false],
            ['accept requests with both', 'right', true]
        ];

        for (const [title, csrf, good] of uses) {
            it(title, async () => {

                const { sessionId, csrfToken } = await begin();
                const second = { right: { csrfToken }, wrong: { csrfToken: `${csrfToken}x` }, none: {} }[csrf];

                const result = await kit.authenticate(node, { sessionId, ...second }).then(({ userId }) => userId, () => null);

                expect(result).to.equal(good ? 'test/ann' : null);
            });
        }

        it('are not kept when the credentials have ended meanwhile', async () => {

            const caller = await kit.authenticate(node, { username: 'ann', password: 'secret' });
            const before = await numberOfTokens(kit);
            const ended = new Error('ended');

            await expect(node.sessions.create(caller, () => Promise.reject(ended))).to.reject('ended');
            expect(await numberOfTokens(kit)).to.equal(before);
        });

        it('end on request, each by itself', async () => {

            const [one, two] = [await begin(), await begin()];

            await node.sessions.end(await kit.authenticate(node, { ...one }));

            const error = await expect(kit.authenticate(node, { ...one })).to.reject(DoipError);
            expect<unknown>(error.attributes.error).to.equal('invalid_token');
            expect((await kit.authenticate(node, { ...two })).userId).to.equal('test/ann');
            await node.sessions.end(await kit.authenticate(node, { username: 'ann', password: 'secret' }));
        });

        it('are not access tokens, and access tokens are not sessions', async () => {

            const { sessionId } = await begin();
            const { token } = await node.tokens.grant({ username: 'ann', password: 'secret' }, INTERNAL);

            await expect(kit.authenticate(node, { token: sessionId })).to.reject(DoipError);
            await expect(kit.authenticate(node, { sessionId: token, csrfToken: '' })).to.reject(DoipError);
            await expect(kit.authenticate(node, { sessionId: token })).to.reject(DoipError);
        });

        it('cannot be created anonymously or as another user', async () => {

            await kit.db.commit({ steps: kit.credentials.putSteps('admin', await kit.passwords.hash('secret', 'a')) });
            const acting = await kit.authenticate(node, { username: 'admin', password: 'secret', asUserId: 'test/ann' });

            await expect(node.sessions.create(acting, still)).to.reject(DoipError, /acting as another user/);
            await expect(node.sessions.create(await kit.authenticate(node, {}), still)).to.reject(DoipError, 'authentication is required');
        });

        it('do not exist while the design disables them', async () => {

            const { sessionId, csrfToken } = await begin();
            const off = kit.node();

            expect((await kit.authenticate(off, { sessionId, csrfToken })).userId).to.be.null();
            expect(() => off.sessions.checkEnabled()).to.throw(DoipError, 'Legacy sessions disabled on this Cordra');
        });
    });
});
