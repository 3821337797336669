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

    it('cover content, user metadata and elements, separately and together', () => {

        expect<unknown>(hashesOf(OBJECT, { scan: 'aa' })).to.equal({
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

    it('omit missing parts', () => {

        const bare = { ...OBJECT, acl: null, userMetadata: null, elements: [] };
        expect<unknown>(hashesOf(bare, {})).to.equal({
            alg: 'SHA-256',
            content: hashJson(OBJECT.content),
            full: hashJson({ id: 'test/1', type: 'Document', content: OBJECT.content, metadata: {} })
        });
    });

    const full: JsonObject = {
        ...toFullForm(OBJECT, { createdOn: 1, hashes: hashesOf(OBJECT, { scan: 'aa' }) }), responseContext: { permission: 'READ' }
    };

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
        it(`show when ${title}`, () => {

            expect<unknown>(verifyHashes({ ...full, ...altered }, elements)).to.equal(expected);
        });
    }
});
