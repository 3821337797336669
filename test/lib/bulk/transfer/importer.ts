/** An import gives back what an export wrote, digit for digit, and tells when something of it is missing. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { TestDatabase } from '../../../support/database.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { parseJson } from '../../../../lib/json/strict-parser.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { bytesSegment, jsonSegment } from '../../../../lib/doip/segments.js';
import { forEachDatabase } from '../../../support/database.js';
import { startGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Numbers that JavaScript would write otherwise. */
const NUMBERS = '{"price":1.10,"count":9007199254740993,"zero":-0,"tiny":1e-400,"power":1E+2,"list":[1.0,[0.10,{"deep":2.50}],3],"digits":0.1234567890123456789}';

forEachDatabase((name, create) => {

    describe(`an import on ${name}`, () => {

        let places: TestDatabase[];
        let source: TestGateway;
        let target: TestGateway;
        let exported: string;

        before(async () => {

            places = [await create(), await create()];
            [source, target] = await Promise.all(places.map((place) => startGateway(place))) as [TestGateway, TestGateway];
            const numbers = parseJson(NUMBERS) as JsonObject;
            const schema = parseJson('{"properties":{"price":{"maximum":1.50E1}}}');
            await source.create('Schema', { identifier: '', name: 'Priced', schema }, { id: 'test/priced' });
            await source.create('Priced', numbers, { id: 'test/odd', attributes: { userMetadata: numbers } });
            await source.asAdmin('20.DOIP/Op.Versions.Publish', { targetId: 'test/odd', attributes: { versionId: 'test/odd-1' } });
            exported = await exportOf(source);
        });

        after(async () => {

            await Promise.all([source.stop(), target.stop()]);
            await Promise.all(places.map((place) => place.dispose()));
        });

        const exportOf = async (gateway: TestGateway): Promise<string> => String((await gateway.asAdmin(Op.exportObjects)).output[0]);

        const importInto = (gateway: TestGateway, text: string, attributes: JsonObject = {}): Promise<Answer> => (
            gateway.asAdmin(Op.importObjects, { attributes, input: [bytesSegment(Buffer.from(text), { mediaType: 'application/x-ndjson' })] })
        );

        const lineOf = (text: string, id: string): string => (
            text.split('\n').find((line) => line.startsWith(`{"id":"${id}"`))?.replace(/"txnId":\d+/, '') ?? ''
        );

        it('keeps the text of numbers from one service to the next', async () => {

            const { value } = await importInto(target, exported);
            const again = await importInto(target, exported);
            const back = await exportOf(target);

            expect(value as object).to.include({ success: true });
            expect(again.value as object).to.include({ success: true, created: 0, updated: 0 });
            expect(lineOf(back, 'test/odd')).to.include([`"content":${NUMBERS}`, `"userMetadata":${NUMBERS}`]);
            expect(lineOf(back, 'test/priced')).to.include('{"maximum":1.50E1}');
            for (const id of ['test/odd', 'test/odd-1', 'test/priced']) {
                expect(lineOf(back, id), id).to.equal(lineOf(exported, id));
            }
        });

        it('treats a different text of a number as a change', async () => {

            await importInto(target, exported);

            const { value } = await importInto(target, exported.replace('"price":1.10', '"price":1.1'));

            expect((value as { updated: number }).updated).to.equal(1);
        });

        it('replaces what was changed here later only where that is wanted', async () => {

            await source.create('Document', { name: 'exported' }, { id: 'test/later' });
            const text = await exportOf(source);
            await importInto(target, text);
            await target.asAdmin('0.DOIP/Op.Update', { targetId: 'test/later', input: { attributes: { content: { id: '', name: 'edited' } } } });
            const content = async (): Promise<unknown> => (await target.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/later', attributes: { jsonPointer: '/name' } })).value;

            const kept = await importInto(target, text);
            const [first, results] = [await content(), (kept.value as { results: { responseCode: number; response: { id: string; message: string } }[] }).results];
            const replaced = await importInto(target, text, { replace: true });

            expect(first).to.equal('edited');
            expect(kept.value as object).to.include({ success: false, created: 0, updated: 0 });
            expect(results.map(({ responseCode, response: { id } }) => [responseCode, id])).to.equal([[409, 'test/later']]);
            expect(results[0]?.response.message).to.match(/^not stored: the object was changed here on 20\d\d-\S+Z, which is after the one that is imported$/);
            expect(replaced.value as object).to.include({ success: true, updated: 1 });
            expect(await content()).to.equal('exported');
        });

        it('brings back objects that were changed in the source since an earlier import', async () => {

            await source.create('Document', { name: 'one' }, { id: 'test/synced' });
            await importInto(target, await exportOf(source));
            await source.asAdmin('0.DOIP/Op.Update', { targetId: 'test/synced', input: { attributes: { content: { id: '', name: 'two' } } } });

            expect((await importInto(target, await exportOf(source))).value as object).to.include({ success: true, updated: 1 });
        });

        it('stores payloads again whose bytes were lost', async () => {

            const sizes = { 'test/large': 700_000, 'test/small': 10, 'test/whole': 10 };
            for (const [id, size] of Object.entries(sizes)) {
                const elements = [{ id: 'p', type: 'text/plain' }];
                const input = [jsonSegment({ id, type: 'Document', attributes: { content: {} }, elements }), jsonSegment({ id: 'p' }), bytesSegment(Buffer.alloc(size, id))];
                await source.asAdmin('0.DOIP/Op.Create', { input });
            }

            const text = await exportOf(source);
            await importInto(target, text);
            const db = await (places[1] as TestDatabase).open();
            const rows = await db.read<{ object_id: string; blob_id: number }>({ sql: 'select object_id, blob_id from payloads' }, []);
            const blobs = new Map(rows.map((row) => [row.object_id, row.blob_id]));
            await db.blobs.deleteChunks(blobs.get('test/large') ?? 0, 1);
            await db.blobs.deleteChunks(blobs.get('test/small') ?? 0, 1);

            const { value } = await importInto(target, text);

            expect(value as object).to.include({ success: true, created: 0, updated: 2 });
            for (const [targetId, size] of Object.entries(sizes)) {
                const { output } = await target.asAdmin('0.DOIP/Op.Retrieve', { targetId, attributes: { element: 'p' } });
                expect(output.at(-1), targetId).to.equal(Buffer.alloc(size, targetId).toString());
            }

            expect((await importInto(target, text)).value as object).to.include({ success: true, updated: 0 });
        });

        it('brings back payloads whose bytes have changed, where their hash is known', async () => {

            await source.create('Schema', { name: 'Hashed', schema: { type: 'object' }, hashObject: true });
            const input = [jsonSegment({ id: 'test/rotted', type: 'Hashed', attributes: { content: {} }, elements: [{ id: 'p' }] }), jsonSegment({ id: 'p' }), bytesSegment(Buffer.alloc(50_000, 'good'))];
            await source.asAdmin('0.DOIP/Op.Create', { input });
            const text = await exportOf(source);
            await importInto(target, text);
            const db = await (places[1] as TestDatabase).open();
            const [row] = await db.read<{ blob_id: number }>({ sql: 'select blob_id from payloads where object_id = ?' }, ['test/rotted']);
            await db.blobs.deleteChunks(row?.blob_id ?? 0, 1);
            await db.blobs.writeChunk(row?.blob_id ?? 0, 0, Buffer.alloc(50_000, 'evil'));
            await db.blobs.seal(row?.blob_id ?? 0);
            const read = async (): Promise<unknown> => (await target.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/rotted', attributes: { element: 'p' } })).output.at(-1);

            expect(await read()).to.equal(Buffer.alloc(50_000, 'evil').toString());
            expect((await importInto(target, text)).value as object).to.include({ success: true, updated: 1 });
            expect(await read()).to.equal(Buffer.alloc(50_000, 'good').toString());
        });

        const torn = (content: string): string => `{"id":"test/torn","type":"Document","attributes":{"content":{"n":${content}},"metadata":{"createdOn":1}},"elements":[` +
            '{"id":"a","length":4},{"id":"b","base64Element":"Ynl0ZXM="},{"id":"c","length":6}]}\n';
        const c = '{"element":"c","base64":"YnVmZmVy"}\n';
        const mark = '{"damaged":true,"element":"a","object":"test/torn"}\n';
        const next = '{"id":"test/after-torn","type":"Document","attributes":{"content":{},"metadata":{"createdOn":1}}}\n';
        const bytesIn = async (element: string): Promise<unknown> => (
            (await target.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/torn', attributes: { element } })).output.at(-1)
        );
        const without = { id: 'test/torn', message: 'stored without payload a, which is damaged in the export', damaged: ['a'] };
        const damages: [title: string, lines: string][] = [
            ['at their beginning', mark], ['after some bytes', `{"element":"a","base64":"YQ=="}\n${mark}`], ['at their end', `{"element":"a","base64":"YWJjZA=="}\n${mark}`]
        ];
        for (const [title, lines] of damages) {

            it(`stores objects without payloads that are damaged ${title}, and names them`, async () => {

                await target.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/torn' });
                await target.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/after-torn' });
                const text = `{"export":1}\n${torn('1')}${lines}${c}${next}{"end":true,"objects":2,"damaged":1}\n`;
                const { value } = await importInto(target, text);
                const again = await importInto(target, text);

                expect(value as object).to.include({ success: false, created: 2, updated: 0 });
                expect(again.value as object).to.include({ success: false, created: 0, updated: 0, unchanged: 2 });
                for (const answer of [value, again.value]) {
                    expect((answer as { results: object[] }).results).to.equal([{ position: 1, responseCode: 400, response: without }]);
                }

                expect([await bytesIn('b'), await bytesIn('c')]).to.equal(['bytes', 'buffer']);
                expect(JSON.stringify((await target.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/torn' })).value)).to.not.include('"id":"a"');
            });
        }

        it('keeps payloads that are damaged in the export only', async () => {

            const whole = `${torn('1')}{"element":"a","base64":"YWJjZA=="}\n${c}`;
            const first = await importInto(target, whole);
            const same = await importInto(target, `${torn('1')}${mark}${c}`);
            const changed = await importInto(target, `${torn('2')}${mark}${c}`);

            expect(first.value as object).to.include({ success: true });
            expect(same.value as object).to.include({ success: true, unchanged: 1 });
            expect((changed.value as { results: object[] }).results).to.equal([{ position: 0, responseCode: 400, response: {
                ...without, message: 'stored; payload a is damaged in the export, and stays as it is here'
            } }]);
            expect([await bytesIn('a'), await bytesIn('b'), await bytesIn('c')]).to.equal(['abcd', 'bytes', 'buffer']);
            expect((await importInto(target, `${torn('2')}${mark}${c}`)).value as object).to.include({ success: true, unchanged: 1 });
        });

        it('refuses an object whose damaged payload is another than the one that follows', async () => {

            const { value } = await importInto(target, `${torn('3')}${c}${mark}${next}`);

            expect((value as { results: object[] }).results).to.equal([{ position: 0, responseCode: 400, response: {
                message: 'payload a has 0 bytes instead of 4', id: 'test/torn'
            } }]);
        });

        it('reads several concatenated exports', async () => {

            const late = '{"id":"test/late","type":"Document","attributes":{"content":{}}}\n';
            const { value } = await importInto(target, `${exported}{"export":1}\n${late}{"end":true,"objects":1}\n`);

            expect(value as object).to.include({ success: true });
            expect((await target.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/late' })).status).to.equal('0.DOIP/Status.001');
        });

        it('reports each of several concatenated exports that is not complete', async () => {

            const cut = '{"export":1}\n{"id":"test/cut","type":"Document","attributes":{"content":{}}}\n';
            const { value } = await importInto(target, `${cut}${cut.replace('cut', 'second')}${exported}`);

            const { success, results } = value as { success: boolean; results: { position: number; responseCode: number; response: { message: string } }[] };
            const message = 'the export before this line is not complete: its last line is missing';
            expect(success).to.be.false();
            expect(results.map(({ position, response }) => [position, response.message])).to.equal([[2, message], [4, message]]);
            expect((await target.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/second' })).status).to.equal('0.DOIP/Status.001');
        });

        const wrong: [string, (text: string) => string, RegExp][] = [
            ['without its last line', (text) => text.replace(/\{"end".*\n/, ''), /the export is not complete: its last line is missing/],
            ['without an object in the middle', (text) => text.replace(/\{"id":"test\/odd",.*\n/, ''), /^the export is not complete: it has \d+ of \d+ objects$/],
            ['of another version', (text) => text.replace('"export":1', '"export":2'), /an export of version 2 cannot be read here/],
            ['without anything', () => '\n', /^nothing to import/]
        ];
        for (const [title, change, message] of wrong) {

            it(`reports an export ${title}`, async () => {

                const { value } = await importInto(target, change(exported));

                expect((value as { success?: boolean }).success ?? false).to.be.false();
                expect((value as { message: string }).message).to.match(message);
            });
        }

        it('rejects a version as the design object, which could not be changed any more', async () => {

            const { value } = await importInto(target, '{"id":"design","type":"CordraDesign","content":{},"metadata":{"isVersion":true,"versionOf":"test/odd"}}\n');

            expect(JSON.stringify(value)).to.include('the design object cannot be a version');
        });
    });
});
