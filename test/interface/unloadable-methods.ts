/** Methods of code that cannot be loaded: by REST and by both transports of DOIP the answer says so, to those who may call them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Op } from '../../lib/doip/operation-ids.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { NativeClient, nativePort, type Message } from '../support/native.js';
import { ADMIN_HEADERS, basic } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const METHODS = 'exports.methods = { known: () => 1 }; exports.staticMethods = { known: () => 1 };';
const BROKEN = `const missing = require('./missing');\n${METHODS}`;
/** While it is loaded, as if the service had too much to do. */
const BUSY = `throw new (require('cordra').CordraError)({ message: 'busy' }, 503);\n${METHODS}`;

const DENIED = '0.DOIP/Status.103';
const DECLINED = '0.DOIP/Status.200';
const INTERNAL = '0.DOIP/Status.500';
const ANONYMOUS = '0.DOIP/Status.102';

const HIDING = 'Something went wrong. Contact your sysadmin.';

/** An answer by one of the interfaces: of REST the HTTP code, of the others the status of DOIP. */
interface Said {
    readonly status: number | string;
    readonly message: string;
    readonly hasStack: boolean;
}

type Credentials = { readonly username: string; readonly password: string } | null;

const ANN = { username: 'ann', password: 'password of ann' };
const BEN = { username: 'ben', password: 'password of ben' };
const ROOT = { username: 'admin', password: ADMIN_PASSWORD };

/** What a method is called on. */
interface Target {
    readonly id: string;
    /** Of `/call`; null where that calls other methods on it. */
    readonly query: string | null;
    readonly isForType?: boolean;
}

const onObject = (id: string): Target => ({ id, query: `objectId=${id}` });

