/**
 * Items of a batch: from their bytes to the segments that create and update read. Items come in the form of REST (members
 * `content`, `payloads` …) or as digital objects (`attributes`, `elements`); the bytes of elements stand in them as base64.
 * Forms: interface specification, "Payload descriptor" and "BatchUpload".
 */

import type { Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest, DoipError, tooLarge } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { parseJson } from '../../json/strict-parser.js';
import { bytesSegment, jsonSegment } from '../../doip/segments.js';
import type { JsonItem } from '../../json/stream/splitter.js';

/** An item that was read, or the reason why it could not be. */
export type BulkItem = { readonly position: number; readonly bytes: number } & (
    { readonly value: JsonObject; readonly fault?: undefined } | { readonly fault: DoipError; readonly value?: undefined });

/** What text items are read from and how strictly. */
export interface ItemRules {
    readonly format: 'json' | 'ndjson';
    readonly maxItemBytes: number;
    readonly maxDepth: number;
    readonly maxValues?: number;
}

/**
 * Reads the bytes of an item. What is wrong with it alone becomes its fault.
 *
 * @throws DoipError 400 for a syntax error within an array: where the rest of the array begins is then not known
 */
export function readItem({ position, offset, length, bytes }: JsonItem, { format, maxItemBytes, maxDepth, maxValues = Infinity }: ItemRules): BulkItem {

    const facts = { position, bytes: length };
    if (bytes === null) {
        return { ...facts, fault: tooLarge(`the object is longer than the allowed ${maxItemBytes} bytes`) };
    }

    try {
        return itemOf(facts, parseJson(bytes, { maxDepth, maxValues }));
    }
    catch (error) {
        if (!(error instanceof DoipError)) {
            throw error;
        }

        if (format === 'json' && (error.details['line'] !== undefined || bytes.length === 0)) {
            throw badRequest(`the list of objects is broken in object ${position}, at byte ${offset}: ${error.message}`, {
                details: { position, offset }
            });
        }

        return { ...facts, fault: error };
    }
}

/** An item whose value is known. */
export function itemOf(facts: { readonly position: number; readonly bytes: number }, value: JsonValue): BulkItem {

    return isJsonObject(value) ? { ...facts, value } : { ...facts, fault: badRequest('each item must be a JSON object') };
}

/** The id that an item asks for, whatever its form. */
export function idOf({ id }: JsonObject): string | undefined {

    return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The item as input of create or update: the object, then a header and bytes for each element whose bytes it brings. */
export async function *itemSegments(item: JsonObject): AsyncGenerator<Segment> {

    const elements = elementsOf(item);
    yield jsonSegment(toDigitalObject(item, elements));
    for (const { id, base64Element } of elements) {
        if (base64Element !== undefined && base64Element !== null) {
            yield jsonSegment({ id: id ?? null });
            yield bytesSegment(decodeBase64(base64Element, id));
        }
    }
}

/** What an item says of its elements, in the words of digital objects. */
export function elementsOf(item: JsonObject): JsonObject[] {

    return [...listOf(item, 'elements'), ...listOf(item, 'payloads').map(toElement)];
}

/** The digital object without bytes. */
export function toDigitalObject(item: JsonObject, elements: readonly JsonObject[]): JsonObject {

    const given = item['attributes'] ?? {};
    if (!isJsonObject(given)) {
        throw badRequest('attributes must be a JSON object');
    }

    const attributes: JsonObject = {};
    for (const name of ATTRIBUTES) {
        const value = given[name] ?? item[name];
        if (value !== undefined) {
            attributes[name] = value;
        }
    }

    const toDelete = given['elementsToDelete'] ?? item['payloadsToDelete'];
    return {
        ...item['id'] === undefined ? {} : { id: item['id'] },
        ...item['type'] === undefined ? {} : { type: item['type'] },
        attributes: toDelete === undefined ? attributes : { ...attributes, elementsToDelete: toDelete },
        elements: elements.map(({ base64Element, ...described }) => described)
    };
}

const ATTRIBUTES = ['content', 'acl', 'userMetadata'] as const;

function listOf(item: JsonObject, name: string): JsonObject[] {

    const list = item[name] ?? [];
    if (!Array.isArray(list) || !list.every(isJsonObject)) {
        throw badRequest(`${name} must be an array of objects`);
    }

    return list;
}

/** A payload in the words of elements. */
function toElement({ name, mediaType, filename, size, base64Payload }: JsonObject): JsonObject {

    return {
        ...name === undefined ? {} : { id: name },
        ...size === undefined ? {} : { length: size },
        ...mediaType === undefined ? {} : { type: mediaType },
        ...filename === undefined ? {} : { filename },
        ...base64Payload === undefined ? {} : { base64Element: base64Payload }
    };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Bytes from base64 with or without padding; nothing is guessed, nothing skipped. */
export function decodeBase64(text: JsonValue, name: JsonValue | undefined): Buffer {

    if (typeof text !== 'string' || !BASE64.test(text) || withoutPadding(text).length % 4 === 1) {
        throw badRequest(`the bytes of payload ${typeof name === 'string' ? name : ''} are not base64`);
    }

    return Buffer.from(text, 'base64');
}

/** For text that matches {@link BASE64}. */
function withoutPadding(text: string): string {

    const padding = text.indexOf('=');
    return padding === -1 ? text : text.slice(0, padding);
}
