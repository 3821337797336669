/** The code of a type has its say about each item of a batch, and in a rehearsal. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';
import { basic, jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Does what `content.ask` says before it is checked, and notes what was stored. */
const CODE = `
const cordra = require('cordra');
const FAULTS = {
    text: () => { throw 'not this one'; },
    late: async () => { await null; throw 'not now'; },
    answer: () => { throw new cordra.CordraError({ message: 'taken', by: 'test/x' }, 409); },
    teapot: () => { throw new cordra.CordraError('short and stout', 418); },
    error: () => { undefined.member; },
    endless: () => { for (;;); }
};
exports.beforeSchemaValidation = (object, context) => {
    const { ask } = object.content;
    object.content.seen = context.isNew ? 'new' : 'changed';
    if (context.isDryRun) { object.content.isDryRun = true; }
    return ask ? FAULTS[ask]() : object;
};
exports.afterCreateOrUpdate = (object) => { cordra.create({ type: 'Trace', content: { of: object.id } }); };
`;

const SCHEMA = { type: 'object', required: ['seen'], properties: { seen: { type: 'string' } } };

const LIMITED = 'the script of type Checked was stopped: it took too long';
const HIDDEN = 'Something went wrong. Contact your sysadmin.';

/** What is asked for by the items, by position; those that ask for nothing are stored. */
const ITEMS: readonly (readonly [ask: string | null, code: number, response: object])[] = [
    [null, 200, {}],
    ['text', 400, { message: 'not this one' }],
    ['answer', 409, { message: 'taken', by: 'test/x' }],
    [null, 200, {}],
    ['endless', 500, { message: LIMITED }],
    ['late', 400, { message: 'not now' }],
    ['teapot', 418, { message: 'short and stout' }],
    ['error', 500, { message: HIDDEN }],
    [null, 200, {}]
];

const JSON_TYPE = { 'content-type': 'application/json' };
const DOIP = 'POST /doip?operationId=20.DOIP/Op.BatchUpload&targetId=service';

const WAYS: readonly (readonly [title: string, line: string, isDoip: boolean, isLines: boolean])[] = [
    ['by REST', 'POST /batchUpload', false, false],
    ['by REST, one after the other', 'POST /batchUpload?parallel=false', false, false],
    ['by REST as lines', 'POST /batchUpload?format=ndjson', false, true],
    ['by DOIP', DOIP, true, false],
    ['by DOIP as lines', `${DOIP}&format=ndjson`, true, true]
];

interface BatchRecord {
    readonly results: { readonly position: number; readonly responseCode: number; readonly response: Record<string, unknown> }[];
    readonly success: boolean;
}

