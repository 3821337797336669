/** Logins by tokens of a real OpenID Connect provider: its people and programs, wrong tokens, and local users who claim its ids. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { runCommand } from '../support/command.js';
import { createSqlite } from '../support/database.js';
import type { TestProvider } from '../support/login-provider.js';
import { AUDIENCE, flood, startProvider } from '../support/login-provider.js';
import { NativeClient } from '../support/native.js';
import { basic, jsonOf } from '../support/rest.js';
import type { Received, RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CLAIMS = {
    'ann-1': { preferred_username: 'ann', groups: ['curators', 'unknown', 'admin'] },
    'bob-1': { preferred_username: 'admin', groups: 'curators' },
    program: { preferred_username: 'the program' }
};
const MALLORY = { username: 'mallory', password: 'password of mallory' };

onEveryDatabase((name, start) => {

    describe(`logins of an institution on ${name}`, () => {

        let service: RestService;
        let provider: TestProvider;
        let other: TestProvider;
        let folder: string;
        let number = 0;

        before(async () => {

            [provider, other] = [await startProvider(CLAIMS), await startProvider()];
            folder = await mkdtemp(join(tmpdir(), 'gateway-providers-'));
            const file = join(folder, 'providers.json');
            await writeFile(file, JSON.stringify([
                { name: 'institute', issuer: provider.issuer, audience: AUDIENCE, groups: { curators: 'test/curators' } },
                { name: 'other', issuer: other.issuer, audience: [AUDIENCE, 'x'], authenticated: false, groupsClaim: '/realm_access/roles', groups: { curators: 'test/curators' } }
            ]));
            service = await start({ OIDC_PROVIDERS: file, DOIP_PORT: 0 });
            await service.create('User', { id: '', ...MALLORY });
            await service.create('Group', { groupName: 'curators', description: '', users: [] }, 'handle=test/curators');
            await service.create('Document', { name: 'for curators' }, 'handle=test/curated');
            await service.asAdmin('PUT /acls/test/curated', { payload: '{"readers": ["test/curators"], "writers": []}' });
        });

        after(async () => {

            await Promise.all([service.stop(), provider.stop(), other.stop()]);
            await rm(folder, { recursive: true });
        });

        const withToken = (line: string, token: string, more: { payload?: string } = {}): Promise<Received> =>
            service.anonymously(line, { ...more, headers: { authorization: `Bearer ${token}` } });
        const whoIs = (token: string): Promise<Received> => withToken('GET /check-credentials?full', token);

        it('identifies a person who logged in at the provider, by every interface', async () => {

            const token = await provider.personToken('ann-1');
            const record = jsonOf(await whoIs(token));
            const byDoip = await withToken(`GET /doip?operationId=${Op.checkCredentials}&targetId=service`, token);
            const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
            const { head } = await client.ask(`${JSON.stringify({ targetId: 'service', operationId: Op.checkCredentials, authentication: { token } })}\n#\n#\n`);
            client.close();

            expect(record).to.include({ active: true, userId: 'institute/ann-1', username: 'ann@institute', groupIds: ['test/curators'] });
            expect(record['typesPermittedToCreate']).to.include('Document');
            expect(jsonOf(byDoip)).to.include({ userId: 'institute/ann-1' });
            expect<unknown>(head.output).to.include({ userId: 'institute/ann-1' });
            expect((await withToken('GET /objects/test/curated', token)).statusCode).to.equal(200);
            expect((await service.anonymously('GET /objects/test/curated')).statusCode).to.equal(401);
        });

        it('identifies a program by its own token, which owns what it creates', async () => {

            const token = await provider.programToken();
            const created = await withToken('POST /objects?type=Document&full', token, { payload: '{"name": "x"}' });
            const { id, metadata } = jsonOf(created) as { id: string; metadata: JsonObject };

            expect<unknown>(metadata['createdBy']).to.equal('institute/program');
            expect((await withToken(`PUT /objects/${id}`, token, { payload: '{"name": "y"}' })).statusCode).to.equal(200);
            expect((await withToken(`PUT /objects/${id}`, await provider.personToken('ann-1'), { payload: '{"name": "z"}' })).statusCode).to.equal(403);
        });

        it('gives an access token of the service for one of the provider, which ends no later', async () => {

            const assertion = await provider.sign({ sub: 'ann-1', exp: Math.floor(Date.now() / 1000) + 60 });
            const granted = await service.anonymously('POST /auth/token', {
                payload: JSON.stringify({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }), headers: { 'content-type': 'application/json' }
            });
            const { access_token: token } = jsonOf(granted) as { access_token: string };

            expect(jsonOf(await whoIs(token))).to.include({ userId: 'institute/ann-1' });
        });

        it('never takes a person for a user of the service, for admin, or for one of another provider', async () => {

            const names = ['admin', 'mallory', 'test/mallory', '../admin', 'Ann-1'];
            for (const sub of names) {
                const mine = jsonOf(await whoIs(await provider.sign({ sub, preferred_username: 'admin', groups: ['admin', 'test/curators'] })));
                expect(mine).to.include({ userId: `institute/${sub}`, username: 'admin@institute', groupIds: [] });
            }

            const theirs = jsonOf(await whoIs(await other.sign({ sub: 'ann-1', groups: ['curators'], realm_access: { roles: ['curators', 'curators'] } })));
            expect(theirs).to.include({ userId: 'other/ann-1', groupIds: ['test/curators'], typesPermittedToCreate: [] });
            expect((await withToken('PUT /adminPassword', await provider.personToken('bob-1'), { payload: '{"password": "another password"}' })).statusCode).to.equal(403);
        });

        it('does not give the rights of its people to local users who take their ids', async () => {

            const sub = `person${++number}`;
            const id = `institute/${sub}`;
            const token = await provider.sign({ sub });
            const asMallory = { headers: basic(MALLORY.username, MALLORY.password) };
            // Before the first login of the person: not even then can a user take the id.
            const before = await service.anonymously(`POST /objects?type=Group&handle=${id}`, { payload: '{"groupName": "x", "description": "", "users": []}', ...asMallory });
            const made = await withToken('POST /objects?type=Document', token, { payload: '{"name": "secret"}' });
            const stored = String(made.headers['location']).replace('/objects/', '');
            await withToken(`PUT /acls/${stored}`, token, { payload: JSON.stringify({ readers: [id], writers: [id] }) });
            const after = await service.anonymously(`POST /objects?type=Group&handle=${id}`, { payload: '{"groupName": "x", "description": "", "users": []}', ...asMallory });

            expect([before.statusCode, after.statusCode]).to.equal([409, 409]);
            expect((await service.anonymously(`GET /objects/${stored}`, asMallory)).statusCode).to.equal(403);
            expect((await withToken(`GET /objects/${stored}`, token)).statusCode).to.equal(200);
        });

        it('counts an account that the administrator made for a person, and blocks the person with it', async () => {

            const sub = `person${++number}`;
            const token = await provider.sign({ sub });
            expect((await whoIs(token)).statusCode).to.equal(200);
            await service.create('User', { id: '', username: `local${number}`, password: 'a long password' }, `handle=institute/${sub}`);
            const key = await service.anonymously('POST /auth/keys', { payload: '{"name": "mine"}', headers: { authorization: `Bearer ${await provider.sign({ sub, jti: '2' })}` } });
            const { key: value } = jsonOf(key) as { key: string };

            expect(key.statusCode, key.payload).to.equal(200);
            expect(jsonOf(await whoIs(value))).to.include({ userId: `institute/${sub}` });
            expect((await service.asAdmin(`DELETE /objects/institute/${sub}`)).statusCode).to.equal(200);
            expect((await whoIs(value)).statusCode).to.equal(401);
        });

        const now = (): number => Math.floor(Date.now() / 1000);
        const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
        const wrong: readonly (readonly [title: string, token: () => Promise<string>])[] = [
            ['for another service', () => provider.sign({ aud: 'https://other.example.org' })],
            ['without an audience', () => provider.sign({ aud: undefined as never })],
            ['that has expired', () => provider.sign({ exp: now() - 60 })],
            ['that is not valid yet', () => provider.sign({ nbf: now() + 120 })],
            ['without an end', () => provider.sign({ exp: undefined as never })],
            ['without a user', () => provider.sign({ sub: undefined as never })],
            ['with an empty user', () => provider.sign({ sub: '' })],
            ['with a user of control characters', () => provider.sign({ sub: 'a\nb' })],
            ['with a user of more bytes than an id may have, but fewer when composed', () => provider.sign({ sub: 'e\u0301'.repeat(100) })],
            ['with a long user', () => provider.sign({ sub: 'x'.repeat(300), preferred_username: MALLORY.username })],
            ['of a logout', () => provider.sign({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })],
            ['of another type', () => provider.sign({}, { typ: 'logout+jwt' })],
            ['that is bound to a key', () => provider.sign({ cnf: { jkt: 'x' } })],
            ['with a critical extension', () => provider.sign({}, { crit: ['x'], x: 1 }).catch(() => 'a.b.c')],
            ['signed by a stranger', () => new SignJWT({ iss: provider.issuer, aud: AUDIENCE, sub: 'ann-1', exp: now() + 60 }).setProtectedHeader({ alg: 'RS256' }).sign(stranger)],
            ['signed by another provider', () => other.sign({ iss: provider.issuer })],
            ['signed with the public key as a secret', async () => {

                const keys = await (await fetch(`${provider.issuer}/jwks`)).text();
                return new SignJWT({ iss: provider.issuer, aud: AUDIENCE, sub: 'ann-1', exp: now() + 60 }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(keys));
            }],
            ['without a signature', async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await provider.sign()).split('.')[1]}.`],
            ['of an unknown issuer', () => provider.sign({ iss: 'https://unknown.example.org' })]
        ];
        for (const [title, make] of wrong) {
            it(`rejects a token ${title} as any wrong token`, async () => {

                const [{ statusCode, payload }, expected] = [await whoIs(await make()), await whoIs('wrong')];

                expect([statusCode, payload]).to.equal([401, expected.payload]);
            });
        }

        it('shows no name that could change what is displayed around it', async () => {

            for (const name of ['an\u001b[31mn', 'ann\n', 'ann\u202e', 'ann\u2028', 'x'.repeat(300), ['ann'], { a: 1 }, '']) {
                const record = jsonOf(await whoIs(await provider.sign({ sub: 'named', preferred_username: name as string })));
                expect([record['userId'], record['username']], JSON.stringify(name)).to.equal(['institute/named', undefined]);
            }
        });

        it('uses known keys while the provider is away, whatever unknown ones are asked for meanwhile', async () => {

            const away = await startProvider();
            const file = join(folder, `away${++number}.json`);
            await writeFile(file, JSON.stringify([{ name: 'away', issuer: away.issuer, audience: AUDIENCE }]));
            const own = await start({ OIDC_PROVIDERS: file });
            const { now: clock } = Date;
            try {
                const ask = async (token: string): Promise<number> =>
                    (await own.anonymously('GET /check-credentials', { headers: { authorization: `Bearer ${token}` } })).statusCode;
                const [first, known, unknown] = [await away.sign({ sub: 'a' }), await away.sign({ sub: 'b' }), await away.sign({}, { kid: 'unknown' })];
                expect(await ask(first)).to.equal(200);
                // Time after which unknown keys are asked for again.
                Date.now = () => clock() + 31_000;
                away.isDown = true;
                expect([await ask(unknown), await ask(known), await ask(unknown)]).to.equal([503, 200, 503]);
                expect(away.requests.keys).to.equal(2);
            }
            finally {
                Date.now = clock;
                await own.stop();
                await away.stop();
            }
        });

        it('follows a new key of the provider, and asks for keys no more than needed', async () => {

            const rotating = await startProvider();
            const file = join(folder, `rotating${++number}.json`);
            await writeFile(file, JSON.stringify([{ name: 'rotating', issuer: rotating.issuer, audience: AUDIENCE }]));
            const own = await start({ OIDC_PROVIDERS: file });
            const ask = (token: string): Promise<Received> => own.anonymously('GET /check-credentials', { headers: { authorization: `Bearer ${token}` } });
            for (let i = 0; i < 10; ++i) {
                expect((await ask(await rotating.sign({ sub: `p${i}` }))).statusCode).to.equal(200);
            }

            for (let i = 0; i < 10; ++i) {
                expect((await ask(await rotating.sign({}, { kid: `unknown${i}` }))).statusCode).to.equal(401);
            }

            expect(rotating.requests).to.equal({ keys: rotating.requests.keys, discovery: 1 });
            expect(rotating.requests.keys).to.be.at.most(2);
            await own.stop();
            await rotating.stop();
        });

        it('reads no more of the keys of a provider than a limit', async () => {

            const flooding = await startProvider();
            const file = join(folder, `flooding${++number}.json`);
            await writeFile(file, JSON.stringify([{ name: 'flooding', issuer: flooding.issuer, audience: AUDIENCE }]));
            const own = await start({ OIDC_PROVIDERS: file });
            const sent = { bytes: 0 };
            flooding.instead.set('/jwks', flood(sent));
            const answer = await own.anonymously('GET /check-credentials', { headers: { authorization: `Bearer ${await flooding.sign()}` } });

            expect([answer.statusCode, jsonOf(answer)]).to.equal([503, { message: 'the login provider flooding cannot be reached' }]);
            expect(sent.bytes).to.be.between(1, 20_000_000);
            await own.stop();
            await flooding.stop();
        });

        it('answers 503 while the provider cannot be reached, to its people only', async () => {

            const failing = await startProvider();
            const file = join(folder, `failing${++number}.json`);
            await writeFile(file, JSON.stringify([{ name: 'failing', issuer: failing.issuer, audience: AUDIENCE }]));
            const own = await start({ OIDC_PROVIDERS: file });
            failing.isDown = true;
            const token = await failing.sign();
            const answers: Received[] = [];
            for (let i = 0; i < 5; ++i) {
                answers.push(await own.anonymously('GET /check-credentials', { headers: { authorization: `Bearer ${token}` } }));
            }

            expect(answers.map(({ statusCode, headers }) => [statusCode, headers['retry-after']])).to.equal(answers.map(() => [503, '10']));
            expect(jsonOf(answers[0] as Received)).to.equal({ message: 'the login provider failing cannot be reached' });
            expect(own.log.filter(({ event }) => event === 'identity.provider-failed').length).to.equal(1);
            expect(failing.requests.discovery).to.equal(1);
            expect((await own.asAdmin('GET /check-credentials')).statusCode).to.equal(200);
            await own.stop();
            await failing.stop();
        });
    });
});

describe('the file of login providers', () => {

    const good = { name: 'institute', issuer: 'https://login.example.org', audience: 'x' };
    const faults: readonly (readonly [title: string, text: string, message: RegExp])[] = [
        ['no JSON', '{', /is not valid JSON/],
        ['no array', '{}', /must be an array/],
        ['no audience', JSON.stringify([{ ...good, audience: undefined }]), /"\[0\]\.audience" is required/],
        ['an issuer without TLS', JSON.stringify([{ ...good, issuer: 'http://login.example.org' }]), /issuer" must be an https address/],
        ['a symmetric algorithm', JSON.stringify([{ ...good, algorithms: ['HS256'] }]), /algorithms\[0\]" must be one of/],
        ['a name with a slash', JSON.stringify([{ ...good, name: 'a/b' }]), /name" must be of lower-case letters/],
        ['the prefix of the service', JSON.stringify([{ ...good, name: 'test' }]), /no provider may have the name test/],
        ['two providers of one name', JSON.stringify([good, { ...good, issuer: 'https://other.example.org' }]), /contains a duplicate value/],
        ['a group for admin', JSON.stringify([{ ...good, groups: { a: 'admin' } }]), /groups\.a" contains an invalid value/],
        ['a pointer to a claim that is none', JSON.stringify([{ ...good, groupsClaim: '/realm~2' }]), /groupsClaim" must be the name of a claim, or a JSON pointer/],
        ['a misspelt member', JSON.stringify([{ ...good, group: {} }]), /group" is not allowed/]
    ];
    for (const [title, text, message] of faults) {
        it(`is rejected at the start with ${title}`, async () => {

            const folder = await mkdtemp(join(tmpdir(), 'gateway-providers-'));
            const database = await createSqlite();
            await writeFile(join(folder, 'providers.json'), text);
            const { code, error, out } = await runCommand(database, [], '', { OIDC_PROVIDERS: join(folder, 'providers.json'), PORT: '0', DOIP_PORT: '' });

            expect([code, out]).to.equal([78, '']);
            expect(error).to.match(message);
            await database.dispose();
            await rm(folder, { recursive: true });
        });
    }
});
