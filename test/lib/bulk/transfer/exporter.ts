/** An export is complete, or says that it is not. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesOf, bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { DamagedBlobError, type ElementStore } from '../../../../lib/stores/blobs/element-store.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { gather } from '../../../support/bytes.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, type Answer, envelope, startGateway, type TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`an export on ${name}`, () => {

        let place: TestDatabase;
        let gateway: TestGateway;
        /** Called while an upload stores the object `test/new`. */
        let onUpload: () => Promise<unknown>;

        before(async () => {

            place = await create();
            const waiting: ElementStore = {
                write: async () => void await onUpload(), async *read() {}, remove: () => Promise.resolve(), list: () => Promise.resolve([])
            };
            gateway = await startGateway(place, { elementStores: { waiting }, storageChooser: () => 'waiting' });
            for (let n = 0; n < 20; ++n) {
                await gateway.create('Document', { text: 'x'.repeat(10_000) }, { id: `test/${n}` });
            }
        });

        after(async () => {

            await gateway.stop();
            await place.dispose();
        });

        /** Begins an export, and reads the first part of it. */
        const begin = async (): Promise<AsyncGenerator<Uint8Array>> => {

            const { output } = await gateway.gateway.perform(envelope(Op.exportObjects, { authentication: ADMIN }));
            const body = bytesOf(output)[Symbol.asyncIterator]() as AsyncGenerator<Uint8Array>;
            expect(Buffer.from((await body.next()).value as Uint8Array).toString()).to.startWith('{"export":1');
            return body;
        };

        /** Uploads, and does something meanwhile. */
        const upload = async (meanwhile: () => Promise<unknown>): Promise<void> => {

            onUpload = meanwhile;
            const input = [{ id: 'test/new', type: 'Document', content: {}, payloads: [{ name: 'p', base64Payload: '' }] }];
            expect((await gateway.asAdmin(Op.uploadObjects, { input })).status).to.equal('0.DOIP/Status.001');
        };

        it('is refused while an upload of objects is in progress', async () => {

            const answers: Answer[] = [];
            await upload(async () => answers.push(await gateway.asAdmin(Op.exportObjects)));

            expect(answers.map(({ http, value }) => [http, value as object])).to.equal([[503, { message: 'an upload of objects is in progress, try again later' }]]);
            expect(String((await gateway.asAdmin(Op.exportObjects)).output[0])).to.match(/\{"end":true,"objects":\d+\}\n$/);
        });

        it('has no last line when an upload of objects has begun meanwhile', async () => {

            const body = await begin();
            const errors: string[] = [];
            await upload(async () => errors.push(await gather(body).then(() => '', (error: Error) => error.message)));

            expect(errors).to.equal(['an upload of objects is in progress, try again later']);
        });

        it('has no last line when an upload of objects has begun and ended meanwhile', async () => {

            const body = await begin();
            await upload(() => Promise.resolve());

            await expect(gather(body)).to.reject(/^objects were uploaded during the export, which is not complete$|^an upload of objects is in progress/);
        });

        it('is complete beside other changes', async () => {

            const body = await begin();
            await gateway.create('Schema', { identifier: '', name: 'Late', schema: {} });
            await gateway.create('Document', {});

            expect((await gather(body)).toString()).to.match(/\{"end":true,"objects":\d+\}\n$/);
        });
    });

    describe(`an export of damaged payloads on ${name}`, () => {

        let place: TestDatabase;
        let gateway: TestGateway;
        /** The error that ends the reading of a payload after a number of bytes. */
        let isRotted = false;
        let fault: (blobId: number) => Error = (blobId) => new DamagedBlobError(blobId, 'a test has damaged it');

        before(async () => {

            place = await create();
            const stored = new Map<number, Buffer>();
            const failing: ElementStore = {
                write: async (blobId, body) => void stored.set(blobId, await gather(body)),
                async *read(blobId, range) {

                    const bytes = stored.get(blobId) ?? Buffer.alloc(0);
                    const at = bytes.indexOf('!');
                    const found = bytes.subarray(range.start, at === -1 ? range.end + 1 : at);
                    yield isRotted ? Buffer.from(found.toString().replace('sound', 'sOund')) : found;
                    if (at !== -1) {
                        await Promise.reject(fault(blobId));
                    }
                },
                remove: () => Promise.resolve(), list: () => Promise.resolve([])
            };
            gateway = await startGateway(place, { elementStores: { failing }, storageChooser: () => 'failing' });
            for (const [id, payloads] of Object.entries(PAYLOADS)) {
                const elements = Object.keys(payloads).map((element) => ({ id: element }));
                const bytes = Object.entries(payloads).flatMap(([element, text]) => [jsonSegment({ id: element }), bytesSegment(Buffer.from(text))]);
                await gateway.asAdmin('0.DOIP/Op.Create', { input: [jsonSegment({ id, type: 'Document', attributes: { content: {} }, elements }), ...bytes] });
            }
        });

        after(async () => {

            await gateway.stop();
            await place.dispose();
        });

        it('has their objects, a line for each of them, and their number in the last line', async () => {

            const lines = String((await gateway.asAdmin(Op.exportObjects)).output[0]).trimEnd().split('\n').map((line) => JSON.parse(line) as JsonObject);
            const first = lines.findIndex(({ id }) => id === 'test/large');
            const shapes = lines.slice(first, -1).map(({ id, elements, element, base64, damaged, object }) => (id === undefined ?
                { element, ...base64 === undefined ? { damaged, object } : { bytes: Buffer.from(base64 as string, 'base64').byteLength } } :
                { id, inline: (elements as JsonObject[]).filter(({ base64Element }) => base64Element !== undefined).map((each) => each['id']) }));

            expect<unknown>(shapes).to.equal([
                { id: 'test/large', inline: [] },
                { element: 'begun', bytes: 196_608 }, { element: 'begun', damaged: true, object: 'test/large' }, { element: 'whole', bytes: 20_000 },
                { id: 'test/small', inline: ['good', 'late'] }, { element: 'bad', damaged: true, object: 'test/small' },
                { id: 'test/sound', inline: ['p'] }
            ]);
            expect<unknown>(lines.at(-1)).to.equal({ end: true, objects: lines.filter(({ id }) => id !== undefined).length, damaged: 2 });
        });

        it('does not pass on bytes that have changed where their hash is known', async () => {

            await gateway.create('Schema', { name: 'Hashed', schema: { type: 'object' }, hashObject: true });
            for (const [id, size] of [['test/rotted-small', 10], ['test/rotted-large', 100_000]] as const) {
                await gateway.asAdmin('0.DOIP/Op.Create', { input: [
                    jsonSegment({ id, type: 'Hashed', attributes: { content: {} }, elements: [{ id: 'p' }] }), jsonSegment({ id: 'p' }),
                    bytesSegment(Buffer.from(`${'z'.repeat(size)}sound`))
                ] });
            }

            const damages = async (): Promise<string[]> => String((await gateway.asAdmin(Op.exportObjects)).output[0])
                .split('\n').filter((line) => line.startsWith('{"damaged"') && line.includes('rotted')).toSorted();
            const before = await damages();
            isRotted = true;
            const after = await damages();
            isRotted = false;

            expect(before).to.equal([]);
            expect(after).to.equal(['large', 'small'].map((size) => `{"damaged":true,"element":"p","object":"test/rotted-${size}"}`));
        });

        it('ends where a store does not answer', async () => {

            fault = () => new Error('the store does not answer');
            const { output } = await gateway.gateway.perform(envelope(Op.exportObjects, { authentication: ADMIN }));

            await expect(gather(bytesOf(output))).to.reject();
        });
    });
});

/** Payloads by object. Reading ends at an exclamation mark. */
const PAYLOADS = {
    'test/large': { begun: `${'x'.repeat(300_000)}!${'x'.repeat(300_000)}`, whole: 'y'.repeat(20_000) },
    'test/small': { good: 'good', bad: 'bad!', late: 'late' },
    'test/sound': { p: 'sound' }
};
