/**
 * The modules `cordra` and `cordraUtil` for scripts. Calls are synchronous; awaiting their results is harmless.
 */

import type { Bridge } from './bridge.js';
import { parse, replace, stringify } from './primordials.js';
import { CordraError } from './error-description.js';

/** Special characters of the query syntax (Lucene's). */
const SPECIAL = /[-+!(){}[\]^"~*?:\\/&|]/g;

type HostRequest = (name: string, ...args: readonly unknown[]) => unknown;

interface ErrorAnswer {
    readonly error?: { readonly message: string; readonly status: number | string };
}

/** `require('cordra')`. */
export function cordraModule(bridge: Bridge): object {

    const request = requester(bridge);
    const bytes = (id: unknown, name: unknown): Uint8Array | null => {

        const answer = bridge.askBytes('payload', stringify([String(id), String(name)]));
        if (typeof answer === 'string') {
            throw errorOf(parse(answer) as ErrorAnswer);
        }

        return answer === null ? null : new Uint8Array(answer);
    };

    const text = (id: unknown, name: unknown): unknown => request('payloadText', String(id), String(name));
    return {
        get: (id: unknown) => request('get', String(id)),
        search: (query: unknown, paramsOrPageNum?: unknown, pageSize?: unknown, sortFields?: unknown) =>
            request('search', String(query), searchParams(paramsOrPageNum, pageSize, sortFields)),
        create: (object: unknown) => request('create', object),
        update: (object: unknown) => request('update', object),
        delete: (id: unknown) => void request('delete', String(id)),
        getPayloadAsString: text,
        getPayloadAsJavaScriptString: text,
        getPayloadAsUint8Array: bytes,
        getPayloadAsJavaScriptUint8Array: bytes,
        getPayloadAsJson: (id: unknown, name: unknown) => {

            const found = text(id, name);
            return typeof found === 'string' ? parse(found) as unknown : null;
        },
        CordraError
    };
}

/** `require('cordraUtil')`. */
export function cordraUtilModule(bridge: Bridge): object {

    const request = requester(bridge);
    const compute = (name: string, ...args: readonly unknown[]): unknown => unwrapped(bridge.compute(name, stringify(args)));
    const escapeText = (text: unknown): string => replace(String(text), SPECIAL, '\\$&');
    return {
        verifySecret: (object: unknown, pointer: unknown, secret: unknown) => request('verifySecret', object, String(pointer), String(secret)),
        verifyHashes: (object: unknown) => request('verifyHashes', object),
        hashJson: (value: unknown) => compute('hashJson', value),
        escape: escapeText,
        escapeForQuery: escapeText,
        extractJwtPayload: (jwt: unknown) => compute('extractJwtPayload', String(jwt)),
        verifyWithKey: (jwt: unknown, key: unknown) => compute('verifyWithKey', String(jwt), key),
        signWithKey: (payload: unknown, key: unknown) => compute('signWithKey', payload, key),
        signWithCordraKey: (payload: unknown) => request('sign', payload),
        verifyWithCordraKey: (jwt: unknown) => compute('verifyWithKey', String(jwt), request('publicKey')),
        getCordraPublicKey: () => request('publicKey'),
        validateWithSchema: (value: unknown, schema: unknown) => request('validate', value, schema),
        getGroupsForUser: (userId: unknown) => request('groupsOf', String(userId))
    };
}

function requester(bridge: Bridge): HostRequest {

    return (name, ...args) => unwrapped(bridge.ask(name, stringify(args)));
}

function unwrapped(text: string): unknown {

    const { value, ...answer } = parse(text) as ErrorAnswer & { readonly value?: unknown };
    if (answer.error) {
        throw errorOf(answer);
    }

    return value;
}

function errorOf({ error }: ErrorAnswer): CordraError {

    return new CordraError({ message: error?.message ?? '' }, error?.status);
}

/** Accepts `(pageNum, pageSize, sortFields)` or one object with these members. */
function searchParams(first: unknown, pageSize: unknown, sortFields: unknown): object {

    const params = typeof first === 'object' && first !== null ? first as Record<string, unknown> : { pageNum: first, pageSize, sortFields };
    return {
        pageNum: wholeNumber(params['pageNum'], 0),
        pageSize: wholeNumber(params['pageSize'], -1),
        sortFields: sortText(params['sortFields'])
    };
}

function wholeNumber(value: unknown, fallback: number): number {

    const number = value === undefined || value === null ? NaN : Math.trunc(Number(value));
    return Number.isSafeInteger(number) ? number : fallback;
}

/** Returns sort fields as text; accepts arrays of `{ name, reverse }` or of strings too. */
function sortText(value: unknown): string {

    if (!Array.isArray(value)) {
        return typeof value === 'string' ? value : '';
    }

    return value.map((field: unknown) => {

        const { name, reverse } = (typeof field === 'object' && field !== null ? field : { name: field }) as { name: unknown; reverse?: unknown };
        return `${String(name)}${reverse === true ? ' DESC' : ''}`;
    }).join(',');
}
