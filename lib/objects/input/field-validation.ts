/**
 * What the named fields of an object may look like, whichever way they came in. The one place for these rules; every
 * violation is a 400 that names the field.
 */

import type { Acl } from '../../doip/digital-object.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { DESIGN_ID, handleError, serviceId } from '../../doip/ids.js';
import { isJsonObject } from '../../util/json-types.js';
import { checkValueCount } from '../../json/value-counter.js';
import { writeJson } from '../../json/serializer.js';

/** How long and how many; all configurable. */
export interface FieldLimits {
    /** Bytes of UTF-8 in an object id; at most 255, the width of the column. */
    readonly idBytes: number;
    /** Bytes of UTF-8 in element names, file names, media types and type names; at most 255. */
    readonly nameBytes: number;
    /** Entries in one array of an ACL. */
    readonly aclEntries: number;
    /** Elements of one object. */
    readonly elements: number;
    /** Bytes of the JSON text of content, and likewise of userMetadata. */
    readonly contentBytes: number;
    /** Values in content, and likewise in userMetadata; default any number. */
    readonly jsonValues?: number;
}


const CONTROL = /[\u0000-\u001f\u007f]/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/;
const ACL_MEMBERS = ['readers', 'writers', 'payloadReaders'] as const;

/** Requires an id that a new object may have. */
export function checkNewId(id: string, prefix: string, limits: FieldLimits): void {

    if (id === DESIGN_ID || id === serviceId(prefix)) {
        throw badRequest(`Invalid handle: ${id} is reserved`);
    }

    const fault = handleError(id, limits.idBytes);
    if (fault) {
        throw badRequest(fault);
    }
}

/** Requires a type name that could be one. */
export function checkTypeName(name: JsonValue | undefined, limits: FieldLimits): string {

    if (name === undefined || name === '') {
        throw badRequest('Missing object type');
    }

    return checkName('type', name, limits);
}

/** Requires the name of an element. */
export function checkElementName(name: JsonValue | undefined, limits: FieldLimits): string {

    if (name === undefined || name === null || name === '') {
        throw badRequest('Payload missing name');
    }

    return checkName('payload name', name, limits);
}

/** Requires a file name: only the last component of a path is kept. Null stands for none; one that is empty is kept, for clients send it. */
export function checkFilename(name: JsonValue | undefined, limits: FieldLimits): string | null {

    if (name === undefined || name === null) {
        return null;
    }

    const last = typeof name === 'string' ? name.replace(/^.*[/\\]/s, '') : name;
    return last === '' ? last : checkName('filename', last, limits);
}

/** Requires a media type; null and empty stand for none. */
export function checkMediaType(mediaType: JsonValue | undefined, limits: FieldLimits): string | null {

    if (mediaType === undefined || mediaType === null || mediaType === '') {
        return null;
    }

    const checked = checkName('media type', mediaType, limits);
    if (!MEDIA_TYPE.test(checked)) {
        throw badRequest(`media type ${checked} must look like type/subtype`);
    }

    return checked;
}

/** Requires an ACL: an object with any of the three arrays, and one for each method, all of non-empty strings. Absent arrays stay absent. */
export function checkAcl(value: JsonValue, limits: FieldLimits): Acl {

    if (!isJsonObject(value)) {
        throw badRequest('Invalid ACL format: expected an object with readers and writers');
    }

    const acl: Acl = {};
    for (const [member, entries] of Object.entries(value)) {
        if (member === 'methods') {
            Object.assign(acl, entries === null ? {} : { methods: checkMethods(entries, limits) });
            continue;
        }

        const name = ACL_MEMBERS.find((known) => known === member);
        if (!name) {
            throw badRequest(`Invalid ACL format: unknown member ${member}`);
        }

        if (entries !== null) {
            acl[name] = checkPrincipals(name, entries, limits);
        }
    }

    return acl;
}

/** Requires user metadata: any JSON object. */
export function checkUserMetadata(value: JsonValue): JsonObject {

    if (!isJsonObject(value)) {
        throw badRequest('Invalid userMetadata format: expected a JSON object');
    }

    return value;
}

/** Requires content: a JSON object. */
export function checkContent(value: JsonValue | undefined): JsonObject {

    if (value === undefined) {
        throw badRequest('Missing JSON');
    }

    if (!isJsonObject(value)) {
        throw badRequest('Invalid content: expected a JSON object');
    }

    return value;
}

/** JSON text of content or user metadata, if it is not too long and does not hold too many values. */
export function checkedText(name: string, value: JsonObject, limits: FieldLimits): string {

    const text = writeJson(value);
    if (text.length * 3 > limits.contentBytes && Buffer.byteLength(text) > limits.contentBytes) {
        throw badRequest(`${name} is longer than the allowed ${limits.contentBytes} bytes`, { http: 413 });
    }

    checkValueCount(text, limits.jsonValues ?? Infinity, name);
    return text;
}

/** Requires that an object does not get more elements than allowed. */
export function checkElementCount(count: number, limits: FieldLimits): void {

    if (count > limits.elements) {
        throw badRequest(`an object may have at most ${limits.elements} payloads, got ${count}`);
    }
}

/** Lists by the name of a method. Together they may be as long as any other list, however many methods share it. */
function checkMethods(value: JsonValue, limits: FieldLimits): Record<string, string[]> {

    if (!isJsonObject(value)) {
        throw badRequest('Invalid ACL format: methods must be an object with an array of strings for each method');
    }

    const lists = Object.entries(value).filter(([, entries]) => entries !== null).map(([method, entries]) => {

        checkName('Invalid ACL format: the name of a method', method, limits);
        return [method, checkPrincipals(`methods/${method}`, entries, limits)] as const;
    });
    if (lists.reduce((sum, [, entries]) => sum + Math.max(1, entries.length), 0) > limits.aclEntries) {
        throw badRequest(`Invalid ACL format: methods has more than ${limits.aclEntries} entries`);
    }

    return Object.fromEntries(lists);
}

function checkPrincipals(member: string, entries: JsonValue, limits: FieldLimits): string[] {

    if (!Array.isArray(entries)) {
        throw badRequest(`Invalid ACL format: ${member} must be an array of strings`);
    }

    if (entries.length > limits.aclEntries) {
        throw badRequest(`Invalid ACL format: ${member} has more than ${limits.aclEntries} entries`);
    }

    return entries.map((entry) => checkName(`Invalid ACL format: an entry of ${member}`, entry, limits));
}

function checkName(what: string, value: JsonValue, limits: FieldLimits): string {

    if (typeof value !== 'string' || value === '') {
        throw badRequest(`${what} must be a non-empty string`);
    }

    if (CONTROL.test(value) || !value.isWellFormed()) {
        throw badRequest(`${what} contains a control character or an unpaired surrogate`);
    }

    if (Buffer.byteLength(value) > limits.nameBytes) {
        throw badRequest(`${what} is longer than ${limits.nameBytes} bytes`);
    }

    return value;
}
