/** What hooks return by mistake never counts as no hook. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { Received, RestService } from '../../../support/rest-service.js';
import { DIALECTS } from '../../../support/database.js';
import { jsonOf } from '../../../support/rest.js';
import { startRest } from '../../../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A hook returns what the content wishes for it, at once or in a promise, and has changed the object in place before. */
const CODE = `
const RESULTS = {
    number: () => 5,
    text: () => 'text',
    array: () => [1],
    function: (object) => () => object,
    class: () => class { },
    symbol: () => Symbol('object'),
    unwritten: (object) => ({ ...object, toJSON: () => undefined }),
    undone: (object) => { object.toJSON = () => undefined; },
    undefined: () => undefined,
    null: () => null
};
for (const hook of ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'objectForIndexing', 'onObjectResolution', 'generateId']) {
    exports[hook] = (object) => {
        const wish = object.content[hook];
        if (wish === undefined) {
            return hook === 'generateId' ? '' : object;
        }

        delete object.content.secret;
        object.content.by = hook;
        const result = RESULTS[wish.kind](object);
        return wish.isLater ? Promise.resolve(result) : result;
    };
}

exports.methods = { odd: (object, { params }) => RESULTS[params](object) };
exports.methods.odd.allowGet = true;
`;

/** What is no object, with the status of a write: invalid where JSON has it. */
const WRONG: readonly (readonly [kind: string, status: number])[] = [
    ['number', 400], ['text', 400], ['array', 400], ['function', 500], ['class', 500], ['symbol', 500], ['unwritten', 500], ['undone', 500]
];

const NOTHING = ['undefined', 'null'];

const WAYS = [{ isLater: false, way: '' }, { isLater: true, way: 'a promise of ' }];

describe('hooks', () => {

    let service: RestService;
    let number = 0;

    before(async () => {

        service = await startRest(DIALECTS[0]!.create);
        await service.create('Schema', { name: 'Odd', schema: { type: 'object' }, javascript: CODE });
    });

    after(() => service.stop());

    const idOf = (): string => `test/odd${++number}`;

    const found = async (id: string): Promise<unknown> => (
        jsonOf(await service.asAdmin(`GET /search?ids&query=${encodeURIComponent(`id:"${id}"`)}`))['results']
    );

    /** The work that the service does, and what it logs of failed code meanwhile. */
    const withLog = async (work: () => Promise<Received>): Promise<[response: Received, failures: unknown[]]> => {

        const start = service.log.length;
        const response = await work();
        return [response, service.log.slice(start).filter(({ event }) => event === 'script.failed').map(({ script }) => script)];
    };

    const send = (line: string, content: JsonObject): Promise<Received> => service.asAdmin(line, { payload: JSON.stringify(content) });

    for (const [kind, status] of WRONG) {
        for (const { isLater, way } of WAYS) {
            it(`that return ${way}${kind} before an object is shown fail, and hide it`, async () => {

                const id = idOf();
                await service.create('Odd', { secret: 'hidden', onObjectResolution: { kind, isLater } }, `handle=${id}`);
                // The answer to the creation is not changed, so that the object is there.
                const [response, failures] = await withLog(() => service.asAdmin(`GET /objects/${id}`));

                expect(response.statusCode).to.equal(500);
                expect(response.payload).to.not.contain('hidden');
                expect(failures).to.equal(status === 500 ? ['type Odd'] : []);
                expect(await found(id)).to.equal([]);
            });

            for (const hook of ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'objectForIndexing']) {
                it(`that return ${way}${kind} as ${hook} refuse the write`, async () => {

                    const id = idOf();
                    const content = { a: 2, [hook]: { kind, isLater } };
                    await service.create('Odd', { a: 1 }, `handle=${id}`);
                    const [created, failures] = await withLog(() => send(`POST /objects?type=Odd&handle=${id}-new`, content));
                    const updated = await send(`PUT /objects/${id}`, content);

                    expect([created.statusCode, updated.statusCode]).to.equal([status, status]);
                    expect(failures).to.equal(status === 500 ? ['type Odd'] : []);
                    expect((await service.asAdmin(`GET /objects/${id}-new`)).statusCode).to.equal(404);
                    expect(jsonOf(await service.asAdmin(`GET /objects/${id}`))).to.equal({ a: 1 });
                });
            }
        }
    }

    for (const kind of NOTHING) {
        for (const { isLater, way } of WAYS) {
            it(`that return ${way}${kind} have changed the object in place`, async () => {

                const [written, shown] = [idOf(), idOf()];
                await service.create('Odd', { secret: 'x', beforeSchemaValidation: { kind, isLater } }, `handle=${written}`);
                await service.create('Odd', { secret: 'x', onObjectResolution: { kind, isLater } }, `handle=${shown}`);
                const contents = await Promise.all([written, shown].map(async (id) => jsonOf(await service.asAdmin(`GET /objects/${id}`))));

                expect(contents.map(({ by }) => by)).to.equal(['beforeSchemaValidation', 'onObjectResolution']);
                expect(contents.some((content) => 'secret' in content)).to.be.false();
            });
        }
    }

    it('that return a function as an id refuse the write', async () => {

        expect((await send('POST /objects?type=Odd', { generateId: { kind: 'function' } })).statusCode).to.equal(500);
        expect((await send('POST /objects?type=Odd', { generateId: { kind: 'null' } })).statusCode).to.equal(200);
    });

    it('differ from methods, which return nothing with a function', async () => {

        await service.create('Odd', {}, 'handle=test/methods');
        const answers = await Promise.all(['function', 'symbol', 'undefined'].map((kind) => (
            service.asAdmin(`GET /call?objectId=test/methods&method=odd&params=${encodeURIComponent(JSON.stringify(kind))}`)
        )));

        expect(answers.map(({ statusCode, payload }) => [statusCode, payload])).to.equal([[200, ''], [200, ''], [200, '']]);
    });
});
