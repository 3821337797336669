import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Joi from 'joi';
import type { Gateway } from '../../../lib/app/gateway.js';
import type { ShortRequest, TestGateway } from '../../support/gateway.js';
import type { TestDatabase } from '../../support/database.js';
import { flag, text, texts } from '../../../lib/core/attributes.js';
import { result } from '../../../lib/core/operation.js';
import { defineOwnOperation as defineOperation } from '../../../lib/core/own-operation.js';
import { conflict } from '../../../lib/errors/errors.js';
import { jsonSegment, sequence } from '../../../lib/doip/segments.js';
import { onClose } from '../../../lib/util/streams/on-close.js';
import { createGateway } from '../../../lib/app/gateway.js';
import { DIALECTS } from '../../support/database.js';
import { ADMIN, gatewayOptions, startGateway, talkTo } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const MISSING = '0.DOIP/Status.104';
const DECLINED = '0.DOIP/Status.200';
const INTERNAL = '0.DOIP/Status.500';

function registerAll(gateway: Gateway): void {

    const echo = { summary: 'echo', target: 'service', authorise: 'anyone' } as const;
    gateway.registerOperation(defineOperation<{ count: number; names: string[]; exact: string; on: boolean }>({
        ...echo, id: 'x/attributes',
        attributes: Joi.object<{ count: number; names: string[]; exact: string; on: boolean }>({
            count: Joi.number().integer().default(7), names: texts().default([]), exact: text(), on: flag()
        }),
        handler: async ({ attributes }) => result.json({ ...attributes })
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/json', input: 'json', inputSchema: Joi.object({ a: Joi.number().required() }),
        handler: async ({ inputJson }) => result.json(inputJson ?? 'nothing')
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/picks', input: 'json', inputMembers: ['a', 'toString'],
        handler: async ({ inputJson }) => result.json(inputJson ?? 'nothing')
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/optional', input: 'optional-json', methods: ['GET', 'POST'],
        handler: async ({ inputJson }) => result.json(inputJson ?? 'nothing')
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/context', handler: async ({ requestContext, targetId }) => result.json({ requestContext, targetId })
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/target', handler: async ({ target }) => result.json(target.id)
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/broken',
        handler: async () => {

            throw new Error('select secret from passwords');
        }
    }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/conflict',
        handler: async () => {

            throw conflict('taken', { details: { by: 'somebody' } });
        }
    }));
    gateway.registerStatus('x/Status.Teapot', { http: 418 });
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/teapot', handler: async () => result.status('x/Status.Teapot', { message: 'short and stout' })
    }));
    gateway.registerOperation(defineOperation<{ times: number }>({
        ...echo, id: 'x/chain', attributes: Joi.object<{ times: number }>({ times: Joi.number().required() }),
        handler: async ({ attributes: { times }, perform }) => {

            for (let n = 0; n < times; ++n) {
                await perform('x/context', {});
            }

            return result.empty();
        }
    }));
    gateway.registerOperation(defineOperation({ ...echo, id: 'x/caller', authorise: 'caller', handler: async () => result.empty() }));
    gateway.registerOperation(defineOperation({ ...echo, id: 'x/admin', authorise: 'admin', handler: async () => result.empty() }));
    gateway.registerOperation(defineOperation({
        ...echo, id: 'x/own-rule',
        authorise: ({ attributes }) => {

            if (attributes.word !== 'please') {
                throw conflict('say please');
            }
        },
        handler: async () => result.empty()
    }));
}

