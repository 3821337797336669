/**
 * What happens to bytes when things do not go to plan, and where they go when the program that embeds the service says so.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Database } from '../../db/database.js';
import type { ElementStore } from '../../lib/stores/blobs/element-store.js';
import type { TestDatabase } from '../support/database.js';
import type { TestService } from '../support/service.js';
import { pino } from 'pino';
import { BlobStore } from '../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../lib/stores/blobs/element-store.js';
import { bytesSegment, jsonSegment } from '../../lib/doip/segments.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
const PART = '--b\r\nContent-Disposition: form-data; name="data"; filename="data.bin"\r\n\r\n';
const SILENT = pino({ level: 'silent' });

/** Bytes in memory, as another program might keep them elsewhere. */
class MemoryStore implements ElementStore {

    readonly blobs = new Map<number, Buffer>();

    async write(blobId: number, body: AsyncIterable<Uint8Array>): Promise<void> {

        const chunks: Uint8Array[] = [];
        for await (const chunk of body) {
            chunks.push(Buffer.from(chunk));
        }

        this.blobs.set(blobId, Buffer.concat(chunks));
    }

    async *read(blobId: number, { start, end }: { start: number; end: number }): AsyncGenerator<Uint8Array> {

        yield this.blobs.get(blobId)?.subarray(start, end + 1) ?? Buffer.alloc(0);
    }

    async remove(blobId: number): Promise<void> {

        this.blobs.delete(blobId);
    }

    async list(afterId: number, limit: number): Promise<number[]> {

        return [...this.blobs.keys()].filter((id) => id > afterId).sort((one, other) => one - other).slice(0, limit);
    }
}

forEachDatabase((name, create) => {

    describe(`the bytes of elements on ${name}`, () => {

        let database: TestDatabase;
        let db: Database;
        let service: TestService;
        let port: number;
        const memory = new MemoryStore();
        const asked: unknown[] = [];

        before(async () => {

            database = await create();
            service = await startService(database, {
                elementStores: { memory },
                storageChooser: (object, requestContext) => {

                    asked.push([object, requestContext]);
                    return requestContext['storage'] === 'memory' ? 'memory' : 'database';
                }
            });
            await service.server.start();
            ({ port } = service.server.listener.address() as AddressInfo);
            db = await database.open();
        });

        after(async () => {

            await service.stop();
            await database.dispose();
        });

        const count = async (table: string): Promise<number> => {

            const [row] = await db.read<{ n: number }>({ sql: `select count(*) as n from ${table}` }, []);
            return row?.n ?? -1;
        };

        it('of an aborted upload leave no object, no payload and, after a sweep, no chunk', async () => {

            const [objects, payloads] = [await count('objects'), await count('payloads')];
            const call = httpRequest({
                port, host: '127.0.0.1', method: 'POST', path: '/objects?type=Document&handle=test/broken',
                headers: { authorization: AUTHORIZATION, 'content-type': 'multipart/form-data; boundary=b' }
            });
            call.on('error', () => {
                // We break the connection off ourselves.
            });
            call.write(`--b\r\nContent-Disposition: form-data; name="content"\r\n\r\n{}\r\n${PART}`);
            call.write(Buffer.alloc(2_000_000, 1));
            await until(async () => (await db.blobs.listBlobs(0, 10)).length > 0);
            call.destroy();
            await until(async () => (await db.blobs.listBlobs(0, 10)).length === 0);

            const stores = new ElementStores(new DatabaseElementStore(db.blobs));
            const sweeper = new BlobSweeper(db, stores, new BlobStore(db, stores, { log: SILENT }), SILENT);
            await sweeper.sweep(Date.now() + 10_000_000, { grace: 0, stagedTtl: 0, limit: 100 });

            expect((await service.perform('0.DOIP/Op.Retrieve', { targetId: 'test/broken' })).status).to.equal('0.DOIP/Status.104');
            expect([await count('objects'), await count('payloads'), await count('blobs')]).to.equal([objects, payloads, 0]);
            expect(await db.blobs.listBlobs(0, 10)).to.equal([]);
        });

        it('are still sent to a client after their object was deleted', async () => {

            const bytes = Buffer.alloc(8_000_000, 7);
            const { value } = await service.asAdmin('0.DOIP/Op.Create', { input: [
                jsonSegment({ type: 'Document', attributes: { content: {} } }), jsonSegment({ id: 'data' }), bytesSegment(bytes)
            ] });
            const { id } = value as { id: string };
            const call = httpRequest({ port, host: '127.0.0.1', path: `/objects/${id}?payload=data` }).end();
            const [response] = await once(call, 'response') as [IncomingMessage];
            await once(response, 'readable');

            await service.asAdmin('0.DOIP/Op.Delete', { targetId: id });
            let length = 0;
            for await (const chunk of response as AsyncIterable<Buffer>) {
                length += chunk.length;
            }

            expect(length).to.equal(bytes.length);
            expect((await service.perform('0.DOIP/Op.Retrieve', { targetId: id })).status).to.equal('0.DOIP/Status.104');
        });

        it('are stored where the chooser says, given the object and the request context', async () => {

            const context = encodeURIComponent('{"storage":"memory"}');
            const response = await service.server.inject({
                method: 'POST', url: `/objects?type=Document&handle=test/elsewhere&requestContext=${context}`,
                headers: { authorization: AUTHORIZATION, 'content-type': 'multipart/form-data; boundary=b' },
                payload: `--b\r\nContent-Disposition: form-data; name="content"\r\n\r\n{"name":"x"}\r\n${PART}bytes\r\n--b--\r\n`
            });
            const read = await service.server.inject({ url: '/objects/test/elsewhere?payload=data', headers: { range: 'bytes=1-3' } });

            expect(response.statusCode).to.equal(200);
            expect([...memory.blobs.values()].map(String)).to.equal(['bytes']);
            expect(read.payload).to.equal('yte');
            expect<unknown>(asked.at(-1)).to.equal([{ id: 'test/elsewhere', type: 'Document', content: { name: 'x' } }, { storage: 'memory' }]);
        });

        it('are included in the object on request', async () => {

            const { output } = await service.perform('0.DOIP/Op.Retrieve', {
                targetId: 'test/elsewhere', attributes: { includeElementData: true }
            });

            expect(output.slice(1)).to.equal([{ id: 'data' }, 'bytes']);
        });
    });
});
