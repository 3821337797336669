/**
 * Handles host calls: validates the arguments, calls the host, and serialises the result. All input from scripts is untrusted.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseGiven } from '../protocol/value-limits.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { badRequest, DoipError, internal, notFound } from '../../errors/errors.js';
import { tooLongAnswer, type Reply } from '../protocol/messages.js';
import { resolveModule } from '../program/module-resolver.js';
import type { HostCallContext } from '../protocol/script-host.js';
import { codeOf } from '../protocol/script-error.js';

/** Answer that was written as text. */
class JsonText {

    readonly text: string;

    constructor(text: string) {

        this.text = text;
    }
}

type Answer = JsonValue | JsonText | undefined | Uint8Array;

/** Characters of results that are written in a turn of the event loop. */
const LENGTH_PER_TURN = 1024 * 1024;

/** Returns the reply to a host call. Never rejects. */
export async function handleHostCall(context: HostCallContext, name: string, args: string): Promise<Reply> {

    try {
        const values = await parseGiven(args, context.values, 'what the script asks for');
        const list = Array.isArray(values) ? values : [];
        if (name === 'find') {
            return { text: await find(context, list) };
        }

        const answer = await dispatch(context, name, list);
        return encodeReply(answer, name, context.maxMessageBytes);
    }
    catch (error) {
        const answer = context.explain(error) ?? (error instanceof DoipError ? error : internal(error));
        if (answer.cause !== undefined) {
            context.report(error);
        }

        return { error: { message: answer.message, status: codeOf(answer) } };
    }
}

function encodeReply(answer: Answer, name: string, limit: number): Reply {

    if (answer instanceof Uint8Array) {
        return answer.byteLength > limit ? tooLong(name, limit) : { bytes: answer };
    }

    const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer === undefined ? {} : { value: answer });
    return text.length > limit ? tooLong(name, limit) : { text };
}

function tooLong(name: string, limit: number): Reply {

    throw badRequest(tooLongAnswer(name, limit));
}

async function find({ program }: HostCallContext, [from = '', specifier = '']: readonly JsonValue[]): Promise<string> {

    const names = { from: text(from, 'module'), specifier: text(specifier, 'specifier') };
    const found = resolveModule(program, names.from, names.specifier);
    if (!found) {
        throw notFound(`Cannot find module '${names.specifier}' required by ${names.from}`);
    }

    return JSON.stringify({ name: found.name, kind: found.module.kind, text: await found.module.text() });
}

async function dispatch(context: HostCallContext, name: string, values: readonly JsonValue[]): Promise<Answer> {

    const { host, maxMessageBytes } = context;
    const scope = context.scope();
    const [first = null, second = null, third = null] = values;
    switch (name) {
        case 'get':
            return await host.get(text(first, 'id'), scope);
        case 'search':
            return await written(await host.search(text(first, 'query'), searchParams(second), scope));
        case 'create':
            return await host.create(object(first, 'object'), scope);
        case 'update':
            return await host.update(object(first, 'object'), scope);
        case 'delete':
            await host.delete(text(first, 'id'), scope);
            return undefined;
        case 'payload':
            return await host.payload(text(first, 'id'), text(second, 'name'), maxMessageBytes, scope) ?? undefined;
        case 'payloadText':
            // The thread of the script decodes the bytes.
            return await host.payload(text(first, 'id'), text(second, 'name'), maxMessageBytes, scope);
        case 'verifySecret':
            return await host.verifySecret(first, text(second, 'pointer'), text(third, 'secret'), scope);
        case 'verifyHashes':
            return await host.verifyHashes(object(first, 'object'), scope);
        case 'validate':
            return await host.validate(first, second, scope);
        case 'groupsOf':
            return [...await host.groupsOf(text(first, 'user id'), scope)];
        case 'publicKey':
            return await host.publicKey(scope);
        case 'sign':
            return await host.sign(first, scope);
        default:
            throw badRequest(`scripts cannot ask for ${name}`);
    }
}

/** Writes the results of a search, some in each turn of the event loop. */
async function written({ results, ...facts }: JsonObject): Promise<JsonText> {

    let text = `{"value":${JSON.stringify(facts).slice(0, -1)},"results":[`;
    let written = 0;
    for (const [i, result] of (Array.isArray(results) ? results : []).entries()) {
        text += `${i === 0 ? '' : ','}${JSON.stringify(result)}`;
        if (text.length - written > LENGTH_PER_TURN) {
            written = text.length;
            await nextTurn();
        }
    }

    return new JsonText(`${text}]}}`);
}

function searchParams(value: JsonValue): { pageNum: number; pageSize: number; sortFields: string } {

    const { pageNum, pageSize, sortFields } = object(value, 'params');
    return { pageNum: Math.max(0, Number(pageNum)), pageSize: Number(pageSize), sortFields: text(sortFields ?? '', 'sort fields') };
}

function text(value: JsonValue, name: string): string {

    if (typeof value !== 'string') {
        throw badRequest(`the ${name} must be a string`);
    }

    return value;
}

function object(value: JsonValue, name: string): JsonObject {

    if (!isJsonObject(value)) {
        throw badRequest(`the ${name} must be an object`);
    }

    return value;
}
