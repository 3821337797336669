/** Passwords and secure properties of versions, and what is left of them under an id, on every database. */
import { generateKeyPairSync } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesSegment } from '../../../../lib/doip/segments.js';
import { secretKey } from '../../../../lib/stores/credential-store.js';
import { account, ACCOUNT, basic, defineAccounts, TEAM, whoIs } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { IdentityKit } from '../../../support/identity.js';
import { VersionKit } from '../../../support/versions.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const NOTHING = { account: false, credential: false, group: false, secrets: false, held: false };
const PUBLIC_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }) as JsonObject;

forEachDatabase((name, create) => {

    describe(`secrets of versions on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let kit: VersionKit;
        let identity: IdentityKit;
        let eve: string;
        let count = 0;
        let id = '';

        before(async () => {

            place = await create();
            test = await startGateway(place);
            kit = new VersionKit(test);
            identity = new IdentityKit(await place.open());
            await defineAccounts(test);
            eve = (await test.create(ACCOUNT, account('eve', { pin: '0000' }))).id;
        });

        beforeEach(() => {

            id = `test/bot${++count}`;
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const succeed = async (operation: string, request: ShortRequest): Promise<unknown> => {

            const { status, value } = await test.asAdmin(operation, request);
            expect(status, JSON.stringify(value)).to.equal(OK);
            return value;
        };

        const importLine = (line: JsonObject): Promise<unknown> => (
            succeed(Op.importObjects, { input: [bytesSegment(Buffer.from(JSON.stringify(line)), { mediaType: 'application/x-ndjson' })] })
        );

        /** Stores hashes of the secrets of eve under another id, as some version did before. */
        const leaveHashes = async (): Promise<void> => {

            const [password, pin] = [await identity.credentials.get(eve), await identity.credentials.getSecret(eve, '/pin')];
            await identity.db.commit({ steps: [
                ...identity.credentials.putSteps(id, password ?? ''), ...identity.credentials.putSecretSteps(id, secretKey('/pin'), pin ?? '')
            ] });
        };

        const logsIn = async (password = 'eve-password'): Promise<boolean> => {

            const { status } = await whoIs(test, { username: id, password });
            expect([OK, UNAUTHENTICATED]).to.include(status);
            return status === OK;
        };

        it('are emptied, and not stored', async () => {

            await kit.publish(eve, { versionId: id }, { authentication: basic('eve') });
            await kit.withDesign({ enableVersionEdits: true }, () => (
                succeed(Op.update, { targetId: id, input: { attributes: { content: account('x', { login: { password: 'eve-password' }, pin: '1234' }) } } })
            ) as Promise<void>);

            expect<unknown>((await kit.retrieve(id)).attributes['content']).to.equal({ id, username: 'x', login: { password: '' }, pin: '' });
            expect(await identity.accounts.footprint(id)).to.equal(NOTHING);

            await succeed(Op.delete, { targetId: id });
            await test.create(ACCOUNT, { publicKey: PUBLIC_KEY }, { id });

            expect(await logsIn()).to.be.false();
        });

        it('are not imported', async () => {

            const secrets = { password: JSON.parse(await identity.credentials.get(eve) ?? '') as JsonObject };
            await importLine({
                id, type: ACCOUNT, secrets,
                attributes: { content: account('x', { pin: '1234' }), metadata: { isVersion: true, versionOf: eve } }
            });

            expect<unknown>((await kit.retrieve(id)).attributes['content']).to.equal({ ...account('x', { login: { password: '' } }), pin: '' });
            expect(await identity.accounts.footprint(id)).to.equal(NOTHING);
        });

        it('are removed with the version, where there are some', async () => {

            await kit.publish(eve, { versionId: id });
            await leaveHashes();
            await succeed(Op.delete, { targetId: id });

            expect(await identity.accounts.footprint(id)).to.equal(NOTHING);
        });

        const kinds: readonly (readonly [type: string, content: JsonObject])[] = [[ACCOUNT, account('x')], [TEAM, { members: ['test/x'] }]];
        for (const [kind, content] of kinds) {
            it(`of an object of type ${kind} that an import makes a version end with it`, async () => {

                await test.create(kind, content, { id });
                await importLine({ id, type: kind, attributes: { content, metadata: { isVersion: true, versionOf: eve } } });

                expect(await identity.accounts.footprint(id)).to.equal(NOTHING);
                expect(await logsIn('x-password')).to.be.false();

                await succeed(Op.delete, { targetId: id });
            });
        }

        const users: readonly (readonly [title: string, make: () => Promise<unknown>])[] = [
            ['is created without a password', () => test.create(ACCOUNT, { publicKey: PUBLIC_KEY }, { id })],
            ['is imported without secrets', () => importLine({ id, type: ACCOUNT, attributes: { content: account('', { login: { password: '' } }) } })],
            ['is uploaded without a password', async () => {

                const line = JSON.stringify({ id, type: ACCOUNT, attributes: { content: { publicKey: PUBLIC_KEY, id: '' } } });
                await succeed(Op.uploadObjects, { input: [bytesSegment(Buffer.from(line), { mediaType: 'application/x-ndjson' })] });
            }]
        ];
        for (const [title, make] of users) {
            it(`do not become those of a user who ${title}`, async () => {

                await leaveHashes();
                await make();

                expect(await logsIn()).to.be.false();
                expect(await identity.accounts.footprint(id)).to.equal({ ...NOTHING, account: true, held: true });
            });
        }

        it('do not become those of another object, also where it has no values for them', async () => {

            const pin = { type: 'string', cordra: { secureProperty: true } };
            await test.create('Schema', { name: 'Locker', schema: { type: 'object', properties: { pin } } });
            await leaveHashes();
            await test.create('Locker', {}, { id });

            expect(await identity.credentials.getSecret(id, '/pin')).to.be.null();
        });

        it('do not become those of an object that is changed to a user', async () => {

            await test.create('Document', { name: 'x' }, { id });
            await leaveHashes();
            await kit.withDesign({ enableTypeChangeViaUpdate: true }, () => (
                succeed(Op.update, { targetId: id, input: { type: ACCOUNT, attributes: { content: { publicKey: PUBLIC_KEY, id: '' } } } })
            ) as Promise<void>);

            expect(await logsIn()).to.be.false();
        });

        it('do not take the place of those of a new user', async () => {

            await leaveHashes();
            await test.create(ACCOUNT, account(`new${count}`, { pin: '1234' }), { id });

            expect(await logsIn()).to.be.false();
            expect(await logsIn(`new${count}-password`)).to.be.true();
            expect(await identity.credentials.getSecret(id, '/pin')).not.to.equal(await identity.credentials.getSecret(eve, '/pin'));
        });
    });
});
