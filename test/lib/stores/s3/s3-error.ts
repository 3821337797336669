import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { S3Error, toS3Error, unavailableStore } from '../../../../lib/stores/s3/s3-error.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** An error as the SDK throws it. */
function sdkError(name: string, status?: number): Error {

    return Object.assign(new Error('said'), { name, ...status === undefined ? {} : { $metadata: { httpStatusCode: status } } });
}

describe('errors of an S3 store', () => {

    for (const [name, status, failure] of [
        ['NoSuchKey', 404, 'missing'], ['NotFound', 404, 'missing'], ['NoSuchUpload', 404, 'missing'], ['NoSuchBucket', 404, 'no-bucket'],
        ['AccessDenied', 403, 'denied'], ['InvalidAccessKeyId', 403, 'denied'], ['Unknown', 403, 'denied'], ['CredentialsProviderError', undefined, 'denied'],
        ['PermanentRedirect', 301, 'wrong-region'], ['AuthorizationHeaderMalformed', 400, 'wrong-region'], ['Unknown', 307, 'wrong-region'],
        ['QuotaExceeded', 403, 'full'], ['XMinioStorageFull', 507, 'full'], ['Unknown', 507, 'full'],
        ['SlowDown', 503, 'unreachable'], ['InternalError', 500, 'unreachable'], ['Unknown', 429, 'unreachable'], ['RequestTimeout', 408, 'unreachable'],
        ['TimeoutError', undefined, 'unreachable'], ['Error', undefined, 'unreachable'], ['InvalidRange', 416, 'rejected'], ['MalformedXML', 400, 'rejected']
    ] as const) {
        it(`are ${failure} for ${name} ${status ?? 'without an answer'}, and 503 for clients`, () => {

            const error = toS3Error(sdkError(name, status));
            const answer = unavailableStore(error);

            expect([error.failure, error.status]).to.equal([failure, status ?? null]);
            expect([answer.http, answer.message.includes('said')]).to.equal([503, false]);
            expect(Number(answer.attributes['retryAfter']) > 0).to.be.true();
        });
    }

    it('are not classified twice', () => {

        const error = new S3Error('full', 'no room');

        expect(toS3Error(error)).to.shallow.equal(error);
    });
});
