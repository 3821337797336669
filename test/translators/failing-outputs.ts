/** Errors that the output of an operation throws after the operation has succeeded, above all the loss of the database. */

import type { Server } from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DatabaseError } from '../../db/errors.js';
import { defineOperation, result } from '../../lib/index.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { internal } from '../../lib/errors/errors.js';
import { Status } from '../../lib/errors/status.js';
import type { Segment } from '../../lib/doip/envelope.js';
import { doipHttp } from '../../translators/doip-http/index.js';
import type { Performer } from '../../translators/http/request/translator-options.js';
import { createSqlite, DIALECTS } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import type { TestGateway } from '../support/gateway.js';
import { startMysqlProxy } from '../support/mysql-proxy.js';
import type { MysqlProxy } from '../support/mysql-proxy.js';
import { restServer } from '../support/rest.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

/** Errors for which the gateway was asked. */
let explained: unknown[];

/** What the server logged. */
let logged: unknown[];

/** A server in front of a gateway. */
async function serve(gateway: Performer): Promise<Server> {

    const performer: Performer = {
        perform: (request) => gateway.perform(request),
        statuses: gateway.statuses,
        explain: (error) => {

            explained.push(error);
            return gateway.explain?.(error) ?? null;
        }
    };
    const server = await restServer(performer);
    await server.register({ plugin: doipHttp, options: { gateway: performer } });
    server.events.on({ name: 'request', channels: ['error', 'app'] }, (_, { error }) => logged.push(error));
    await server.start();
    return server;
}

interface Answered {
    readonly status: number;
    readonly retryAfter: string | null;
    readonly text: string;
}

/** Reads the response; null when its connection is reset. */
async function ask({ info }: Server, path: string): Promise<Answered | null> {

    try {
        const response = await fetch(info.uri + path);
        return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
    }
    catch {
        return null;
    }
}

const DOWN = { status: 503, retryAfter: '5', text: '{"message":"The system is down."}' };

describe('an output that fails', () => {

    let database: TestDatabase;
    let gateway: TestGateway;
    let server: Server;
    let makeOutput: () => AsyncIterable<Segment>;

    before(async () => {

        database = await createSqlite();
        gateway = await startGateway(database, {}, (started) => started.registerOperation(defineOperation({
            id: Op.getInitData, summary: 'fail', target: 'service', methods: ['GET'], authorise: 'anyone',
            handler: async () => result.segments(makeOutput())
        }), { override: true }));
        explained = [];
        logged = [];
        server = await serve(gateway.gateway);
    });

    beforeEach(() => {

        explained.length = 0;
        logged.length = 0;
    });

    after(async () => {

        await server.stop();
        await gateway.stop();
        await database.dispose();
    });

    async function *fails(error: Error): AsyncGenerator<never> {

        throw error;
    }

    async function *afterJson(error: Error): AsyncGenerator<Segment> {

        yield { kind: 'json', value: 1 };
        throw error;
    }

    async function *inBytes(error: Error): AsyncGenerator<Segment> {

        const body = async function *(): AsyncGenerator<Uint8Array> {

            yield Buffer.alloc(100_000);
            throw error;
        };

        yield { kind: 'bytes', body: body() };
    }

    async function *inFirstBytes(error: Error): AsyncGenerator<Segment> {

        yield { kind: 'bytes', body: fails(error), length: 100_000 };
    }

    const LOST = new DatabaseError('unavailable', 'the connection was lost');
    const FULL = new DatabaseError('full', 'no space');
    const OTHER = new Error('a fault of the operation');
    const FULL_ANSWER = { status: 503, retryAfter: '60', text: '{"message":"The storage is full: nothing was stored."}' };
    const OTHER_ANSWER = { status: 500, retryAfter: null, text: '{"message":"Something went wrong. Contact your sysadmin."}' };

    const cases: readonly (readonly [title: string, output: () => AsyncIterable<Segment>, answer: Answered | null, log: readonly unknown[]])[] = [
        ['loses the database before the first segment', () => fails(LOST), DOWN, []],
        ['loses the database after the first segment', () => afterJson(LOST), DOWN, []],
        ['loses the database, as the cause of an internal error', () => afterJson(internal(LOST)), DOWN, []],
        ['loses the database before the first bytes', () => inFirstBytes(LOST), DOWN, []],
        ['loses the database after bytes were sent', () => inBytes(LOST), null, []],
        ['finds the disk full', () => fails(FULL), FULL_ANSWER, [FULL]],
        ['throws another error', () => fails(OTHER), OTHER_ANSWER, [OTHER]],
        ['throws an internal error', () => fails(internal(OTHER)), OTHER_ANSWER, [OTHER]],
        ['throws another error after bytes were sent', () => inBytes(OTHER), null, [OTHER]]
    ];
    for (const [title, output, answer, log] of cases) {
        for (const [protocol, path] of [['REST', '/initData'], ['DOIP', `/doip?operationId=${Op.getInitData}&targetId=service`]] as const) {
            it(`is explained when it ${title}, over ${protocol}`, async () => {

                makeOutput = output;
                const answered = await ask(server, path);
                await until(() => explained.length > 0);

                expect(answered).to.equal(answer);
                expect(explained).to.have.length(1);
                expect(logged.map(String)).to.equal(log.map(String));
            });
        }
    }
});

const [mysql] = DIALECTS.filter(({ dialect }) => dialect === 'mysql');

describe('a search that loses the connection to MySQL after its first results', { skip: !mysql }, () => {

    let database: TestDatabase;
    let proxy: MysqlProxy;
    let gateway: TestGateway;
    let server: Server;

    before(async () => {

        database = await mysql!.create();
        proxy = await startMysqlProxy(database.options.url ?? '');
        gateway = await startGateway({ ...database, options: { ...database.options, url: `${proxy.url}?connections=4` } });
        for (let n = 0; n < 60; ++n) {
            await gateway.create('Document', { name: 'many', description: 'x'.repeat(n < 30 ? 10 : 15_000) }, { id: `test/${n}` });
        }

        explained = [];
        logged = [];
        server = await serve({
            statuses: gateway.gateway.statuses,
            explain: (error) => gateway.gateway.explain(error),
            async perform(request) {

                const response = await gateway.gateway.perform(request);
                proxy.accept(false);
                proxy.cutAll();
                return response;
            }
        });
    });

    beforeEach(async () => {

        proxy.accept(true);
        explained.length = 0;
        await until(async () => (await gateway.perform('0.DOIP/Op.Retrieve', { targetId: 'test/0' })).status === Status.ok);
    });

    after(async () => {

        await server.stop();
        await gateway.stop();
        await proxy.close();
        await database.dispose();
    });

    const query = 'query=/name:many&sortFields=/id';
    const cases: readonly (readonly [title: string, path: string, answer: Answered | null])[] = [
        ['is answered with 503 over REST, while little was sent', `/search?${query}&filter=/id`, DOWN],
        ['breaks off the response over REST, when results were sent', `/search?${query}%20desc`, null],
        ['is answered with 503 over DOIP', `/doip?operationId=0.DOIP/Op.Search&targetId=service&${query}`, DOWN]
    ];
    for (const [title, path, answer] of cases) {
        it(title, async () => {

            const answered = await ask(server, path);
            await until(() => explained.length > 0);

            expect(answered).to.equal(answer);
            expect(explained[0]).to.be.instanceOf(DatabaseError);
            // The monitor was told, and did not wait for its next ping.
            await until(async () => (await gateway.perform('0.DOIP/Op.Retrieve', { targetId: 'test/0' })).http === 503, 3000);
        });
    }
});
