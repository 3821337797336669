/**
 * The modules `cordra` and `cordraUtil` for scripts. Calls are synchronous; awaiting their results is harmless.
 */

import type { Bridge } from './bridge.js';
import { parse, replace, stringify } from './primordials.js';
import { CordraError } from './error-description.js';

/** Special characters of the query syntax (Lucene's). */
const SPECIAL = /[-+!(){}[\]^"~*?:\\/&|]/g;

type Ask = (name: string, ...args: readonly unknown[]) => unknown;

interface ErrorAnswer {
    readonly error?: { readonly message: string; readonly status: number | string };
}

/** `require('cordra')`. */
export function cordraModule(bridge: Bridge): object {

    const ask = requester(bridge);
    const bytes = (id: unknown, name: unknown): Uint8Array | null => {

        const answer = bridge.askBytes('payload', stringify([String(id), String(name)]));
        if (typeof answer === 'string') {
            throw errorOf(parse(answer) as ErrorAnswer);
        }

        return answer === null ? null : new Uint8Array(answer);
    };

    const text = (id: unknown, name: unknown): unknown => ask('payloadText', String(id), String(name));
    return {
        get: (id: unknown) => ask('get', String(id)),
        search: (query: unknown, paramsOrPageNum?: unknown, pageSize?: unknown, sortFields?: unknown) =>
            ask('search', String(query), searchParams(paramsOrPageNum, pageSize, sortFields)),
        create: (object: unknown) => ask('create', object),
        update: (object: unknown) => ask('update', object),
        delete: (id: unknown) => void ask('delete', String(id)),
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

    const ask = requester(bridge);
    const compute = (name: string, ...args: readonly unknown[]): unknown => unwrapped(bridge.compute(name, stringify(args)));
    const escapeText = (text: unknown): string => replace(String(text), SPECIAL, '\\$&');
    return {
        verifySecret: (object: unknown, pointer: unknown, secret: unknown) => ask('verifySecret', object, String(pointer), String(secret)),
        verifyHashes: (object: unknown) => ask('verifyHashes', object),
        hashJson: (value: unknown) => compute('hashJson', value),
        escape: escapeText,
        escapeForQuery: escapeText,
        extractJwtPayload: (jwt: unknown) => compute('extractJwtPayload', String(jwt)),
        verifyWithKey: (jwt: unknown, key: unknown) => compute('verifyWithKey', String(jwt), key),
        signWithKey: (payload: unknown, key: unknown) => compute('signWithKey', payload, key),
        signWithCordraKey: (payload: unknown) => ask('sign', payload),
        verifyWithCordraKey: (jwt: unknown) => compute('verifyWithKey', String(jwt), ask('publicKey')),
        getCordraPublicKey: () => ask('publicKey'),
        validateWithSchema: (value: unknown, schema: unknown) => ask('validate', value, schema),
        getGroupsForUser: (userId: unknown) => ask('groupsOf', String(userId))
    };
}

function requester(bridge: Bridge): Ask {

    return (name, ...args) => unwrapped(bridge.ask(name, stringify(args)));
}

function unwrapped(text: string): unknown {

    const { value, ...fault } = parse(text) as ErrorAnswer & { readonly value?: unknown };
    if (fault.error) {
        throw errorOf(fault);
    }

    return value;
}

function errorOf({ error }: ErrorAnswer): CordraError {

    return new CordraError({ message: error?.message ?? '' }, error?.status);
}

/** Accepts `(pageNum, pageSize, sortFields)` or one object with these members. */
function searchParams(first: unknown, pageSize: unknown, sortFields: unknown): object {

    const given = typeof first === 'object' && first !== null ? first as Record<string, unknown> : { pageNum: first, pageSize, sortFields };
    return {
        pageNum: whole(given['pageNum'], 0),
        pageSize: whole(given['pageSize'], -1),
        sortFields: sortText(given['sortFields'])
    };
}

function whole(value: unknown, fallback: number): number {

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
