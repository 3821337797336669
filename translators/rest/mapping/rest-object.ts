/**
 * Digital objects in the words of REST and back: elements become payloads, attributes become members. Pure functions; the
 * forms are those of the interface specification, "Resources and their fields".
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Acl, DigitalObject, Element } from '../../../lib/doip/digital-object.js';
import { badRequest, notFound } from '../../../lib/errors/errors.js';
import { idPath } from '../../../lib/doip/ids.js';
import { getAt, requireAt, shownAt } from '../../../lib/json/pointer.js';
import { SentNumber } from '../../../lib/json/exact-numbers.js';
import { prune } from '../../../lib/json/filter.js';
import { unmarked, writeJson } from '../../../lib/json/serializer.js';
import { rawJson, rememberText } from '../../../lib/json/raw-json.js';
import type { SerializedObject } from '../../../lib/doip/serialized-object.js';

/** Characters of a content that is not written anew when its text is known. */
const LONG = 32_768;

/** A payload as REST describes it. */
export interface PayloadDescriptor {
    name: string;
    filename?: string;
    mediaType?: string;
    /** Bytes. */
    size: number;
}

/** The full form of an object. Members that have nothing to say are absent; their order is part of the form. */
export interface RestObject {
    id: string;
    type: string;
    content: JsonObject;
    acl?: Acl;
    userMetadata?: JsonObject;
    metadata?: JsonObject;
    responseContext?: JsonObject;
    payloads?: PayloadDescriptor[];
}

/** What a client asked to see of an object. */
export interface View {
    readonly full?: boolean;
    /** Pointer into the form that is shown. */
    readonly jsonPointer?: string | undefined;
    /** Pointers to the parts of the form that are to be kept. */
    readonly filter?: readonly string[] | undefined;
    /** Adds what the caller may do to the full form. */
    readonly permission?: string | undefined;
}

/** The full form of an object. */
export function toRestObject(object: DigitalObject, permission?: string): RestObject {

    const { attributes: { content, acl, userMetadata, metadata, responseContext }, elements } = object;
    const context = permission === undefined ? responseContext : { ...responseContext, permission };
    return {
        id: object.id,
        type: object.type,
        content,
        ...(acl ? { acl } : {}),
        ...(userMetadata ? { userMetadata } : {}),
        ...(metadata ? { metadata: metadata as unknown as JsonObject } : {}),
        ...(context ? { responseContext: context } : {}),
        ...(elements?.length ? { payloads: elements.map(toPayload) } : {})
    };
}

/** The JSON text of {@link toRestObject}, made of the texts of the parts of an object. */
export function restObjectText({ id, type, elements, parts }: SerializedObject): string {

    const { content, acl, userMetadata, metadata, responseContext } = parts;
    return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"content":${unmarked(content)}` +
        `${acl === null ? '' : `,"acl":${acl}`}${userMetadata === null ? '' : `,"userMetadata":${unmarked(userMetadata)}`}` +
        `,"metadata":${JSON.stringify(metadata)}` +
        `${responseContext === null ? '' : `,"responseContext":${JSON.stringify(responseContext)}`}` +
        `${elements.length === 0 ? '' : `,"payloads":${JSON.stringify(elements.map(toPayload))}`}}`;
}

/**
 * The part of an object that a client asked for: content or full form, narrowed by a pointer or by a filter (the pointer
 * wins). 404 where there is nothing at the pointer, 400 for malformed pointers.
 */
export function view(object: DigitalObject, wish: View): JsonValue {

    const form = wish.full ? withRawText(toRestObject(object, wish.permission)) : object.attributes.content;
    if (wish.jsonPointer !== undefined) {
        return requireAt(form, wish.jsonPointer);
    }

    return wish.filter ? prune(form, wish.filter) : form;
}

/** The same; where its content is long and its text known, so is the text of the whole afterwards. */
function withRawText(form: RestObject): JsonObject {

    const text = rawJson(form.content);
    if (text === undefined || text.length < LONG) {
        return asJson(form);
    }

    const { id, type, content: _, ...others } = form;
    const rest = writeJson(others).slice(1);
    return rememberText(asJson(form), `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"content":${text}${rest === '}' ? '' : ','}${rest}`);
}

/** The value that an update wrote at a pointer; null when a hook of the type has removed it meanwhile. */
export function valueWritten(content: JsonObject, jsonPointer: string): JsonValue {

    const value = shownAt(content, jsonPointer);
    if (value !== undefined || !jsonPointer.endsWith('/-')) {
        return value ?? null;
    }

    const list = getAt(content, jsonPointer.slice(0, -2));
    return Array.isArray(list) ? shownAt(list, `/${list.length - 1}`) ?? null : null;
}

/** The text of a value that was asked for as text. 400 for arrays and objects. */
export function textOf(value: JsonValue): string {

    if (typeof value === 'object' && value !== null && !(value instanceof SentNumber)) {
        throw badRequest('Requested json is not textual');
    }

    return String(value);
}

/** What is told of a payload instead of its bytes. 404 when the object has no such payload. */
export function payloadFacts(object: DigitalObject, name: string): JsonObject {

    const element = object.elements.find(({ id }) => id === name);
    if (!element) {
        throw notFound(`No payload ${name} in object ${object.id}`);
    }

    const { attributes: { filename }, type } = element;
    return {
        ...(filename === undefined ? {} : { filename }),
        mimetype: type ?? 'application/octet-stream'
    };
}

/** What the headers of an answer tell about an object: where it is, and its type. */
export function objectHeaders(base: string, id: string, { type }: JsonObject): Record<string, string> {

    return {
        Location: objectPath(base, id),
        ...(typeof type === 'string' ? { 'X-Schema': headerText(type) } : {})
    };
}

/** Text that a header can carry: whatever is not printable ASCII is percent-encoded. */
function headerText(text: string): string {

    return text.replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** The path of an object below the base of the interface, percent-encoded but for its slashes. */
export function objectPath(base: string, id: string): string {

    return `${base}/objects/${idPath(id)}`;
}

/** The digital object that an operation answered with. Operations of the service promise this form. */
export function asDigitalObject(value: JsonValue): DigitalObject {

    return value as unknown as DigitalObject;
}

/** An interface as the JSON that it describes. */
export function asJson(value: RestObject | PayloadDescriptor): JsonObject {

    return value as unknown as JsonObject;
}

function toPayload(element: Element): PayloadDescriptor {

    const { id, length, type, attributes: { filename } } = element;
    return {
        name: id,
        ...(filename === undefined ? {} : { filename }),
        ...(type === undefined ? {} : { mediaType: type }),
        size: length
    };
}
