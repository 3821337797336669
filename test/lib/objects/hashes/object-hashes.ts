/**
 * Hashes of objects: what they cover, and that an alteration is noticed.
 */

import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { hashJson } from '../../../../lib/json/canonical.js';
import { hashesOf, verifyHashes } from '../../../../lib/objects/hashes/object-hashes.js';
import { toFullForm } from '../../../../lib/model/stored-object.js';
import type { FullFormSource } from '../../../../lib/model/stored-object.js';

export const lab = Lab.script();

const { describe, it } = lab;
const { expect } = Code;

const ELEMENT = { name: 'scan', filename: 'map.png', mediaType: 'image/png', size: 3, blobId: 7, store: 'database', hash: 'aa' };

const OBJECT: FullFormSource = {
    id: 'test/1', type: 'Document', content: { id: 'test/1', name: 'Map' },
    acl: { readers: ['public'] }, userMetadata: { batch: 3 }, elements: [ELEMENT]
};

describe('object hashes', () => {

    it('cover content, user metadata and elements, separately and together', async () => {

        expect<unknown>(await hashesOf(OBJECT, { scan: 'aa' })).to.equal({
            alg: 'SHA-256',
            content: hashJson(OBJECT.content),
            userMetadata: hashJson({ batch: 3 }),
            payloads: { scan: 'aa' },
            full: hashJson({
                id: 'test/1', type: 'Document', content: { id: 'test/1', name: 'Map' }, acl: { readers: ['public'] },
                userMetadata: { batch: 3 }, metadata: { hashes: { payloads: { scan: 'aa' } } },
                payloads: [{ name: 'scan', filename: 'map.png', mediaType: 'image/png', size: 3 }]
            })
        });
    });

    it('omit missing parts', async () => {

        const bare = { ...OBJECT, acl: null, userMetadata: null, elements: [] };
        expect<unknown>(await hashesOf(bare, {})).to.equal({
            alg: 'SHA-256',
            content: hashJson(OBJECT.content),
            full: hashJson({ id: 'test/1', type: 'Document', content: OBJECT.content, metadata: {} })
        });
    });

    const fullForm = async (): Promise<JsonObject> => ({
        ...toFullForm(OBJECT, { createdOn: 1, hashes: await hashesOf(OBJECT, { scan: 'aa' }) }), responseContext: { permission: 'READ' }
    });

    it('of large values are computed in a turn of the event loop each', async () => {

        let turns = 0;
        let isDone = false;
        const count = (): void => {

            turns += 1;
            if (!isDone) {
                setImmediate(count);
            }
        };

        setImmediate(count);
        const large = { text: 'x'.repeat(1_000_000) };
        await hashesOf({ ...OBJECT, content: large, userMetadata: large }, {});
        isDone = true;

        expect(turns).to.be.at.least(3);
    });

    const VERIFIED: readonly [string, JsonObject, Record<string, string>, JsonObject][] = [
        ['all is as it was', {}, { scan: 'aa' }, { content: true, userMetadata: true, full: true, payloads: { scan: true } }],
        ['content was altered', { content: { name: 'Nap' } }, { scan: 'aa' },
            { content: false, userMetadata: true, full: false, payloads: { scan: true } }],
        ['user metadata was altered', { userMetadata: {} }, { scan: 'aa' },
            { content: true, userMetadata: false, full: false, payloads: { scan: true } }],
        ['the ACL was altered', { acl: {} }, { scan: 'aa' },
            { content: true, userMetadata: true, full: false, payloads: { scan: true } }],
        ['bytes were altered', {}, { scan: 'bb' }, { content: true, userMetadata: true, full: true, payloads: { scan: false } }],
        ['bytes are gone', {}, {}, { content: true, userMetadata: true, full: true, payloads: { scan: false } }],
        ['there are no hashes', { metadata: { createdOn: 1 } }, { scan: 'aa' }, {}]
    ];
    for (const [title, altered, elements, expected] of VERIFIED) {
        it(`show when ${title}`, async () => {

            expect<unknown>(verifyHashes({ ...await fullForm(), ...altered }, elements)).to.equal(expected);
        });
    }
});
