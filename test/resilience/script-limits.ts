/** Code that takes too long or too much memory ends the request that it is part of, and changes nothing. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';
import { jsonOf, multipart } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The request says what happens in which function. */
const CODE = `
const FAULTS = {
    time: () => { for (;;); },
    memory: () => { const all = []; for (;;) { all.push(new Array(100000).fill(all.length)); } }
};
const meet = (context, name) => {
    const fault = (context.requestContext || {})[name];
    if (fault) { FAULTS[fault](); }
};
for (const hook of ['beforeSchemaValidationWithId', 'beforeStorage', 'onObjectResolution', 'onPayloadResolution', 'beforeDelete', 'afterDelete', 'afterCreateOrUpdate']) {
    exports[hook] = (object, context) => { object.content.touched = hook; meet(context, hook); delete object.content.touched; return object; };
}
exports.methods = { change: (object, context) => { object.content.changed = true; meet(context, 'change'); return object.content; } };
exports.methods.change.allowGet = true;
exports.staticMethods = { count: (context) => { meet(context, 'count'); return 1; } };
`;

const MESSAGES: Readonly<Record<string, string>> = { time: 'it took too long', memory: 'it needs too much memory' };

/** Time for code in tests of each limit. */
const TIMEOUT_SECONDS: Readonly<Record<string, number>> = { time: 2, memory: 60 };

const JSON_TYPE = { 'content-type': 'application/json' };
const CONTENT = JSON.stringify({ n: 2 });
const DOIP_CONTENT = JSON.stringify({ attributes: { content: { n: 2 } } });

/** One function each, reached by REST and by DOIP. `ID` stands for the object. */
const CASES: readonly (readonly [title: string, where: string, rest: string, doip: string, payloads?: readonly [string, string]])[] = [
    ['a retrieval', 'onObjectResolution', 'GET /objects/ID', 'GET /doip?operationId=Retrieve&targetId=ID'],
    ['a retrieval of bytes', 'onPayloadResolution', 'GET /objects/ID?payload=scan', 'GET /doip?operationId=Retrieve&targetId=ID&element=scan'],
    ['an update before it is checked', 'beforeSchemaValidationWithId', 'PUT /objects/ID', 'POST /doip?operationId=Update&targetId=ID', [CONTENT, DOIP_CONTENT]],
    ['an update before it is stored', 'beforeStorage', 'PUT /objects/ID', 'POST /doip?operationId=Update&targetId=ID', [CONTENT, DOIP_CONTENT]],
    ['a method', 'change', 'POST /call?objectId=ID&method=change', 'POST /doip?operationId=change&targetId=ID', ['{}', '{}']],
    ['a method that is only read', 'change', 'GET /call?objectId=ID&method=change', 'GET /doip?operationId=change&targetId=ID'],
    ['a method of the type', 'count', 'POST /call?type=Greedy&method=count', 'POST /doip?operationId=count&targetId=SCHEMA', ['{}', '{}']],
    ['a deletion', 'beforeDelete', 'DELETE /objects/ID', 'POST /doip?operationId=Delete&targetId=ID']
];

/** What could leave something half written when it takes too long is tried on every database, the rest on one: each case takes as long as the limit. */
const WRITING: readonly string[] = ['beforeStorage', 'change', 'beforeDelete'];

