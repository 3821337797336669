/**
 * Hashes in the metadata of objects whose type has `hashObject`, for readers to detect alterations. All are lower-case hex
 * SHA-256, of canonical JSON or of the bytes of an element. Pure functions, except `ObjectHasher`; those of large objects yield to the event loop.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { hashJson } from '../../json/canonical.js';
import { isJsonObject } from '../../util/json-types.js';
import { approximateLength, turnFor } from '../../util/concurrency/event-loop-yielder.js';
import type { Metadata } from '../../doip/digital-object.js';
import type { Catalog } from '../../types/catalog.js';
import type { StoredElement, StoredObject, FullFormSource } from '../../model/stored-object.js';
import { toFullForm } from '../../model/stored-object.js';

const ALGORITHM = 'SHA-256';

/** Name of the element → hash of its bytes. */
export type ElementHashes = Readonly<Record<string, string>>;

/**
 * Returns the member `hashes` of the metadata of an object: `alg`, `content`, `userMetadata` and `payloads` if present, and
 * `full`, which covers id, type, content, ACL, user metadata and elements, but neither times nor authors.
 */
export async function hashesOf(object: FullFormSource, elements: ElementHashes): Promise<JsonObject> {

    const content = await inOwnTurn(object.content, hashJson);
    const userMetadata = object.userMetadata ? await inOwnTurn(object.userMetadata, hashJson) : undefined;
    const full = await inOwnTurn(toFullForm(object, {}), (fullForm) => fullHash(fullForm, elements));
    return {
        alg: ALGORITHM,
        content,
        ...(userMetadata === undefined ? {} : { userMetadata }),
        ...(Object.keys(elements).length > 0 ? { payloads: { ...elements } } : {}),
        full
    };
}

/** Computes the hash of a large value in a turn of the event loop of its own. */
async function inOwnTurn(value: JsonObject, hash: (value: JsonObject) => string): Promise<string> {

    await turnFor(approximateLength(value));
    return hash(value);
}

/**
 * Compares an object in its full form with the hashes in its metadata.
 *
 * @param object the full form, including `metadata.hashes`
 * @param elements current hashes of the bytes
 * @returns a boolean per hash, those of elements by name under `payloads`; `{}` without hashes
 */
export function verifyHashes(object: JsonObject, elements: ElementHashes): JsonObject {

    const { content, userMetadata, metadata } = object;
    const hashes = isJsonObject(metadata) ? metadata['hashes'] : undefined;
    if (!isJsonObject(hashes)) {
        return {};
    }

    const stored = payloadHashes(object);
    return {
        ...verified('content', hashes, () => hashJson(content ?? null)),
        ...verified('userMetadata', hashes, () => hashJson(userMetadata ?? null)),
        ...verified('full', hashes, () => fullHash(object, stored ?? {})),
        ...(stored ? { payloads: verifiedElements(stored, elements) } : {})
    };
}

/** Returns the names of the elements of which the metadata of an object, in its full form, has a hash. */
export function hashedElements(object: JsonObject): readonly string[] {

    return Object.keys(payloadHashes(object) ?? {});
}

function payloadHashes({ metadata }: JsonObject): JsonObject | null {

    const hashes = isJsonObject(metadata) ? metadata['hashes'] : undefined;
    const payloads = isJsonObject(hashes) ? hashes['payloads'] : undefined;
    return isJsonObject(payloads) ? payloads : null;
}

function verified(name: string, hashes: JsonObject, compute: () => string): JsonObject {

    return hashes[name] === undefined ? {} : { [name]: hashes[name] === compute() };
}

function verifiedElements(stored: JsonObject, elements: ElementHashes): JsonObject {

    return Object.fromEntries(Object.entries(stored).map(([name, hash]): [string, JsonValue] => [name, elements[name] === hash]));
}

/**
 * Returns the hash of the full form. Of the metadata it covers only hashes of elements; `responseContext`, which is computed
 * per reader, is excluded.
 */
function fullHash(fullForm: JsonObject, elements: JsonObject): string {

    const { responseContext: _responseContext, ...object } = fullForm;
    const metadata = Object.keys(elements).length > 0 ? { hashes: { payloads: elements } } : {};
    return hashJson({ ...object, metadata });
}

/** Returns metadata without hashes. */
export function withoutHashes<M extends Metadata>({ hashes: _hashes, ...metadata }: M): Omit<M, 'hashes'> {

    return metadata;
}

/** Computes the hash of the bytes of an element: lower-case hex SHA-256. */
export interface ElementHasher {
    hashOf(element: StoredElement): Promise<string>;
}

/** Adds hashes to objects. */
export class ObjectHasher {

    readonly #catalog: Pick<Catalog, 'current'>;
    readonly #elements: ElementHasher;

    constructor(catalog: Pick<Catalog, 'current'>, elements: ElementHasher) {

        this.#catalog = catalog;
        this.#elements = elements;
    }

    /** Returns the object with current hashes, or without any if its type does not ask for them. */
    complete(object: StoredObject): StoredObject | Promise<StoredObject> {

        if (this.#catalog.current.get(object.type)?.hashesObjects) {
            return this.#hashed(object);
        }

        return object.metadata.hashes === undefined ? object : { ...object, metadata: withoutHashes(object.metadata) };
    }

    async #hashed(object: StoredObject): Promise<StoredObject> {

        const elements: StoredElement[] = [];
        for (const element of object.elements) {
            elements.push(element.hash === null ? { ...element, hash: await this.#elements.hashOf(element) } : element);
        }

        const byName = Object.fromEntries(elements.map(({ name, hash }) => [name, hash ?? '']));
        const hashes = await hashesOf({ ...object, elements }, byName);
        return { ...object, elements, metadata: { hashes, ...withoutHashes(object.metadata) } };
    }
}
