import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { crc32 } from 'node:zlib';
import { createSqlite } from '../../../support/database.js';
import { BLOCK_BYTES, BlockChecksumStore, BlockHasher } from '../../../../lib/stores/s3/block-checksums.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('checksums of blocks', () => {

    it('do not depend on how the bytes arrive', () => {

        const bytes = Buffer.alloc(2 * BLOCK_BYTES + 10, 'some bytes');
        const whole = new BlockHasher();
        whole.update(bytes);
        const parts = new BlockHasher();
        for (let i = 0; i < bytes.length; i += 100_003) {
            parts.update(bytes.subarray(i, i + 100_003));
        }

        const [row] = whole.digest();
        expect(row?.byteLength).to.equal(3 * 4);
        expect([row?.readUInt32BE(0), row?.readUInt32BE(8)]).to.equal([crc32(bytes.subarray(0, BLOCK_BYTES)), crc32(bytes.subarray(2 * BLOCK_BYTES))]);
        expect(parts.digest()).to.equal(whole.digest());
        expect(new BlockHasher().digest()).to.equal([]);
    });

    it('are found in several rows, and removed', async () => {

        const database = await createSqlite();
        const store = new BlockChecksumStore(await database.open());
        const rows = [Buffer.alloc(4096 * 4, 1), Buffer.from([0, 0, 0, 7])];
        await store.save(5, 'blobs/5', rows);
        const found = await store.find(5);

        expect(found?.key).to.equal('blobs/5');
        expect([await found?.checksumOf(0), await found?.checksumOf(4096), await found?.checksumOf(4095)]).to.equal([0x01010101, 7, 0x01010101]);
        await expect(found?.checksumOf(4097) ?? Promise.resolve()).to.reject('blob 5 is damaged: block 4097 has no checksum');
        await store.remove(5);
        expect(await store.find(5)).to.be.null();
        await database.dispose();
    });
});
