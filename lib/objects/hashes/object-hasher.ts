/**
 * Gives objects their hashes, where their type wants that (`hashObject`). Runs with every change, when everything else about
 * the object is decided.
 */

import type { Catalog } from '../../types/catalog.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { hashesOf, withoutHashes } from './object-hashes.js';

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
