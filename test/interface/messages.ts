/**
 * Messages that clients and scripts written for the reference implementation look for. More may follow them.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { DIALECTS } from '../support/database.js';
import { jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FORM = 'multipart/form-data; boundary=b';
const form = (...parts: [headers: string, body: string][]): string => (
    `${parts.map(([headers, body]) => `--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${body}\r\n`).join('')}--b--\r\n`
);

type Row = readonly [line: string, payload: string | undefined, status: number, start: string];

const CREATE = 'POST /objects?type=Document';
const CONTENT = ['name="content"', '{}'] as [string, string];

const JSON_ROWS: readonly Row[] = [
    ['GET /objects/', undefined, 400, 'Missing object id in GET'],
    ['GET /objects', undefined, 400, 'Missing object id in GET: it follows in the path, and a search has the parameter query'],
    ['PUT /objects?type=Document', '{}', 400, 'Missing object id in PUT: it follows in the path, and an object is created by POST'],
    ['GET /acls?objectId=test/kept', undefined, 400, 'Missing object id in GET: it follows in the path'],
    ['GET /search?q=map', undefined, 400, 'Missing query: either query or queryJson is needed'],
    ['POST /search', '{"q":"map"}', 400, 'Missing query: either query or queryJson is needed'],
    ['POST /auth/token', '{"username":"admin"}', 400, 'Missing password'],
    ['POST /auth/token', '{"password":"x"}', 400, 'Missing username'],
    ['POST /auth/token', '{}', 400, 'Missing grant_type'],
    ['GET /doip?operationId=0.DOIP/Op.Retreive&targetId=test/kept', undefined, 400, 'Operation not supported: 0.DOIP/Op.Retreive is not known'],
    ['POST /objects/test/new', '{}', 400, 'Unexpected object id in POST'],
    ['PUT /objects/', '{}', 400, 'Missing object id in PUT'],
    ['DELETE /objects/', undefined, 400, 'Missing object id in DELETE'],
    ['POST /objects', '{}', 400, 'Missing object type'],
    ['POST /objects?type=None', '{}', 400, 'Unknown type None'],
    ['POST /call?type=None&method=x', '{}', 404, 'Unknown type None'],
    ['GET /listMethods?type=None', undefined, 404, 'Unknown type None'],
    ['GET /schemas/None', undefined, 404, 'Unknown type None'],
    ['DELETE /schemas/None', undefined, 404, 'Schema None does not exist.'],
    [CREATE, '', 400, 'Missing JSON'],
    ['PUT /objects/test/kept', '', 400, 'Missing JSON'],
    [`${CREATE}&handle=test/kept`, '{}', 409, 'Object already exists: test/kept'],
    [`${CREATE}&handle=kept`, '{}', 400, 'Invalid handle: kept'],
    [CREATE, '{"name":1}', 400, '/name: '],
    [`${CREATE}&requestContext=x`, '{}', 400, 'Unable to parse requestContext'],
    ['GET /objects/test/kept?requestContext=[]', undefined, 400, 'Unable to parse requestContext'],
    ['GET /objects/test/none', undefined, 404, 'Missing object'],
    ['GET /objects/test/none?full', undefined, 404, 'Missing object'],
    ['GET /objects/test/none?payload=p', undefined, 404, 'Missing object'],
    ['PUT /objects/test/none', '{}', 404, 'Missing object'],
    ['DELETE /objects/test/none', undefined, 404, 'Missing object'],
    ['GET /acls/test/none', undefined, 404, 'No such object test/none'],
    ['PUT /acls/test/none', '{}', 404, 'No such object test/none'],
    ['PUT /acls/test/kept', 'x', 400, 'Invalid ACL format'],
    ['PUT /acls/test/kept', '[]', 400, 'Invalid ACL format'],
    ['PUT /acls/test/kept', '', 400, 'Invalid ACL format'],
    ['PUT /acls/test/kept', '{"readers":"public"}', 400, 'Invalid ACL format'],
    ['PUT /acls/test/kept', '{"readers":[1]}', 400, 'Invalid ACL format'],
    ['GET /objects/test/kept?jsonPointer=name', undefined, 400, 'Invalid JSON Pointer name'],
    ['PUT /objects/test/kept?jsonPointer=name', '1', 400, 'Invalid JSON Pointer name'],
    ['DELETE /objects/test/kept?jsonPointer=name', undefined, 400, 'Invalid JSON Pointer name'],
    ['GET /objects/test/kept?jsonPointer=/none', undefined, 404, 'Missing data at jsonPointer in object'],
    ['DELETE /objects/test/kept?jsonPointer=/none', undefined, 404, 'Missing data at jsonPointer in object'],
    ['GET /objects/test/kept?text', undefined, 400, 'Requested json is not textual'],
    ['GET /objects/test/kept?payload=p', undefined, 404, 'No payload p in object test/kept'],
    ['GET /objects/test/kept?payload=p&metadata', undefined, 404, 'No payload p in object test/kept'],
    ['DELETE /objects/test/kept?payload=p', undefined, 404, 'No payload p in object test/kept'],
    ['DELETE /objects/test/kept?payload=p&jsonPointer=/name', undefined, 400, 'DELETE specified both jsonPointer and payload'],
    ['DELETE /objects/test/kept?jsonPointer=', undefined, 400, 'Cannot delete empty json pointer'],
    ['GET /objects?query=((', undefined, 400, 'Query parse failure'],
    ['GET /search?query=((', undefined, 400, 'Query parse failure'],
    ['POST /call?objectId=test/kept&method=none', '{}', 404, 'Schema does not have a method called none'],
    ['POST /call?type=Document&method=none', '{}', 404, 'Schema does not have a static method called none'],
    ['POST /versions?objectId=test/kept-1', undefined, 400, 'Cannot publish a version for an object that is not the tip.'],
    ['PUT /acls/test/kept-1', '{}', 400, 'Object versions cannot be edited'],
    ['PUT /adminPassword', '{}', 400, 'Password missing.'],
    ['POST /objects?type=User', '{"username":"admin","password":"long enough"}', 400, 'Username admin is not unique.'],
    ['GET /sessions/this', undefined, 401, 'Legacy sessions disabled']
];

const FORM_ROWS: readonly Row[] = [
    [CREATE, form(['name="type"', 'Document']), 400, 'Missing JSON'],
    ['PUT /objects/test/kept', form(['name="p"; filename="p"', 'x']), 400, 'Missing JSON'],
    [CREATE, form(CONTENT, ['name="acl"', 'x']), 400, 'Invalid ACL format'],
    [CREATE, form(CONTENT, ['name="acl"', '[]']), 400, 'Invalid ACL format'],
    [CREATE, form(CONTENT, ['name="userMetadata"', 'x']), 400, 'Invalid userMetadata format'],
    [CREATE, form(CONTENT, ['name="userMetadata"', '[]']), 400, 'Invalid userMetadata format'],
    [CREATE, form(CONTENT, ['name="p"; filename="a"', 'x'], ['name="p"; filename="a"', 'x']), 400, 'Duplicate payload p'],
    [CREATE, form(CONTENT, ['name=""; filename="a"', 'x']), 400, 'Payload missing name']
];

/** What curl calls a form when nobody says otherwise. */
const URLENCODED_ROWS: readonly Row[] = [
    [CREATE, '{"name":"x"}', 400, 'a form is a search, and there is no query: to create an object'],
    ['POST /objects', '{"name":"x"}', 400, 'a form is a search, and there is no query: to create an object'],
    ['POST /search', '{"query":"type:Document"}', 400, 'Missing query: the body is JSON that is sent as a form'],
    ['POST /search', 'q=x', 400, 'Missing query: either query or queryJson is needed']
];

