/**
 * A digital object whose larger parts stay JSON text until they are read, so that many objects can be passed on as they are
 * stored. Readers see an ordinary digital object; carriers that only write it use the texts.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { markNumberTexts } from '../json/exact-numbers.js';
import { isMarked, readStored, unmarked, writeJson } from '../json/serializer.js';
import { jsonText } from '../json/raw-json.js';
import type { Acl, DigitalObject, Element, Metadata } from './digital-object.js';

/** Attributes of an object. The texts must equal the result of {@link writeStored} for their values. */
export interface SerializedParts {
    /** JSON text. */
    readonly content: string;
    /** JSON text; null if the object has no access control list of its own. */
    readonly acl: string | null;
    /** JSON text; null if there is none. */
    readonly userMetadata: string | null;
    readonly metadata: Metadata;
    /** Null if there is none. It is also a member of the object itself. */
    readonly responseContext: JsonObject | null;
}

/** A digital object that is parsed on first access to its attributes. */
export class SerializedObject implements DigitalObject {

    readonly id: string;
    readonly type: string;
    readonly elements: Element[];
    readonly parts: SerializedParts;
    #attributes: DigitalObject['attributes'] | undefined;

    constructor({ id, type, elements }: Pick<DigitalObject, 'id' | 'type' | 'elements'>, parts: SerializedParts) {

        this.id = id;
        this.type = type;
        this.elements = elements;
        this.parts = parts;
        if (isMarked(parts.content) || parts.userMetadata !== null && isMarked(parts.userMetadata)) {
            markNumberTexts(this);
        }
    }

    /** Parsed on first access. */
    get attributes(): DigitalObject['attributes'] {

        this.#attributes ??= readAttributes(this.parts);
        return this.#attributes;
    }

    /** Returns the object as a plain digital object, all parts parsed. */
    toJSON(): DigitalObject {

        const { id, type, attributes, elements, parts: { responseContext } } = this;
        return responseContext === null ? { id, type, attributes, elements } : { id, type, attributes, elements, responseContext };
    }

    /** Returns the JSON text of the object. */
    text(): string {

        const { id, type, elements, parts: { content, acl, userMetadata, metadata, responseContext } } = this;
        const context = responseContext === null ? '' : `,"responseContext":${JSON.stringify(responseContext)}`;
        return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"attributes":{"content":${unmarked(content)}` +
            `${acl === null ? '' : `,"acl":${acl}`}${userMetadata === null ? '' : `,"userMetadata":${unmarked(userMetadata)}`}` +
            `,"metadata":${JSON.stringify(metadata)}${context}},"elements":${JSON.stringify(elements)}${context}}`;
    }
}

/** A JSON value that stays text until it is read. */
export class SerializedJson {

    readonly #stored: string;

    /** @param stored text made by {@link writeStored} */
    constructor(stored: string) {

        this.#stored = stored;
    }

    text(): string {

        return unmarked(this.#stored);
    }

    toJSON(): JsonValue {

        return readStored(this.#stored);
    }
}

/** Returns a digital object without unparsed parts. */
export function plainObject(object: DigitalObject): DigitalObject {

    return object instanceof SerializedObject ? object.toJSON() : object;
}

function readAttributes({ content, acl, userMetadata, metadata, responseContext }: SerializedParts): DigitalObject['attributes'] {

    return {
        content: readStored(content) as JsonObject,
        ...acl === null ? {} : { acl: JSON.parse(acl) as Acl },
        ...userMetadata === null ? {} : { userMetadata: readStored(userMetadata) as JsonObject },
        metadata,
        ...responseContext === null ? {} : { responseContext }
    };
}

/** Returns the JSON text of a digital object; reuses the text of its content if it is known. */
export function digitalObjectText({ id, type, attributes, elements = [], responseContext }: DigitalObject): string {

    const { content, ...others } = attributes;
    const rest = writeJson(others).slice(1);
    return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"attributes":{"content":${jsonText(content)}` +
        `${rest === '}' ? '' : ','}${rest},"elements":${JSON.stringify(elements)}` +
        `${responseContext === undefined ? '' : `,"responseContext":${JSON.stringify(responseContext)}`}}`;
}
