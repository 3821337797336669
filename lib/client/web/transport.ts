/** Requests by `fetch`: with credentials, which are renewed; repeated where that is safe; with errors as RepositoryError. */

import { errorOf, RepositoryError, unreachable } from './errors.js';
import { type Credentials, Login } from './login.js';
import { jsonBody, type RequestBody } from './request-body.js';
import { anything, type Form, token as tokenForm } from './response-forms.js';
import { type Attempt, repeat, type Repeatable, type RetryOptions, RetryPolicy } from './retry.js';

/** How requests are sent. */
export interface TransportOptions extends Credentials {
    /** Id of a user as whom the administrator acts. */
    readonly asUserId?: string;
    /** True to send credentials without TLS to another machine than this one. Default false. */
    readonly insecure?: boolean;
    readonly retries?: RetryOptions;
    /** Used instead of the global `fetch`. */
    readonly fetch?: Fetch;
}

/** What the client needs of `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Values of a query string; `true` is a flag. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A request to the service. */
export interface WebRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    /** Below the URL of the service, encoded, with a slash at its beginning. */
    readonly path: string;
    readonly query?: Query;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: RequestBody;
    readonly signal?: AbortSignal | undefined;
    /** True for a POST that changes nothing. */
    readonly isRead?: boolean;
}

const AS_USER = 'as-user';

/** Sends requests to one service. */
export class Transport {

    /** URL of the service, without a slash at its end. */
    readonly url: string;
    readonly #fetch: Fetch;
    readonly #login: Login;
    readonly #policy: RetryPolicy;
    readonly #asUserId: string | undefined;

    /** @throws TypeError for an invalid URL, and where credentials would be sent without TLS */
    constructor(url: string, { fetch: own, retries, asUserId, insecure = false, ...credentials }: TransportOptions) {

        this.url = serviceUrl(url);
        this.#fetch = own ?? ((...request) => fetch(...request));
        this.#policy = new RetryPolicy(retries);
        this.#asUserId = asUserId;
        this.#login = new Login(credentials, () => this.#createToken(credentials));
        if (!insecure && !this.#login.isAnonymous && !isTrusted(new URL(this.url))) {
            throw new TypeError(`credentials are not sent to ${this.url} without TLS: use https, or allow insecure connections`);
        }
    }

    /** Returns the response to a request, if it was successful. Its body must be read or cancelled. @throws RepositoryError */
    async send(request: WebRequest): Promise<Response> {

        return this.#repeated(request, this.#login);
    }

    /** Returns the JSON of the response to a request. @throws RepositoryError also for another form */
    async json<T>(request: WebRequest, form: Form): Promise<T> {

        const response = await this.send(request);
        return await jsonOf(response, request, form) as T;
    }

    /** Revokes the access token that was made from the password, if there is one. */
    async logout(signal?: AbortSignal): Promise<void> {

        const { own } = this.#login;
        this.#login.forget();
        if (own !== null) {
            await this.#anonymously({ method: 'POST', path: '/auth/revoke', body: jsonBody({ token: own }, 'token'), signal, isRead: true }, anything);
        }
    }

    async #repeated(request: WebRequest, login: Login | null): Promise<Response> {

        const outcome = await repeat((token) => this.#attempt(request, token), { policy: this.#policy, login, signal: request.signal });
        if ('error' in outcome) {
            throw outcome.error;
        }

        return outcome.value;
    }

    async #attempt(request: WebRequest, token: string | null): Promise<Attempt<Response, RepositoryError>> {

        const outcome = await this.#sendOnce(request, token);
        if (outcome instanceof Response) {
            return { value: outcome };
        }

