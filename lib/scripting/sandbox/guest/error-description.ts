/**
 * Describes thrown values. Works for any value, even a proxy or an object whose getters throw.
 */

import { parse, slice, stringify, toWellFormed } from './primordials.js';

const MESSAGE_LENGTH = 4000;
const STACK_LENGTH = 8000;
const BODY_LENGTH = 64 * 1024;

const { get } = Reflect;
const { keys } = Object;

/** Class that scripts throw to respond with a status of their own. */
export class CordraError extends Error {

    readonly isCordraError = true;
    readonly response: unknown;
    readonly responseCode: unknown;

    constructor(body?: unknown, status?: unknown) {

        super(textOf(body));
        this.name = 'CordraError';
        this.response = body;
        this.responseCode = status;
    }
}

/** Description of a thrown value. */
export interface Thrown {
    readonly kind: string;
    readonly message?: string;
    readonly [member: string]: unknown;
}

/** Returns the description of a thrown value, for the host. */
export function describeThrown(thrown: unknown): Thrown {

    if (typeof thrown === 'string') {
        return { kind: 'invalid', message: shortened(thrown, MESSAGE_LENGTH) };
    }

    const name = safely(() => member(thrown, 'name'));
    if (name === 'CordraError' || safely(() => member(thrown, 'isCordraError')) === true) {
        return describeAnswer(thrown);
    }

    const message = thrown === undefined ? 'undefined was thrown' :
        shortened(safely(() => messageOf(thrown)) ?? 'something that cannot be told was thrown', MESSAGE_LENGTH);
    if (name === 'InvalidException') {
        return { kind: 'invalid', message };
    }

    if (thrown === null) {
        // Thrown by the engine if there is not even memory for an error.
        return { kind: 'null', message: 'null was thrown' };
    }

    const limit = name === 'InternalError' ? LIMITS[message] : undefined;
    if (limit !== undefined) {
        return { kind: 'limit', limit };
    }

    const stack = safely(() => member(thrown, 'stack'));
    const title = typeof name === 'string' && name !== 'Error' ? `${shortened(name, 100)}: ${message}` : message;
    return { kind: 'error', message: title, stack: typeof stack === 'string' ? shortened(stack, STACK_LENGTH) : '' };
}

const LIMITS: Readonly<Record<string, string>> = { 'out of memory': 'memory', 'stack overflow': 'stack' };

function describeAnswer(thrown: unknown): Thrown {

    const body = safely(() => member(thrown, 'response'));
    const status = safely(() => member(thrown, 'responseCode'));
    const message = shortened(safely(() => messageOf(thrown)) ?? '', MESSAGE_LENGTH);
    const text = safely(() => stringify(body));
    const isUsable = typeof body === 'object' && body !== null && typeof text === 'string' && text.length <= BODY_LENGTH;
    const isStatus = typeof status === 'number' || typeof status === 'string';
    return {
        kind: 'answer',
        body: isUsable && text[0] === '{' ? wellFormed(text) : { message },
        status: isStatus ? (typeof status === 'string' ? shortened(status, 255) : status) : null
    };
}

/** Returns the value of a JSON text. Code may have cut its texts within a character, which JSON cannot carry. */
function wellFormed(text: string): unknown {

    return parse(text, (_, value: unknown) => {

        if (typeof value === 'object' && value !== null) {
            renameMembers(value as Record<string, unknown>);
        }

        return typeof value === 'string' ? toWellFormed(value) : value;
    });
}

function renameMembers(value: Record<string, unknown>): void {

    const names = keys(value);
    for (let i = 0; i < names.length; ++i) {
        const name = names[i] ?? '';
        const usable = toWellFormed(name);
        if (usable !== name) {
            value[usable] = value[name];
            delete value[name];
        }
    }
}

function messageOf(thrown: unknown): string {

    const message = member(thrown, 'message');
    return typeof message === 'string' ? message : textOf(thrown);
}

function textOf(value: unknown): string {

    if (typeof value === 'string' || value === undefined) {
        return value ?? '';
    }

    const message = safely(() => member(value, 'message'));
    return typeof message === 'string' ? message : safely(() => stringify(value)) ?? safely(() => String(value as string)) ?? '';
}

function member(value: unknown, name: string): unknown {

    return typeof value === 'object' && value !== null || typeof value === 'function' ? get(value, name) : undefined;
}

/** Returns a text of limited length for any value. */
export function shortened(value: unknown, length: number): string {

    const text = typeof value === 'string' ? value : String(value);
    return toWellFormed(text.length > length ? `${slice(text, 0, length)}…` : text);
}

/** Returns the result of a function; undefined if it throws. */
export function safely<T>(work: () => T): T | undefined {

    try {
        return work();
    }
    catch {
        return undefined;
    }
}
