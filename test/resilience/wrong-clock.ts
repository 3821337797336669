/** Bytes that a node whose clock is a day behind does not need any more are kept for as long as others: another node may still send them. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../db/database.js';
import { SILENT } from '../../db/log.js';
import { BlobStore } from '../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../lib/stores/blobs/element-store.js';
import { forEachDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN, ask, type Answered } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { until } from '../support/until.js';
import { contestName, newestUpload } from '../support/uploads.js';
import { wrongClock } from '../support/wrong-clock.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const HOUR = 3_600_000;

/** What the service sweeps with. */
const PATIENCE = { grace: 24 * HOUR, stagedTtl: HOUR, limit: 1000 };

const GHOST = { id: 'test/ghost', type: 'Schema', content: { identifier: '', name: 'Ghost', schema: { type: 'object' } } };

forEachDatabase((name, create, dialect) => {

    if (dialect !== 'mysql') {
        // An embedded database has the clock of its only node.
        return;
    }

    describe(`a node whose clock is a day behind, on ${name},`, () => {

        let place: TestDatabase;
        let database: Database;
        let service: ServiceProcess;

        before(async () => {

            place = await create();
            database = await place.open();
            service = await startProcess(place, wrongClock(-25 * HOUR));
            expect((await upload([withPayload('test/kept'), withPayload('test/deleted')])).status).to.equal(200);
        });

        after(async () => {

            await service.kill();
            await place.dispose();
        });

        const withPayload = (id: string): object => ({
            id, type: 'Document', content: { name: id }, payloads: [{ name: 'p', base64Payload: Buffer.from(`bytes of ${id}`).toString('base64') }]
        });
        const upload = (items: readonly object[], path = '/uploadObjects'): Promise<Answered> => ask(service, path, { method: 'POST', body: JSON.stringify(items) });

        /** What another node removes. */
        async function sweep(): Promise<number> {

            const stores = new ElementStores(new DatabaseElementStore(database.blobs));
            const sweeper = new BlobSweeper(database, stores, new BlobStore(database, stores, { log: SILENT }), SILENT);
            return (await sweeper.sweep(database.now(), PATIENCE)).unlinked;
        }

        async function unlinked(): Promise<number> {

            const [row] = await database.read<{ n: number }>({ sql: 'select count(*) as n from blobs where unlinked_on is not null' }, []);
            return row?.n ?? 0;
        }

        it('keeps what an upload deletes until it can restore it no more', async () => {

            const contested = await contestName(place);
            try {
                const uploading = upload([GHOST], '/uploadObjects?deleteCurrentObjects');
                await until(async () => (await newestUpload(database)).phase === 'types');
                expect(await unlinked()).to.be.above(0);

                expect(await sweep()).to.equal(0);
                await contested.take();

                expect((await uploading).status).to.equal(500);
                const payload = await fetch(`${service.url}/objects/test/kept?payload=p`, { headers: ADMIN });
                expect([payload.status, await payload.text()]).to.equal([200, 'bytes of test/kept']);
            }
            finally {
                contested.close();
            }
        });

        it('keeps what was deleted', async () => {

            const before = await unlinked();
            expect((await ask(service, '/objects/test/deleted', { method: 'DELETE' })).status).to.equal(200);
            expect(await unlinked()).to.equal(before + 1);

            expect(await sweep()).to.equal(0);
        });
    });
});
