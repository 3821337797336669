/**
 * Conversion of digital objects to REST form: elements become payloads, attributes become members. Pure functions; the forms are those of
 * the interface specification, "Resources and their fields".
 */

import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Acl, DigitalObject, Element } from '../../../lib/doip/digital-object.js';
import { badRequest, notFound } from '../../../lib/errors/errors.js';
import { idPath } from '../../../lib/doip/ids.js';
import { getAt, requireAt, visibleAt } from '../../../lib/json/pointer.js';
import { SentNumber } from '../../../lib/json/exact-numbers.js';
import { prune } from '../../../lib/json/filter.js';
import { unmarked, writeJson } from '../../../lib/json/serializer.js';
import { rawJson, rememberText } from '../../../lib/json/raw-json.js';
import type { SerializedObject } from '../../../lib/doip/serialized-object.js';

/** Contents of at least this many characters are not serialized again when their JSON text is known. */
const LONG = 32_768;

/** Description of a payload in REST form. */
export interface PayloadDescriptor {
    name: string;
    filename?: string;
    mediaType?: string;
    /** Bytes. */
    size: number;
}

/** The full form of an object. Empty members are left out; their order is part of the form. */
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

/** Display options of a request for an object. */
export interface View {
    readonly full?: boolean;
    /** JSON pointer into the displayed form. */
    readonly jsonPointer?: string | undefined;
    /** JSON pointers to the parts of the form to keep. */
    readonly filter?: readonly string[] | undefined;
    /** The caller's permission, to be added to the full form. */
    readonly permission?: string | undefined;
}

/** The full form of an object. */
export function toRestObject(object: DigitalObject, permission?: string): RestObject {

    const { attributes: { content, acl, userMetadata, metadata, responseContext }, elements } = object;
    const context = permission === undefined ? responseContext : { ...responseContext, permission };
    const form: RestObject = { id: object.id, type: object.type, content };
    if (acl) {
        form.acl = acl;
    }

    if (userMetadata) {
        form.userMetadata = userMetadata;
    }

    if (metadata) {
        form.metadata = metadata as unknown as JsonObject;
    }

    if (context) {
        form.responseContext = context;
    }

    if (elements?.length) {
        form.payloads = elements.map(toPayload);
    }

    return form;
}

/** The JSON text of {@link toRestObject}, assembled from the stored texts of the parts. */
export function restObjectText({ id, type, elements, parts }: SerializedObject): string {

    const { content, acl, userMetadata, metadata, responseContext } = parts;
    return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"content":${unmarked(content)}` +
        `${acl === null ? '' : `,"acl":${acl}`}${userMetadata === null ? '' : `,"userMetadata":${unmarked(userMetadata)}`}` +
        `,"metadata":${JSON.stringify(metadata)}` +
        `${responseContext === null ? '' : `,"responseContext":${JSON.stringify(responseContext)}`}` +
        `${elements.length === 0 ? '' : `,"payloads":${JSON.stringify(elements.map(toPayload))}`}}`;
}

/**
 * Selects what the client asked for: content or full form, narrowed by a pointer or else by a filter. Throws 404 where the pointer finds
 * nothing, 400 for malformed pointers.
 */
export function view(object: DigitalObject, options: View): JsonValue {

    const form = options.full ? withRawText(toRestObject(object, options.permission)) : object.attributes.content;
    if (options.jsonPointer !== undefined) {
        return requireAt(form, options.jsonPointer);
    }

    return options.filter ? prune(form, options.filter) : form;
}

/** Returns the form as JSON; for a long content with known text, the text of the whole form is remembered as well. */
function withRawText(form: RestObject): JsonObject {

    const text = rawJson(form.content);
    if (text === undefined || text.length < LONG) {
        return asJson(form);
    }

    const { id, type, content: _, ...others } = form;
    const rest = writeJson(others).slice(1);
    return rememberText(asJson(form), `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"content":${text}${rest === '}' ? '' : ','}${rest}`);
}

/** The value that an update wrote at a pointer; null when a hook of the type has removed it. */
export function valueWritten(content: JsonObject, jsonPointer: string): JsonValue {

    const value = visibleAt(content, jsonPointer);
    if (value !== undefined || !jsonPointer.endsWith('/-')) {
        return value ?? null;
    }

    const list = getAt(content, jsonPointer.slice(0, -2));
    return Array.isArray(list) ? visibleAt(list, `/${list.length - 1}`) ?? null : null;
}

/** The value as plain text. Throws 400 for arrays and objects. */
export function textOf(value: JsonValue): string {

    if (typeof value === 'object' && value !== null && !(value instanceof SentNumber)) {
        throw badRequest('Requested json is not textual');
    }

    return String(value);
}

/** Metadata of a payload, sent instead of its bytes. Throws 404 when the object has no such payload. */
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

/** Response headers about an object: its location and type. */
export function objectHeaders(base: string, id: string, { type }: JsonObject): Record<string, string> {

    const location = objectPath(base, id);
    return typeof type === 'string' ? { Location: location, 'X-Schema': headerText(type) } : { Location: location };
}

/** Percent-encodes everything but printable ASCII, for use in a header. */
function headerText(text: string): string {

    return text.replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** Path of an object below the base of the interface, percent-encoded except for slashes. */
export function objectPath(base: string, id: string): string {

    return `${base}/objects/${idPath(id)}`;
}

/** The digital object in the output of an operation; trusted, as the service's own operations promise this form. */
export function asDigitalObject(value: JsonValue): DigitalObject {

    return value as unknown as DigitalObject;
}

/** Casts an interface to the JSON that it describes. */
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
