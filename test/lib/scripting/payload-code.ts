/** Type code that has its say in payloads. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import { SCRIPT_LIMITS, type TestGateway } from '../../support/gateway.js';
import type { ElementStore } from '../../../lib/stores/blobs/element-store.js';
import { bytesSegment, jsonSegment, readBytes } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import { contentOf, defineType, startNodes, type Nodes } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const BAD = '0.DOIP/Status.101';
const CREATE = '0.DOIP/Op.Create';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';

/** A place for bytes that never lets go of any. */
class FrailStore implements ElementStore {

    async write(_blobId: number, body: AsyncIterable<Uint8Array>): Promise<void> {

        await readBytes(body, 1000);
    }

    async *read(): AsyncGenerator<Uint8Array> {}

    remove(): Promise<void> {

        return Promise.reject(new Error('the disk is read-only'));
    }

    list(): Promise<number[]> {

        return Promise.resolve([]);
    }
}

forEachDatabase((name, create) => {

    describe(`type code for payloads, on ${name}`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        const frail = new FrailStore();
        const log: string[] = [];

        before(async () => {

            nodes = await startNodes(create, {
                elementStores: { frail },
                scripts: { ...SCRIPT_LIMITS, maxMessageBytes: 1_000_000 },
                storageChooser: (_object, { place }) => (place === 'frail' ? 'frail' : 'database'),
                log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) })
            });
            ({ node } = nodes);
        });

        after(() => nodes.stop());

        it('removes and renames payloads that were just sent', async () => {

            await defineType(node, 'Filing', `
                exports.beforeSchemaValidation = (object, context) => {
                    if (object.content.invent) { object.payloads = [...object.payloads ?? [], { name: 'invented' }]; }
                    object.payloads = object.payloads?.filter(({ name }) => name !== 'draft')
                        .map((payload) => ({ ...payload, filename: 'file.txt', mediaType: 'text/plain' }));
                };
            `);
            const send = (id: string, names: readonly string[]) => names.flatMap((each) => [
                jsonSegment({ id: each, filename: `${id}.bin` }), bytesSegment(Buffer.from(each))
            ]);

            await node.asAdmin(CREATE, {
                input: [jsonSegment({ id: 'test/filing', type: 'Filing', attributes: { content: {} } }), ...send('one', ['a', 'draft'])]
            });
            const updated = await node.asAdmin(UPDATE, { targetId: 'test/filing', input: [jsonSegment({ attributes: { content: {} } }), ...send('two', ['b'])] });
            const invented = await node.asAdmin(UPDATE, { targetId: 'test/filing', input: { attributes: { content: { invent: true } } } });

            const elements = (updated.value as { elements: { id: string; attributes: { filename: string } }[] }).elements;
            expect(elements.map(({ id, attributes: { filename } }) => [id, filename])).to.equal([['a', 'file.txt'], ['b', 'file.txt']]);
            expect(invented.status).to.equal(BAD);
        });

        it('replaces the bytes of a payload', async () => {

            await defineType(node, 'Veiled', `
                exports.onPayloadResolution = (object, context) => {
                    if (context.payload === 'none') { throw 'nothing for you'; }
                    if (context.requestContext) { context.directIo.writeOutputUint8Array(new Uint8Array(0)); return; }
                    if (context.userId === undefined) {
                        context.directIo.setOutputMediaType('text/plain');
                        context.directIo.setOutputFilename('veil.txt');
                        context.directIo.writeOutputString('a veil over ' + context.payload);
                    }
                };
            `);
            await node.asAdmin(CREATE, {
                input: [
                    jsonSegment({ id: 'test/veiled', type: 'Veiled', attributes: { content: {} } }),
                    jsonSegment({ id: 'scan' }), bytesSegment(Buffer.from('the scan')), jsonSegment({ id: 'none' }), bytesSegment(Buffer.from('x')),
                    jsonSegment({ id: 'empty' }), bytesSegment(Buffer.alloc(0))
                ]
            });

            const admin = await node.asAdmin(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'scan' } });
            const other = await node.perform(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'scan' } });
            const blank = await node.perform(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'scan', requestContext: { blank: true } } });
            const refused = await node.perform(RETRIEVE, { targetId: 'test/veiled', attributes: { element: 'none' } });
            // Ranges are those of the stored bytes, so that one of an empty payload does not apply to what replaces it.
            const empty = { targetId: 'test/veiled', attributes: { element: 'empty', range: { start: 0 } } };
            const filled = await node.perform(RETRIEVE, empty);
            const outside = await node.asAdmin(RETRIEVE, empty);

            expect([admin.value, other.value, blank.value, filled.value]).to.equal(['the scan', 'a veil over scan', '', 'a veil over empty']);
            expect([outside.status, outside.http]).to.equal([BAD, 416]);
            expect(other.attributes).to.include({ mediaType: 'text/plain', filename: 'veil.txt' });
            expect([refused.status, refused.http]).to.equal([BAD, 403]);
        });

        it('gets the length of a payload that is too long, which is not read', async () => {

            await defineType(node, 'Long', `
                const cordra = require('cordra');
                exports.methods = { read: (object, { params }) => {
                    try { return cordra[params](object.id, 'long'); } catch (error) { return [error.responseCode, error.message]; }
                } };
            `);
            const bytes = 1_000_001;
            await node.asAdmin(CREATE, {
                input: [
                    jsonSegment({ id: 'test/long', type: 'Long', attributes: { content: {} } }), jsonSegment({ id: 'long' }), bytesSegment(Buffer.alloc(bytes, 'x'))
                ]
            });
            const told: unknown[] = [];
            for (const params of ['getPayloadAsString', 'getPayloadAsJson', 'getPayloadAsUint8Array']) {
                told.push((await node.asAdmin('gateway/Op.Call', { targetId: 'test/long', attributes: { method: 'read', params } })).value);
            }

            const message = `payload long of test/long has ${bytes} bytes: a script can be given at most ${bytes - 1} at a time`;
            expect<unknown>(told).to.equal([[400, message], [400, message], [400, message]]);
        });

        it('stores an object even when bytes that it removed cannot be deleted', async () => {

            await defineType(node, 'Dropping', 'exports.beforeSchemaValidation = (object) => { object.payloads = []; };');

            const answer = await node.asAdmin(CREATE, {
                attributes: { requestContext: { place: 'frail' } },
                input: [
                    jsonSegment({ id: 'test/dropped', type: 'Dropping', attributes: { content: { a: 1 } } }),
                    jsonSegment({ id: 'gone' }), bytesSegment(Buffer.from('x'))
                ]
            });

            expect<unknown>(contentOf(answer)).to.equal({ id: 'test/dropped', a: 1 });
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: 'test/dropped' }))).to.equal({ id: 'test/dropped', a: 1 });
            expect(log.filter((line) => line.includes('the disk is read-only'))).to.have.length(1);
        });
    });
});
