/**
 * An object as stored: its larger parts are JSON texts that are parsed on first access.
 */

import type { JsonObject } from '../util/json-types.js';
import { readStored } from '../json/serializer.js';
import { rememberText } from '../json/raw-json.js';
import type { Acl } from '../doip/digital-object.js';
import { SerializedObject } from '../doip/serialized-object.js';
import type { StoredElement, StoredObject } from './stored-object.js';
import { elementsLength, toElement } from './stored-object.js';

/** Stored parts of an object. */
export interface ObjectParts extends Pick<StoredObject, 'id' | 'type' | 'metadata'> {
    /** JSON text. */
    readonly content: string;
    /** JSON text; null if the object has no access control list of its own. */
    readonly acl: string | null;
    /** JSON text; null if there is none. */
    readonly userMetadata: string | null;
    readonly elements: readonly StoredElement[];
}

/** An object as stored, not parsed yet. */
export class LazyStoredObject {

    readonly id: string;
    readonly type: string;
    readonly metadata: StoredObject['metadata'];
    readonly #parts: ObjectParts;
    #acl: Acl | null | undefined;

    constructor(parts: ObjectParts) {

        this.id = parts.id;
        this.type = parts.type;
        this.metadata = parts.metadata;
        this.#parts = parts;
    }

    /** Parsed on first access: not every access decision needs it. */
    get acl(): Acl | null {

        if (this.#acl === undefined) {
            const { acl } = this.#parts;
            this.#acl = acl === null ? null : JSON.parse(acl) as Acl;
        }

        return this.#acl;
    }

    /** Approximate length of the object as JSON text, with its access control list and elements, in UTF-16 code units. */
    get length(): number {

        const { content, acl, userMetadata, elements } = this.#parts;
        return content.length + (acl?.length ?? 0) + (userMetadata?.length ?? 0) + elementsLength(elements);
    }

    /** Returns the parsed object. */
    read(): StoredObject {

        const { id, type, metadata, acl } = this;
        const { content, userMetadata, elements } = this.#parts;
        return {
            id, type,
            content: rememberText(readStored(content) as JsonObject, content),
            acl,
            userMetadata: userMetadata === null ? null : readStored(userMetadata) as JsonObject,
            metadata, elements
        };
    }

    /** Returns the digital object without parsing its parts. */
    toWritten(responseContext: JsonObject | null): SerializedObject {

        const { id, type, metadata } = this;
        const { content, acl, userMetadata, elements } = this.#parts;
        return new SerializedObject({ id, type, elements: elements.map(toElement) }, { content, acl, userMetadata, metadata, responseContext });
    }
}
