/**
 * Items of a batch: converts their bytes to the segments that create and update read. An item is in REST form (members `content`,
 * `payloads` …) or a digital object (`attributes`, `elements`); the bytes of its elements are base64. See interface specification, "Payload
 * descriptor" and "BatchUpload".
 */

import type { Preconditions } from '../../model/preconditions.js';
import type { Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest, DoipError, tooLarge } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { parseSteps } from '../../json/strict-parser.js';
import type { Steps } from '../../util/concurrency/steps.js';
import { bytesSegment, jsonSegment } from '../../doip/segments.js';
import type { JsonItem } from '../../json/stream/array-splitter.js';

/** What is known of an item besides its value. */
export interface ItemFacts {
    readonly position: number;
    readonly bytes: number;
    /** To be called when the item is done: its memory is free for others. May be called more than once. */
    readonly release: () => void;
}

/** A parsed item, or the reason why it is invalid. */
export type BulkItem = ItemFacts & (
    { readonly value: JsonObject; readonly error?: undefined } | { readonly error: DoipError; readonly value?: undefined });

/** Format and limits of items. */
export interface ItemRules {
    readonly format: 'json' | 'ndjson';
    readonly maxItemBytes: number;
    readonly maxDepth: number;
    readonly maxValues?: number;
}

/**
 * Parses the bytes of an item. An error that concerns only this item becomes its fault.
 *
 * @throws DoipError 400 for a syntax error within an array, where the start of the next item cannot be found any more
 */
export function *readItem(
    { position, offset, length, bytes }: JsonItem, { format, maxItemBytes, maxDepth, maxValues = Infinity }: ItemRules,
    release: () => void = () => undefined
): Steps<BulkItem> {

    const facts = { position, bytes: length, release };
    if (bytes === null) {
        return { ...facts, error: tooLarge(`the object is longer than the allowed ${maxItemBytes} bytes`) };
    }

    try {
        return itemOf(facts, yield* parseSteps(bytes, { maxDepth, maxValues }));
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

        return { ...facts, error };
    }
}

/** Wraps a parsed value as an item. */
export function itemOf(facts: ItemFacts, value: JsonValue): BulkItem {

    return isJsonObject(value) ? { ...facts, value } : { ...facts, error: badRequest('each item must be a JSON object') };
}

/** The id that an item requests, in either form. */
export function idOf({ id }: JsonObject): string | undefined {

    return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The members `ifMatch` and `ifNoneMatch` of an item: versions that it may change, or must not. Throws 400 for other values than tags. */
export function preconditionsOf(item: JsonObject): Preconditions {

    const [ifMatch, ifNoneMatch] = [tagsOf(item, 'ifMatch'), tagsOf(item, 'ifNoneMatch')];
    return { ...ifMatch ? { ifMatch } : {}, ...ifNoneMatch ? { ifNoneMatch } : {} };
}

/** The entity tags in a member of an item: one or several, as in the header ETag or as transaction numbers; undefined without that member. */
function tagsOf(item: JsonObject, name: string): string[] | undefined {

    const value = item[name];
    if (value === undefined || value === null) {
        return undefined;
    }

    const tags = [value].flat();
    if (!tags.every((tag) => typeof tag === 'string' || typeof tag === 'number')) {
        throw badRequest(`${name} must be a transaction number or a list of them`);
    }

    return tags.map((tag) => String(tag).replace(TAG, '$1'));
}

/** A tag as in the header ETag, also of a compressed response. */
const TAG = /^(?:W\/)?"(.*?)(?:-(?:gzip|deflate|br|zstd))?"$/s;

/** The item as input of create or update: the object, then a header and bytes for each element whose bytes it contains. */
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

/** Element descriptions of an item, in the form of digital objects. */
export function elementsOf(item: JsonObject): JsonObject[] {

    return [...listOf(item, 'elements'), ...listOf(item, 'payloads').map(toElement)];
}

/** Converts an item to a digital object, without the bytes of its elements. Throws 400 for attributes of the wrong kind. */
export function toDigitalObject(item: JsonObject, elements: readonly JsonObject[]): JsonObject {

    const source = item['attributes'] ?? {};
    if (!isJsonObject(source)) {
        throw badRequest('attributes must be a JSON object');
    }

    const attributes: JsonObject = {};
    for (const name of ATTRIBUTES) {
        const value = source[name] ?? item[name];
        if (value !== undefined) {
            attributes[name] = value;
        }
    }

    const toDelete = source['elementsToDelete'] ?? item['payloadsToDelete'];
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

/** Converts a payload description to that of an element. */
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

/** Decodes base64, with or without padding. Strict: throws 400 for any other character. */
export function decodeBase64(text: JsonValue, name: JsonValue | undefined): Buffer {

    if (typeof text !== 'string' || !BASE64.test(text) || withoutPadding(text).length % 4 === 1) {
        throw badRequest(`the bytes of payload ${typeof name === 'string' ? name : ''} are not base64`);
    }

    return Buffer.from(text, 'base64');
}

/** Strips the padding of text that matches {@link BASE64}. */
function withoutPadding(text: string): string {

    const padding = text.indexOf('=');
    return padding === -1 ? text : text.slice(0, padding);
}
