/** Host calls of scripts that validate an upload. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { UploadHost } from '../../../../lib/bulk/upload/upload-host.js';
import type { StoredElement } from '../../../../lib/model/stored-object.js';
import type { ScriptHost } from '../../../../lib/scripting/protocol/script-host.js';
import type { TypeRegistry } from '../../../../lib/types/type-registry.js';
import { sha256 } from '../../../support/bytes.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SCOPE = { depth: 0, deadline: Infinity, signal: new AbortController().signal, callerKey: 'admin' };
const BYTES = Buffer.from('uploaded');
const ELEMENT: StoredElement = { name: 'scan', filename: null, mediaType: null, size: BYTES.length, blobId: 7, store: 'database', hash: null };

describe('an upload, for scripts', () => {

    const host = new UploadHost({ verifyHashes: () => Promise.resolve({ stored: true }) } as unknown as ScriptHost, {
        registry: null as unknown as TypeRegistry,
        find: (id) => Promise.resolve(id === 'test/uploaded' ? { form: { id }, elements: [ELEMENT] } : undefined),
        remains: (id) => id === 'test/kept',
        async *open() {

            yield BYTES;
        }
    });

    const cases = [
        ['the bytes that are uploaded', 'test/uploaded', { payloads: { scan: true } }],
        ['stored bytes of an object that is kept', 'test/kept', { stored: true }],
        ['no bytes of an object that is deleted', 'test/deleted', { payloads: { scan: false } }]
    ] as const;

    for (const [title, id, expected] of cases) {
        it(`verifies hashes by ${title}`, async () => {

            const object = { id, metadata: { hashes: { payloads: { scan: sha256(BYTES) } } } };

            expect<unknown>(await host.verifyHashes(object, SCOPE)).to.equal(expected);
        });
    }
});
