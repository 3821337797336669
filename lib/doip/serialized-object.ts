/**
 * A digital object whose larger parts are JSON text until somebody looks into them, so that many objects can be handed on as
 * they are stored. To its readers it is a digital object like any other; carriers that only write it take the texts.
 */

import type { JsonObject } from '../util/json-types.js';
import { markNumberTexts } from '../json/exact-numbers.js';
import { isMarked, readStored, unmarked, writeJson } from '../json/serializer.js';
import { jsonText } from '../json/raw-json.js';
import type { Acl, DigitalObject, Element, Metadata } from './digital-object.js';

/** The attributes of an object. The texts must be what {@link writeStored} makes of their values. */
export interface WrittenParts {
    /** JSON text. */
    readonly content: string;
    /** JSON text; null when the object has no list of its own. */
    readonly acl: string | null;
    /** JSON text; null when there is none. */
    readonly userMetadata: string | null;
    readonly metadata: Metadata;
    /** Null when there is none. */
    readonly responseContext: JsonObject | null;
}

export class SerializedObject implements DigitalObject {

    readonly id: string;
    readonly type: string;
    readonly elements: Element[];
    readonly parts: WrittenParts;
    #attributes: DigitalObject['attributes'] | undefined;

    constructor({ id, type, elements }: Pick<DigitalObject, 'id' | 'type' | 'elements'>, parts: WrittenParts) {

        this.id = id;
        this.type = type;
        this.elements = elements;
        this.parts = parts;
        if (isMarked(parts.content) || parts.userMetadata !== null && isMarked(parts.userMetadata)) {
            markNumberTexts(this);
        }
    }

    /** Read from the texts when somebody first asks. */
    get attributes(): DigitalObject['attributes'] {

        this.#attributes ??= readAttributes(this.parts);
        return this.#attributes;
    }

    /** The object in an ordinary form, with all its parts read. */
    toJSON(): DigitalObject {

        const { id, type, attributes, elements } = this;
        return { id, type, attributes, elements };
    }

    /** The JSON text of the object. */
    text(): string {

        const { id, type, elements, parts: { content, acl, userMetadata, metadata, responseContext } } = this;
        return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"attributes":{"content":${unmarked(content)}` +
            `${acl === null ? '' : `,"acl":${acl}`}${userMetadata === null ? '' : `,"userMetadata":${unmarked(userMetadata)}`}` +
            `,"metadata":${JSON.stringify(metadata)}` +
            `${responseContext === null ? '' : `,"responseContext":${JSON.stringify(responseContext)}`}},"elements":${JSON.stringify(elements)}}`;
    }
}

/** A digital object with nothing left as text. */
export function plainObject(object: DigitalObject): DigitalObject {

    return object instanceof SerializedObject ? object.toJSON() : object;
}

function readAttributes({ content, acl, userMetadata, metadata, responseContext }: WrittenParts): DigitalObject['attributes'] {

    return {
        content: readStored(content) as JsonObject,
        ...acl === null ? {} : { acl: JSON.parse(acl) as Acl },
        ...userMetadata === null ? {} : { userMetadata: readStored(userMetadata) as JsonObject },
        metadata,
        ...responseContext === null ? {} : { responseContext }
    };
}

/** The JSON text of a digital object, with the text of its content where that is known. */
export function digitalObjectText({ id, type, attributes, elements = [] }: DigitalObject): string {

    const { content, ...others } = attributes;
    const rest = writeJson(others).slice(1);
    return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"attributes":{"content":${jsonText(content)}` +
        `${rest === '}' ? '' : ','}${rest},"elements":${JSON.stringify(elements)}}`;
}
