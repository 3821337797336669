/**
 * `doip-gateway/client/web`: a client for objects over HTTP, for browsers, Node and other runtimes with `fetch`. It has no dependencies, and is
 * published as a CommonJS and as an ES module, which browsers load without a bundler.
 *
 * ```js
 * import { RepositoryClient } from 'doip-gateway/client/web';
 *
 * const repository = new RepositoryClient('https://repository.example.org', { username: 'ann', password: 'PASSWORD' });
 * const object = await repository.get('test/map');
 * ```
 */

export { RepositoryClient } from './repository-client.js';
export type {
    CallOptions, CreateOptions, MatchOptions, RepositoryOptions, SearchOptions, SearchPageOptions, Stored, UpdateOptions
} from './repository-client.js';
export { RepositoryError } from './errors.js';
export type { ContentError } from './errors.js';
export type { ByteRange, PayloadDownload } from './download.js';
export type { Credentials, TokenSource } from './login.js';
export type { NewPayload, RequestBody } from './request-body.js';
export type { RetryOptions } from './retry.js';
export type { Bytes, Progress, ProgressListener } from './streams.js';
export type { Fetch, Query, WebRequest } from './transport.js';
export type {
    Acl, ApiKeyScope, BatchItem, BatchResults, Caller, DigitalObject, Metadata, Payload, SearchResults, Version
} from './types.js';
export type { JsonObject, JsonValue } from '../../util/json-types.js';
