import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import type { TestGateway } from '../../../support/gateway.js';
import { ServiceKey } from '../../../../lib/identity/secrets/service-key.js';
import { SettingStore } from '../../../../lib/stores/setting-store.js';
import { forEachDatabase } from '../../../support/database.js';
import { defineType, startNodes, type Nodes } from '../../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CODE = `
const util = require('cordraUtil');
exports.staticMethods = {
    sign: ({ params }) => util.signWithCordraKey(params),
    verify: ({ params }) => util.verifyWithCordraKey(params),
    key: () => util.getCordraPublicKey()
};
`;

forEachDatabase((name, create) => {

    describe(`the key of the service, on ${name}`, () => {

        let nodes: Nodes;

        before(async () => {

            nodes = await startNodes(create);
            await defineType(nodes.node, 'Signing', CODE);
        });

        after(() => nodes.stop());

        const call = async (on: TestGateway, method: string, params?: JsonValue): Promise<unknown> => {

            return (await on.asAdmin('gateway/Op.Call', { attributes: { type: 'Signing', method, ...params === undefined ? {} : { params } } })).value;
        };

        const tampered = (token: string): string => {

            const [head, , end] = token.split('.');
            return [head, Buffer.from('{"sub":"another"}').toString('base64url'), end].join('.');
        };

        it('signs tokens that can be verified with its public half, on all nodes', async () => {

            const [token, ...others] = await Promise.all(nodes.all.map((node) => call(node, 'sign', { sub: 'me' }))) as [string, ...string[]];
            const keys = await Promise.all(nodes.all.map((node) => call(node, 'key'))) as JsonWebKey[];
            const [head, body, end] = token.split('.');

            expect(others.every((other) => other === token)).to.be.true();
            expect(JSON.parse(Buffer.from(body!, 'base64url').toString())).to.equal({ sub: 'me' });
            expect(Object.keys(keys[0]!).sort()).to.equal(['e', 'kty', 'n']);
            expect(keys.every(({ n }) => n === keys[0]!.n)).to.be.true();
            expect(verify('sha256', Buffer.from(`${head}.${body}`), createPublicKey({ key: keys[0]!, format: 'jwk' }), Buffer.from(end!, 'base64url'))).to.be.true();
        });

        it('verifies claims and texts that it signed, and nothing else', async () => {

            const tokens = await Promise.all([{ sub: 'me' }, 'just a text'].map((payload) => call(nodes.node, 'sign', payload))) as string[];

            for (const node of nodes.all) {
                expect(await Promise.all(tokens.map((token) => call(node, 'verify', token)))).to.equal([true, true]);
                expect(await Promise.all(tokens.map((token) => call(node, 'verify', tampered(token))))).to.equal([false, false]);
            }
        });
    });

    describe(`a new service key, on ${name}`, () => {

        it('is the same for concurrent creators, and afterwards', async () => {

            const database = await create();
            try {
                const db = await database.open();
                const made = await Promise.all(Array.from({ length: 3 }, () => new ServiceKey(db, new SettingStore(db), 'test.key').pair()));
                const later = await new ServiceKey(db, new SettingStore(db), 'test.key').pair();

                expect(new Set([...made, later].map(({ privateKey }) => privateKey['d'])).size).to.equal(1);
            }
            finally {
                await database.dispose();
            }
        });
    });
});
