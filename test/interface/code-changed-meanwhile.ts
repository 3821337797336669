/** An object whose type hides it by code, and then by rights, is hidden also from a request that began in between, while the code was loaded. */

import { once } from 'node:events';
import Http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DIALECTS, waysOf } from '../support/database.js';
import { startRest } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { multipart } from '../support/rest.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Code that takes a while to be loaded. */
const SLOW = 'const end = Date.now() + 500; while (Date.now() < end);';
const HIDING = `${SLOW}
exports.onObjectResolution = () => { throw 'hidden by code'; };
`;
const HIDING_BYTES = `${SLOW}
exports.onPayloadResolution = () => { throw 'hidden by code'; };
`;
const EVERYONE = { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] };
const NOBODY = { ...EVERYONE, defaultAclRead: [] };
const SECRET = 'what must not be shown';

const READS: readonly [title: string, path: string, code: string, status: number, answer: string][] = [
    ['an object', 'GET /objects/test/it', HIDING, 401, 'authentication is required'],
    ['an object by DOIP', 'GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=test/it', HIDING, 401, 'authentication is required'],
    ['its content', 'GET /objects/test/it?jsonPointer=/text', HIDING, 401, 'authentication is required'],
    ['its relationships', 'GET /relationships/test/it', HIDING, 401, 'authentication is required'],
    ['a search', 'GET /search?query=type:Changing', HIDING, 200, '"results":[]'],
    ['a search by DOIP', 'GET /doip?operationId=0.DOIP/Op.Search&targetId=service&query=type:Changing', HIDING, 200, '"results":[]'],
    ['a search for ids', 'GET /search?query=type:Changing&ids', HIDING, 200, '"results":[]'],
    ['the bytes of an element', 'GET /objects/test/it?payload=file', HIDING_BYTES, 401, 'authentication is required']
];

const SAYING = `exports.methods = { tell: (object) => object.content.text }; exports.staticMethods = { tell: () => '${SECRET}' };`;
const KNOWN = `exports.methods = { tell: () => 'nothing' }; exports.staticMethods = { tell: () => 'nothing' };`;
const CALLED = { ...EVERYONE, aclMethods: { instance: { tell: ['public'] }, static: { tell: ['public'] } } };

const SLOW_REQUESTS: readonly [title: string, line: string, before: object, after: object][] = [
    ['a change', 'PUT /objects/test/it', { authConfig: { ...EVERYONE, defaultAclWrite: ['public'] } }, { authConfig: NOBODY }],
    ['a method', 'POST /call?objectId=test/it&method=tell', { javascript: KNOWN, authConfig: CALLED }, { javascript: SAYING, authConfig: NOBODY }],
    ['a static method', 'POST /call?type=Changing&method=tell', { javascript: KNOWN, authConfig: CALLED }, { javascript: SAYING, authConfig: NOBODY }]
];

for (const dialect of waysOf(DIALECTS)) {
    describe(`an object whose type changes while it is read, on ${dialect.name}`, () => {

        let service: RestService;
        let typeId: string;

        const setType = async (type: object): Promise<void> => {

            const { statusCode, payload } = await service.asAdmin(`PUT /objects/${typeId}`, {
                payload: JSON.stringify({ name: 'Changing', schema: { type: 'object' }, ...type }), headers: { 'content-type': 'application/json' }
            });
            expect(statusCode, payload).to.equal(200);
        };

        before(async () => {

            service = await startRest(dialect.create);
            ({ id: typeId } = await service.create('Schema', { name: 'Changing', schema: { type: 'object' } }));
            const { statusCode } = await service.asAdmin('POST /objects?type=Changing&handle=test/it', multipart(
                { name: 'content', value: JSON.stringify({ text: SECRET }) }, { name: 'file', value: SECRET, filename: 'file.txt' }
            ));
            expect(statusCode).to.equal(200);
        });

        after(() => service.stop());

        for (const [title, path, code, status, answer] of READS) {
            it(`is not shown by ${title}`, async () => {

                await setType({ javascript: code, authConfig: EVERYONE });
                const reading = service.anonymously(path);
                await delay(50);
                await setType({ authConfig: NOBODY });
                expect((await service.anonymously('GET /objects/test/it')).statusCode).to.equal(401);
                const { statusCode, payload } = await reading;

                expect(payload).not.to.contain(SECRET);
                expect(payload).to.contain(answer);
                expect(statusCode).to.equal(status);
            });
        }

        for (const [title, line, before, after] of SLOW_REQUESTS) {
            it(`is not shown nor changed by ${title} with input that comes slowly`, async () => {

                await setType(before);
                const [method, path = ''] = line.split(' ');
                const request = Http.request(service.url + path, { method, headers: { 'content-type': 'application/json', 'content-length': '2' } });
                request.write('{');
                await delay(200);
                await setType(after);
                expect((await service.anonymously('GET /objects/test/it')).statusCode).to.equal(401);
                request.end('}');
                const [response] = await once(request, 'response') as [Http.IncomingMessage];
                const answer = await text(response);

                expect(answer).not.to.contain(SECRET);
                expect(response.statusCode, answer).to.equal(401);
            });
        }
    });
}
