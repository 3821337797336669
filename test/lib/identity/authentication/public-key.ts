/** Keys that nobody has: what is checked where an issuer has no key. */

import { generateKeyPairSync, sign } from 'node:crypto';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { decoyKey, importPublicKey } from '../../../../lib/identity/authentication/public-key.js';
import { signed } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import { IdentityKit } from '../../../support/identity.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const RUNS = 10;
const MAX_RUNS = 20 * RUNS;

/** Of the processor times. */
const MAX_RATIO = 3;

describe('a decoy key', () => {

    for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']) {
        it(`is a public key for ${algorithm}, always the same one`, async () => {

            const key = await decoyKey(algorithm);

            expect([key?.type, key?.usages]).to.equal(['public', ['verify']]);
            expect(await decoyKey(algorithm) === key).to.be.true();
        });
    }

    for (const algorithm of ['none', 'HS256', 'RSA-OAEP', 'constructor', '']) {
        it(`does not exist for ${JSON.stringify(algorithm)}, which fits no key`, async () => {

            const { publicKey } = generateKeyPairSync('ed25519');

            expect(await decoyKey(algorithm)).to.be.null();
            expect(await importPublicKey(publicKey.export({ format: 'jwk' }) as JsonObject, algorithm)).to.be.null();
        });
    }
});

forEachDatabase((name, create) => {

    describe(`assertions of unknown users on ${name}`, () => {

        it('are rejected after about the same time as those with a wrong signature, another kind of key, or no key', async () => {

            const place = await create();
            const kit = new IdentityKit(await place.open());
            const node = kit.node();
            const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
            const stranger = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
            await kit.addUser('test/ann', { username: 'ann', publicKey: publicKey.export({ format: 'jwk' }) });
            await kit.addUser('test/ed', { username: 'ed', publicKey: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) });
            await kit.addUser('test/keyless', { username: 'keyless' });
            const epochs = await kit.epochs();
            const refusal = async (iss: string): Promise<number> => {

                const token = signed({ alg: 'ES512' }, { iss, exp: Math.floor(Date.now() / 1000) + 60 },
                    (input) => sign('sha512', Buffer.from(input), { key: stranger, dsaEncoding: 'ieee-p1363' }));
                const request = { authentication: { token }, clientId: null, transport: { protocol: 'https', secure: true, remoteAddress: '' } } as const;
                const elapsed = processorTime();
                await expect(node.authenticator.authenticate(request, undefined, epochs)).to.reject('Authentication failed: the token is not valid or has expired');
                return elapsed();
            };

            const issuers = ['ann', 'ed', 'keyless', 'nobody', 'test/ann', 'test/nobody', 'admin'];
            const least = new Map(issuers.map((iss) => [iss, Infinity]));
            const ratio = (): number => Math.max(...least.values()) / Math.min(...least.values());
            // On a busy machine it takes more runs until each issuer has had one that nothing has disturbed.
            for (let i = 0; i < RUNS || ratio() >= MAX_RATIO && i < MAX_RUNS; ++i) {
                for (const iss of issuers) {
                    least.set(iss, Math.min(least.get(iss) ?? Infinity, await refusal(iss)));
                }
            }

            await node.close();
            await place.dispose();

            expect(ratio()).to.be.below(MAX_RATIO);
        });
    });
});