forEachDatabase((name, create, dialect) => {

    describe(`code beyond its limits, on ${name},`, () => {

        /** A service for each limit, as code that needs too much memory takes long on a busy machine. */
        const services: Record<string, RestService> = {};
        let service: RestService;
        let schemaId: string;
        let objects = 0;

        before(async () => {

            for (const [fault, seconds] of Object.entries(TIMEOUT_SECONDS)) {
                services[fault] = await startRest(create, 'http/1.1', { SCRIPT_TIMEOUT_SECONDS: seconds, SCRIPT_MEMORY_BYTES: 16 * 1024 * 1024 });
                ({ id: schemaId } = await services[fault].create('Schema', { name: 'Greedy', schema: { type: 'object' }, javascript: CODE }, 'handle=test/greedy'));
            }
        });

        after(() => Promise.all(Object.values(services).map((each) => each.stop())));

        for (const [fault, getter] of dialect === 'sqlite' ? [['time', 'for (;;) {}'], ['memory', 'return { summary: \'x\'.repeat(500000000) };']] as const : []) {
            it(`does not list methods whose description needs too much ${fault}`, async () => {

                const javascript = `exports.methods = { greedy: () => 1 };
                    Object.defineProperty(exports.methods.greedy, 'description', { get() { ${getter} } });`;
                const limited = services[fault] as RestService;
                const payload = JSON.stringify({ identifier: '', name: 'Described', schema: { type: 'object' }, javascript });
                const start = performance.now();
                const stored = await limited.asAdmin('POST /objects?type=Schema', { headers: JSON_TYPE, payload });
                const listed = await limited.asAdmin('GET /listMethods?type=Described&describe');

                expect(performance.now() - start, `${stored.payload} ${listed.payload}`).to.be.below(150_000);
                expect(listed.payload).to.not.contain('summary');
                expect((await limited.asAdmin('GET /listMethods?type=Greedy')).payload).to.equal('["change"]');
            });
        }

        function use(fault: string): void {

            service = services[fault]!;
        }

        async function newObject(): Promise<string> {

            const id = `test/greedy${++objects}`;
            const form = multipart({ name: 'content', value: '{"n":1}' }, { name: 'scan', value: 'bytes', filename: 'scan.txt', type: 'text/plain' });
            await until(async () => (await service.asAdmin(`POST /objects?type=Greedy&handle=${id}`, form)).statusCode === 200);
            return id;
        }

        function send(line: string, id: string, asked: object, payload?: string): Promise<Received> {

            const url = line.replace('ID', id).replace('SCHEMA', schemaId);
            const context = `requestContext=${encodeURIComponent(JSON.stringify(asked))}`;
            return service.asAdmin(`${url}${url.includes('?') ? '&' : '?'}${context}`, payload === undefined ? {} : { payload, headers: JSON_TYPE });
        }

        /** Code that does no harm may take too long as well when the machine is busy. */
        async function retrieved(path: string): Promise<Received> {

            let answer = await service.asAdmin(`GET ${path}`);
            await until(async () => {

                answer = answer.statusCode === 200 ? answer : await service.asAdmin(`GET ${path}`);
                return answer.statusCode === 200;
            });
            return answer;
        }

        const stateOf = async (id: string): Promise<unknown[]> => {

            const [object, bytes] = await Promise.all([retrieved(`/objects/${id}?full`), retrieved(`/objects/${id}?payload=scan`)]);
            return [jsonOf(object), bytes.payload];
        };

        const statusOf = ({ headers }: Received): unknown => (JSON.parse(String(headers['doip-response'])) as { status: string }).status;

        for (const [title, where, rest, doip, payloads] of CASES) {
            for (const [fault, message] of Object.entries(MESSAGES).filter(([each]) => each !== 'time' || dialect === 'sqlite' || WRITING.includes(where))) {
                it(`responds to ${title} with 500 when ${message}, and leaves the object unchanged`, async () => {

                    use(fault);
                    const ids = [await newObject(), await newObject()] as const;
                    const before = await Promise.all(ids.map(stateOf));
                    const start = service.log.length;
                    const asked = { [where]: fault };
                    const answers = await Promise.all([send(rest, ids[0], asked, payloads?.[0]), send(doip, ids[1], asked, payloads?.[1])]);

                    expect(answers.map(({ statusCode }) => statusCode), answers[0].payload).to.equal([500, 500]);
                    const body = { message: `the script of type Greedy was stopped: ${message}` };
                    expect(answers.map(jsonOf)).to.equal([body, body]);
                    expect(statusOf(answers[1])).to.equal('0.DOIP/Status.500');
                    const lines = service.log.slice(start).filter(({ event, reason }) => event === 'script.failed' && reason === message);
                    expect(lines.map(({ level, script }) => [level, script])).to.equal([[50, 'type Greedy'], [50, 'type Greedy']]);
                    const about = where === 'count' ? [undefined, undefined] : ids;
                    expect(lines.map(({ object }) => object).toSorted()).to.equal(about.toSorted());
                    expect(await Promise.all(ids.map(stateOf))).to.equal(before);
                    // The same works when nothing goes wrong.
                    await until(async () => (await send(rest, ids[0], {}, payloads?.[0])).statusCode === 200);
                });
            }
        }

        for (const [fault, message] of Object.entries(MESSAGES)) {
            it(`is logged without effect after the object was stored or deleted: ${message}`, async () => {

                use(fault);
                const id = await newObject();
                /** The number of lines of a request, which is sent until the code that runs before it and does no harm has not taken too long. */
                const linesOf = async (line: string, asked: object, payload?: string): Promise<number> => {

                    let start = 0;
                    await until(async () => {

                        start = service.log.length;
                        return (await send(line, id, asked, payload)).statusCode === 200;
                    });
                    return service.log.slice(start).filter(({ event, object, reason }) => event === 'script.failed' && object === id && reason === message).length;
                };

                const ofChange = await linesOf('PUT /objects/ID', { afterCreateOrUpdate: fault }, CONTENT);
                const state = await retrieved(`/objects/${id}`);
                const ofRemoval = await linesOf('DELETE /objects/ID', { afterDelete: fault });

                expect([ofChange, ofRemoval]).to.equal([1, 1]);
                expect(jsonOf(state)).to.equal({ n: 2 });
                expect((await service.asAdmin(`GET /objects/${id}`)).statusCode).to.equal(404);
            });
        }
    });
});
