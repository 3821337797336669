/**
 * The hashes that objects of a type with `hashObject` carry in their metadata, so that readers can tell whether anything was
 * altered. All of them are lower-case hex SHA-256, of canonical JSON or of the bytes of an element. Pure.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { hashJson } from '../../json/canonical.js';
import { isJsonObject } from '../../util/json-types.js';
import type { Metadata } from '../../doip/digital-object.js';
import type { Catalog } from '../../types/catalog.js';
import type { StoredElement, StoredObject, FullFormSource } from '../../model/stored-object.js';
import { toFullForm } from '../../model/stored-object.js';

const ALGORITHM = 'SHA-256';

/** Hashes of the bytes of elements, by the name of the element. */
export type ElementHashes = Readonly<Record<string, string>>;

/**
 * The member `hashes` of the metadata of an object: `alg`, `content`, `userMetadata` and `payloads` where there are any, and
 * `full`, which covers id, type, content, ACL, user metadata and elements, but neither times nor authors.
 */
export function hashesOf(object: FullFormSource, elements: ElementHashes): JsonObject {

    return {
        alg: ALGORITHM,
        content: hashJson(object.content),
        ...(object.userMetadata ? { userMetadata: hashJson(object.userMetadata) } : {}),
        ...(Object.keys(elements).length > 0 ? { payloads: { ...elements } } : {}),
        full: fullHash(toFullForm(object, {}), elements)
    };
}

/**
 * Compares an object in its full form with the hashes in its metadata.
 *
 * @param object the full form, `metadata.hashes` included
 * @param elements hashes of the bytes as they are now
 * @returns a boolean for each hash that is there, those of elements by name under `payloads`; `{}` without hashes
 */
export function verifyHashes(object: JsonObject, elements: ElementHashes): JsonObject {

    const { content, userMetadata, metadata } = object;
    const hashes = isJsonObject(metadata) ? metadata['hashes'] : undefined;
    if (!isJsonObject(hashes)) {
        return {};
    }

    const stored = isJsonObject(hashes['payloads']) ? hashes['payloads'] : {};
    return {
        ...verified('content', hashes, () => hashJson(content ?? null)),
        ...verified('userMetadata', hashes, () => hashJson(userMetadata ?? null)),
        ...verified('full', hashes, () => fullHash(object, stored)),
        ...(isJsonObject(hashes['payloads']) ? { payloads: verifiedElements(stored, elements) } : {})
    };
}

function verified(name: string, hashes: JsonObject, compute: () => string): JsonObject {

    return hashes[name] === undefined ? {} : { [name]: hashes[name] === compute() };
}

function verifiedElements(stored: JsonObject, elements: ElementHashes): JsonObject {

    return Object.fromEntries(Object.entries(stored).map(([name, hash]): [string, JsonValue] => [name, elements[name] === hash]));
}

/** Of the metadata only the hashes of elements count, of the rest everything but what was computed for one reader. */
function fullHash(fullForm: JsonObject, elements: JsonObject): string {

    const { responseContext: _responseContext, ...object } = fullForm;
    const metadata = Object.keys(elements).length > 0 ? { hashes: { payloads: elements } } : {};
    return hashJson({ ...object, metadata });
}

/** The metadata of an object without its hashes. */
export function withoutHashes<M extends Metadata>({ hashes: _hashes, ...metadata }: M): Omit<M, 'hashes'> {

    return metadata;
}

/** Computes the hash of the bytes of an element: lower-case hex SHA-256. */
export interface ElementHasher {
    hashOf(element: StoredElement): Promise<string>;
}

/** Completes objects with hashes. */
export class ObjectHasher {

    readonly #catalog: Pick<Catalog, 'current'>;
    readonly #elements: ElementHasher;

    constructor(catalog: Pick<Catalog, 'current'>, elements: ElementHasher) {

        this.#catalog = catalog;
        this.#elements = elements;
    }

    /** The object with its hashes, or without those of an earlier state where its type does not want any. */
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
        const hashes = hashesOf({ ...object, elements }, byName);
        return { ...object, elements, metadata: { hashes, ...withoutHashes(object.metadata) } };
    }
}
