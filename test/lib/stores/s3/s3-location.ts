import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { parseS3Url } from '../../../../lib/stores/s3/s3-location.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the URL of a payload store', () => {

    for (const [url, bucket, prefix] of [
        ['s3://abc', 'abc', ''], ['s3://abc/', 'abc', ''], ['s3://my.bucket-1/payloads', 'my.bucket-1', 'payloads/'], ['s3://abc/one/two.3/', 'abc', 'one/two.3/']
    ] as const) {
        it(`is read from ${url}`, () => {

            expect(parseS3Url(url)).to.equal({ bucket, prefix });
        });
    }

    for (const url of ['', 'abc', 'http://abc/x', 's3:/abc', 's3://', 's3://ab', 's3://Abc', 's3://a b c', 's3://abc_d', `s3://${'a'.repeat(64)}`, 's3://key:secret@abc']) {
        it(`is rejected for its bucket in ${JSON.stringify(url)}`, () => {

            expect(() => parseS3Url(url)).to.throw('must be s3://bucket/prefix, with a bucket of 3 to 63 small letters, digits, dots and dashes');
        });
    }

    for (const prefix of ['/x', 'a//b', '..', 'a/../b', '.', 'a b', 'a?b', 'a#b', 'ä', 'a/'.repeat(11), 'x'.repeat(101)]) {
        it(`is rejected for its prefix ${JSON.stringify(prefix)}`, () => {

            expect(() => parseS3Url(`s3://abc/${prefix}`)).to.throw(/^must be s3:\/\/bucket\/prefix, with a prefix of letters/);
        });
    }
});
