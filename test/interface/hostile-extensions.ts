/** Faults of extensions: declarations, handlers, rules and listeners that are wrong in every way. Requests fail with 500, and nothing else does. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import { pino } from 'pino';
import { configure } from '../../lib/config/index.js';
import type { Operation, OperationResult } from '../../lib/index.js';
import { defineOperation, DoipError, result } from '../../lib/index.js';
import { createServer, serverUrl } from '../../lib/server.js';
import { ADMIN_PASSWORD, QUICK } from '../support/gateway.js';
import { NativeClient } from '../support/native.js';
import { basic } from '../support/rest.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SECRET = 'the secret is 42';

/** An error of which nothing can be read. */
function unreadableError(): Error {

    const error = new Error(SECRET);
    // The stack first: Node 20 makes it of the others.
    for (const name of ['stack', 'message', 'cause', 'name', 'code']) {
        Object.defineProperty(error, name, { get: () => {

            throw new Error(SECRET);
        } });
    }

    return error;
}

const unreadable = new Proxy({}, { get: () => {

    throw new Error(SECRET);
} });

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** What handlers throw. */
const THROWN: readonly (readonly [title: string, thrown: () => unknown])[] = [
    ['undefined', () => undefined], ['null', () => null], ['a text', () => SECRET], ['a symbol', () => Symbol(SECRET)], ['a number', () => 0n],
    ['a circular object', () => circular], ['an object of which nothing can be read', () => unreadable], ['an error of which nothing can be read', unreadableError],
    ['a frozen error', () => Object.freeze(new Error(SECRET))], ['an error with an error in a circle', () => {

        const error = new Error(SECRET);
        error.cause = error;
        return error;
    }],
    ['a revoked proxy', () => {

        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
    }],
    ['an error with details that are no JSON', () => new DoipError('0.DOIP/Status.500', SECRET, { details: { a: 1n as never } })],
    ['an error with circular details', () => new DoipError('0.DOIP/Status.101', SECRET, { details: circular as never })],
    ['an error with attributes that are no JSON', () => new DoipError('0.DOIP/Status.101', SECRET, { attributes: circular as never })]
];

const json = (value: unknown) => result.json(value as never);

/** What handlers return. */
const RETURNED: readonly (readonly [title: string, returned: () => unknown])[] = [
    ['nothing', () => undefined], ['null', () => null], ['a text', () => 'text'], ['an object', () => ({})], ['an object of which nothing can be read', () => unreadable],
    ['no output', () => ({ status: '0.DOIP/Status.001', attributes: {} })], ['an output that is a number', () => ({ status: '0.DOIP/Status.001', attributes: {}, output: 5 })],
    ['no status', () => ({ ...json(1), status: undefined })], ['a status that is a number', () => ({ ...json(1), status: 200 })],
    ['JSON with a BigInt', () => json({ a: 1n })], ['circular JSON', () => json(circular)], ['JSON that throws', () => json({ toJSON() {

        throw new Error(SECRET);
    } })],
    ['circular attributes', () => ({ ...json(1), attributes: circular })], ['attributes that are null', () => ({ ...json(1), attributes: null })],
    ['segments of nothing', () => result.segments((async function *() {

        yield undefined as never;
    })())],
    ['an output that throws at once', () => result.segments((async function *() {

        throw unreadableError();
    })())]
];

/** What handlers return that fails in the middle of the response, if at all. */
const ODD: typeof RETURNED = [
    ['JSON of undefined', () => json(undefined)], ['JSON of a function', () => json(() => 1)],
    ['segments of an unknown kind', () => result.segments((async function *() {

        yield { kind: 'x' } as never;
    })())],
    ['bytes that throw an error of which nothing can be read', () => result.segments((async function *() {

        yield { kind: 'bytes', body: (async function *() {

            yield Buffer.from('some');
            throw unreadableError();
        })() } as never;
    })())],
    ['bytes that throw an error of which nothing can be read', () => result.segments((async function *() {

        yield { kind: 'bytes', body: (async function *() {

            yield Buffer.from('some');
            throw unreadableError();
        })() } as never;
    })())],
    ['bytes that are text', () => result.segments((async function *() {

        yield { kind: 'bytes', body: 'text' } as never;
    })())],
    ['bytes that are numbers', () => result.segments((async function *() {

        yield { kind: 'bytes', body: (async function *() {

            yield 5;
        })() } as never;
    })())],
    ['bytes whose release fails', () => result.segments((async function *() {

        try {
            yield { kind: 'bytes', body: (async function *() {

                yield Buffer.alloc(1024 * 1024);
                throw new Error(SECRET);
            })() } as never;
        }
        finally {
            // eslint-disable-next-line no-unsafe-finally -- as a connection that cannot be given back
            throw unreadableError();
        }
    })())]
];