describe('the dispatcher', () => {

    let database: TestDatabase;
    let test: TestGateway;

    before(async () => {

        database = await DIALECTS[0]!.create();
        test = await startGateway(database, {}, registerAll);
    });

    after(async () => {

        await test.stop();
        await database.dispose();
    });

    const table: [title: string, operation: string, request: ShortRequest, status: string, value?: unknown][] = [
        ['declines an unknown operation', 'x/unknown', {}, DECLINED, { message: 'Operation not supported: x/unknown is not known for test/service' }],
        ['declines a service operation on an object', 'x/json', { targetId: 'design' }, DECLINED],
        ['declines an object operation on the service', '0.DOIP/Op.Retrieve', {}, DECLINED],
        ['knows the service by its id', 'x/context', { targetId: 'test/service' }, OK, { requestContext: {}, targetId: 'test/service' }],
        ['knows the service by its alias', 'x/context', { targetId: 'service' }, OK, { requestContext: {}, targetId: 'test/service' }],
        ['finds operations by alias', 'Retrieve', { targetId: 'test/none' }, MISSING],
        ['fills defaults', 'x/attributes', {}, OK, { count: 7, names: [] }],
        ['coerces to numbers, booleans and strings', 'x/attributes',
            { attributes: { count: '3', on: 'true', exact: 2024, names: true } }, OK, { count: 3, on: true, exact: '2024', names: ['true'] }],
        ['accepts unknown attributes', 'x/attributes', { attributes: { other: { a: 1 } } }, OK, { count: 7, names: [], other: { a: 1 } }],
        ['rejects an invalid attribute by name', 'x/attributes', { attributes: { count: 'ten' } }, BAD, { message: 'attribute "count" must be a number' }],
        ['rejects an object for a string', 'x/attributes', { attributes: { exact: {} } }, BAD, { message: 'attribute "exact" must be a string' }],
        ['passes the request context on', 'x/context', { attributes: { requestContext: { a: 1 } } }, OK,
            { requestContext: { a: 1 }, targetId: 'test/service' }],
        ['rejects a request context that is not an object', 'x/context', { attributes: { requestContext: 'a' } }, BAD],
        ['rejects a request context that is an array', 'x/context', { attributes: { requestContext: [] } }, BAD],
        ['reads one JSON input', 'x/json', { input: { a: 1 } }, OK, { a: 1 }],
        ['keeps only the declared members of the input', 'x/picks', { input: { a: 1, b: { c: 2 } } }, OK, { a: 1 }],
        ['coerces the input too', 'x/json', { input: { a: '1' } }, OK, { a: 1 }],
        ['rejects a missing input', 'x/json', {}, BAD, { message: 'Missing input' }],
        ['rejects an invalid input by name', 'x/json', { input: { b: 1 } }, BAD, { message: 'input "a" is required' }],
        ['rejects a second segment', 'x/json', { input: [jsonSegment({ a: 1 }), jsonSegment({ a: 2 })] }, BAD],
        ['rejects bytes for JSON', 'x/json', { input: [{ kind: 'bytes', body: none() }] }, BAD],
        ['rejects any input where none is declared', 'x/context', { input: { a: 1 } }, BAD, { message: 'Unexpected input' }],
        ['accepts a missing optional input', 'x/optional', {}, OK, 'nothing'],
        ['accepts an optional input', 'x/optional', { input: 5 }, OK, 5],
        ['performs a safe request that the operation allows', 'x/optional', { safe: true }, OK],
        ['rejects a safe request for an operation that may change things', 'x/context', { safe: true }, BAD,
            { message: 'operation x/context may change things: use POST instead of GET' }],
        ['responds with 500 without details when a handler fails', 'x/broken', {}, INTERNAL, { message: 'Something went wrong. Contact your sysadmin.' }],
        ['responds with 500 when a handler uses a missing target', 'x/target', {}, INTERNAL],
        ['responds with errors of handlers and their details', 'x/conflict', {}, '0.DOIP/Status.105', { message: 'taken', by: 'somebody' }],
        ['responds with custom statuses', 'x/teapot', {}, 'x/Status.Teapot', { message: 'short and stout' }],
        ['rejects wrong credentials even where none are needed', 'x/context', { authentication: { username: 'admin', password: 'no' } }, UNAUTHENTICATED],
        ['requires a login for the rule caller', 'x/caller', {}, UNAUTHENTICATED],
        ['accepts a login for the rule caller', 'x/caller', { authentication: ADMIN }, OK],
        ['requires the administrator for the rule admin', 'x/admin', {}, UNAUTHENTICATED],
        ['accepts the administrator', 'x/admin', { authentication: ADMIN }, OK],
        ['evaluates a custom rule', 'x/own-rule', {}, '0.DOIP/Status.105'],
        ['performs what a custom rule allows', 'x/own-rule', { attributes: { word: 'please' } }, OK],
        ['reveals the existence of objects to possible readers', '0.DOIP/Op.Retrieve', { targetId: 'test/none' }, MISSING,
            { message: 'Missing object test/none' }]
    ];
    for (const [what, requests] of [
        ['requests in a row', async (times: number) => {

            for (let n = 0; n < times; ++n) {
                await test.perform('x/context');
            }
        }],
        ['requests of a custom operation', async (times: number) => void await test.perform('x/chain', { attributes: { times } })]
    ] as const) {
        it(`lets other work proceed between ${what}`, async () => {

            let turns = 0;
            const count = (): void => {

                ++turns;
                timer = setImmediate(count);
            };

            let timer = setImmediate(count);
            await requests(1000);
            clearImmediate(timer);
            expect(turns).to.be.at.least(50);
        });
    }

    for (const [title, operation, request, status, value] of table) {
        it(title, async () => {

            const answer = await test.perform(operation, request);

            expect(answer.status).to.equal(status);
            if (value !== undefined) {
                expect(answer.value).to.equal(value);
            }
        });
    }

    it('releases the output of an operation that cannot be recorded', async () => {

        const own = await DIALECTS[0]!.create();
        let released = 0;
        const audited = await startGateway(own, { auditDays: 1 }, (gateway) => gateway.registerOperation(defineOperation({
            id: 'x/holds', summary: 'hold something', target: 'service', authorise: 'anyone',
            handler: async () => result.segments(onClose(sequence(jsonSegment(1)), () => void (released += 1)))
        })));
        expect((await audited.perform('x/holds')).status).to.equal(OK);
        expect(released).to.equal(1);
        audited.gateway.services.auditTrail!.performed = () => Promise.reject(new Error('the disk is full'));
        expect((await audited.perform('x/holds')).status).to.equal(INTERNAL);
        expect(released).to.equal(2);
        await audited.stop();
        await own.dispose();
    });

    it('says that an operation cannot be recorded, also when its output cannot be closed', async () => {

        const own = await DIALECTS[0]!.create();
        const unclosable = { ...sequence(jsonSegment(1)), [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }), return: () => Promise.reject(conflict('no')) }) };
        const audited = await startGateway(own, { auditDays: 1 }, (gateway) => gateway.registerOperation(defineOperation({
            id: 'x/holds', summary: 'hold something', target: 'service', authorise: 'anyone', handler: async () => result.segments(unclosable as never)
        })));
        audited.gateway.services.auditTrail!.performed = () => Promise.reject(new Error('the disk is full'));
        const { status } = await audited.perform('x/holds');
        await audited.stop();
        await own.dispose();

        expect(status).to.equal(INTERNAL);
    });

    it('returns the request id, also with errors, and generates none', async () => {

        expect((await test.perform('x/context', { requestId: 'r1' })).requestId).to.equal('r1');
        expect((await test.perform('x/broken', { requestId: 'r2' })).requestId).to.equal('r2');
        expect((await test.perform('x/context')).requestId).to.be.null();
    });

    it('repeats the message of an error in the attributes', async () => {

        expect((await test.perform('x/conflict')).attributes).to.equal({ message: 'taken' });
    });

    it('responds only to the startup status before the start and after the stop', async () => {

        const place = await DIALECTS[0]!.create();
        const gateway = createGateway(gatewayOptions(place));
        const other = talkTo(gateway);

        const early = await other.perform('0.DOIP/Op.Hello');
        const status = await other.perform('gateway/Op.StartupStatus');
        await gateway.start();
        const up = await other.perform('gateway/Op.StartupStatus');
        await gateway.stop();
        const late = await other.perform('0.DOIP/Op.Hello');
        await place.dispose();

        expect(early).to.include({ status: INTERNAL, value: { message: 'The system is down.' } });
        expect(status.status).to.equal(INTERNAL);
        expect(status.value).to.include({ state: 'FAILED' });
        expect((up.value as { subsystems: unknown }).subsystems).to.include({ storage: 'UP', identity: 'UP', handles: 'UP', jobs: 'UP' });
        expect(late.status).to.equal(INTERNAL);
    });

    it('rejects operations after the start', () => {

        expect(() => registerAll(test.gateway)).to.throw(/before the gateway starts/);
    });
});

async function *none(): AsyncGenerator<Uint8Array> {

    // No bytes.
}
