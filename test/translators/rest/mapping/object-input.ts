import type { More, RecordingServer } from '../../../support/recorder.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { recordingServer } from '../../../support/recorder.js';
import { jsonOf, multipart } from '../../../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach } = lab;

describe('the body of a multipart create', () => {

    let server: RecordingServer;
    before(async () => {

        server = await recordingServer();
    });
    beforeEach(() => server.recorder.reset());

    it('may have its parts in any order, and passes payloads on unchanged', async () => {

        const { payload, headers } = multipart(
            { name: 'file', value: 'bytes\r\n--x', filename: 'ü.txt', type: 'text/plain' },
            { name: 'content', value: '{"a":1}', filename: 'content' },
            { name: 'empty', value: '', filename: '' },
            { name: 'acl', value: '{"readers":["public"]}' },
            { name: 'unknown', value: 'ignored' },
            { name: 'nameless', value: 'bytes', type: 'application/octet-stream' },
            { name: 'userMetadata', value: '{"b":2}', type: 'application/json' },
            { name: 'json', value: '{"a":1}' },
            { name: 'handle', value: 't/1' });

        const response = await server.inject('POST /objects?type=T', { payload, headers });

        expect(response.statusCode).to.equal(200);
        expect(server.recorder.inputs).to.equal([
            { type: 'T' },
            { attributes: {}, elements: [{ id: 'file', type: 'text/plain', attributes: { filename: 'ü.txt' } }] },
            { id: 'file' },
            { text: 'bytes\r\n--x', mediaType: 'text/plain', filename: 'ü.txt' },
            { attributes: {}, elements: [{ id: 'content', attributes: { filename: 'content' } }] },
            { id: 'content' },
            { text: '{"a":1}', filename: 'content' },
            { attributes: {}, elements: [{ id: 'empty', attributes: { filename: '' } }] },
            { id: 'empty' },
            { text: '' },
            { attributes: { acl: { readers: ['public'] } } },
            { attributes: {}, elements: [{ id: 'nameless', type: 'application/octet-stream' }] },
            { id: 'nameless' },
            { text: 'bytes', mediaType: 'application/octet-stream' },
            { attributes: { userMetadata: { b: 2 } } },
            { attributes: { content: { a: 1 } } },
            { id: 't/1', attributes: {} }
        ]);
    });

    it('may name payloads to delete repeatedly, and never another id', async () => {

        const { payload, headers } = multipart(
            { name: 'payloadToDelete', value: 'a' },
            { name: 'content', value: '{}' },
            { name: 'handle', value: 't/other' },
            { name: 'payloadToDelete', value: 'b' },
            { name: 'acl', value: 'null' });

        await server.inject('PUT /objects/t/1', { payload, headers });

        expect(server.recorder.inputs).to.equal([
            {},
            { attributes: { elementsToDelete: ['a'] } },
            { attributes: { elementsToDelete: ['b'] } },
            { attributes: { acl: null } },
            { attributes: { content: {} } }
        ]);
    });

    const faults: [string, More, RegExp][] = [
        ['an ACL that is not JSON', multipart({ name: 'content', value: '{}' }, { name: 'acl', value: '{' }), /^Invalid ACL format/],
        ['user metadata that is not JSON', multipart({ name: 'userMetadata', value: 'x' }), /^Invalid userMetadata format/],
        ['content that is not JSON', multipart({ name: 'content', value: '{"a":}' }), /^part content is malformed at line 1, column 6/],
        ['content twice', multipart({ name: 'content', value: '{}' }, { name: 'json', value: '{}' }), /part content is given more than once/],
        ['two ACLs', multipart({ name: 'acl', value: '{}' }, { name: 'acl', value: '{}' }), /part acl is given more than once/],
        ['a body that breaks off', { ...multipart({ name: 'content', value: '{}' }), payload: '--boundary-of-the-test\r\n' }, /multipart/],
        ['a file name that cannot be read', {
            payload: '--b\r\nContent-Disposition: form-data; name="p"; filename="a "b".txt"\r\n\r\nx\r\n--b--',
            headers: { 'content-type': 'multipart/form-data; boundary=b' }
        }, /file name that cannot be read/],
        ['no boundary', { payload: 'x', headers: { 'content-type': 'multipart/form-data' } }, /boundary/],
        ['JSON that breaks off', { payload: '{"a":' }, /^JSON is malformed at line 1/],
        ['JSON in another encoding', { payload: Buffer.from([0x22, 0xff, 0x22]) }, /UTF-8/],
        ['a repeated property', { payload: '{"a":1,"a":2}' }, /a/],
        ['a prototype', { payload: '{"__proto__":{}}' }, /__proto__/]
    ];
    for (const [title, options, message] of faults) {
        it(`is rejected for ${title}`, async () => {

            const response = await server.inject('POST /objects?type=T', options);

            expect(response.statusCode).to.equal(400);
            expect(jsonOf(response)['message']).to.match(message);
        });
    }
});
