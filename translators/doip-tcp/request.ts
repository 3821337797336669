/** Converts a message to the envelope (DOIP 2.0, section on requests). */

import type { DoipRequest, InputKind, MemoryLimits, Segment, Transport } from '../../lib/doip/envelope.js';
import { unreadableAuthentication } from '../../lib/doip/envelope.js';
import { badRequest, tooLarge } from '../../lib/errors/errors.js';
import { numberTextAt } from '../../lib/json/exact-numbers.js';
import { parseJsonInTurns } from '../../lib/json/strict-parser.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { ByteBuffer } from '../../lib/util/streams/byte-buffer.js';
import { empty, inputTooLong, json, jsonSegment } from '../../lib/doip/segments.js';
import type { BodyAccount, MemoryShare } from '../http/request/body-memory.js';
import { maxBytesOf } from '../http/request/request-limits.js';
import type { MessageReader, RawSegment } from '../../lib/doip/framing/message-reader.js';
import type { DoipTcpLimits } from './options.js';

/** Reading of one message. */
export interface MessageContext {
    readonly messages: MessageReader;
    readonly limits: DoipTcpLimits;
    readonly transport: Transport;
    readonly signal: AbortSignal;
    /** Receives the request id as soon as it is known, for error responses. */
    readonly seen: { requestId: string | null };
    /** Opens the account to which JSON is charged; closed by the caller. */
    readonly openAccount: (share: MemoryShare) => BodyAccount;
    readonly kindOf: (operationId: string, authentication: JsonObject) => InputKind;
}

/** Members of the first segment. */
const MEMBERS: ReadonlySet<string> = new Set(['requestId', 'clientId', 'targetId', 'operationId', 'attributes', 'authentication', 'input']);

/**
 * Reads the first segment of a message. The further ones become the input, which is read as the operation needs it.
 *
 * @throws DoipError 101 or 102 for what is not a request
 */
export async function readRequest(context: MessageContext): Promise<DoipRequest> {

    const { messages, limits, transport, signal, seen } = context;
    const { head, length } = await readHead(context);
    seen.requestId = requestIdOf(head);
    const unknown = Object.keys(head).find((name) => !MEMBERS.has(name));
    if (unknown !== undefined) {
        throw badRequest(`unknown property ${JSON.stringify(unknown.slice(0, 60))} of the request`);
    }

    const clientId = optionalText(head, 'clientId');
    const targetId = requiredText(head, 'targetId');
    const operationId = requiredText(head, 'operationId');
    const attributes = attributesOf(head['attributes']);
    const authentication = authenticationOf(head['authentication']);
    const isClaimed = Object.keys(authentication).length > 0 || transport.clientCertificate !== undefined;
    const bounds = boundsOf(limits, context.kindOf(operationId, authentication), isClaimed);
    if (length > bounds.maxBytes) {
        throw inputTooLong(bounds.maxBytes);
    }

    const base = {
        requestId: seen.requestId, clientId: clientId === '' ? null : clientId, targetId, operationId, attributes, authentication, transport, signal
    };
    if (head['input'] !== undefined) {
        if (await messages.nextSegment() !== null) {
            throw badRequest('Unexpected input segments: the input is in the first segment already');
        }

        return { ...base, input: json(head['input']) };
    }

    // The end of most messages has arrived with their beginning, so that a request without input is known as such.
    const first = await messages.nextSegment();
    if (first === null) {
        return { ...base, input: empty() };
    }

    const source = new InputSegments(first, context, bounds);
    return { ...base, input: source.parsed(), rawInput: source.raw() };
}

/** How much of the memory for bodies the input of a request may take. */
interface InputBounds {
    readonly share: MemoryShare;
    /** Maximum size of one JSON text in bytes. */
    readonly maxBytes: number;
}

function boundsOf({ jsonBytes, anonymousBytes }: DoipTcpLimits, kind: InputKind, isClaimed: boolean): InputBounds {

    const isAnonymous = !isClaimed || kind.isUnverified;
    const maxBytes = Math.min(isAnonymous ? anonymousBytes : jsonBytes, jsonBytes, maxBytesOf(kind, anonymousBytes));
    return { share: isAnonymous ? 'anonymous' : 'verified', maxBytes };
}

/** The segments after the first one. Either form may be read, not both. */
class InputSegments {

    readonly #first: RawSegment;
    readonly #context: MessageContext;
    readonly #bounds: InputBounds;

    constructor(first: RawSegment, context: MessageContext, bounds: InputBounds) {

        this.#first = first;
        this.#context = context;
        this.#bounds = bounds;
    }

    /** Yields the first segment as a value, if it is JSON. Later ones may be elements, of which the text is stored as it was sent. */
    async *parsed(): AsyncGenerator<Segment, void, undefined> {

        const limits = this.#limits();
        for await (const segment of this.#segments()) {
            const { kind, body } = segment;
            yield kind === 'bytes' ? { kind, body, limits } :
                segment === this.#first ? jsonSegment((await readJsonText(body, limits)).value) : { kind: 'bytes', body, limits, isJson: true };
        }
    }

