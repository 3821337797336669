/** For whom code waits its turn: by which keys the callers of scripts are told apart. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { ScriptPool } from '../../../lib/scripting/pool/script-pool.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { ADMIN, envelope, startGateway, type TestGateway } from '../../support/gateway.js';
import { changeDesign, defineType } from '../../support/type-code.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const SEARCH = '0.DOIP/Op.Search';
const RESOLVE = 'gateway/Op.Handles.Resolve';

for (const auditDays of [0, 1]) {
    describe(`the key of a script ${auditDays > 0 ? 'with' : 'without'} an audit log`, () => {

        const calls: (readonly [what: string, key: string])[] = [];
        const { call, describe: describeUnit } = Object.getOwnPropertyDescriptors(ScriptPool.prototype);
        let database: TestDatabase;
        let gateway: TestGateway;

        before(async () => {

            database = await createSqlite();
            gateway = await startGateway(database, { auditDays });
            await defineType(gateway, 'Coded', 'exports.methods = { name: () => 1 };');
            await gateway.create('Document', {}, { id: 'test/place' });
            await changeDesign(gateway, {
                javascript: `
                    exports.authenticate = ({ token }) => token === 'of.another.issuer' ? { active: true, userId: 'other/ann' } : null;
                    exports.customizeQuery = (query) => query;`,
                handleMintingConfig: {
                    prefix: 'test', javascript: `exports.createHandleValues = () => [{ index: 1, type: 'URL', data: { format: 'string', value: 'x' } }];`
                }
            });
            ScriptPool.prototype.call = function (each) {

                calls.push([each.path.join('.'), each.callerKey]);
                return call.value!.call(this, each);
            };

            ScriptPool.prototype.describe = function (each) {

                calls.push([`describe ${each.unit.label}`, each.callerKey]);
                return describeUnit.value!.call(this, each);
            };
        });

        after(async () => {

            Object.defineProperties(ScriptPool.prototype, { call, describe: describeUnit });
            await gateway.stop();
            await database.dispose();
        });

        const query = { query: 'type:Document' };
        const handle = { handle: 'test/place' };
        const token = { token: 'of.another.issuer' };
        const cases: readonly (readonly [
            who: string, what: string, operation: string, address: string, authentication: JsonObject, attributes: JsonObject, key: string
        ])[] = [
            ['the address of an anonymous caller', 'customizeQuery', SEARCH, '203.0.113.7', {}, query, ' 203.0.113.7'],
            ['the network of an anonymous caller', 'customizeQuery', SEARCH, '2001:db8:1:2:3:4:5:6', {}, query, ' 2001:db8:1:2::/64'],
            ['the id of another caller', 'customizeQuery', SEARCH, '203.0.113.7', ADMIN, query, 'admin'],
            ['the address of a login, apart from its scripts', 'authenticate', SEARCH, '203.0.113.7', token, query, ' login 203.0.113.7'],
            ['the address of the one who resolves a handle', 'createHandleValues', RESOLVE, '203.0.113.7', {}, handle, ' 203.0.113.7'],
            ['the id of the one who resolves a handle', 'createHandleValues', RESOLVE, '203.0.113.7', token, handle, 'other/ann'],
            ['the service, for its own questions', 'describe type Coded', 'gateway/Op.ListMethods', '203.0.113.7', {}, { type: 'Coded' }, ' service']
        ];
        for (const [who, what, operation, remoteAddress, authentication, attributes, key] of cases) {
            it(`is ${who}`, async () => {

                const start = calls.length;
                const targetId = operation === RESOLVE ? 'test/place' : 'service';
                const request = envelope(operation, { targetId, authentication, attributes });
                await gateway.gateway.perform({ ...request, transport: { ...request.transport, remoteAddress } });

                const keys = calls.slice(start).filter(([each]) => each === what).map(([, each]) => each);
                expect([...new Set(keys)]).to.equal([key]);
            });
        }
    });
}
