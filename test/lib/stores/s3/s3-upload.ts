import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { PART_BYTES, partBytes } from '../../../../lib/stores/s3/s3-upload.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the parts of an upload', () => {

    it('grow, so that 10,000 of them are enough for 867 GiB', () => {

        const sizes = Array.from({ length: 10_000 }, (_, i) => partBytes(i + 1));

        expect([sizes[0], sizes[999], sizes[1000], sizes[9999]]).to.equal([PART_BYTES, PART_BYTES, 2 * PART_BYTES, 16 * PART_BYTES]);
        expect(Math.floor(sizes.reduce((sum, size) => sum + size, 0) / 1024 ** 3)).to.equal(867);
    });
});
