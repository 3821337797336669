/**
 * An object as it lies in the store: its larger parts are the texts that were stored, and are read when somebody asks for them.
 */

import type { JsonObject } from '../util/json-types.js';
import { readStored } from '../json/serializer.js';
import { rememberText } from '../json/raw-json.js';
import type { Acl } from '../doip/digital-object.js';
import { SerializedObject } from '../doip/serialized-object.js';
import type { StoredElement, StoredObject } from './stored-object.js';
import { toElement } from './stored-object.js';

/** What an object is stored as. */
export interface ObjectParts extends Pick<StoredObject, 'id' | 'type' | 'metadata'> {
    /** JSON text. */
    readonly content: string;
    /** JSON text; null when the object has no list of its own. */
    readonly acl: string | null;
    /** JSON text; null when there is none. */
    readonly userMetadata: string | null;
    readonly elements: readonly StoredElement[];
}

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

    /** Read when it is first asked for: not every question of rights needs it. */
    get acl(): Acl | null {

        if (this.#acl === undefined) {
            const { acl } = this.#parts;
            this.#acl = acl === null ? null : JSON.parse(acl) as Acl;
        }

        return this.#acl;
    }

    /** Roughly how long the object is as JSON text, in UTF-16 units. */
    get length(): number {

        const { content, userMetadata } = this.#parts;
        return content.length + (userMetadata?.length ?? 0);
    }

    /** The object itself. */
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

    /** The digital object with its parts left as they are. */
    toWritten(responseContext: JsonObject | null): SerializedObject {

        const { id, type, metadata } = this;
        const { content, acl, userMetadata, elements } = this.#parts;
        return new SerializedObject({ id, type, elements: elements.map(toElement) }, { content, acl, userMetadata, metadata, responseContext });
    }
}