const BYTES_ROWS: readonly Row[] = [
    ['POST /doip?operationId=0.DOIP/Op.Create&targetId=service', '{}', 400, 'expected JSON input, got bytes: JSON has the media type application/json']
];

describe('error messages', () => {

    let service: RestService;

    before(async () => {

        service = await startRest(DIALECTS[0]!.create);
        await service.create('Document', { name: 'kept' }, 'handle=test/kept');
        await service.asAdmin('POST /versions?objectId=test/kept&versionId=test/kept-1');
    });

    after(() => service.stop());

    for (const [type, rows] of [
        ['application/json', JSON_ROWS], [FORM, FORM_ROWS], ['application/x-www-form-urlencoded', URLENCODED_ROWS], ['text/plain', BYTES_ROWS]
    ] as const) {
        for (const [line, payload, status, start] of rows) {
            it(`are ${start} for ${line} with ${payload === undefined ? 'no body' : JSON.stringify(payload).slice(0, 120)}`, async () => {

                const headers = payload === undefined ? {} : { 'content-type': type };
                const response = await service.asAdmin(line, { headers, ...payload === undefined ? {} : { payload } });

                expect([response.statusCode, String(jsonOf(response)['message']).slice(0, start.length)]).to.equal([status, start]);
            });
        }
    }

    it('say that the service is read-only', async () => {

        const design = jsonOf(await service.asAdmin('GET /objects/design'));
        await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, isReadOnly: true }) });
        const response = await service.asAdmin(CREATE, { payload: '{}' });
        await service.asAdmin('PUT /objects/design', { payload: JSON.stringify(design) });

        expect([response.statusCode, jsonOf(response)['message']]).to.equal([400, 'Cordra is read-only']);
    });
});
