/** Type code that verifies the bytes of payloads. */

import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import type { ElementStore } from '../../../lib/stores/blobs/element-store.js';
import type { TestGateway } from '../../support/gateway.js';
import { bytesSegment, jsonSegment, readBytes } from '../../../lib/doip/segments.js';
import { DEFAULT_LIMITS } from '../../../lib/scripting/pool/script-pool.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { sha256 } from '../../support/bytes.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { OPEN_SCHEMA } from '../../support/type-code.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CODE = `
    const cordra = require('cordra');
    const util = require('cordraUtil');
    exports.methods = {
        verify: (object) => util.verifyHashes(cordra.get(object.id)),
        compare: (object, { params }) => util.verifyHashes({ ...object, metadata: { hashes: { payloads: params } } }),
        greet: () => 'hello'
    };
`;

/** Longer than the chunks in which the database has them. */
const BYTES = Buffer.alloc(600_000, 'scan');

/** A store whose payloads never end. */
class EndlessStore implements ElementStore {

    reads = 0;
    ended = 0;

    async write(_blobId: number, body: AsyncIterable<Uint8Array>): Promise<void> {

        await readBytes(body, 1000);
    }

    async *read(): AsyncGenerator<Uint8Array> {

        this.reads += 1;
        try {
            for (;;) {
                yield Buffer.from('more');
                await new Promise((resolve) => {

                    setImmediate(resolve);
                });
            }
        }
        finally {
            this.ended += 1;
        }
    }

    async remove(): Promise<void> {}

    list(): Promise<number[]> {

        return Promise.resolve([]);
    }
}

describe('hashes of payloads in type code', () => {

    let database: TestDatabase;
    let node: TestGateway;
    const endless = new EndlessStore();

    before(async () => {

        database = await createSqlite();
        node = await startGateway(database, {
            elementStores: { endless }, storageChooser: (_object, { place }) => (place === 'endless' ? 'endless' : 'database'),
            scripts: { ...DEFAULT_LIMITS, timeout: 2000 }
        });
        await node.create('Schema', { identifier: '', name: 'Deed', schema: OPEN_SCHEMA, javascript: CODE, hashObject: true });
        // Nothing else reads its payloads, of which some never end.
        const schema = { ...OPEN_SCHEMA, cordra: { indexPayloads: false } };
        await node.create('Schema', { identifier: '', name: 'Note', schema, javascript: CODE });
    });

    after(async () => {

        await node.stop();
        await database.dispose();
    });

    async function store(id: string, type: string, place: string | null = null): Promise<void> {

        const { status, value } = await node.asAdmin('0.DOIP/Op.Create', {
            attributes: place === null ? {} : { requestContext: { place } },
            input: [
                jsonSegment({ id, type, attributes: { content: {} } }),
                jsonSegment({ id: 'scan', type: 'image/png' }), bytesSegment(place === null ? BYTES : Buffer.from('x')), jsonSegment({ id: 'note' }), bytesSegment(Buffer.from('a note'))
            ]
        });
        expect(status, JSON.stringify(value)).to.equal('0.DOIP/Status.001');
    }

    async function call(targetId: string, method: string, params: JsonObject = {}): Promise<unknown> {

        return (await node.asAdmin('gateway/Op.Call', { targetId, attributes: { method, params } })).value;
    }

    /** Changes the second chunk of the payload that was stored last, without the service. */
    function damage(sql: string): void {

        const blobs = new Sqlite(join(database.options.dataDir, 'blobs.sqlite'));
        try {
            expect(blobs.prepare(`${sql} where n = 1 and blob_id = (select max(blob_id) from blob_chunks where n = 1)`).run().changes).to.equal(1);
        }
        finally {
            blobs.close();
        }
    }

    const damages: readonly (readonly [title: string, sql: string])[] = [
        ['altered', 'update blob_chunks set bytes = zeroblob(length(bytes))'],
        ['lost', 'delete from blob_chunks']
    ];

    for (const [title, sql] of damages) {
        it(`tell that stored bytes were ${title}`, async () => {

            const id = `test/${title}`;
            await store(id, 'Deed');
            const intact = await call(id, 'verify');
            damage(sql);
            const damaged = await call(id, 'verify');

            expect(intact).to.equal({ content: true, full: true, payloads: { scan: true, note: true } });
            expect(damaged).to.equal({ content: true, full: true, payloads: { scan: false, note: true } });
        });
    }

    it('are those of the bytes also where the type has no hashes, such as those of an object that was imported with them', async () => {

        await store('test/unhashed', 'Note');

        const compared = await call('test/unhashed', 'compare', { scan: sha256(BYTES), note: sha256(BYTES), other: sha256(BYTES) });

        expect(compared).to.equal({ payloads: { scan: true, note: false, other: false } });
        expect(await call('test/unhashed', 'verify')).to.equal({});
    });

    it('are computed for as long as the script may take', async () => {

        await store('test/endless', 'Note', 'endless');
        await call('test/endless', 'greet');

        const { message } = await call('test/endless', 'compare', { scan: sha256(BYTES) }) as { message: string };
        await until(() => endless.ended === endless.reads);

        expect(message).to.match(/it took too long$/);
        expect(endless.reads).to.be.above(0);
    });
});
