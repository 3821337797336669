import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

onEveryDatabase((name, start) => {

    describe(`schemas by REST on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start();
        });

        after(() => service.stop());

        it('are listed publicly by type name', async () => {

            for (const path of ['/schemas', '/schemas/', '/cordra/schemas']) {
                const response = await service.anonymously(`GET ${path}`);

                expect(response.statusCode).to.equal(200);
                expect(Object.keys(jsonOf(response))).to.include(['Schema', 'CordraDesign', 'User', 'Group', 'Document']);
            }
        });

        it('are created, read, changed and deleted by the name of their type', async () => {

            const path = '/schemas/Digital%20Specimen';
            const first = { type: 'object', properties: { name: { type: 'string' } } };
            const made = await service.asAdmin(`PUT ${path}`, { payload: JSON.stringify(first) });
            const read = await service.anonymously(`GET ${path}`);
            const used = await service.asAdmin('POST /objects?type=Digital%20Specimen', { payload: '{"name":"x"}' });
            const changed = await service.asAdmin(`PUT ${path}`, { payload: '{"type":"object","required":["other"]}' });
            const refused = await service.asAdmin('POST /objects?type=Digital%20Specimen', { payload: '{"name":"x"}' });
            const deleted = await service.asAdmin(`DELETE ${path}`);
            const gone = await service.anonymously(`GET ${path}`);

            expect([made.statusCode, jsonOf(made)]).to.equal([200, { msg: 'success' }]);
            expect(jsonOf(read)).to.equal(first);
            expect([used.statusCode, changed.statusCode, refused.statusCode]).to.equal([200, 200, 400]);
            expect([deleted.statusCode, jsonOf(deleted), gone.statusCode]).to.equal([200, { msg: 'success' }, 404]);
        });

        it('are the same as Schema objects', async () => {

            const schema = { type: 'object', title: 'Twin' };
            const object = await service.create('Schema', { identifier: '', name: 'Twin', schema, javascript: 'exports.x = 1;' });
            const byName = await service.anonymously('GET /schemas/Twin');
            await service.asAdmin('PUT /schemas/Twin', { payload: '{"type":"object","title":"Other"}' });
            const byId = jsonOf(await service.asAdmin(`GET /objects/${object.id}`));

            expect(jsonOf(byName)).to.equal(schema);
            expect(byId).to.include({ name: 'Twin', schema: { type: 'object', title: 'Other' }, javascript: 'exports.x = 1;' });
        });

        for (const [order, isReferrerFirst] of [['after', false], ['before', true]] as const) {
            it(`are found by the baseUri of their object, for a type that is created ${order} it`, async () => {

                const base = `https://schemas.example/${order}`;
                const reference = { properties: { n: { $ref: `${base}/measure.json#/definitions/n` } } };
                const types = [
                    { identifier: '', name: `measure-${order}`, baseUri: `${base}/measure.json#`, schema: { definitions: { n: { type: 'number' } } } },
                    { identifier: '', name: `report-${order}`, baseUri: `${base}/report.json#`, schema: reference }
                ];
                for (const type of isReferrerFirst ? types.toReversed() : types) {
                    await service.create('Schema', type);
                }

                const right = await service.asAdmin(`POST /objects?type=report-${order}`, { payload: '{"n":1.5}' });
                const wrong = await service.asAdmin(`POST /objects?type=report-${order}`, { payload: '{"n":"1.5"}' });

                expect([right.statusCode, wrong.statusCode], right.payload).to.equal([200, 400]);
            });
        }

        const refusals: [string, string, string | undefined, number][] = [
            ['a schema of the built-in type', 'PUT /schemas/Schema', '{"type":"object"}', 400],
            ['to delete a built-in type', 'DELETE /schemas/CordraDesign', undefined, 400],
            ['to delete a type that is not there', 'DELETE /schemas/Nothing', undefined, 404],
            ['a type that is not there', 'GET /schemas/Nothing', undefined, 404],
            ['a schema that is no object', 'PUT /schemas/T', '[]', 400],
            ['a schema that cannot be', 'PUT /schemas/T', '{"type":"nonsense"}', 400],
            ['a schema that is not JSON', 'PUT /schemas/T', '{', 400],
            ['no schema', 'PUT /schemas/T', undefined, 400],
            ['no type', 'PUT /schemas/', '{}', 400],
            ['a type name that is too long', `PUT /schemas/${'x'.repeat(300)}`, '{"type":"object"}', 400]
        ];
        for (const [title, line, payload, code] of refusals) {
            it(`are rejected for ${title}`, async () => {

                const response = await service.asAdmin(line, payload === undefined ? {} : { payload });

                expect(response.statusCode, response.payload).to.equal(code);
                expect(jsonOf(response)['message']).to.be.a.string();
            });
        }

        it('are changed only with the right', async () => {

            const made = await service.anonymously('PUT /schemas/T', { payload: '{"type":"object"}' });
            const deleted = await service.anonymously('DELETE /schemas/Document');

            expect([made.statusCode, deleted.statusCode]).to.equal([401, 401]);
        });
    });
});
