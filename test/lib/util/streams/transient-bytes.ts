import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { asTransient, freeTransient } from '../../../../lib/util/streams/transient-bytes.js';
import { FREES_BUFFERS } from '../../../support/bytes.js';

export const lab = Lab.script();
const { describe, it } = lab;

const KIB = 1024;

describe('transient bytes', () => {

    it('are freed once, where node can do so', () => {

        const bytes = asTransient(Buffer.alloc(256 * KIB, 'x'));

        freeTransient(bytes);
        freeTransient(bytes);

        expect(bytes.byteLength).to.equal(FREES_BUFFERS ? 0 : 256 * KIB);
    });

    const others: [string, () => Uint8Array][] = [
        ['are not marked', () => Buffer.alloc(256 * KIB)],
        ['are a part of a buffer to which others may refer', () => asTransient(Buffer.alloc(256 * KIB).subarray(1))],
        ['are few, as those of node that share a buffer', () => asTransient(Buffer.from('few'))],
        ['are a part of marked ones', () => asTransient(Buffer.alloc(256 * KIB)).subarray(0, 100 * KIB)]
    ];
    for (const [title, make] of others) {
        it(`do not include those that ${title}`, () => {

            const bytes = make();
            const { byteLength } = bytes;

            freeTransient(bytes);

            expect(bytes.byteLength).to.equal(byteLength);
        });
    }
});