forEachDatabase((name, create, dialect) => {

    describe(`batch items of a type with code, on ${name},`, () => {

        let service: RestService;
        const user = basic('uploader', 'user-password');

        before(async () => {

            service = await startRest(create, 'http/1.1', { SCRIPT_TIMEOUT_SECONDS: 15 });
            await service.create('Schema', { name: 'Trace', schema: { type: 'object' } });
            await service.create('Schema', { name: 'Checked', schema: SCHEMA, javascript: CODE });
            await service.create('User', { username: 'uploader', password: 'user-password' });
        });

        after(() => service.stop());

        const contentOf = async (id: string): Promise<unknown> => {

            const { statusCode, payload } = await service.asAdmin(`GET /objects/${id}`);
            return statusCode === 404 ? null : JSON.parse(payload);
        };

        const traces = async (id: string): Promise<unknown> => (
            jsonOf(await service.asAdmin(`GET /search?pageSize=0&query=${encodeURIComponent(`type:Trace AND /of:"${id}"`)}`))['size']
        );

        const record = (received: Received): BatchRecord => {

            expect(received.statusCode, received.payload).to.equal(200);
            return jsonOf(received) as unknown as BatchRecord;
        };

        const upload = (line: string, items: readonly object[], isLines = false): Promise<Received> => service.anonymously(line, {
            headers: { ...JSON_TYPE, ...user },
            payload: isLines ? items.map((item) => JSON.stringify(item)).join('\n') : JSON.stringify(items)
        });

        WAYS.forEach(([title, line, isDoip, isLines], way) => {

            it(`stay unchanged when a hook rejects them ${title}`, async () => {

                const ids = [`test/kept${way}-0`, `test/kept${way}-1`];
                const wrap = (content: object): object => (isDoip ? { attributes: { content } } : { content });
                record(await upload(line, ids.map((id) => ({ id, type: 'Checked', ...wrap({ n: 1 }) })), isLines));
                const { results } = record(await upload(line, ids.map((id, n) => ({ id, ...wrap(n === 0 ? { n: 2, ask: 'answer' } : { n: 2 }) })), isLines));

                const codes = results.toSorted((a, b) => a.position - b.position).map(({ responseCode }) => responseCode);
                expect(codes).to.equal([409, 200]);
                expect(await Promise.all(ids.map(contentOf))).to.equal([{ n: 1, seen: 'new' }, { n: 2, seen: 'changed' }]);
                expect(await Promise.all(ids.map(traces))).to.equal([1, 2]);
            });

            // Forms and protocols are tried on one database, all orders of writing on each.
            if (dialect === 'mysql' && (isDoip || isLines)) {
                return;
            }

            // Code without an end takes all its time on the processor: once for each protocol.
            const given = ITEMS.filter(([ask]) => ask !== 'endless' || dialect === 'sqlite' && [0, 3].includes(way));

            it(`are changed, rejected and stopped independently ${title}`, async () => {

                const idOf = (position: number): string => `test/way${way}-${position}`;
                const items = given.map(([ask], position) => {

                    const content = ask === null ? {} : { ask };
                    return { id: idOf(position), type: 'Checked', ...isDoip ? { attributes: { content } } : { content } };
                });
                const { results, success } = record(await upload(line, items, isLines));

                expect(success).to.be.false();
                const sorted = results.toSorted((a, b) => a.position - b.position);
                expect(sorted.map(({ position, responseCode }) => [position, responseCode])).to.equal(given.map(([, code], position) => [position, code]));
                for (const [position, [, code, response]] of given.entries()) {
                    const answer = sorted[position]!.response;
                    if (code !== 200) {
                        expect<unknown>(answer).to.equal(response);
                    }
                    else {
                        const { content } = (isDoip ? answer['attributes'] : answer) as { content: unknown };
                        expect<unknown>(content).to.equal({ seen: 'new' });
                    }

                    expect(await contentOf(idOf(position))).to.equal(code === 200 ? { seen: 'new' } : null);
                    expect(await traces(idOf(position))).to.equal(code === 200 ? 1 : 0);
                }
            });
        });

        it('are logged with type and object when their code fails', async () => {

            record(await upload('POST /batchUpload', [{ id: 'test/logged', type: 'Checked', content: { ask: 'error' } }]));

            const lines = service.log.filter(({ object }) => object === 'test/logged');
            expect(lines.map(({ level, script }) => ({ level, script }))).to.equal([{ level: 50, script: 'type Checked' }]);
            expect(String(lines[0]!['reason'])).to.startWith('TypeError');
            expect(String(lines[0]!['stack'])).to.contain('/cordra/schemas/Checked:8:');
        });

        const REHEARSALS: readonly (readonly [title: string, line: (id: string, isNew: boolean) => string, wrap: (id: string, content: object) => object])[] = [
            ['by REST', (id, isNew) => (isNew ? `POST /objects?type=Checked&handle=${id}&dryRun&full` : `PUT /objects/${id}?dryRun&full`), (_id, content) => content],
            ['by DOIP', (id, isNew) => `POST /doip?dryRun=true&operationId=0.DOIP/Op.${isNew ? 'Create&targetId=service' : `Update&targetId=${id}`}`,
                (id, content) => ({ id, type: 'Checked', attributes: { content } })]
        ];
        for (const [title, line, wrap] of dialect === 'sqlite' ? REHEARSALS : REHEARSALS.slice(0, 1)) {
            it(`are validated in a dry run ${title}: their code runs and nothing is stored`, async () => {

                const [fresh, old] = [`test/rehearsed-${title.slice(-4)}`, `test/old-${title.slice(-4)}`];
                await service.create('Checked', { n: 1 }, `handle=${old}`);
                const rehearse = (isNew: boolean, content: object): Promise<Received> => {

                    const id = isNew ? fresh : old;
                    return service.asAdmin(line(id, isNew), { headers: JSON_TYPE, payload: JSON.stringify(wrap(id, content)) });
                };

                for (const isNew of [true, false]) {
                    const done = await rehearse(isNew, { n: 2 });
                    const faults = isNew && dialect === 'sqlite' ? ['text', 'answer', 'endless'] : ['text', 'answer'];
                    const refused: Received[] = [];
                    for (const ask of faults) {
                        refused.push(await rehearse(isNew, { ask }));
                    }

                    expect(done.statusCode, done.payload).to.equal(200);
                    expect(done.payload).to.contain(`"seen":"${isNew ? 'new' : 'changed'}"`).and.to.contain('"isDryRun":true');
                    expect(refused.map(({ statusCode }) => statusCode)).to.equal([400, 409, 500].slice(0, faults.length));
                    expect(refused.map(jsonOf)).to.equal([{ message: 'not this one' }, { message: 'taken', by: 'test/x' }, { message: LIMITED }].slice(0, faults.length));
                }

                expect(await Promise.all([fresh, old].map(contentOf))).to.equal([null, { n: 1, seen: 'new' }]);
                expect(await Promise.all([fresh, old].map(traces))).to.equal([0, 1]);
            });
        }
    });
});
