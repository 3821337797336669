/**
 * `doip-gateway/client`: clients for Node. DoipClient is for DOIP services, native or over HTTP; RepositoryClient for REST, which also is
 * `doip-gateway/client/web` for browsers.
 *
 * ```js
 * import { connect } from 'doip-gateway/client';
 *
 * const client = connect('doip://127.0.0.1:9000', { username: 'admin', password: 'PASSWORD' });
 * const object = await client.retrieve('test/map');
 * client.close();
 * ```
 */

import type { JsonObject } from '../util/json-types.js';
import { withoutBrackets } from '../util/net/ip-address.js';
import { DoipClient } from './doip-client.js';
import { HttpConnection } from './http-connection.js';
import type { AnyOperations, Operations } from './operation-types.js';
import { NativePool } from './native-pool.js';
import type { RequesterOptions } from './requester.js';
import { parseAddress } from './trust.js';
import { defined } from './web/json.js';
import type { TokenSource } from './web/login.js';
import type { RetryOptions } from './web/retry.js';

export { DoipClient } from './doip-client.js';
export type { DoipClientOptions } from './doip-client.js';
export type {
    BatchObject, ByteRange, CreateOptions, ElementOptions, MatchOptions, NewElement, NewObject, ObjectUpdate, RequestOptions, SearchOptions, SearchPage,
    UpdateOptions
} from './objects.js';
export { ConnectionError, RequestError } from './errors.js';
export type { ClientRequest, ClientResponse, ClientSegment, Connection, JsonBytes, PerformRequest } from './connection.js';
export type { AnyOperations, CallArguments, CallOptions, Operations, OperationTypes } from './operation-types.js';
export { HttpConnection } from './http-connection.js';
export type { HttpAddress } from './http-connection.js';
export { NativeConnection } from './native-connection.js';
export type { NativeAddress } from './native-connection.js';
/** Credentials of each request. */
export type Credentials = Pick<RequesterOptions, 'authentication' | 'clientId'>;
export { NativePool } from './native-pool.js';
export { DoipError } from '../errors/errors.js';
export { Status } from '../errors/status.js';
export type { BytesSegment, JsonSegment, Segment } from '../doip/envelope.js';
export type { Acl, DigitalObject, Element, Metadata } from '../doip/digital-object.js';
export type { JsonObject, JsonValue } from '../util/json-types.js';
export { RepositoryClient, RepositoryError } from './web/index.js';
// Those that are of both clients, and those of REST; with names of their own where DOIP has other ones.
export type {
    ApiKeyScope, BatchResults, Bytes, Caller, ContentError, Progress, ProgressListener, RetryOptions, TokenSource, Version
} from './web/index.js';
export type {
    BatchItem, Fetch, NewPayload, Payload, PayloadDownload, Query, RepositoryOptions, RequestBody, SearchPageOptions, SearchResults, Stored, WebRequest,
    ByteRange as PayloadRange, Credentials as RepositoryCredentials, CallOptions as RepositoryCallOptions, CreateOptions as RepositoryCreateOptions,
    DigitalObject as RepositoryObject, MatchOptions as RepositoryMatchOptions, SearchOptions as RepositorySearchOptions,
    UpdateOptions as RepositoryUpdateOptions
} from './web/index.js';
export { bytesSegment, jsonSegment, readBytes, sequence } from '../doip/segments.js';

/** Credentials, and how the service is recognised. */
export interface ClientOptions {
    readonly username?: string;
    readonly password?: string;
    /** Id of the user, for a password without username. */
    readonly clientId?: string;
    /**
     * Access token, API key, or a JWT signed with the key of the user; or a function that supplies one, and is called again when the service no
     * longer accepts it.
     */
    readonly token?: string | TokenSource;
    /** User as whom the administrator acts. */
    readonly asUserId?: string;
    /** Client certificate and its key (PEM); native DOIP takes it as credentials. */
    readonly certificate?: { readonly cert: string; readonly key: string };
    /** Public key of the service (JWK), as its handle record and Hello have it. Native DOIP only. */
    readonly publicKey?: JsonObject;
    /** Certificates (PEM) of authorities that are trusted, instead of those that Node trusts. */
    readonly ca?: string;
    /** True to send credentials to a service that is not verified. Default false. */
    readonly insecure?: boolean;
    readonly retries?: RetryOptions;
}

const DEFAULT_PORT = 9000;

/**
 * Returns a client for the service at an address. Nothing is sent yet.
 *
 * Credentials are sent only to a service that is verified: by an authority that is trusted, by its public key, or because it is on this
 * machine. A password is sent with each request, which every DOIP service understands; this one verifies it once a minute.
 *
 * @typeParam O operations and their types, as `doip-gateway types` writes them; default: any operation, of JSON
 * @param address `http://` or `https://` with the URL of the service for DOIP over HTTP; `doip://HOST:PORT` for native DOIP, with the id of
 * the service as the path where its certificate must name it
 * @throws TypeError if the address or the options are invalid
 */
export function connect<O extends Operations<O> = AnyOperations>(address: string, options: ClientOptions = {}): DoipClient<O> {

    const { certificate, publicKey, ca, insecure, clientId, token, retries, ...others } = options;
    const trust = { ...ca === undefined ? {} : { ca }, ...insecure === undefined ? {} : { insecure }, ...certificate ? { certificate } : {} };
    const isSource = typeof token === 'function';
    if (isSource && options.password !== undefined) {
        throw new TypeError('credentials are either username and password, or a token');
    }

    const authentication: JsonObject = { ...others, ...defined({ token: isSource ? undefined : token }) };
    const credentials = defined({
        clientId, retries, token: isSource ? token : undefined, authentication: Object.keys(authentication).length > 0 ? authentication : undefined
    });
    const { protocol, hostname, port, pathname } = parseAddress(address);
    switch (protocol) {
        case 'http:':
        case 'https:':
            return new DoipClient(new HttpConnection({ url: address, ...trust }), credentials);
        case 'doip:': {
            const serviceId = decodeURIComponent(pathname.slice(1));
            return new DoipClient(new NativePool({
                host: withoutBrackets(hostname), port: Number(port || DEFAULT_PORT), ...trust, ...publicKey ? { publicKey } : {},
                ...serviceId === '' ? {} : { serviceId }
            }), credentials);
        }

        default:
            throw new TypeError(`${address} is no address of a service: http://…, https://… or doip://…`);
    }
}