        return { error: outcome, failure: RepositoryError.failureOf(outcome), request: repeatable(request) };
    }

    /** Returns the error instead of throwing it, unless the signal was aborted. */
    async #sendOnce({ method, path, query = {}, headers = {}, body, signal }: WebRequest, token: string | null): Promise<Response | RepositoryError> {

        const url = `${this.url}${path}${queryString(query)}`;
        const content = body?.open();
        const sent = {
            ...headers, ...body ? { 'Content-Type': body.mediaType } : {}, ...token === null ? {} : { Authorization: `Bearer ${token}` },
            ...this.#asUserId === undefined ? {} : { [AS_USER]: this.#asUserId }
        };
        const init = {
            method, headers: sent, ...content === undefined ? {} : { body: content }, ...content instanceof ReadableStream ? { duplex: 'half' as const } : {},
            ...signal ? { signal } : {}, credentials: 'omit' as const,
            // A redirect would take a password, content or the user to act as to where it leads, perhaps without TLS, or make a read of a change.
            ...method === 'GET' && !Object.keys(sent).some((name) => name.toLowerCase() === AS_USER) ? {} : { redirect: 'error' as const }
        };
        let response: Response | null = null;
        let isDone = false;
        try {
            response = await this.#fetch(url, init);
            body?.sent?.();
            isDone = response.ok;
            const outcome = isDone ? response : await errorOf(response, `${method} ${path}`);
            signal?.throwIfAborted();
            return outcome;
        }
        catch (error) {
            response?.body?.cancel().catch(() => undefined);    // It may have ended
            signal?.throwIfAborted();
            return unreachable(this.url, body?.failure?.()?.cause ?? error);
        }
        finally {
            if (!isDone) {
                body?.close?.();
            }
        }
    }

    async #createToken({ username, password }: Credentials): Promise<string> {

        const body = jsonBody({ grant_type: 'password', username, password }, 'credentials');
        const response = await this.#anonymously({ method: 'POST', path: '/auth/token', body, isRead: true }, tokenForm);
        return String(response['access_token']);
    }

    /** A request that has no credentials, as it makes or ends them. */
    async #anonymously(request: WebRequest, form: Form): Promise<Readonly<Record<string, unknown>>> {

        return await jsonOf(await this.#repeated(request, null), request, form) as Record<string, unknown>;
    }
}

function repeatable({ method, headers = {}, isRead = false, body }: WebRequest): Repeatable {

    const tag = headers['If-Match'] ?? '*';
    return {
        isRead: isRead || method === 'GET',
        // The tag `*` is any version.
        isConditional: (method === 'PUT' || method === 'DELETE') && tag !== '*',
        // What fails on this side would fail again.
        isReplayable: (body?.isReplayable ?? true) && !body?.failure?.()
    };
}

/** Reads JSON of a form. @throws RepositoryError for anything else */
export async function jsonOf(response: Response, { method, path, signal, isRead = false }: WebRequest, form: Form): Promise<unknown> {

    const unusable = (what: string, cause?: unknown): RepositoryError => {

        const { status, headers } = response;
        const error = new RepositoryError(`${method} ${path}: the response ${what}`, { status, requestId: headers.get('request-id'), cause });
        return Object.assign(error, { mayHaveChanged: method !== 'GET' && !isRead });
    };

    let value: unknown;
    try {
        value = await response.json();
    }
    catch (cause) {
        signal?.throwIfAborted();
        throw unusable('is not JSON, or is not complete', cause);
    }

    if (!form(value)) {
        throw unusable('has an unexpected form');
    }

    return value;
}

/** Returns the path of an id or a type below a path. @throws TypeError for text that no URL can hold */
export function pathOf(base: string, name: string): string {

    const segments = name.split('/');
    if (name === '' || /^\.{1,2}$/.test(name) || !name.isWellFormed()) {
        throw new TypeError(`${JSON.stringify(name)} is no id`);
    }

    // URL parsers remove empty segments and those of dots, so that another object would be meant.
    const isPlain = segments.every((segment) => !/^\.{0,2}$/.test(segment));
    return `${base}/${isPlain ? segments.map(encodeURIComponent).join('/') : encodeURIComponent(name)}`;
}

function queryString(query: Query): string {

    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        const values = value === undefined || value === false ? [] : Array.isArray(value) ? value as readonly string[] : [String(value)];
        values.forEach((each) => parameters.append(name, each));
    }

    return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

function serviceUrl(text: string): string {

    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new TypeError(`${text} is no URL of a service: http://… or https://…`);
    }

    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
        throw new TypeError('the URL of the service has no credentials and no query; credentials are options');
    }

    return url.href.replace(/\/$/, '');
}

/** True where credentials cannot be read on their way. */
function isTrusted({ protocol, hostname }: URL): boolean {

    return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
