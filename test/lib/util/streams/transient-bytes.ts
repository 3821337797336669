import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { asTransient, asUnshared, freeBytes, unsharedLike } from '../../../../lib/util/streams/transient-bytes.js';
import { FREES_BUFFERS } from '../../../support/bytes.js';

export const lab = Lab.script();
const { describe, it } = lab;

const KIB = 1024;
const OWN = asUnshared({});

describe('transient bytes', () => {

    it('are freed once, where node can do so', () => {

        const bytes = asTransient(Buffer.alloc(256 * KIB, 'x'));

        freeBytes(bytes, OWN);
        freeBytes(bytes, OWN);

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

            freeBytes(bytes, OWN);

            expect(bytes.byteLength).to.equal(byteLength);
        });
    }

    const bodies: [string, object, boolean][] = [
        ['their body passes on that of an operation', unsharedLike({}, OWN), true],
        ['their body comes from an extension', {}, false],
        ['their body passes on one of an extension', unsharedLike({}, {}), false]
    ];
    for (const [title, body, isFreed] of bodies) {
        it(`are ${isFreed ? 'freed' : 'kept'} where ${title}`, () => {

            const bytes = asTransient(Buffer.alloc(256 * KIB));

            freeBytes(bytes, body);

            expect(bytes.byteLength).to.equal(isFreed && FREES_BUFFERS ? 0 : 256 * KIB);
        });
    }
});
