/** What a server says over HTTP/2 must be HTTP/2: node complains on standard error where it is not. */

import { once } from 'node:events';
import Http2 from 'node:http2';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import type { ServiceProcess } from '../../support/process.js';
import { startProcess } from '../../support/process.js';
import { ADMIN_HEADERS, multipart } from '../../support/rest.js';
import type { TestServer } from '../../support/server.js';
import { clientOf, tlsSettings } from '../../support/server.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Bytes of a payload of several chunks. */
const SIZE = 2_000_000;

describe('a server over HTTP/2', () => {

    it('rejects a request before it reads the body, without a warning about HTTP/1.1 headers', async () => {

        const database = await createSqlite();
        const service = await startProcess(database, await tlsSettings(database.options.dataDir));
        const client = clientOf({ url: service.url } as TestServer, 'https, http/2');

        const { status, headers } = await client.text({
            path: `/${'a'.repeat(70_000)}`, method: 'POST', body: Buffer.alloc(1_000_000, ' '), headers: { 'content-length': '1000000' }
        });
        client.close();
        await service.stop();
        await database.dispose();

        expect(status).to.equal(414);
        expect(headers['connection']).to.be.undefined();
        expect(service.log()).not.to.contain('Warning');
    });
});

for (const workers of ['0', '1']) {
    describe(`a response that fails midway over HTTP/2, with ${workers} workers`, { timeout: 120_000 }, () => {

        const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = Http2.constants;
        let database: TestDatabase;
        let service: ServiceProcess;
        let session: Http2.ClientHttp2Session;

        before(async () => {

            database = await createSqlite();
            const { dataDir } = database.options;
            service = await startProcess(database, { WORKERS: workers, ...await tlsSettings(dataDir) });
            const client = clientOf({ url: service.url } as TestServer, 'https, http/2');
            const form = multipart({ name: 'content', value: '{}' }, { name: 'file', filename: 'file.bin', value: 'x'.repeat(SIZE) });
            for (const id of ['whole', 'broken']) {
                const path = `/objects?type=Document&handle=test/${id}`;
                const { status } = await client.text({ path, method: 'POST', headers: { ...ADMIN_HEADERS, ...form.headers }, body: form.payload });
                expect(status).to.equal(200);
            }

            client.close();
            const blobs = new Sqlite(join(dataDir, 'blobs.sqlite'));
            blobs.exec('delete from blob_chunks where blob_id = (select max(blob_id) from blob_chunks) and n = 3');
            blobs.close();
            session = Http2.connect(service.url, { rejectUnauthorized: false });
        });

        after(async () => {

            session.close();
            await service.stop();
            await database.dispose();
        });

        /** The code with which a response ends, and its bytes. */
        const read = async (method: string, path: string): Promise<{ code: number | undefined; bytes: number }> => {

            const stream = session.request({ ':method': method, ':path': path, ...ADMIN_HEADERS }, { endStream: true });
            let bytes = 0;
            stream.on('data', (chunk: Buffer) => {

                bytes += chunk.length;
            });
            const errors: Error[] = [];
            stream.on('error', (error: Error) => errors.push(error));
            await new Promise((resolve) => stream.once('close', resolve));
            expect(errors.length).to.equal(stream.rstCode === NGHTTP2_NO_ERROR ? 0 : 1);
            return { code: stream.rstCode, bytes };
        };

        // The primary process performs a POST.
        for (const [method, pathOf] of [
            ['GET', (id: string) => `/objects/test/${id}?payload=file`],
            ['POST', (id: string) => `/doip/0.DOIP/Op.Retrieve?targetId=test/${id}&element=file`]
        ] as const) {
            it(`ends with an error for a ${method}, and a whole one without`, async () => {

                const [whole, broken] = [await read(method, pathOf('whole')), await read(method, pathOf('broken'))];

                expect(whole).to.equal({ code: NGHTTP2_NO_ERROR, bytes: SIZE });
                expect(broken.code).to.equal(NGHTTP2_INTERNAL_ERROR);
                expect(broken.bytes).to.be.below(SIZE);
            });
        }

        it('is no failure of the service where the client goes away', async () => {

            const stream = session.request({ ':path': '/objects/test/whole?payload=file', ...ADMIN_HEADERS });
            await once(stream, 'response');
            stream.close(Http2.constants.NGHTTP2_CANCEL);
            await new Promise((resolve) => stream.once('close', resolve));
            await read('GET', '/objects/test/whole');

            expect(service.log().split('\n').filter((line) => line !== '' && !/ is damaged: |node\.support-ended/.test(line))).to.equal([]);
        });
    });
}
