/** Logging in with a key pair: one row per rule about claims, algorithms and keys. */

import { constants, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { Identity } from '../../../../lib/identity/identity.js';
import { jwt, signed } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { IdentityKit } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const OTHER = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SMALL = generateKeyPairSync('rsa', { modulusLength: 1024 });
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const P521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const ED25519 = generateKeyPairSync('ed25519');

const jwkOf = (key: KeyObject): JsonObject => key.export({ format: 'jwk' }) as JsonObject;
const seconds = (): number => Math.floor(Date.now() / 1000);

type Signer = (input: string) => Buffer;

function signer(hash: string | null, key: Parameters<typeof sign>[2]): Signer {

    return (input) => sign(hash, Buffer.from(input), key);
}

function pss(hash: string): Signer {

    return signer(hash, { key: RSA.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
}

function ecdsa(hash: string, key: KeyObject): Signer {

    return signer(hash, { key, dsaEncoding: 'ieee-p1363' });
}

function rsa(hash: string): Signer {

    return signer(hash, RSA.privateKey);
}

function hmac(secret: string): Signer {

    return (input) => createHmac('sha256', secret).update(input).digest();
}

forEachDatabase((name, create) => {

    describe(`signed assertions on ${name}`, () => {

        let place: TestDatabase;
        let kit: IdentityKit;
        let node: Identity;

        before(async () => {

            place = await create();
            kit = new IdentityKit(await place.open());
            node = kit.node({ design: { adminPublicKey: jwkOf(OTHER.publicKey), ids: ['here', 'there'] } });
            const keys: Record<string, JsonObject> = {
                ann: jwkOf(RSA.publicKey), p256: jwkOf(P256.publicKey), p384: jwkOf(P384.publicKey), p521: jwkOf(P521.publicKey),
                ed: jwkOf(ED25519.publicKey), small: jwkOf(SMALL.publicKey),
                padded: { ...jwkOf(RSA.publicKey), n: `${jwkOf(RSA.publicKey).n as string}==` },
                bound: { ...jwkOf(RSA.publicKey), alg: 'RS256', use: 'enc', kid: 'x' },
                whole: jwkOf(RSA.privateKey),
                secret: { kty: 'oct', k: 'c2VjcmV0' }, empty: {}, strange: { kty: { a: 1 }, n: 5 }, huge: { ...jwkOf(RSA.publicKey), n: 'A'.repeat(9000) }
            };
            for (const [username, publicKey] of Object.entries(keys)) {
                await kit.addUser(`test/${username}`, { username, publicKey });
            }

            await kit.addUser('test/keyless', { username: 'keyless' });
            await kit.addUser('test/idle', { username: 'idle', publicKey: jwkOf(RSA.publicKey), active: false });
            // Its username is the id of another user.
            await kit.addUser('test/shadow', { username: 'test/ann', publicKey: jwkOf(OTHER.publicKey) });
        });

        after(() => place.dispose());

        async function userOf(token: string): Promise<string | null> {

            try {
                const caller = await kit.authenticate(node, { token });
                expect(caller.method).to.equal('key');
                return caller.userId;
            }
            catch (error) {
                expect(error).to.be.an.instanceof(DoipError).and.to.include({ status: '0.DOIP/Status.102' });
                return null;
            }
        }

        const algorithms: readonly (readonly [algorithm: string, user: string, signature: Signer])[] = [
            ['RS256', 'ann', rsa('sha256')], ['RS384', 'ann', rsa('sha384')], ['RS512', 'ann', rsa('sha512')],
            ['PS256', 'ann', pss('sha256')], ['PS384', 'ann', pss('sha384')], ['PS512', 'ann', pss('sha512')],
            ['ES256', 'p256', ecdsa('sha256', P256.privateKey)], ['ES384', 'p384', ecdsa('sha384', P384.privateKey)],
            ['ES512', 'p521', ecdsa('sha512', P521.privateKey)],
            ['EdDSA', 'ed', signer(null, ED25519.privateKey)]
        ];

        for (const [algorithm, user, signature] of algorithms) {
            it(`are accepted with ${algorithm}, and rejected with a wrong signature`, async () => {

                const claims = { iss: user, exp: seconds() + 60 };

                expect(await userOf(signed({ alg: algorithm }, claims, signature))).to.equal(`test/${user}`);
                expect(await userOf(signed({ alg: algorithm }, claims, (input) => signature(`${input} `)))).to.be.null();
            });
        }

        const good: readonly (readonly [title: string, claims: () => JsonObject, user: string])[] = [
            ['the least', () => ({ iss: 'ann' }), 'test/ann'],
            ['a username in another case', () => ({ iss: 'ANN' }), 'test/ann'],
            ['an object id, even if it is the username of another', () => ({ iss: 'test/ann' }), 'test/ann'],
            ['what clients send', () => ({ iss: 'ann', sub: 'ann', jti: randomBytes(10).toString('hex'), iat: seconds(), exp: seconds() + 600 }), 'test/ann'],
            ['the longest life', () => ({ iss: 'ann', exp: seconds() + 3598 }), 'test/ann'],
            ['a start within the skew of clocks', () => ({ iss: 'ann', nbf: seconds() + 290 }), 'test/ann'],
            ['an issue time that makes no sense', () => ({ iss: 'ann', iat: seconds() + 90_000 }), 'test/ann'],
            ['this service as audience', () => ({ iss: 'ann', aud: 'here' }), 'test/ann'],
            ['this service among the audience', () => ({ iss: 'ann', aud: ['elsewhere', 'there'] }), 'test/ann'],
            ['a padded key', () => ({ iss: 'padded' }), 'test/padded'],
            ['a key for this algorithm, whatever else it says', () => ({ iss: 'bound' }), 'test/bound'],
            ['a key whose private part was given away', () => ({ iss: 'whole' }), 'test/whole']
        ];

        for (const [title, claims, user] of good) {
            it(`are accepted with ${title}`, async () => {

                expect(await userOf(jwt(RSA.privateKey, claims()))).to.equal(user);
            });
        }

        it('are accepted from the administrator, by the key in the design object', async () => {

            expect(await userOf(jwt(OTHER.privateKey, { iss: 'admin' }))).to.equal('admin');
            expect(await userOf(jwt(OTHER.privateKey, { iss: 'Admin' }))).to.equal('admin');
            expect(await userOf(jwt(RSA.privateKey, { iss: 'admin' }))).to.be.null();
        });

        const bad: readonly (readonly [title: string, claims: () => JsonObject])[] = [
            ['no issuer', () => ({})],
            ['an unknown issuer', () => ({ iss: 'nobody' })],
            ['an issuer that is no string', () => ({ iss: ['ann'] })],
            ['an issuer without key', () => ({ iss: 'keyless' })],
            ['the key of another user', () => ({ iss: 'ed' })],
            ['a subject that is not the issuer', () => ({ iss: 'ann', sub: 'test/ann' })],
            ['a subject that is no string', () => ({ iss: 'ann', sub: null })],
            ['no end', () => ({ iss: 'ann', exp: null })],
            ['an end that is no number', () => ({ iss: 'ann', exp: String(seconds() + 60) })],
            ['an end that has passed', () => ({ iss: 'ann', exp: seconds() - 1 })],
            ['an end in the distant past', () => ({ iss: 'ann', exp: -1e300 })],
            ['an end more than an hour ahead', () => ({ iss: 'ann', exp: seconds() + 3700 })],
            ['an end in milliseconds', () => ({ iss: 'ann', exp: Date.now() + 60_000 })],
            ['a start in the future', () => ({ iss: 'ann', nbf: seconds() + 400 })],
            ['a start that is no number', () => ({ iss: 'ann', nbf: '0' })],
            ['another audience', () => ({ iss: 'ann', aud: 'elsewhere' })],
            ['an empty audience', () => ({ iss: 'ann', aud: [] })],
            ['an audience that is no string', () => ({ iss: 'ann', aud: { here: true } })],
            ['a jti that is no string', () => ({ iss: 'ann', jti: 7 })],
            ['an empty jti', () => ({ iss: 'ann', jti: '' })],
            ['an issuer whose key is a shared secret', () => ({ iss: 'secret' })],
            ['an issuer whose key is empty', () => ({ iss: 'empty' })],
            ['an issuer whose key makes no sense', () => ({ iss: 'strange' })],
            ['an issuer whose key is huge', () => ({ iss: 'huge' })]
        ];

        for (const [title, claims] of bad) {
            it(`are rejected with ${title}`, async () => {

                expect(await userOf(jwt(RSA.privateKey, claims()))).to.be.null();
            });
        }

        const header = (members: JsonObject): string => Buffer.from(JSON.stringify(members)).toString('base64url');
        const payload = (claims: JsonObject = { iss: 'ann' }): string => header({ exp: seconds() + 60, ...claims });

        const forged: readonly (readonly [title: string, token: () => string])[] = [
            ['no algorithm', () => `${header({})}.${payload()}.AAAA`],
            ['the algorithm none', () => `${header({ alg: 'none' })}.${payload()}.`],
            ['the algorithm none in another case and a signature', () => `${header({ alg: 'nOnE' })}.${payload()}.AAAA`],
            ['the public key as a shared secret', () => signed({ alg: 'HS256' }, { iss: 'ann', exp: seconds() + 60 },
                hmac(RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString()))],
            ['the shared secret of a key that is one', () => signed({ alg: 'HS256' }, { iss: 'secret', exp: seconds() + 60 }, hmac('secret'))],
            ['an algorithm of another kind of key', () => jwt(RSA.privateKey, { iss: 'ann' }, { alg: 'ES256' })],
            ['an algorithm that the key is not for', () => signed({ alg: 'RS512' }, { iss: 'bound', exp: seconds() + 60 }, rsa('sha512'))],
            ['a key of 1024 bits', () => jwt(SMALL.privateKey, { iss: 'small' })],
            ['a key that it brings itself', () => jwt(OTHER.privateKey, { iss: 'ann' }, { alg: 'RS256', jwk: jwkOf(OTHER.publicKey) })],
            ['a demand that is not understood', () => jwt(RSA.privateKey, { iss: 'ann' }, { alg: 'RS256', crit: ['exp'], exp: 1 })],
            ['a payload that is not encoded', () => jwt(RSA.privateKey, { iss: 'ann' }, { alg: 'RS256', b64: false, crit: ['b64'] })],
            ['another payload under the signature', () => {

                const [head, , signature] = jwt(RSA.privateKey, { iss: 'ed' }).split('.');
                return `${head}.${payload({ iss: 'ann' })}.${signature}`;
            }],
            ['a signature cut short', () => jwt(RSA.privateKey, { iss: 'ann' }).slice(0, -4)],
            ['no signature', () => `${header({ alg: 'RS256' })}.${payload()}.`],
            ['two parts', () => `${header({ alg: 'RS256' })}.${payload()}`],
            ['five parts', () => `${jwt(RSA.privateKey, { iss: 'ann' })}.a.b`],
            ['dots alone', () => '..'],
            ['a header that is no JSON', () => `${Buffer.from('alg').toString('base64url')}.${payload()}.AAAA`],
            ['a header that is an array', () => `${Buffer.from('["RS256"]').toString('base64url')}.${payload()}.AAAA`],
            ['a payload that is no object', () => `${header({ alg: 'RS256' })}.${Buffer.from('"ann"').toString('base64url')}.AAAA`],
            ['a payload that is no UTF-8', () => `${header({ alg: 'RS256' })}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AAAA`],
            ['a deep payload', () => `${header({ alg: 'RS256' })}.${Buffer.from(`{"iss":${'['.repeat(2000)}${']'.repeat(2000)}}`).toString('base64url')}.AAAA`],
            ['characters that are no Base64', () => `${header({ alg: 'RS256' })}.${payload()}.ä$%`],
            ['a blank', () => ` ${jwt(RSA.privateKey, { iss: 'ann' })}`],
            ['a huge token', () => jwt(RSA.privateKey, { iss: 'ann', more: 'x'.repeat(100_000) })],
            ['inherited names', () => signed({ alg: 'constructor' }, { iss: '__proto__', exp: seconds() + 60 }, rsa('sha256'))]
        ];

        for (const [title, token] of forged) {
            it(`are rejected with ${title}`, async () => {

                expect(await userOf(token())).to.be.null();
            });
        }

        it('are accepted with padding, which old clients send', async () => {

            const pad = (part: string): string => part.padEnd(Math.ceil(part.length / 4) * 4, '=');
            const input = [{ alg: 'RS256' }, { iss: 'ann', exp: seconds() + 60 }].map((part) => pad(header(part))).join('.');

            expect(await userOf(`${input}.${pad(rsa('sha256')(input).toString('base64url'))}`)).to.equal('test/ann');
        });

        it('reveal that an account is inactive, if they are signed with its key', async () => {

            await expect(kit.authenticate(node, { token: jwt(RSA.privateKey, { iss: 'idle' }) })).to.reject(DoipError, 'Account is inactive');
        });

        it('are valid once when they have a jti, on all nodes, even concurrently', async () => {

            const other = new IdentityKit(kit.db).node();
            const token = jwt(RSA.privateKey, { iss: 'ann', jti: 'once' });

            const users = await Promise.all([node, other, node, other].map(async (each) => {

                return kit.authenticate(each, { token }).then(({ userId }) => userId, () => null);
            }));

            expect(users.filter((user) => user !== null)).to.equal(['test/ann']);
            expect(await userOf(jwt(RSA.privateKey, { iss: 'ann', jti: 'twice' }))).to.equal('test/ann');
            expect(await userOf(jwt(RSA.privateKey, { iss: 'padded', jti: 'once' }))).to.equal('test/padded');
        });

        it('do not use up a jti when they are invalid', async () => {

            const claims = { iss: 'ann', jti: 'spoilt', exp: seconds() + 60 };
            expect(await userOf(jwt(OTHER.privateKey, claims))).to.be.null();

            expect(await userOf(jwt(RSA.privateKey, claims))).to.equal('test/ann');
        });

        it('match their audience to the base URI when the design has no ids, and to nothing without either', async () => {

            const at = (design: JsonObject) => kit.node({ design });
            const based = at({ handleMintingConfig: { baseUri: 'https://repository.example/' } });
            const tries: readonly (readonly [Identity, string, boolean])[] = [
                [based, 'https://repository.example', true], [based, 'https://repository.example/', true], [based, 'https://repository.example/x', false],
                [at({}), 'here', false], [at({ ids: [], handleMintingConfig: { baseUri: 'https://r.example/' } }), 'https://r.example/', false]
            ];

            for (const [each, aud, taken] of tries) {
                const result = await kit.authenticate(each, { token: jwt(RSA.privateKey, { iss: 'ann', aud }) }).then(() => true, () => false);

                expect(result, aud).to.equal(taken);
            }
        });

        it('are exchanged for access tokens by the jwt-bearer grant', async () => {

            const assertion = jwt(RSA.privateKey, { iss: 'ann', jti: 'grant' });
            const request = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };

            const { token, caller } = await node.tokens.grant(request, { protocol: 'internal', secure: true, remoteAddress: '' });

            expect(caller).to.include({ userId: 'test/ann', username: 'ann' });
            expect(await kit.authenticate(node, { token })).to.include({ userId: 'test/ann', method: 'token' });
            await expect(node.tokens.grant(request, { protocol: 'internal', secure: true, remoteAddress: '' })).to.reject(DoipError);
        });
    });
});
