import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Received, RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Every hook does what `content.fault.HOOK` says. */
const CODE = `
const { CordraError } = require('cordra');
const FAULTS = {
    text: () => { throw 'no'; },
    invalid: () => { const error = new Error('no way'); error.name = 'InvalidException'; throw error; },
    answer: () => { throw new CordraError({ message: 'taken', by: 'test/x' }, 409); },
    plain: () => { throw new CordraError('just no'); },
    error: () => { throw new TypeError('oops'); },
    late: async () => { await null; throw 'no'; },
    memory: () => { const all = []; for (;;) { all.push(new Array(100000).fill(all.length)); } },
    stack: () => { const deeper = () => deeper() + 1; deeper(); }
};
for (const hook of ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate',
    'onObjectResolution', 'onPayloadResolution', 'beforeDelete', 'afterDelete']) {
    exports[hook] = (object) => {
        const fault = (object.content.fault || {})[hook];
        return fault ? FAULTS[fault]() : object;
    };
}
`;

const LIMITED = 'the script of type Faulty was stopped: ';

const FAULTS: readonly [fault: string, code: number, doip: string, body: object][] = [
    ['text', 400, '0.DOIP/Status.101', { message: 'no' }],
    ['invalid', 400, '0.DOIP/Status.101', { message: 'no way' }],
    ['answer', 409, '0.DOIP/Status.105', { message: 'taken', by: 'test/x' }],
    ['plain', 400, '0.DOIP/Status.101', { message: 'just no' }],
    ['late', 400, '0.DOIP/Status.101', { message: 'no' }],
    ['memory', 500, '0.DOIP/Status.500', { message: `${LIMITED}it needs too much memory` }],
    ['stack', 500, '0.DOIP/Status.500', { message: `${LIMITED}its functions call each other too deeply` }]
];