describe('methods of code that cannot be loaded', () => {

    let server: TestServer;
    let native: NativeClient;
    let last: Promise<unknown> = Promise.resolve();

    before(async () => {

        server = await startServer({ DOIP_PORT: 0 });
        native = await NativeClient.open(nativePort(server));
        for (const { username, password } of [ANN, BEN]) {
            await create('User', { username, password }, `test/${username}`);
        }

        for (const [name, javascript] of Object.entries({ Broken: BROKEN, Busy: BUSY, Sound: METHODS })) {
            await create('Schema', { name, schema: { type: 'object' } }, `test/type-of-${name}`);
            await create(name, {}, `test/${name}`);
            await create(name, {}, `test/hidden-${name}`);
            await send('PUT', `/acls/test/${name}`, { readers: ['public'], writers: ['test/ann'] });
            await send('PUT', `/acls/test/type-of-${name}`, { readers: ['public'], writers: ['test/ann'] });
            await send('PUT', `/acls/test/hidden-${name}`, { readers: [], writers: [] });
            await send('PUT', `/objects/test/type-of-${name}`, { name, schema: { type: 'object' }, javascript });
        }
    });

    after(async () => {

        native?.close();
        await server?.stop();
    });

    async function send(method: string, path: string, content?: JsonObject): Promise<JsonObject> {

        const response = await fetch(`${server.url}${path}`, {
            method, headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' }, ...content ? { body: JSON.stringify(content) } : {}
        });
        const text = await response.text();
        expect(response.status, text).to.equal(200);
        return JSON.parse(text) as JsonObject;
    }

    const create = (type: string, content: JsonObject, id: string): Promise<JsonObject> => send('POST', `/objects?type=${type}&handle=${id}`, content);

    const said = (status: number | string, { message, stack }: JsonObject): Said => ({ status, message: message as string, hasStack: stack !== undefined });

    async function byRest({ query }: Target, method: string, credentials: Credentials): Promise<Said> {

        const headers = credentials ? basic(credentials.username, credentials.password) : {};
        const response = await fetch(`${server.url}/call?${query}&method=${method}`, { method: 'POST', headers });
        return said(response.status, await response.json() as JsonObject);
    }

    async function byHttp({ id, isForType = false }: Target, method: string, credentials: Credentials): Promise<Said> {

        const headers = credentials ? basic(credentials.username, credentials.password) : {};
        const response = await fetch(`${server.url}/doip/${method}?targetId=${id}${isForType ? '&isCallForType=true' : ''}`, { method: 'POST', headers });
        const { status } = JSON.parse(response.headers.get('doip-response') ?? '{}') as { status: string };
        return said(status, await response.json() as JsonObject);
    }

    async function byNative({ id: targetId, isForType = false }: Target, method: string, credentials: Credentials): Promise<Said> {

        const attributes = isForType ? { attributes: { isCallForType: true } } : {};
        const { head } = await ask(`${JSON.stringify({
            targetId, operationId: method, ...credentials ? { authentication: credentials } : {}, ...attributes
        })}\n#\n#\n`);
        return said(head.status, head.output as JsonObject);
    }

    /** One request after the other on the connection. */
    function ask(text: string): Promise<Message> {

        const answer = last.then(() => native.ask(text));
        last = answer.catch(() => null);
        return answer;
    }

    const both = (target: Target, method: string, credentials: Credentials): Promise<Said[]> => (
        Promise.all([byHttp(target, method, credentials), byNative(target, method, credentials)])
    );

    const targets: readonly (readonly [title: string, target: Target])[] = [
        ['an object', onObject('test/Broken')],
        ['a type by its Schema object', { id: 'test/type-of-Broken', query: 'type=Broken' }],
        ['a type by its name', { id: 'Broken', query: 'type=Broken', isForType: true }]
    ];
    for (const [title, target] of targets) {
        for (const method of ['known', 'unknown']) {
            it(`have the same answer everywhere, on ${title}: ${method}`, async () => {

                const start = server.log.length;
                const [admin, writer, reader, nobody] = await Promise.all([ROOT, ANN, BEN, null].map(async (credentials) => (
                    [await byRest(target, method, credentials), ...await both(target, method, credentials)]
                )));

                const failures = server.log.slice(start).filter(({ event }) => event === 'script.failed');
                expect(admin!.map(({ status }) => status)).to.equal([500, INTERNAL, INTERNAL]);
                for (const { message, hasStack } of admin!) {
                    expect(message).to.startWith('the script of type Broken failed: ').and.to.contain('./missing');
                    expect(hasStack).to.be.true();
                }

                expect(writer).to.equal([500, INTERNAL, INTERNAL].map((status) => said(status, { message: HIDING })));
                expect(reader!.map(({ status }) => status)).to.equal([403, DENIED, DENIED]);
                expect(nobody!.map(({ status }) => status)).to.equal([401, ANONYMOUS, ANONYMOUS]);
                // Of those who may call methods, each one.
                expect(failures.map(({ script }) => script)).to.equal(Array.from({ length: 6 }, () => 'type Broken'));
            });
        }
    }

    it('reveal nothing of objects that a caller may not read', async () => {

        for (const credentials of [ANN, null]) {
            const answers = await Promise.all(['test/hidden-Broken', 'test/hidden-Sound'].map((id) => both({ id, query: null }, 'unknown', credentials)));

            expect(answers[0]).to.equal(answers[1]);
        }

        expect((await both({ id: 'test/nothing', query: null }, 'unknown', ROOT)).map(({ status }) => status)).to.equal(['0.DOIP/Status.104', '0.DOIP/Status.104']);
    });

    it('are not known where the code can be loaded', async () => {

        const answers = await both(onObject('test/Sound'), 'unknown', ROOT);

        expect(answers.map(({ status }) => status)).to.equal([DECLINED, DECLINED]);
        expect((await byRest(onObject('test/Sound'), 'unknown', ROOT)).status).to.equal(404);
    });

    it('have the status with which the code could not be loaded for the moment', async () => {

        const response = await fetch(`${server.url}/doip/known?targetId=test/Busy`, { method: 'POST', headers: ADMIN_HEADERS });

        expect([response.status, await response.json()]).to.equal([503, { message: 'busy' }]);
        expect((await byRest(onObject('test/Busy'), 'known', ROOT)).status).to.equal(503);
        expect((await byNative(onObject('test/Busy'), 'known', ROOT)).message).to.equal('busy');
    });

    it('have such an answer on the service and the design, too', async () => {

        const design = await send('GET', '/objects/design');
        await send('PUT', '/objects/design', { ...design, javascript: BROKEN });
        try {
            // The code may authenticate, so that others than the administrator cannot log in.
            for (const target of [{ id: 'service', query: null }, onObject('design')]) {
                const [admin, nobody] = await Promise.all([ROOT, null].map(async (credentials) => await both(target, 'known', credentials)));

                expect(admin!.map(({ status, hasStack }) => [status, hasStack])).to.equal([[INTERNAL, true], [INTERNAL, true]]);
                expect(nobody!.map(({ status }) => status)).to.equal([ANONYMOUS, ANONYMOUS]);
            }

            expect((await byRest(onObject('design'), 'known', ROOT)).status).to.equal(500);
            expect((await byRest(onObject('design'), 'known', null)).status).to.equal(401);

            // Operations that are no methods go on.
            const response = await fetch(`${server.url}/doip/${Op.hello}?targetId=service`);
            expect(response.status).to.equal(200);
        }
        finally {
            await send('PUT', '/objects/design', design);
        }
    });
});
