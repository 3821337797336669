/** Where payloads are in an S3 store, and how it is reached. */

/** Bucket and prefix. */
export interface S3Location {
    readonly bucket: string;
    /** Of all keys; empty, or ends with a slash. */
    readonly prefix: string;
}

/** Options of the store. */
export interface S3Options {
    /** `s3://bucket/prefix`. */
    readonly url: string;
    /** URL of the server; null for AWS. */
    readonly endpoint: string | null;
    /** Null for that of the environment. */
    readonly region: string | null;
    /** True to have the bucket in the path of URLs instead of the host; null: with an endpoint. */
    readonly pathStyle: boolean | null;
    /** False: new payloads go to the database, those in the store can be read. */
    readonly isForNew: boolean;
    /** Maximum memory of uploads in progress, in bytes. */
    readonly memoryBytes: number;
    /** Milliseconds without progress after which an attempt has failed. */
    readonly stallMs: number;
    /** The ownership token of another copy of the database, from which the bucket is to be taken over. */
    readonly adopt?: string | null;
    /** True for a command, which ends soon: on a copy of the database that does not own the bucket it may read. */
    readonly isForCommand?: boolean;
    /** Milliseconds after the start until bytes are removed that another copy of the database may know, unless it shows itself; default five minutes. */
    readonly challengeMs?: number;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const SEGMENT = /^[\w!*'()-][\w.!*'()-]{0,99}$/;
const MAX_SEGMENTS = 10;

/** Reads `s3://bucket/prefix`. @throws Error with what is wrong */
export function parseS3Url(url: string): S3Location {

    const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)(?:\/(.*))?$/.exec(url) ?? [];
    if (!BUCKET.test(bucket)) {
        throw new Error('must be s3://bucket/prefix, with a bucket of 3 to 63 small letters, digits, dots and dashes');
    }

    const segments = path.replace(/\/$/, '').split('/');
    if (path !== '' && (segments.length > MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment)))) {
        throw new Error('must be s3://bucket/prefix, with a prefix of letters, digits, - _ . ! * \' ( ) and single slashes');
    }

    return { bucket, prefix: path === '' ? '' : `${segments.join('/')}/` };
}
