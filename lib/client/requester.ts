/** Requests over either transport: with credentials, which are renewed; repeated where that is safe; with errors that say what is known. */

import type { Segment } from '../doip/envelope.js';
import { bytesOf, drain } from '../doip/segments.js';
import { Status } from '../errors/status.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { onClose } from '../util/streams/on-close.js';
import type { ClientRequest, ClientResponse, Connection } from './connection.js';
import { ConnectionError, connectionErrorOf, errorOf, failureOf, type RequestError } from './errors.js';
import { CONDITIONAL, READING } from './reading-operations.js';
import { openInput, type OpenedInput, type RequestInput } from './request-input.js';
import { defined } from './web/json.js';
import { Login, type TokenSource } from './web/login.js';
import type { Form } from './web/response-forms.js';
import { counted, type ProgressListener } from './web/streams.js';
import { type Attempt, repeat, type Repeatable, type RequestFacts, type RetryOptions, RetryPolicy } from './web/retry.js';

/** Who is calling, and how often failed requests are sent again. */
export interface RequesterOptions {
    /** `{username, password}`, `{password}` with a clientId, or `{token}`, each optionally with `asUserId`. Added to requests without any. */
    readonly authentication?: JsonObject;
    readonly clientId?: string;
    /** Supplies the token of `authentication`, and another one when the service no longer accepts it. */
    readonly token?: TokenSource;
    readonly retries?: RetryOptions;
}

/** A request that may be made anew for each attempt. */
export interface OutgoingRequest extends Omit<ClientRequest, 'input'> {
    readonly input?: JsonValue;
    readonly segments?: RequestInput;
    /** True for an operation that changes nothing; the built-in ones are known. */
    readonly isRead?: boolean;
}

/** Sends requests to one service. */
export class Requester {

    readonly #connection: Connection;
    readonly #credentials: Pick<ClientRequest, 'authentication' | 'clientId'>;
    readonly #login: Login | null;
    readonly #policy: RetryPolicy;

    /** @throws TypeError for retries that make no sense */
    constructor(connection: Connection, { token, retries, ...credentials }: RequesterOptions) {

        this.#connection = connection;
        this.#credentials = credentials;
        this.#login = token ? new Login({ token }, () => Promise.reject(new Error('there is no password'))) : null;
        this.#policy = new RetryPolicy(retries);
    }

