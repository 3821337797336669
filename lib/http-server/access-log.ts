/** Access log: one line per request. Secrets in the query string are redacted. */

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, Server } from '@hapi/hapi';
import type { Logger } from 'pino';
import { Op } from '../doip/operation-ids.js';
import { LogLimiter } from '../util/log-limiter.js';
import { requestIdOf } from './request-id.js';
import { countSent, sentBytes } from '../util/streams/sent-bytes.js';

/** Facts about a request that the translators provide. */
export interface RequestFacts {
    /** User id; null when anonymous, undefined without authentication. */
    readonly callerId?: string | null | undefined;
    readonly operationId?: string | undefined;
    /** Id of the object that was created. */
    readonly createdId?: string | undefined;
    /** Id of the trace to which the request belongs. */
    readonly traceId?: string | undefined;
    /** Address of the client, also behind trusted proxies. */
    readonly remoteAddress?: string | undefined;
    /** True when the request was rejected early, by the rate limit of its address. */
    readonly isRejectedEarly?: boolean | undefined;
}

/** Interval in milliseconds at which early rejections are logged, as one line per address. */
const TOGETHER_MS = 5_000;
const MAX_LOGGED_URL = 2048;
const HIDDEN = '[secret]';
/** Parameters with credentials, or with JSON that may contain some. */
const SECRET_NAME = /^(u|i|input|params|authentication)(\.|$)|password|secret|token|assertion|credential|jwt|^(login_)?code$|^state$/i;
const SECRET_VALUE = /password|secret|token|assertion/i;

/** What is known of a request. */
export interface FactReaders {
    readonly factsOf: (request: Request) => RequestFacts;
    /** The connection of the client, which is not that of the request if another process has forwarded it. */
    readonly connectionOf: (request: Request) => { readonly remoteAddress: string; readonly httpVersion: string };
}

/** Logs every response of a server, and errors of hapi or a handler. */
export function logAccess(server: Server, log: Logger, { factsOf, connectionOf }: FactReaders): void {

    // Generic redaction is costly, and the fields of this line are known.
    const access = log.child({}, { redact: [] });
    const rejections = logRejections((remote, count) => {

        access.info({ event: 'http.rate-limited', remote, status: 429, count }, 'requests rejected (rate limit)');
    });
    server.events.on('stop', rejections.flush);
    server.events.on('response', (request) => {

        if (!access.isLevelEnabled('info') || isForwarded(request)) {
            return;
        }

        const { callerId, createdId, operationId, remoteAddress, traceId, isRejectedEarly } = factsOf(request);
        if (operationId === Op.health && !access.isLevelEnabled('debug')) {
            return;                                         // Asked every few seconds
        }

        if (isRejectedEarly) {
            rejections.record(remoteAddress ?? '');
            return;
        }

        const { info, method, raw } = request;
        const connection = connectionOf(request);
        // The log leaves out what is undefined.
        access.info({
            event: 'http.request',
            requestId: requestIdOf(request),
            remote: remoteAddress ?? connection.remoteAddress,
            http: connection.httpVersion,
            method: method.toUpperCase(),
            url: loggedUrl(raw.req.url ?? ''),
            status: statusOf(request),
            ms: (info.completed || Date.now()) - info.received,
            requestBytes: requestBytesOf(request),
            responseBytes: responseBytesOf(request),
            traceId,
            operation: operationId,
            user: callerId,
            created: createdId,
            broken: info.responded > 0 ? undefined : true
        }, 'request');
    });

    server.events.on({ name: 'request', channels: ['error', 'app'] }, (request, event) => {

        if (event.error !== undefined) {
            log.error({ event: 'http.error', requestId: requestIdOf(request), err: event.error, tags: event.tags }, 'request failed');
        }
    });
}

/** True for a request that another process performs, which logs it. */
function isForwarded({ response }: Request): boolean {

    return typeof response === 'symbol';
}

/** Counts the bytes of a response that a stream is piped to; to be called when its request arrives. */
export function countBytes({ raw: { res } }: Request): void {

    res.on('pipe', countPiped);
}

function countPiped(this: ServerResponse, source: Readable): void {

    countSent(this, 0);
    source.on('data', ({ length }: Buffer) => countSent(this, length));
}

/** The bytes of the body of a request, as it announced them; undefined if it has none. */
function requestBytesOf({ raw: { req } }: Request): number | undefined {

    const announced = req.headers['content-length'];
    return announced === undefined ? undefined : Number(announced);
}

/** The bytes of the body of a response as they were sent, compressed or not. */
function responseBytesOf({ method, raw: { res } }: Request): number {

    const isEmpty = method === 'head' || res.statusCode === 304 || res.statusCode === 204;
    return isEmpty ? 0 : sentBytes(res) ?? Number(res.getHeader('content-length') ?? 0);
}

/** Aggregates early rejections, so that thousands of them do not flood the log. */
export function logRejections(write: (remote: string, count: number) => void): { readonly record: (remote: string) => void; readonly flush: () => void } {

    const limiter = new LogLimiter({ burst: 0 });
    let timer: NodeJS.Timeout | undefined;
    const flush = (): void => {

        clearTimeout(timer);
        timer = undefined;
        for (const [remote, count] of limiter.drain()) {
            write(remote, count);
        }
    };

    const record = (remote: string): void => {

        limiter.pass(remote);
        timer ??= setTimeout(flush, TOGETHER_MS).unref();
    };

    return { record, flush };
}

/** A URL for the log: bounded in length, without the values of parameters with credentials. */
export function loggedUrl(url: string): string {

    const mark = url.indexOf('?');
    if (mark === -1) {
        return shorten(url);
    }

    const parameters = url.slice(mark + 1, mark + 1 + MAX_LOGGED_URL).split('&').map(withoutSecret);
    return shorten(`${url.slice(0, mark)}?${parameters.join('&')}`);
}

function withoutSecret(parameter: string): string {

    const sign = parameter.indexOf('=');
    if (sign === -1) {
        return parameter;
    }

    const name = parameter.slice(0, sign);
    const isSecret = SECRET_NAME.test(decode(name)) || SECRET_VALUE.test(decode(parameter.slice(sign + 1)));
    return isSecret ? `${name}=${HIDDEN}` : parameter;
}

function decode(text: string): string {

    try {
        return decodeURIComponent(text.replaceAll('+', ' '));
    }
    catch {
        return text;                                        // Invalid percent-encoding: checked undecoded
    }
}

function shorten(text: string): string {

    return text.length > MAX_LOGGED_URL ? `${text.slice(0, MAX_LOGGED_URL)}…` : text;
}

function statusOf({ response }: Request): number {

    return 'isBoom' in response ? response.output.statusCode : response.statusCode;
}