const LOGO_BYTES = 600_000;

/** A declaration whose functions are those of a class. */
class OperationOfClass implements Operation {

    readonly id = 'x/class';
    readonly summary = 'an operation of a class';
    readonly target = 'service';
    readonly methods = ['GET'] as const;
    readonly #text: string = 'by a class';

    authorise(): boolean {

        return this.#text !== '';
    }

    handler(): Promise<OperationResult> {

        return Promise.resolve(json(this.#text));
    }
}

describe('an extension with faults', () => {

    let folder: string;
    let server: Server;
    let url: string;
    const log: string[] = [];
    const unhandled: unknown[] = [];
    const record = (error: unknown): void => void unhandled.push(error);
    let events = 0;

    before(async () => {

        process.on('unhandledRejection', record);
        folder = await mkdtemp(join(tmpdir(), 'gateway-extensions-'));
        const config = configure({ PORT: 0, DOIP_PORT: 0, DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD, AUDIT_DAYS: 1 });
        server = await createServer(config, { log: pino({ base: null }, { write: (line: string) => void log.push(line) }), passwordCost: QUICK });
        const { gateway } = server.plugins['doip-gateway'];
        const common = { summary: 'a fault', target: 'service', methods: ['GET', 'POST'], authorise: 'anyone' } as const;
        THROWN.forEach(([, thrown], n) => {

            gateway.registerOperation(defineOperation({ ...common, id: `x/throws-${n}`, handler: async () => {

                throw thrown();
            } }));
            gateway.registerOperation(defineOperation({ ...common, id: `x/rule-throws-${n}`, authorise: () => {

                throw thrown();
            }, handler: async () => result.empty() }));
            gateway.onChange(() => {

                ++events;
                throw thrown();
            });
            gateway.onChange(async () => {

                throw thrown();
            });
        });
        RETURNED.forEach(([, returned], n) => {

            gateway.registerOperation(defineOperation({ ...common, id: `x/returns-${n}`, handler: async () => returned() as never }));
            gateway.onChange(returned);
        });
        ODD.forEach(([, returned], n) => {

            gateway.registerOperation(defineOperation({ ...common, id: `x/odd-${n}`, handler: async () => returned() as never }));
        });
        gateway.onChange(() => new Promise(() => {}));
        gateway.onChange(() => ({ then() {

            throw new Error(SECRET);
        } }));
        gateway.registerOperation(defineOperation({ ...common, id: 'x/synchronous', handler: (() => {

            throw new Error(SECRET);
        }) }));
        gateway.registerOperation(defineOperation({ ...common, id: 'x/never', handler: () => new Promise(() => {}) }));
        gateway.registerOperation(defineOperation({ ...common, id: 'x/refuses', authorise: () => false, handler: async () => json(SECRET) }));
        gateway.registerOperation(defineOperation({ ...common, id: 'x/refuses-later', authorise: async () => false, handler: async () => json(SECRET) }));
        gateway.registerOperation(defineOperation({ ...common, id: 'x/admits', authorise: async () => true, handler: async () => json('ok') }));
        const cached: Uint8Array[] = [];
        gateway.registerOperation(defineOperation({
            id: 'x/cached', summary: 'bytes from memory', target: 'service', methods: ['GET'], authorise: 'anyone',
            async handler({ objects }) {

                if (cached.length === 0) {
                    for await (const chunk of await objects.element('test/logo', 'logo')) {
                        cached.push(chunk);
                    }
                }

                return result.segments((async function *() {

                    yield { kind: 'bytes', body: (async function *() {

                        yield *cached;
                    })(), length: LOGO_BYTES };
                })());
            }
        }));
        gateway.registerOperation(new OperationOfClass());
        await server.start();
        url = serverUrl(server, config);
    });

    after(async () => {

        await server.stop({ timeout: 100 });
        await rm(folder, { recursive: true });
        process.off('unhandledRejection', record);
    });

    const ask = async (operationId: string): Promise<{ readonly status: number; readonly text: string }> => {

        const response = await fetch(`${url}/doip?targetId=service&operationId=${operationId}`, { signal: AbortSignal.timeout(10_000) });
        return { status: response.status, text: await response.text().catch((error: unknown) => String(error)) };
    };

    const askNative = async (operationId: string): Promise<string> => {

        const client = await NativeClient.open(server.plugins['doip-gateway'].gateway.services.endpoint().native?.port ?? 0);
        try {
            const { head } = await client.ask(`${JSON.stringify({ targetId: 'service', operationId })}\n#\n#\n`);
            return String(head.status);
        }
        finally {
            client.close();
        }
    };

    for (const [n, [title]] of THROWN.entries()) {
        for (const id of [`x/throws-${n}`, `x/rule-throws-${n}`]) {
            it(`gets an error for ${title}, by ${id}`, async () => {

                const { status, text } = await ask(id);
                const isOwn = title.startsWith('an error with');
                expect(status, text).to.be.within(400, 500);
                expect(JSON.parse(text)).to.include('message');
                expect(isOwn || !text.includes(SECRET), text).to.be.true();
                expect(await askNative(id)).to.match(/^0\.DOIP\/Status\.(?:500|101)$/);
            });
        }
    }

    for (const [n, [title]] of RETURNED.entries()) {
        it(`gets an error for what it returns: ${title}`, async () => {

            const { status, text } = await ask(`x/returns-${n}`);
            expect(status, text).to.equal(500);
            expect(text.includes(SECRET), text).to.be.false();
            expect(await askNative(`x/returns-${n}`)).to.equal('0.DOIP/Status.500');
        });
    }

    for (const [n, [title]] of ODD.entries()) {
        it(`ends the response at most for what it returns: ${title}`, async () => {

            await Promise.allSettled([ask(`x/odd-${n}`), askNative(`x/odd-${n}`)]);
            expect((await ask('x/admits')).status).to.equal(200);
        });
    }

    it('gets an error for a handler that throws at once', async () => {

        expect((await ask('x/synchronous')).status).to.equal(500);
    });

    it('denies access by a rule that returns false, as many are written', async () => {

        expect((await ask('x/refuses')).status).to.equal(401);
        expect((await ask('x/refuses-later')).status).to.equal(401);
        expect((await ask('x/admits')).status).to.equal(200);
    });

    it('may be an instance of a class', async () => {

        expect(await ask('x/class')).to.equal({ status: 200, text: '"by a class"' });
    });

    it('may keep the bytes of a payload and send them several times', async () => {

        const bytes = Buffer.alloc(LOGO_BYTES, 'kept');
        const form = new FormData();
        form.set('content', '{}');
        form.set('logo', new Blob([new Uint8Array(bytes)]), 'logo');
        const headers = { authorization: basic('admin', ADMIN_PASSWORD).authorization };
        expect((await fetch(`${url}/objects?type=Document&handle=test/logo`, { method: 'POST', body: form, headers })).status).to.equal(200);
        for (let n = 0; n < 3; ++n) {
            const response = await fetch(`${url}/doip?targetId=service&operationId=x/cached`);
            expect(bytes.equals(Buffer.from(await response.arrayBuffer()))).to.be.true();
        }
    });

    it('does not disturb changes by its listeners', async () => {

        const headers = { authorization: basic('admin', ADMIN_PASSWORD).authorization };
        for (let n = 0; n < 2; ++n) {
            const created = await fetch(`${url}/objects?type=Document`, { method: 'POST', body: '{}', headers });
            expect(created.status).to.equal(200);
        }

        await until(() => events >= 2 * THROWN.length);
        expect((await ask('x/admits')).status).to.equal(200);
        expect(unhandled).to.equal([]);
    });

    it('does not keep the service from stopping by a handler that never ends', async () => {

        const waiting = fetch(`${url}/doip?targetId=service&operationId=x/never`).then(() => 'answered', () => 'ended');
        await ask('x/admits');
        await server.stop({ timeout: 100 });
        expect(await waiting).to.be.a.string();
        await server.start();
        url = url.replace(/:\d+$/, `:${server.info.port}`);
    });
});

describe('the declaration of an operation', () => {

    let server: Server;
    let folder: string;
    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-declarations-'));
        server = await createServer(configure({ PORT: 0, DOIP_PORT: '', DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD }), { log: pino({ level: 'silent' }), passwordCost: QUICK });
    });

    after(async () => {

        await server.stop();
        await rm(folder, { recursive: true });
    });

    const good = { id: 'x/Op.Good', summary: 'good', target: 'service', methods: ['GET'], authorise: 'anyone', handler: async () => result.json(1) } as const;
    const throwing = { get attributes() {

        throw new Error('not today');
    } };
    const refused: readonly (readonly [title: string, change: object | null, message: RegExp])[] = [
        ['nothing', null, /^operation undefined: /],
        ['attributes that are a plain object', { attributes: { name: Joi.string() } }, /^operation x\/Op\.Good: "attributes" must be a Joi schema/],
        ['attributes of a text', { attributes: Joi.string() }, /^operation x\/Op\.Good: "attributes"/],
        ['a result that is circular', { resultSchema: circular }, /^operation x\/Op\.Good: its result cannot be described: /],
        ['a result of a BigInt', { resultSchema: { const: 1n } }, /^operation x\/Op\.Good: its result cannot be described: /],
        ['attributes with a link to nothing', { attributes: Joi.object({ a: Joi.link('#b') }) },
            /^operation x\/Op\.Good: its attributes cannot be described: Joi\.link\('#b'\) leads nowhere$/],
        ['an input with a link to nothing', { input: 'json', inputSchema: Joi.array().items(Joi.link('....')) }, /its input cannot be described: Joi\.link\('\.{4}'\) leads nowhere$/],
        ['a result with a reference to nothing', { resultSchema: { items: { $ref: '#/$defs/none' } } },
            /its result cannot be described: its \$ref "#\/\$defs\/none" leads nowhere$/],
        ['a member that cannot be read', throwing, /^operation x\/Op\.Good: not today/],
        ['an alias with a prefix of the service', { aliases: ['0.DOIP/Op.New'] }, /^operation x\/Op\.Good: alias 0\.DOIP\/Op\.New: the prefix belongs to the service/],
        ['an empty list of methods', { methods: [] }, /^operation x\/Op\.Good: "methods"/],
        ['a method in lower case', { methods: ['get'] }, /^operation x\/Op\.Good: "methods/],
        ['methods that are a text', { methods: 'GET' }, /^operation x\/Op\.Good: "methods" must be an array/]
    ];
    for (const [title, change, message] of refused) {
        it(`is refused in one sentence with ${title}`, () => {

            const { gateway } = server.plugins['doip-gateway'];
            const operation = change === null ? null : Object.defineProperties({ ...good }, Object.getOwnPropertyDescriptors(change));
            const error = expect(() => gateway.registerOperation(operation as never)).to.throw(Error, message);
            expect(error.message.includes('\n'), error.message).to.be.false();
        });
    }

    it('replaces nothing when it is refused', () => {

        const { gateway } = server.plugins['doip-gateway'];
        gateway.registerOperation({ ...good, id: 'x/Op.Other', aliases: ['Other'] });
        expect(() => gateway.registerOperation({ ...good, id: '0.DOIP/Op.Retrieve', aliases: ['Other'] }, { override: true })).to.throw(/alias Other is already registered/);
        expect(() => gateway.registerOperation({ ...good, id: 'x/Op.Other' })).to.throw('operation x/Op.Other: id is already registered');
        expect(() => gateway.registerOperation({ ...good, id: '0.DOIP/Op.Retrieve' })).to.throw(/the prefix belongs to the service/);
        expect(() => gateway.registerOperation({ ...good, id: 'x/Op.Third', aliases: ['Retrieve'] })).to.throw(/alias Retrieve is already registered/);
    });
});