    /** Yields JSON segments as their text. */
    async *raw(): AsyncGenerator<Segment, void, undefined> {

        const limits = this.#limits();
        for await (const { kind, body } of this.#segments()) {
            yield kind === 'bytes' ? { kind, body, limits } : { kind: 'bytes', body, limits, mediaType: 'application/json' };
        }
    }

    /** Opens the account of the input. */
    #limits(): MemoryLimits {

        const { limits: { jsonDepth, jsonValues }, openAccount } = this.#context;
        const { share, maxBytes } = this.#bounds;
        return { jsonBytes: maxBytes, jsonDepth, jsonValues, memory: openAccount(share) };
    }

    async *#segments(): AsyncGenerator<RawSegment, void, undefined> {

        const { messages, limits } = this.#context;
        let count = 1;
        for (let next: RawSegment | null = this.#first; next !== null; next = await messages.nextSegment()) {
            if (++count > limits.segments) {
                throw badRequest(`a message may have at most ${limits.segments} segments`);
            }

            yield next;
        }
    }
}

async function readHead({ messages, limits, transport, openAccount }: MessageContext): Promise<{ head: JsonObject; length: number }> {

    const first = await messages.nextSegment();
    if (first?.kind !== 'json') {
        throw badRequest(first === null ? 'No initial segment' : 'the first segment must be JSON');
    }

    const { jsonBytes, jsonDepth, jsonValues, anonymousBytes } = limits;
    // Whether there are credentials is known at its end only.
    const maxAnonymous = transport.clientCertificate === undefined ? anonymousBytes : jsonBytes;
    const { value, length } = await readJsonText(first.body, {
        jsonBytes, jsonDepth, jsonValues, memory: openAccount('unverified')
    }, (bytes) => demandCredentials(bytes, maxAnonymous));
    if (!isJsonObject(value)) {
        throw badRequest('the first segment must be a JSON object');
    }

    return { head: value, length };
}

/** Rejects a long text in which no credentials can be, before it is parsed. */
function demandCredentials(text: Buffer, maxAnonymous: number): void {

    if (text.length > maxAnonymous && !text.includes('"authentication"')) {
        throw inputTooLong(maxAnonymous);
    }
}

/** Reads and parses a JSON segment; a long one is parsed in a turn of the event loop of its own. */
async function readJsonText(
    body: AsyncIterable<Buffer>, { jsonBytes, jsonDepth, jsonValues, memory }: MemoryLimits, check?: (text: Buffer) => void
): Promise<{ readonly value: JsonValue; readonly length: number }> {

    const buffer = new ByteBuffer(jsonBytes);
    for await (const part of body) {
        buffer.add(part);
        if (buffer.length > jsonBytes) {
            throw tooLarge(`a JSON segment may have at most ${jsonBytes} bytes`);
        }

        memory?.reserve(part.length);
    }

    const bytes = buffer.finish().bytes ?? Buffer.alloc(0);
    check?.(bytes);
    return { value: await parseJsonInTurns(bytes, { maxDepth: jsonDepth, maxValues: jsonValues, name: 'the segment' }), length: bytes.length };
}

/** Request ids are returned as they came; a number as its text. */
function requestIdOf(head: JsonObject): string | null {

    const { requestId } = head;
    if (requestId === undefined || requestId === null) {
        return null;
    }

    if (typeof requestId !== 'string' && typeof requestId !== 'number') {
        throw badRequest('requestId must be a string');
    }

    return numberTextAt(head, 'requestId') ?? String(requestId);
}

function optionalText(head: JsonObject, name: string): string | null {

    const value = head[name];
    if (value !== undefined && value !== null && typeof value !== 'string') {
        throw badRequest(`${name} must be a string`);
    }

    return value ?? null;
}

function requiredText(head: JsonObject, name: string): string {

    const value = optionalText(head, name);
    if (value === null || value === '') {
        throw badRequest(`Missing ${name}`);
    }

    return value;
}

function attributesOf(value: JsonValue | undefined): JsonObject {

    if (value === undefined || value === null) {
        return {};
    }

    if (!isJsonObject(value)) {
        throw badRequest('attributes must be a JSON object');
    }

    return value;
}

function authenticationOf(value: JsonValue | undefined): JsonObject {

    if (value === undefined || value === null) {
        return {};
    }

    if (!isJsonObject(value)) {
        return unreadableAuthentication('Unable to parse authentication: it must be a JSON object');
    }

    // Without sessions it would count as no credentials, as a cookie does.
    if (Object.hasOwn(value, 'sessionId')) {
        return unreadableAuthentication('Unable to parse authentication: sessions are for HTTP');
    }

    return value;
}