onEveryDatabase((name, start) => {

    describe(`rejecting hooks, on ${name},`, () => {

        let service: RestService;

        before(async () => {

            // On a busy machine filling the memory takes longer than the default time limit.
            service = await start({ SCRIPT_MEMORY_BYTES: 16 * 1024 * 1024 });
            await service.create('Schema', { name: 'Faulty', schema: { type: 'object' }, javascript: CODE });
        });

        after(() => service.stop());

        const json = ({ payload }: Received): Record<string, unknown> => JSON.parse(payload) as Record<string, unknown>;

        const statusOf = ({ headers }: Received): string => (JSON.parse(String(headers['doip-response'])) as { status: string }).status;

        for (const hook of ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing']) {
            for (const [fault, code, status, body] of FAULTS) {
                it(`give ${code} for a write when ${hook} meets the fault ${fault}, and leave the object unchanged`, async () => {

                    const id = `test/${hook}-${fault}`;
                    const content = { fault: { [hook]: fault } };
                    await service.create('Faulty', { a: 1 }, `handle=${id}`);
                    const before = json(await service.asAdmin(`GET /objects/${id}?full`));

                    const created = await service.asAdmin(`POST /objects?type=Faulty&handle=${id}-new`, { payload: JSON.stringify(content) });
                    const updated = await service.asAdmin(`PUT /objects/${id}`, { payload: JSON.stringify(content) });
                    const doip = await service.asAdmin(`POST /doip/0.DOIP/Op.Update?targetId=${id}`, {
                        headers: { 'Content-Type': 'application/json' }, payload: JSON.stringify({ attributes: { content } })
                    });

                    expect([created, updated, doip].map(({ statusCode }) => statusCode)).to.equal([code, code, code]);
                    expect([created, updated, doip].map(json)).to.equal([body, body, body]);
                    expect(statusOf(doip)).to.equal(status);
                    expect((await service.asAdmin(`GET /objects/${id}-new`)).statusCode).to.equal(404);
                    expect(json(await service.asAdmin(`GET /objects/${id}?full`))).to.equal(before);
                });
            }
        }

        it('give 500 for an error of the code, with a stack for the administrator', async () => {

            const content = JSON.stringify({ fault: { beforeSchemaValidation: 'error' } });

            const response = await service.asAdmin('POST /objects?type=Faulty', { payload: content });

            expect(response.statusCode).to.equal(500);
            expect(json(response)['message']).to.equal('the script of type Faulty failed: TypeError: oops');
            expect(json(response)['stack']).to.contain('/cordra/schemas/Faulty:8:');
        });

        it('give 403 for a deletion by REST and 400 by DOIP when beforeDelete throws a text', async () => {

            await service.create('Faulty', { fault: { beforeDelete: 'text' } }, 'handle=test/kept');

            const rest = await service.asAdmin('DELETE /objects/test/kept');
            const doip = await service.asAdmin('POST /doip/0.DOIP/Op.Delete?targetId=test/kept');

            expect([rest.statusCode, doip.statusCode, statusOf(doip)]).to.equal([403, 400, '0.DOIP/Status.101']);
            expect([json(rest), json(doip)]).to.equal([{ message: 'no' }, { message: 'no' }]);
            expect((await service.asAdmin('GET /objects/test/kept')).statusCode).to.equal(200);
        });

        it('hide an object with 403, including its bytes, and drop it from results', async () => {

            const mark = 'hidden';
            await service.create('Faulty', { mark, fault: { onObjectResolution: 'text' } }, 'handle=test/hidden');
            await service.create('Faulty', { mark }, 'handle=test/shown');

            const object = await service.asAdmin('GET /objects/test/hidden');
            const payload = await service.asAdmin('GET /objects/test/hidden?payload=scan');
            const doip = await service.asAdmin('GET /doip?operationId=Retrieve&targetId=test/hidden');
            const found = json(await service.asAdmin(`GET /search?query=/mark:${mark}`));

            expect([object.statusCode, payload.statusCode, doip.statusCode]).to.equal([403, 403, 400]);
            expect((found['results'] as { id: string }[]).map(({ id }) => id)).to.equal(['test/shown']);
            expect(found['size']).to.equal(2);
        });

        it('after the commit change nothing', async () => {

            const created = await service.asAdmin('POST /objects?type=Faulty&handle=test/late', {
                payload: JSON.stringify({ fault: { afterCreateOrUpdate: 'error', afterDelete: 'text' } })
            });
            const removed = await service.asAdmin('DELETE /objects/test/late');

            expect([created.statusCode, removed.statusCode]).to.equal([200, 200]);
            expect((await service.asAdmin('GET /objects/test/late')).statusCode).to.equal(404);
        });

        it('end at their deadline, while others are served', async () => {

            const slow = await start({ SCRIPT_TIMEOUT_SECONDS: 6 });
            try {
                await slow.create('Schema', { name: 'Endless', schema: { type: 'object' }, javascript: 'exports.beforeSchemaValidation = () => { for (;;) {} };' });

                const [stuck, other] = await Promise.all([
                    slow.asAdmin('POST /objects?type=Endless&handle=test/stuck', { payload: '{}' }), slow.create('Document', { name: 'x' })
                ]);

                expect(stuck.statusCode).to.equal(500);
                expect(json(stuck)).to.equal({ message: 'the script of type Endless was stopped: it took too long' });
                expect(other['type']).to.equal('Document');
                expect((await slow.asAdmin('GET /objects/test/stuck')).statusCode).to.equal(404);
            }
            finally {
                await slow.stop();
            }
        });

        it('are rejected with their position when they cannot be compiled', async () => {

            const broken = 'exports.beforeDelete = function (object) {\n    return object;;;\n    const = 3;\n};\n';

            const schema = await service.asAdmin('POST /objects?type=Schema', {
                payload: JSON.stringify({ name: 'Broken', schema: { type: 'object' }, javascript: broken })
            });
            const noFunction = await service.asAdmin('POST /objects?type=Schema&dryRun', {
                payload: JSON.stringify({ name: 'Broken', schema: { type: 'object' }, javascript: '\nexports.beforeDelete = 5;' })
            });
            const design = json(await service.asAdmin('GET /objects/design'));
            const changed = await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, javascript: broken }) });

            expect([schema, noFunction, changed].map(({ statusCode }) => statusCode)).to.equal([400, 400, 400]);
            expect((json(schema)['errors'] as object[])[0]).to.include({ pointer: '/javascript', line: 3 });
            expect(json(schema)['message']).to.match(/^\/javascript: .* \(line 3, column \d+\)$/);
            expect((json(noFunction)['errors'] as object[])[0]).to.include({ line: 2, column: 9, message: 'exports.beforeDelete must be a function' });
            expect((json(changed)['errors'] as object[])[0]).to.include({ pointer: '/javascript', line: 3 });
            expect(json(await service.asAdmin('GET /objects/design'))).to.equal(design);
        });
    });
});
