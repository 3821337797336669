/** Verification of objects by their hashes: which bytes are read, and what is said of bytes that cannot be. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { StoredElement } from '../../../../lib/model/stored-object.js';
import { verifyObject } from '../../../../lib/objects/hashes/verification.js';
import { DamagedBlobError } from '../../../../lib/stores/blobs/element-store.js';
import { sha256 } from '../../../support/bytes.js';

export const lab = Lab.script();
const { describe, it } = lab;

const BYTES = Buffer.from('bytes of a scan');

/** What was recorded with the element says nothing about its bytes. */
function element(name: string, hash: string | null = sha256(BYTES)): StoredElement {

    return { name, filename: null, mediaType: null, size: BYTES.length, blobId: 7, store: 'database', hash };
}

function hashedObject(...names: readonly string[]): JsonObject {

    return { id: 'test/1', metadata: { hashes: { payloads: Object.fromEntries(names.map((name) => [name, sha256(BYTES)])) } } };
}

async function *inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {

    yield bytes.subarray(0, 4);
    yield bytes.subarray(4);
}

async function *failing(error: Error): AsyncGenerator<Uint8Array> {

    yield BYTES.subarray(0, 4);
    throw error;
}

const { signal } = new AbortController();

describe('verification of an object', () => {

    const cases: readonly (readonly [title: string, hash: string | null, open: () => AsyncIterable<Uint8Array>, isIntact: boolean])[] = [
        ['is true of intact bytes', sha256(BYTES), () => inPieces(BYTES), true],
        ['is true of intact bytes that were stored without a hash', null, () => inPieces(BYTES), true],
        ['is false of altered bytes', sha256(BYTES), () => inPieces(Buffer.from('bytes of a span')), false],
        ['is false of bytes that were altered before they were stored', sha256(Buffer.from('x')), () => inPieces(Buffer.from('x')), false],
        ['is false of damaged bytes', sha256(BYTES), () => failing(new DamagedBlobError(7, 'chunk 1 is missing')), false]
    ];

    for (const [title, hash, open, isIntact] of cases) {
        it(title, async () => {

            const verified = await verifyObject(hashedObject('scan'), { elements: [element('scan', hash)], open, signal });

            expect<unknown>(verified).to.equal({ payloads: { scan: isIntact } });
        });
    }

    it('is false of an element that there is not', async () => {

        const verified = await verifyObject(hashedObject('scan', 'toString', '__proto__'), { elements: [], open: () => inPieces(BYTES), signal });

        expect(JSON.stringify(verified)).to.equal('{"payloads":{"scan":false,"toString":false,"__proto__":false}}');
    });

    it('reads only elements of which there is a hash', async () => {

        const read: string[] = [];
        const open = ({ name }: StoredElement): AsyncIterable<Uint8Array> => {

            read.push(name);
            return inPieces(BYTES);
        };

        const elements = ['scan', 'map', 'plan'].map((name) => element(name));
        const some = await verifyObject(hashedObject('map'), { elements, open, signal });
        const none = await verifyObject({ id: 'test/1', metadata: {} }, { elements, open, signal });

        expect<unknown>([some, none]).to.equal([{ payloads: { map: true } }, {}]);
        expect(read).to.equal(['map']);
    });

    it('fails when a store is not available, which says nothing about the bytes', async () => {

        const open = (): AsyncIterable<Uint8Array> => failing(new Error('connection refused'));

        await expect(verifyObject(hashedObject('scan'), { elements: [element('scan')], open, signal })).to.reject('connection refused');
    });

    it('ends with the signal, in the middle of an element, also when its store does not answer', async () => {

        for (const isStuck of [false, true]) {
            const controller = new AbortController();
            let pieces = 0;
            const open = async function *(): AsyncGenerator<Uint8Array> {

                for (;;) {
                    if (++pieces === 10) {
                        controller.abort(new Error('the script has ended'));
                        await new Promise((resolve) => {

                            if (!isStuck) {
                                setImmediate(resolve);
                            }
                        });
                    }

                    yield BYTES;
                }
            };

            const verifying = verifyObject(hashedObject('scan'), { elements: [element('scan')], open, signal: controller.signal });

            await expect(verifying).to.reject('the script has ended');
            expect(pieces).to.equal(10);
        }
    });
});
