/**
 * Static methods as operations on the name of their type, with the attribute isCallForType.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Received, RestService } from '../support/rest-service.js';
import { basic } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CODE = `
exports.methods = { echo: (object) => ({ id: object.id }) };
exports.staticMethods = { sum: ({ params }) => params.reduce((sum, each) => sum + each, 0), 'x/type': () => 'static' };
exports.staticMethods['x/type'].allowGet = true;
`;

const SCHEMA = { type: 'object' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

const json = ({ payload }: Received): unknown => JSON.parse(payload);

onEveryDatabase((name, start) => {

    describe(`static methods on the name of their type, on ${name},`, () => {

        let service: RestService;

        const perform = (line: string, headers?: Record<string, string>): Promise<Received> =>
            (headers ? service.anonymously(line, { headers }) : service.asAdmin(line));
        const statusOf = ({ statusCode, headers }: Received): unknown[] =>
            [statusCode, (JSON.parse(String(headers['doip-response'])) as { status: string }).status.replace('0.DOIP/Status.', '')];

        before(async () => {

            service = await start();
            await service.create('Schema', { name: 'Counter', schema: SCHEMA, javascript: CODE });
            await service.create('Counter', {}, 'handle=test/c');
            await service.create('Schema', { name: 'test/both', schema: SCHEMA, javascript: 'exports.staticMethods = { echo: () => "of the type" };' }, 'handle=test/both-schema');
            await service.create('Counter', {}, 'handle=test/both');
            await service.asAdmin('PUT /acls/test/both-schema', { payload: '{"readers":["test/ben"],"writers":["test/ann"]}', headers: JSON_TYPE });
            for (const user of ['ann', 'ben', 'eve']) {
                await service.create('User', { username: user, password: `password of ${user}` }, `handle=test/${user}`);
            }
        });

        after(() => service.stop());

        for (const flag of ['isCallForType=true', 'attributes.isCallForType=%22true%22', 'attributes=%7B%22isCallForType%22:true%7D', 'isCallForType=True']) {
            it(`are called with ${flag}`, async () => {

                const sum = await service.asAdmin(`POST /doip?operationId=sum&targetId=Counter&${flag}`, { headers: JSON_TYPE, payload: '[1,2,3]' });
                const inPath = await perform(`POST /doip/x/type?targetId=Counter&${flag}`);
                const elsewhere = await perform(`GET /doip/0.DOIP/Op.Retrieve?targetId=test/c&${flag}`);

                expect([json(sum), json(inPath)]).to.equal([6, 'static']);
                expect(elsewhere.statusCode).to.equal(200);
            });
        }

        it('are called by GET where they allow it', async () => {

            const [allowed, refused] = await Promise.all(['x/type', 'sum'].map((method) => perform(`GET /doip/${method}?targetId=Counter&isCallForType=true`)));

            expect(json(allowed!)).to.equal('static');
            expect(statusOf(refused!)).to.equal([400, '101']);
        });

        it('are called also where an object has this id', async () => {

            const [ofType, ofObject, untrue] = await Promise.all(['true', 'false', '1'].map((flag) => perform(`POST /doip/echo?targetId=test/both&isCallForType=${flag}`)));

            expect(json(ofType!)).to.equal('of the type');
            expect([json(ofObject!), json(untrue!)].map((answer) => (answer as { id: string }).id)).to.equal(['test/both', 'test/both']);
        });

        const refused: [string, string, unknown[], RegExp][] = [
            ['a type without the flag', 'sum?targetId=Counter', [404, '104'], /Missing object Counter/],
            ['a type that does not exist', 'sum?targetId=Nowhere&isCallForType=true', [404, '104'], /Missing object Nowhere/],
            ['an object', 'echo?targetId=test/c&isCallForType=true', [404, '104'], /Missing object test\/c/],
            ['a method that the type does not have', 'none-such?targetId=Counter&isCallForType=true', [400, '200'], /none-such is not known for Counter/],
            ['a method of its objects', 'echo?targetId=Counter&isCallForType=true', [400, '200'], /echo is not known for Counter/],
            ['a built-in type', 'echo?targetId=User&isCallForType=true', [400, '200'], /echo is not known for User/],
            ['the service', 'echo?targetId=service&isCallForType=true', [400, '200'], /echo is not known for/]
        ];
        for (const [title, line, status, message] of refused) {
            it(`are not those of ${title}`, async () => {

                const response = await perform(`POST /doip/${line}`);

                expect(statusOf(response)).to.equal(status);
                expect((json(response) as { message: string }).message).to.match(message);
            });
        }

        it('have the rights that they have on the Schema object', async () => {

            const callers = [{}, ...['ann', 'ben', 'eve'].map((user) => basic(user, `password of ${user}`))];
            const results = (target: string, method = 'echo'): Promise<unknown[]> => Promise.all(
                callers.map(async (headers) => statusOf(await perform(`POST /doip/${method}?targetId=${target}`, headers))[0]));

            expect(await results('test/both&isCallForType=true')).to.equal([401, 200, 403, 403]);
            expect(await results('test/both-schema')).to.equal([401, 200, 403, 403]);
            // Who may not read the Schema object does not learn that there is no such method.
            expect(await results('test/both&isCallForType=true', 'none-such')).to.equal([401, 400, 400, 403]);
            expect(await results('test/both-schema', 'none-such')).to.equal([401, 400, 400, 403]);
            expect(await results('Nowhere&isCallForType=true')).to.equal(await results('Nowhere'));
        });
    });
});
