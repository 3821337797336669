/** Requests to OpenSearch, with its errors classified. The client is loaded when the engine is opened: it is an optional package. */

import type * as Sdk from '@opensearch-project/opensearch';
import { EngineError, SearchEngineError, toEngineError } from './engine-error.js';
import type { EngineLocation } from '../../stores/search/engine-location.js';

/** A request; texts as bodies are sent as they are. */
export interface EngineRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
    readonly path: string;
    readonly query?: Readonly<Record<string, string | number | boolean>>;
    readonly body?: object | string;
    /** Lines of JSON. */
    readonly lines?: string;
    /** Default 30 s. */
    readonly timeoutMs?: number;
    /** True to return also what is no JSON, as of a server that is no engine. */
    readonly takesText?: boolean;
}

const PACKAGE = '@opensearch-project/opensearch';
const TIMEOUT_MS = 30_000;

/** Characters of an answer in a message. */
const MAX_TEXT = 200;

/** Client of one server. */
export class EngineClient {

    readonly #client: Sdk.Client;
    readonly #pending = new Set<{ abort(): void }>();

    private constructor(client: Sdk.Client) {

        this.#client = client;
    }

    /** @throws SearchEngineError when the client is not installed */
    static async open({ node, auth }: EngineLocation): Promise<EngineClient> {

        const { Client } = await loadSdk();
        return new EngineClient(new Client({ node, maxRetries: 0, ...auth ? { auth: { ...auth } } : {} }));
    }

    /** Sends a request and returns the body of the answer. @throws EngineError */
    async send<T>({ method, path, query = {}, body, lines, timeoutMs = TIMEOUT_MS, takesText = false }: EngineRequest): Promise<T> {

        const request = this.#client.transport.request({
            method, path, querystring: query as Record<string, string>,
            ...lines === undefined ? body === undefined ? {} : { body } : { bulkBody: lines }
        }, { requestTimeout: timeoutMs, maxRetries: 0 });
        this.#pending.add(request);
        // That of the client begins with a connection, and ends with the first bytes of the answer.
        let hasTimedOut = false;
        const timer = setTimeout(() => {

            hasTimedOut = true;
            request.abort();
        }, timeoutMs);
        try {
            const answer: unknown = (await request).body;
            if (!takesText && (typeof answer !== 'object' || answer === null)) {
                throw new EngineError('unreachable', `the answer to ${method} ${path} is no JSON: ${String(answer).slice(0, MAX_TEXT)}`);
            }

            return answer as T;
        }
        catch (error) {
            throw hasTimedOut ? new EngineError('unreachable', `no answer to ${method} ${path} within ${timeoutMs} ms`, error) : toEngineError(error);
        }
        finally {
            clearTimeout(timer);
            this.#pending.delete(request);
        }
    }

    /** Returns a client with the same connections whose requests are aborted separately. */
    share(): EngineClient {

        return new EngineClient(this.#client);
    }

    /** Aborts all requests in progress. */
    abort(): void {

        this.#pending.forEach((request) => request.abort());
    }

    async close(): Promise<void> {

        await this.#client.close();
    }
}

async function loadSdk(): Promise<typeof Sdk> {

    try {
        return await import('@opensearch-project/opensearch');           // Literal, for the bundle
    }
    catch (error) {
        if (!/MODULE_NOT_FOUND/.test((error as NodeJS.ErrnoException).code ?? '')) {
            throw error;
        }

        throw new SearchEngineError(`SEARCH_URL needs the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}`, false, error);
    }
}
