/** Text in payloads is found soon after the upload, by those who may read the payload, and whatever the file is like. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { forEachDatabase } from '../support/database.js';
import { makeDocx, makeEndlessPdf, makePdf } from '../support/documents.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startProcess } from '../support/process.js';
import type { ServiceProcess } from '../support/process.js';
import { ADMIN_HEADERS, basic, jsonOf, multipart } from '../support/rest.js';
import type { FormPart } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const PASSWORD = 'password of ann';

const STUDY = {
    identifier: 'Study',
    schema: {
        type: 'object',
        cordra: { search: { altPayloadFieldNames: { report: 'fulltext', scan: 'type', 'a_b%': 'metadata/x' } } },
        properties: {
            label: { type: 'string', cordra: { search: { altFieldName: 'heading' } } },
            size: { type: 'number', cordra: { search: { altFieldName: 'heading' } } },
            tags: { type: 'array', items: { type: 'string' }, cordra: { search: { altFieldName: 'keyword' } } },
            place: { type: 'object', cordra: { search: { altFieldName: '/where' } }, properties: {} },
            clash: { type: 'string', cordra: { search: { altFieldName: 'type' } } },
            secret: { type: 'string', cordra: { secureProperty: true, search: { altFieldName: 'secrets' } } }
        }
    }
};

const QUIET = { identifier: 'Quiet', schema: { type: 'object', cordra: { indexPayloads: false } } };

forEachDatabase((name, create) => {

    describe(`texts of payloads on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await startRest(create, 'http/1.1', {
                MAX_TEXT_CHARACTERS: '2000', MAX_OBJECT_TEXT_CHARACTERS: '3000', MAX_TEXT_SOURCE_BYTES: '1048576', MAX_TEXT_MEMORY_BYTES: '67108864',
                // A file that grows is read to its end, however busy the machine is.
                TEXT_SECONDS: '120'
            });
            for (const { identifier, schema } of [STUDY, QUIET]) {
                expect((await service.asAdmin(`PUT /schemas/${identifier}`, { payload: JSON.stringify(schema) })).statusCode).to.equal(200);
            }

            await service.create('User', { username: 'ann', password: PASSWORD }, 'handle=test/ann');
        });

        after(() => service.stop());

        async function upload(id: string, parts: readonly FormPart[], { type = 'Document', content = {}, method = 'POST' }: { type?: string; content?: object; method?: string } = {}) {

            const line = method === 'POST' ? `POST /objects?type=${type}&handle=${id}` : `PUT /objects/${id}`;
            const response = await service.asAdmin(line, multipart({ name: 'content', value: JSON.stringify(content) }, ...parts));
            expect(response.statusCode, response.payload).to.equal(200);
        }

        async function ids(query: string, headers: Readonly<Record<string, string>> = ADMIN_HEADERS): Promise<unknown> {

            const response = await service.anonymously(`GET /search?ids&sortFields=id&query=${encodeURIComponent(query)}`, { headers });
            expect(response.statusCode, response.payload).to.equal(200);
            return jsonOf(response)['results'];
        }

        async function soon(query: string, expected: readonly string[]): Promise<void> {

            await until(async () => JSON.stringify(await ids(query)) === JSON.stringify(expected));
        }

        async function state(id: string): Promise<unknown> {

            for (const value of ['indexInProcess', 'indexComplete']) {
                if ((await ids(`id:"${id}" AND payloadIndexState:${value}`) as unknown[]).length === 1) {
                    return value;
                }
            }

            return null;
        }

        async function read(id: string): Promise<void> {

            await until(async () => await state(id) === 'indexComplete');
        }

        it('are found soon after the upload, by any field, and by both names of the payload', async () => {

            await upload('test/report', [
                { name: 'report', value: '<h1>Zugspitze</h1><p>the highest <i>mou</i>ntain', filename: 'a.html', type: 'text/html' },
                { name: 'thesis', value: makePdf(['a chapter on karst']), filename: 'a.pdf', type: 'application/pdf' },
                { name: 'draft', value: makeDocx(['a draft on dolines']), filename: 'a.docx' },
                { name: 'notes', value: Buffer.from('Stra\u00dfe', 'latin1'), filename: 'n.txt', type: 'text/plain; charset=ISO-8859-1' },
                { name: '/pages/0', value: 'first page', filename: 'p', type: 'text/plain' }
            ], { type: 'Study' });

            for (const query of [
                'zugspitze', '"highest mountain"', 'report:zugspitze', 'fulltext:mountain', 'karst', 'thesis:karst', 'thesis:kar*', 'draft:dolines', 'notes:Straße',
                '/pages/_:first', 'a.html', 'elname_report:true', 'elatt_thesis_mimetype:"application/pdf"', 'elatt_draft_filename:a.docx'
            ]) {
                await soon(query, ['test/report']);
            }

            expect(await ids('report:karst')).to.equal([]);
            expect(await ids('fulltext:karst')).to.equal([]);
            expect(await state('test/report')).to.equal('indexComplete');
        });

        it('match only for callers who may read payloads', async () => {

            await upload('test/hidden', [
                { name: 'report', value: 'hidden words', filename: '', type: 'text/plain' },
                { name: 'acl', value: JSON.stringify({ readers: ['public'], writers: [], payloadReaders: ['test/ann'] }) }
            ], { type: 'Study', content: { label: 'open words' } });
            await soon('report:hidden', ['test/hidden']);

            for (const query of ['hidden', 'report:hidden', 'fulltext:hidden', 'report:*', '"hidden words"', 'hidde?', 'hiden~']) {
                expect(await ids(`id:"test/hidden" AND ${query}`, {}), query).to.equal([]);
                expect(await ids(`id:"test/hidden" AND ${query}`, basic('ann', PASSWORD)), query).to.equal(['test/hidden']);
            }

            expect(await ids('open AND id:"test/hidden"', {})).to.equal(['test/hidden']);
        });

        it('are not read if the type disables it', async () => {

            await upload('test/quiet', [{ name: 'report', value: 'quietwords', filename: 'a.txt' }], { type: 'Quiet' });
            await upload('test/loud', [{ name: 'report', value: 'loudwords', filename: 'a.txt' }]);
            await soon('loudwords', ['test/loud']);

            expect(await ids('quietwords')).to.equal([]);
            expect(await state('test/quiet')).to.equal('indexComplete');
        });

        it('follow changes of payloads, of their types, and of the object', async () => {

            const old = { name: 'file', value: '<b>Ol</b>dword', filename: 'a', type: 'text/html' };
            await upload('test/changing', [old, { name: 'other', value: 'otherword', filename: 'o.txt' }]);
            await soon('file:oldword', ['test/changing']);

            await upload('test/changing', [], { method: 'PUT', content: { n: 1 } });
            expect(await ids('file:oldword AND /n:1')).to.equal(['test/changing']);

            await upload('test/changing', [{ ...old, value: 'newword' }], { method: 'PUT' });
            expect(await ids('oldword')).to.equal([]);
            expect(await ids('otherword')).to.equal(['test/changing']);
            await soon('file:newword', ['test/changing']);

            await service.asAdmin('DELETE /objects/test/changing?payload=file');
            expect(await ids('newword')).to.equal([]);
            await service.asAdmin('DELETE /objects/test/changing');
            expect(await ids('otherword')).to.equal([]);
        });

        it('do not prevent storing a file, and have a reason when they are missing', { timeout: 900_000 }, async () => {

            const broken: Record<string, FormPart> = {
                'a PDF file that is none': { name: 'p', value: 'no PDF', filename: 'a.pdf', type: 'application/pdf' },
                'a broken PDF file': { name: 'p', value: makePdf(['text']).subarray(0, 300), filename: 'a.pdf' },
                'an endless PDF file': { name: 'p', value: makeEndlessPdf(), filename: 'a.pdf' },
                'a PDF file that grows': { name: 'p', value: makePdf(['x'], 30_000_000), filename: 'a.pdf' },
                'a zip bomb': { name: 'p', value: makeDocx([], { 'word/document.xml': Buffer.alloc(20_000_000, ' ') }), filename: 'a.docx' },
                'a picture that says it is text': { name: 'p', value: Buffer.from([0x89, 0x50, 0, 0, 0, 1]), filename: 'a', type: 'text/plain' },
                'broken JSON': { name: 'p', value: '{', filename: 'a.json' }
            };
            for (const [i, [title, part]] of Object.entries(broken).entries()) {
                await upload(`test/broken${i}`, [part, { name: 'good', value: `goodword${i}`, filename: 'g.txt' }]);
                await until(async () => await state(`test/broken${i}`) === 'indexComplete', 240_000);
                expect(await ids(`good:goodword${i}`), title).to.equal([`test/broken${i}`]);
                expect(await ids(`id:"test/broken${i}" AND payload_indexing_exception:*`), title)
                    .to.equal(title === 'a PDF file that grows' ? [] : [`test/broken${i}`]);
                expect((await service.asAdmin(`GET /objects/test/broken${i}?payload=p`)).rawPayload, title).to.equal(Buffer.from(part.value));
            }
        });

        it('are searched up to the limits for a payload and for an object', async () => {

            const filler = 'x'.repeat(9);
            const long = (word: string): string => `start${word} ${`${filler} `.repeat(195)} late${word} ${`${filler} `.repeat(50)} end${word}`;
            await upload('test/long', ['a', 'b'].map((word) => ({ name: word, value: long(word), filename: `${word}.txt` })));
            await read('test/long');

            expect(await ids('starta AND latea AND startb')).to.equal(['test/long']);
            expect(await ids('enda')).to.equal([]);
            expect(await ids('lateb')).to.equal([]);
        });

        it('are found with values of the content under other names', async () => {

            await service.create('Study', {
                label: 'Main heading', size: 42, tags: ['alpha', 'beta gamma'], place: { city: 'Berlin', at: [{ street: 'Allee' }] }, clash: 'Odd', secret: 'whisper'
            }, 'handle=test/names');

            for (const query of [
                'heading:main', 'heading:"main heading"', 'heading:[40 TO 45]', 'keyword:"beta gamma"', 'keyword:alpha', '/where:berlin', '/where:allee',
                '/place/city:berlin', 'facet_heading:"42"'
            ]) {
                expect(await ids(query), query).to.equal(['test/names']);
            }

            for (const query of ['heading:alpha', 'keyword:"alpha beta"', 'type:odd', 'secrets:whisper', 'whisper', 'keyword:main']) {
                expect(await ids(query), query).to.equal([]);
            }
        });
    });

    describe(`texts of payloads of a killed service on ${name}`, () => {

        let database: TestDatabase;
        let service: ServiceProcess;

        before(async () => {

            database = await create();
            service = await startProcess(database);
        });

        after(async () => {

            await service.kill();
            await database.dispose();
        });

        async function size(query: string): Promise<unknown> {

            const asked = service;
            const response = await fetch(`${asked.url}/search?pageSize=0&query=${encodeURIComponent(query)}`, { headers: ADMIN_HEADERS }).catch((error: unknown) => {

                throw new Error(`the service cannot be reached, and has logged: ${asked.log()}`, { cause: error });
            });
            return response.status === 200 ? (await response.json() as { size: number }).size : null;
        }

        // The starts of the service take a minute where other runs go on beside it.
        it('are found nevertheless, and read only once', { timeout: roundsMs(300_000) }, async () => {

            const form = (i: number): FormData => {

                const body = new FormData();
                body.set('content', '{}');
                body.set('file', new Blob([`textword number${i}`], { type: 'text/plain' }), 'a.txt');
                return body;
            };

            let sent = 0;
            for (let round = 0; round < rounds(2, 10); ++round) {
                const writers = Array.from({ length: 8 }, async () => {

                    const headers = { authorization: basic('admin', ADMIN_PASSWORD).authorization };
                    const response = await fetch(`${service.url}/objects?type=Document`, { method: 'POST', body: form(sent), headers });
                    expect(response.status).to.equal(200);
                    ++sent;
                });
                await Promise.all(writers);
                await service.kill();
                service = await startProcess(database);
            }

            await until(async () => await size('textword') === sent, 120_000);
            const opened = await database.open();
            const rows = { sql: 'select blob_id, created_on from payload_texts order by blob_id', bindings: [] };
            const before = await opened.read(rows, []);
            expect(before).to.have.length(sent);

            await service.kill();
            const tables = ['search_manifest', 'search_log', 'search_batches'];
            await opened.commit({ steps: tables.map((table) => ({ sql: `delete from ${table}`, bindings: [] })) });
            service = await startProcess(database);
            await until(async () => await size('textword') === sent, 120_000);
            expect(await opened.read(rows, [])).to.equal(before);
        });
    });
});
