/** What a client is told of an upload that is certain to be applied while the database comes and goes: never that it may be repeated. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DatabaseError } from '../../../../db/errors.js';
import type { DatabaseErrorKind } from '../../../../db/errors.js';
import { UploadService } from '../../../../lib/bulk/upload/upload-service.js';
import { empty, readBytes } from '../../../../lib/doip/segments.js';
import { UNKNOWN_OUTCOME } from '../../../../lib/errors/errors.js';
import { SERVICE } from '../../../../lib/model/caller.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { beforeEach, describe, it } = lab;

type Look = () => Promise<object | null>;

function away(fault: DatabaseErrorKind = 'unavailable'): () => Promise<never> {

    return () => Promise.reject(new DatabaseError(fault, 'the database is away'));
}

function job(state: string, progress: object | null = null): Look {

    return () => Promise.resolve({ state, progress });
}

describe('an upload that was begun', () => {

    let commit: () => Promise<object>;
    let epochs: () => Promise<object>;
    /** What the next looks at the job find, the last one again and again. */
    let looks: Look[];
    let looked: number;
    let woken: number;
    let service: UploadService;

    beforeEach(() => {

        [looked, woken, looks] = [0, 0, [job('done')]];
        commit = async () => ({ ok: true, steps: [{ insertId: 7 }] });
        epochs = async () => ({});
        const parts = {
            db: { commit: () => commit() },
            blobs: {
                async stage(body: AsyncIterable<Uint8Array>) {

                    await readBytes(body, 1000);
                    return { blobId: 1, size: 1, store: 'database', discard: async () => {} };
                },
                linkSteps: () => []
            },
            catalog: { current: { design: {}, prefix: 'test' } }, catalogStore: { bumpStep: () => ({}) }, settings: { insertSteps: () => [] },
            reader: { epochs: () => epochs() }, jobs: { wake: () => void ++woken }, source: { read: async () => null }, limits: {},
            jobStore: {
                enqueueStep: () => ({}),
                get() {

                    looked += 1;
                    return (looks.length > 1 ? looks.shift() : looks[0])?.();
                }
            }
        };
        service = new UploadService(parts as unknown as ConstructorParameters<typeof UploadService>[0]);
    });

    function upload(signal = new AbortController().signal): Promise<string> {

        const request = { deleteCurrentObjects: false, caller: SERVICE, requestContext: {}, signal, currentCaller: async () => {} };
        return service.upload(empty(), request).then(() => 'success', ({ message }: Error) => message);
    }

    it('is awaited when the first reading after its commit fails', async () => {

        epochs = away();
        looks = [job('waiting'), job('running'), job('done')];

        expect([await upload(), looked, woken]).to.equal(['success', 3, 1]);
    });

    it('is awaited while the database is away', async () => {

        looks = [job('running'), away(), away(), away(), job('running'), job('done')];

        expect(await upload()).to.equal('success');
    });

    const ends: [title: string, looks: Look[], message: string][] = [
        ['it was refused', [away(), job('done', { refusal: { count: 1, first: 'it', errors: [] } })], 'nothing was uploaded: 1 object is wrong, it'],
        ['its job is gone', [job('running'), async () => null], 'the upload has ended, but its outcome is not known any more'],
        ['it cannot be looked at for another reason', [away('failed')], UNKNOWN_OUTCOME]
    ];
    for (const [title, found, message] of ends) {
        it(`is not said to be stored when ${title}`, async () => {

            looks = found;

            expect(await upload()).to.equal(message);
        });
    }

    it('is awaited after its client has left, but not while the database is away', async () => {

        const controller = new AbortController();
        looks = [job('running')];
        const uploading = upload(controller.signal);
        await until(() => looked > 0);
        controller.abort();
        const seen = looked;
        await until(() => looked > seen + 1);
        looks = [away()];

        expect(await uploading).to.equal(UNKNOWN_OUTCOME);
    });

    it('is awaited no more when the service stops', async () => {

        looks = [away()];
        const uploading = upload();
        await until(() => looked > 0);
        await sleep(1);
        service.close();

        expect(await uploading).to.equal(UNKNOWN_OUTCOME);
    });

    it('has not begun when its commit has failed', async () => {

        commit = away();

        expect([await upload(), looked]).to.equal(['the database is away', 0]);
    });
});