    /** Returns the response, whatever its status. Its output must be read to the end or closed. */
    async perform(request: OutgoingRequest): Promise<ClientResponse> {

        const rejected: { last: ClientResponse | null } = { last: null };
        const discard = async (): Promise<void> => {

            await rejected.last?.output.return().catch(() => undefined);        // Broken, and released by that
            rejected.last = null;
        };

        try {
            const outcome = await this.#repeat<ClientResponse>(request, async (token) => {

                await discard();
                const sent = await this.#send(request, token, open(request));
                if ('error' in sent || sent.value.status === Status.ok) {
                    return sent;
                }

                rejected.last = sent.value;
                return { error: { attempts: 1, mayHaveChanged: false }, failure: failureOf(sent.value), request: repeatable(request) };
            });
            return rejected.last ?? valueOf(outcome);
        }
        catch (error) {
            // There is no next attempt, as the delay before it was ended or there is no token for it.
            await discard();
            throw error;
        }
    }

    /** Returns the JSON of a successful response; undefined if there is none. @throws ConnectionError for another form */
    async json(request: OutgoingRequest, form: Form): Promise<JsonValue | undefined> {

        return this.#succeed(request, async ({ output }) => {

            const value = await firstJson(output);
            if (!form(value)) {
                throw new ConnectionError(`${request.operationId}: the response has an unexpected form`, { isPartial: true });
            }

            return value;
        });
    }

    /** Returns the bytes of a successful response, which must be read to their end or closed. */
    async bytes(request: OutgoingRequest, listener?: ProgressListener): Promise<AsyncGenerator<Uint8Array, void, undefined>> {

        return this.#succeed({ ...request, jsonAsBytes: true }, ({ output, attributes }) => {

            const received = listener ? counted(bytesOf(output), sizeIn(attributes), listener) : bytesOf(output);
            const release = (): void => void output.return().catch(() => undefined);        // Broken, and released by that
            return Promise.resolve(onClose(explained(received, request.signal), release));
        });
    }

    close(): void {

        this.#connection.close();
    }

    /** Repeats the request with the reading of its response. */
    async #succeed<T>(request: OutgoingRequest, read: (response: ClientResponse) => Promise<T>): Promise<T> {

        return valueOf(await this.#repeat<T>(request, async (token): Promise<Attempt<T, RequestError | ConnectionError>> => {

            const opened = open(request);
            const sent = await this.#send(request, token, opened);
            if ('error' in sent) {
                return sent;
            }

            const response = sent.value;
            try {
                if (response.status === Status.ok) {
                    return { value: await read(response) };
                }

                const error = await errorOf(response);
                return { error, failure: failureOf(response, error.details), request: repeatable(request) };
            }
            catch (error) {
                await response.output.return().catch(() => undefined);      // Broken
                return failed(error, request, opened);
            }
        }));
    }

    #repeat<T>(request: OutgoingRequest, attempt: (token: string | null) => Promise<Attempt<T, RequestFacts>>): Promise<Attempt<T, RequestFacts>> {

        const login = request.authentication === undefined ? this.#login : null;
        return repeat(attempt, { policy: this.#policy, login, signal: request.signal });
    }

    async #send(request: OutgoingRequest, token: string | null, opened: OpenedInput | null): Promise<Attempt<ClientResponse, ConnectionError>> {

        const { input, segments: _, isRead: _isRead, ...head } = request;
        const { authentication, ...others } = { ...this.#credentials, ...head };
        try {
            return { value: await this.#connection.perform({
                ...others, ...defined({ input: opened?.segments ?? input, authentication: token === null ? authentication : { ...authentication, token } })
            }) };
        }
        catch (error) {
            return failed(error, request, opened);
        }
    }
}

function open({ segments }: OutgoingRequest): OpenedInput | null {

    return segments ? openInput(segments) : null;
}

/** What an error means. @throws the reason of the signal, the error of a source, and what has nothing to do with the connection */
function failed(error: unknown, request: OutgoingRequest, opened: OpenedInput | null): Attempt<never, ConnectionError> {

    request.signal?.throwIfAborted();
    const source = opened?.failure();
    if (source) {
        throw source.cause;
    }

    const lost = connectionErrorOf(error);
    if (!lost) {
        throw error;
    }

    return { error: lost, failure: ConnectionError.failureOf(lost), request: repeatable(request) };
}

function valueOf<T>(outcome: Attempt<T, RequestFacts>): T {

    if ('error' in outcome) {
        throw outcome.error as RequestError | ConnectionError;
    }

    return outcome.value;
}

function repeatable({ operationId, attributes = {}, segments, isRead }: OutgoingRequest): Repeatable {

    const tags = [attributes['ifMatch'] ?? '*'].flat();
    return {
        isRead: isRead ?? READING.has(operationId),
        // The tag `*` is any version.
        isConditional: CONDITIONAL.has(operationId) && !tags.includes('*'),
        isReplayable: segments?.isReplayable ?? true
    };
}

/** The number of bytes that follow; null when unknown. */
function sizeIn({ size, range }: JsonObject): number | null {

    const { start, end } = isJsonObject(range) ? range : {};
    return typeof start === 'number' && typeof end === 'number' ? end - start + 1 : typeof size === 'number' ? size : null;
}

/** The first JSON value of an output, which is read to its end. */
async function firstJson(output: AsyncIterable<Segment>): Promise<JsonValue | undefined> {

    let value: JsonValue | undefined;
    for await (const segment of output) {
        if (segment.kind === 'json') {
            value ??= segment.value;
        }
        else {
            await drain(segment.body);
        }
    }

    return value;
}

/** Passes bytes on, with the errors of the connection as the client throws them. */
async function *explained(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, undefined> {

    try {
        yield *bytes;
        signal?.throwIfAborted();
    }
    catch (error) {
        signal?.throwIfAborted();
        throw connectionErrorOf(error) ?? error;
    }
}
