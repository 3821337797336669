/** The key of the administrator, which is in the design: what ends with it, however it is changed, on every database. */

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesSegment } from '../../../../lib/doip/segments.js';
import { account, ACCOUNT, basic, defineAccounts, jwt, tokenOf, whoIs } from '../../../support/accounts.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway, type Answer, type TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const [OWN, OTHER] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 })) as [KeyPair, KeyPair];

interface KeyPair {
    readonly publicKey: KeyObject;
    readonly privateKey: KeyObject;
}

const jwkOf = ({ publicKey }: KeyPair): JsonObject => publicKey.export({ format: 'jwk' }) as JsonObject;

forEachDatabase((name, create) => {

    describe(`the key of the administrator on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;

        const design = async (): Promise<JsonObject> => {

            const { value } = await test.asAdmin(Op.retrieve, { targetId: 'design' });
            return (value as { attributes: { content: JsonObject } }).attributes.content;
        };

        const update = (content: JsonObject): Promise<Answer> => test.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content } } });
        const item = (content: JsonObject): JsonObject => ({ id: 'design', type: 'CordraDesign', attributes: { content } });

        const writes: readonly (readonly [title: string, write: (content: JsonObject) => Promise<Answer>])[] = [
            ['an update', update],
            ['an update of a part', ({ adminPublicKey }) => test.asAdmin(Op.update, {
                targetId: 'design', attributes: { jsonPointer: '/adminPublicKey' }, input: { attributes: { contentAtPointer: adminPublicKey ?? null } }
            })],
            ['a batch', (content) => test.asAdmin(Op.batchUpload, { input: [item(content)] })],
            ['an import', (content) => test.asAdmin(Op.importObjects, {
                input: [bytesSegment(Buffer.from(JSON.stringify(item(content))), { mediaType: 'application/x-ndjson' })]
            })],
            ['an upload', (content) => test.asAdmin(Op.uploadObjects, { input: [item(content)] as JsonValue })]
        ];

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            await test.create(ACCOUNT, account('ann'));
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        beforeEach(async () => {

            expect((await update({ ...await design(), adminPublicKey: jwkOf(OWN) })).status).to.equal(OK);
        });

        const statuses = async (tokens: readonly string[]): Promise<string[]> =>
            Promise.all(tokens.map(async (token) => (await whoIs(test, { token })).status));

        for (const [title, write] of writes) {
            it(`ends all tokens of admin, and no others, when ${title} replaces it`, async () => {

                const assertion = { grant_type: JWT_BEARER, assertion: jwt(OWN.privateKey, { iss: 'admin' }) };
                const tokens = [await tokenOf(test, assertion), await tokenOf(test, ADMIN), await tokenOf(test, basic('ann'))];
                const answer = await write({ ...await design(), adminPublicKey: jwkOf(OTHER) });

                expect(answer.status, JSON.stringify(answer.value)).to.equal(OK);
                expect<unknown>((await design())['adminPublicKey']).to.equal(jwkOf(OTHER));
                expect(await statuses(tokens)).to.equal([UNAUTHENTICATED, UNAUTHENTICATED, OK]);
            });
        }

        it('ends them when it is removed', async () => {

            const tokens = [await tokenOf(test, ADMIN)];
            const { adminPublicKey: _, ...others } = await design();

            expect((await update(others)).status).to.equal(OK);
            expect(await statuses(tokens)).to.equal([UNAUTHENTICATED]);
        });

        it('ends nothing while it stays, or when it is the first one, and no API keys', async () => {

            const { value } = await test.asAdmin(Op.keysCreate, { input: { name: 'nightly' } });
            const tokens = [await tokenOf(test, ADMIN), (value as { key: string }).key];
            const content = await design();
            await update({ ...content, javascript: '// another' });

            expect(await statuses(tokens)).to.equal([OK, OK]);

            const { adminPublicKey, ...others } = content;
            await update(others);
            const later = await tokenOf(test, ADMIN);
            await update({ ...others, adminPublicKey: adminPublicKey! });

            expect(await statuses([later, ...tokens])).to.equal([OK, UNAUTHENTICATED, OK]);
        });
    });
});
