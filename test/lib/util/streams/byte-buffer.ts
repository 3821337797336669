import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ByteBuffer } from '../../../../lib/util/streams/byte-buffer.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Bytes of the heap and of buffers that are in use. */
function used(): number {

    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
}

describe('a byte buffer', () => {

    it('returns the bytes of chunks of any lengths', () => {

        const random = seeded(7);
        const buffer = new ByteBuffer(1e9);
        for (let round = 0; round < 20; ++round) {
            const chunks = Array.from({ length: random.integer(0, 700) }, () =>
                Buffer.alloc(random.chance(0.01) ? random.integer(1000, 1050) : random.integer(0, 3), random.integer(0, 255)));
            chunks.forEach((chunk) => buffer.add(chunk));
            expect(buffer.finish()).to.equal({ bytes: Buffer.concat(chunks), length: Buffer.concat(chunks).length });
        }
    });

    it('keeps nothing beyond its limit', () => {

        const buffer = new ByteBuffer(300);
        for (let n = 0; n < 301; ++n) {
            buffer.add(Buffer.from('x'));
        }

        expect(buffer.finish()).to.equal({ bytes: null, length: 301 });
        buffer.add(Buffer.from('y'));
        expect(buffer.finish()).to.equal({ bytes: Buffer.from('y'), length: 1 });
    });

    it('takes little more memory than its bytes when each is a chunk', () => {

        const count = 200_000;
        const before = used();
        const buffer = new ByteBuffer(count);
        for (let n = 0; n < count; ++n) {
            buffer.add(new Uint8Array(1));
        }

        expect(used() - before).to.be.below(10 * count);
        expect(buffer.finish().length).to.equal(count);
    });
});
