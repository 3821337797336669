import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { More, RecordingServer } from '../../support/recorder.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { recordingServer } from '../../support/recorder.js';
import { multipart } from '../../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

interface Expected {
    readonly operationId: string;
    readonly targetId?: string;
    readonly attributes?: JsonObject;
    readonly input?: JsonValue[];
}

describe('the REST interface', () => {

    let server: RecordingServer;
    before(async () => {

        server = await recordingServer();
    });
    beforeEach(() => server.recorder.reset());

    const search = { pageNum: 0, pageSize: -1, type: 'full', includeScore: false, includeVersions: false };
    const content = { attributes: { content: { a: 1 } } };
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const body = { payload: '{"a":1}' };

    const translations: [string, More, Expected][] = [
        ['GET /objects/test/1', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 'test/1' }],
        ['GET /cordra/objects/test/1', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 'test/1' }],
        ['GET /objects/test%2F1', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 'test/1' }],
        ['GET /objects/test/a+b%20%C3%BC%3F%25', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 'test/a+b ü?%' }],
        ['GET /objects/test/a/b/', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 'test/a/b/' }],
        ['GET /objects/design', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 'design' }],
        ['GET /objects/t/1?jsonPointer=/a', {},
            { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1', attributes: { jsonPointer: '/a' } }],
        ['GET /objects/t/1?jsonPointer=/id&full', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1' }],
        ['GET /objects/t/1?filter=["/id"]', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1' }],
        ['GET /objects/t/1?payload=p%20q&jsonPointer=/a', {},
            { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1', attributes: { element: 'p q' } }],
        ['GET /objects/t/1?payload=p', { headers: { range: 'bytes=2-5' } },
            { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1', attributes: { element: 'p', range: { start: 2, end: 5 } } }],
        ['GET /objects/t/1?payload=p', { headers: { range: '' } },
            { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1', attributes: { element: 'p' } }],
        ['GET /objects/t/1', { headers: { range: 'bytes=0-1' } }, { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1' }],
        ['GET /objects/t/1?unknown=1&unknown=2', {}, { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1' }],
        ['GET /objects/t/1?requestContext={%22a%22:[1]}', {},
            { operationId: '0.DOIP/Op.Retrieve', targetId: 't/1', attributes: { requestContext: { a: [1] } } }],

        ['POST /objects?type=Doc%20T', body,
            { operationId: '0.DOIP/Op.Create', input: [{ type: 'Doc T' }, content] }],
        ['POST /objects/?type=T&dryRun&suffix=s', body,
            { operationId: '0.DOIP/Op.Create', attributes: { dryRun: true, suffix: 's' }, input: [{ type: 'T' }, content] }],
        ['POST /objects/?type=T&suffix=s&handle=a/b%20c', { ...body, headers: { 'content-type': 'text/json' } },
            { operationId: '0.DOIP/Op.Create', input: [{ type: 'T', id: 'a/b c' }, content] }],
        ['POST /objects?type=T', {}, { operationId: '0.DOIP/Op.Create', input: [{ type: 'T' }] }],
        ['POST /objects?type=T', { ...form, payload: 'json={"a":1}&acl={"readers":[]}' },
            { operationId: '0.DOIP/Op.Create',
                input: [{ type: 'T' }, content, { attributes: { acl: { readers: [] } } }] }],
        ['POST /objects', { ...form, payload: 'query=a+b&pageSize=2' },
            { operationId: '0.DOIP/Op.Search', attributes: { ...search, query: 'a b', pageSize: 2 } }],

        ['PUT /objects/t/1', { ...body, headers: { 'content-type': 'text/plain;charset=UTF-8' } },
            { operationId: '0.DOIP/Op.Update', targetId: 't/1', input: [{}, content] }],
        ['PUT /objects/t/1?type=U&handle=t/1&dryRun=true&payloadToDelete=a&payloadToDelete=b', body,
            { operationId: '0.DOIP/Op.Update', targetId: 't/1', input: [{ type: 'U' }, content],
                attributes: { dryRun: true, elementsToDelete: ['a', 'b'] } }],
        ['PUT /objects/t/1?jsonPointer=/a/0', { payload: ' "x"' },
            { operationId: '0.DOIP/Op.Update', targetId: 't/1', input: [{}, { attributes: { contentAtPointer: 'x' } }],
                attributes: { jsonPointer: '/a/0' } }],
        ['PUT /objects/t/1?jsonPointer=/a', multipart({ name: 'content', value: 'null' }),
            { operationId: '0.DOIP/Op.Update', targetId: 't/1', input: [{}, { attributes: { contentAtPointer: null } }],
                attributes: { jsonPointer: '/a' } }],

        ['DELETE /objects/t/1', {}, { operationId: '0.DOIP/Op.Delete', targetId: 't/1' }],
        ['DELETE /objects/t/1?jsonPointer=/a', {},
            { operationId: '0.DOIP/Op.Update', targetId: 't/1', attributes: { deletePointer: '/a' } }],
        ['DELETE /objects/t/1?payload=p', {},
            { operationId: '0.DOIP/Op.Update', targetId: 't/1', attributes: { elementsToDelete: ['p'] } }],

        ['GET /objects?query=x', {}, { operationId: '0.DOIP/Op.Search', attributes: { ...search, query: 'x' } }],
        ['GET /objects/?queryJson={}', {}, { operationId: '0.DOIP/Op.Search', attributes: { ...search, queryJson: {} } }],
        ['GET /search?query=x&ids', {}, { operationId: '0.DOIP/Op.Search', attributes: { ...search, query: 'x', type: 'id' } }],
        ['POST /search/', { payload: '{"query":"x","pageSize":5,"filter":["/id"]}' },
            { operationId: '0.DOIP/Op.Search', attributes: { ...search, query: 'x', pageSize: 5 } }],
        ['POST /search?requestContext={}', { payload: '{"query":"x"}' },
            { operationId: '0.DOIP/Op.Search', attributes: { ...search, query: 'x', requestContext: {} } }],
        ['POST /search', { ...form, payload: 'query=x&includeScore=true' },
            { operationId: '0.DOIP/Op.Search', attributes: { ...search, query: 'x', includeScore: true } }],

        ['GET /acls/t/1', {}, { operationId: 'gateway/Op.Acls.Get', targetId: 't/1' }],
        ['PUT /acls/t/1?type=x&full', { payload: '{"readers":[]}' },
            { operationId: 'gateway/Op.Acls.Update', targetId: 't/1', input: [{ readers: [] }] }],
        ['POST /acls/t/1', { payload: '{}' }, { operationId: 'gateway/Op.Acls.Update', targetId: 't/1', input: [{}] }],

        ['GET /schemas', {}, { operationId: 'gateway/Op.Schemas.List' }],
        ['GET /schemas/', {}, { operationId: 'gateway/Op.Schemas.List' }],
        ['GET /schemas/Digital%20Specimen', {}, { operationId: 'gateway/Op.Schemas.Get', attributes: { type: 'Digital Specimen' } }],
        ['PUT /schemas/T', { payload: '{"type":"object"}' },
            { operationId: 'gateway/Op.Schemas.Update', attributes: { type: 'T' }, input: [{ type: 'object' }] }],
        ['DELETE /schemas/T', {}, { operationId: 'gateway/Op.Schemas.Delete', attributes: { type: 'T' } }],

        ['GET /design', {}, { operationId: '20.DOIP/Op.GetDesign' }],
        ['GET /initData/', {}, { operationId: '20.DOIP/Op.GetInitData' }],
        ['GET /startupStatus', {}, { operationId: 'gateway/Op.StartupStatus' }],
        ['PUT /adminPassword', { payload: '{\n"password":"x"}' }, { operationId: 'gateway/Op.ChangeAdminPassword', input: [{ password: 'x' }] }],
        ['PUT /users/this/password', { payload: '{"x":1}', headers: { 'content-type': 'application/json' } },
            { operationId: '20.DOIP/Op.ChangePassword', input: [{ password: '{"x":1}' }] }],
        ['POST /updateHandles', {}, { operationId: 'gateway/Op.Handles.Update' }],
        ['GET /api/handles/t/a%20b?index=1&index=2&type=URL&auth=true&cert&pretty', {},
            { operationId: 'gateway/Op.Handles.Resolve', targetId: 't/a b', attributes: { index: ['1', '2'], type: ['URL'] } }],
        ['GET /cordra/hdl/t/1?locatt=view:ui', {}, { operationId: 'gateway/Op.Handles.Locate', targetId: 't/1', attributes: { view: 'ui' } }],
        ['GET /hdl/t/1?locatt=id:1', {}, { operationId: 'gateway/Op.Handles.Locate', targetId: 't/1' }],
        ['GET /hdl/t/1?noredirect&locatt=view:ui', {},
            { operationId: 'gateway/Op.Handles.Locate', targetId: 't/1', attributes: { view: 'record' } }],
        ['GET /updateHandles', {}, { operationId: 'gateway/Op.Handles.Status' }],
        ['PUT /uploadObjects?deleteCurrentObjects', { payload: '[]', headers: { 'content-type': 'text/plain' } },
            { operationId: 'gateway/Op.UploadObjects', attributes: { deleteCurrentObjects: true },
                input: [{ text: '[]', mediaType: 'application/json' }] }],
        ['POST /reindexBatch?lockObjects=True&all=True', { payload: 'null' },
            { operationId: '20.DOIP/Op.ReindexBatch', attributes: { lockObjects: true, all: true } }],
        ['POST /reindexBatch?lockObjects=false', { payload: '["t/1"]' },
            { operationId: '20.DOIP/Op.ReindexBatch', attributes: { lockObjects: false, all: false }, input: [['t/1']] }],

        ['GET /versions?objectId=t/1', {}, { operationId: '20.DOIP/Op.Versions.Get', targetId: 't/1' }],
        ['POST /versions/?objectId=t/1', {},
            { operationId: '20.DOIP/Op.Versions.Publish', targetId: 't/1', attributes: { clonePayloads: true } }],
        ['POST /versions/?objectId=t/1&versionId=t/2&clonePayloads', {},
            { operationId: '20.DOIP/Op.Versions.Publish', targetId: 't/1', attributes: { clonePayloads: false, versionId: 't/2' } }],
        ['POST /versions/?objectId=t/1&clonePayloads=false', {},
            { operationId: '20.DOIP/Op.Versions.Publish', targetId: 't/1', attributes: { clonePayloads: false } }],
        ['POST /versions/?objectId=t/1&clonePayloads=true', {},
            { operationId: '20.DOIP/Op.Versions.Publish', targetId: 't/1', attributes: { clonePayloads: true } }],
        ['GET /relationships/t/1?outboundOnly', {},
            { operationId: '20.DOIP/Op.Relationships.Get', targetId: 't/1', attributes: { outboundOnly: true } }],

        ['GET /call?objectId=t/1&method=m&params=[1]', {},
            { operationId: 'gateway/Op.Call', targetId: 't/1', attributes: { method: 'm', params: [1], attributes: {} } }],
        ['POST /call/?type=T&method=a/b&attributes={%22x%22:1}&attributes.y.z=true&attributes.s=text',
            { payload: '{"p":1}', headers: { 'content-type': 'application/json' } },
            { operationId: 'gateway/Op.Call', attributes: { type: 'T', method: 'a/b', attributes: { x: 1, y: { z: true }, s: 'text' } },
                input: [{ text: '{"p":1}', mediaType: 'application/json' }] }],
        ['POST /cordra/call?objectId=t/1&method=m&attributes.requestContext={%22c%22:1}',
            { payload: 'bytes', headers: { 'content-type': 'image/png', 'content-disposition': 'attachment;filename="a.png"' } },
            { operationId: 'gateway/Op.Call', targetId: 't/1', attributes: { method: 'm', attributes: { requestContext: { c: 1 } }, requestContext: { c: 1 } },
                input: [{ text: 'bytes', mediaType: 'image/png', filename: 'a.png' }] }],
        ['POST /call?objectId=t/1&method=m', {},
            { operationId: 'gateway/Op.Call', targetId: 't/1', attributes: { method: 'm', attributes: {} } }],
        ['GET /listMethods/?type=T&static', {},
            { operationId: 'gateway/Op.ListMethods', attributes: { type: 'T', static: true } }],
        ['GET /listMethods?objectId=t/1', {},
            { operationId: 'gateway/Op.ListMethods', targetId: 't/1', attributes: { static: false } }],

        ['POST /batchUpload', { payload: '[]' },
            { operationId: '20.DOIP/Op.BatchUpload', attributes: { failFast: false, parallel: true },
                input: [{ text: '[]', mediaType: 'application/json' }] }],
        ['POST /batchUpload?format=ndjson&failFast=true&parallel=false', { payload: '{}\n{}' },
            { operationId: '20.DOIP/Op.BatchUpload',
                attributes: { format: 'ndjson', failFast: true, parallel: false },
                input: [{ text: '{}\n{}', mediaType: 'application/x-ndjson' }] }],

        ['POST /auth/token?full=true', { payload: '{"username":"u","password":"p"}' },
            { operationId: '20.DOIP/Op.Auth.Token', attributes: { full: true }, input: [{ username: 'u', password: 'p' }] }],
        ['POST /auth/token', { ...form, payload: 'grant_type=password&username=u+v&password=%26&x=1' },
            { operationId: '20.DOIP/Op.Auth.Token', attributes: { full: false },
                input: [{ grant_type: 'password', username: 'u v', password: '&' }] }],
        ['POST /auth/introspect', { ...form, payload: 'token=t' },
            { operationId: '20.DOIP/Op.Auth.Introspect', attributes: { full: false }, input: [{ token: 't' }] }],
        ['GET /auth/keys?userId=t/1&pageSize=5', {},
            { operationId: 'gateway/Op.Keys.List', attributes: { userId: 't/1', all: false, pageSize: 5 } }],
        ['GET /auth/keys/?all&after=ab', {}, { operationId: 'gateway/Op.Keys.List', attributes: { all: true, after: 'ab' } }],
        ['POST /auth/keys', { payload: '{"name":"n"}' }, { operationId: 'gateway/Op.Keys.Create', input: [{ name: 'n' }] }],
        ['DELETE /auth/keys/0123456789abcdef', {}, { operationId: 'gateway/Op.Keys.Revoke', attributes: { keyId: '0123456789abcdef' } }],
        ['POST /auth/revoke', { payload: '{"token":"t"}' },
            { operationId: '20.DOIP/Op.Auth.Revoke', attributes: { full: false }, input: [{ token: 't' }] }],
        ['GET /check-credentials?full=true', {}, { operationId: '20.DOIP/Op.CheckCredentials', attributes: { full: true } }],
        ['POST /check-credentials', {}, { operationId: '20.DOIP/Op.CheckCredentials', attributes: { full: false } }]
    ];
    for (const [line, options, expected] of translations) {
        it(`translates ${line}`, async () => {

            const response = await server.inject(line, options);
            const [request] = server.recorder.requests;

            expect(response.statusCode, response.payload).to.equal(200);
            expect<unknown>({
                operationId: request?.operationId, targetId: request?.targetId, attributes: request?.attributes, safe: request?.safe,
                input: server.recorder.inputs
            }).to.equal({ targetId: 'service', attributes: {}, input: [], safe: line.startsWith('GET ') || undefined, ...expected });
        });
    }
});
