/**
 * Validation of the fields of an object, whichever way they come in; the only place for these rules. Each violation is a 400
 * that names the field.
 */

import type { Acl } from '../../doip/digital-object.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { DESIGN_ID, handleError, serviceId } from '../../doip/ids.js';
import { isJsonObject } from '../../util/json-types.js';
import { checkValueCount, checkValuesOf } from '../../json/value-counter.js';
import { unmarked, writeStored } from '../../json/serializer.js';

/** Limits; all configurable. */
export interface FieldLimits {
    /** Maximum length of an object id in bytes of UTF-8; at most 255, the width of the column. */
    readonly idBytes: number;
    /** Maximum length of element names, file names, media types and type names in bytes of UTF-8; at most 255. */
    readonly nameBytes: number;
    /** Maximum number of entries in one list of an ACL. */
    readonly aclEntries: number;
    /** Maximum number of elements per object. */
    readonly elements: number;
    /** Maximum size of content as JSON text in bytes; the same for userMetadata. */
    readonly contentBytes: number;
    /** Maximum number of values in content; the same for userMetadata. Default unlimited. */
    readonly jsonValues?: number;
}


const CONTROL = /[\u0000-\u001f\u007f]/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/;
const ACL_MEMBERS = ['readers', 'writers', 'payloadReaders'] as const;

/** Checks the id of a new object. */
export function checkNewId(id: string, prefix: string, limits: FieldLimits): void {

    if (id === DESIGN_ID || id === serviceId(prefix)) {
        throw badRequest(`Invalid handle: ${id} is reserved`);
    }

    const error = handleError(id, limits.idBytes);
    if (error) {
        throw badRequest(error);
    }
}

/** Returns a valid type name. */
export function checkTypeName(name: JsonValue | undefined, limits: FieldLimits): string {

    if (name === undefined || name === '') {
        throw badRequest('Missing object type');
    }

    return checkName('type', name, limits);
}

/** Returns a valid name of an element. */
export function checkElementName(name: JsonValue | undefined, limits: FieldLimits): string {

    if (name === undefined || name === null || name === '') {
        throw badRequest('Payload missing name');
    }

    return checkName('payload name', name, limits);
}

/** Returns a valid file name, without the directories of a path. Null means none; the empty name is kept because clients send it. */
export function checkFilename(name: JsonValue | undefined, limits: FieldLimits): string | null {

    if (name === undefined || name === null) {
        return null;
    }

    const last = typeof name === 'string' ? name.replace(/^.*[/\\]/s, '') : name;
    return last === '' ? last : checkName('filename', last, limits);
}

/** Returns a valid media type; null and empty mean none. */
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

/** Returns a valid ACL: an object with any of the three lists and one list per method, all of non-empty strings. Absent lists stay absent. */
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

        const name = ACL_MEMBERS.find((candidate) => candidate === member);
        if (!name) {
            throw badRequest(`Invalid ACL format: unknown member ${member}`);
        }

        if (entries !== null) {
            acl[name] = checkPrincipals(name, entries, limits);
        }
    }

    return acl;
}

/** Returns valid user metadata: any JSON object. */
export function checkUserMetadata(value: JsonValue): JsonObject {

    if (!isJsonObject(value)) {
        throw badRequest('Invalid userMetadata format: expected a JSON object');
    }

    return value;
}

/** Returns valid content: a JSON object. */
export function checkContent(value: JsonValue | undefined): JsonObject {

    if (value === undefined) {
        throw badRequest('Missing JSON');
    }

    if (!isJsonObject(value)) {
        throw badRequest('Invalid content: expected a JSON object');
    }

    return value;
}

/** Returns the stored text of content or user metadata within the limits on size and number of values. */
export function checkedText(name: string, value: JsonObject, limits: FieldLimits): string {

    const text = writeStored(value);
    if (text.length * 3 > limits.contentBytes && Buffer.byteLength(unmarked(text)) > limits.contentBytes) {
        throw tooLong(name, limits);
    }

    checkValueCount(text, limits.jsonValues ?? Infinity, name);
    return text;
}

/** Length by which content may exceed its maximum until its secrets are extracted. */
const MAX_SECRETS_LENGTH = 64 * 1024;

/**
 * Rejects content with more values than allowed, or whose text will be much longer than allowed, before it is validated, which takes longer than
 * to see that.
 */
export function checkApproximateSize(content: JsonObject, limits: FieldLimits): void {

    if (lengthLeft(content, limits.contentBytes + MAX_SECRETS_LENGTH) < 0) {
        throw tooLong('content', limits);
    }

    checkValuesOf(content, limits.jsonValues ?? Infinity, 'content');
}

/** Subtracts the least length that a value has as text; stops below zero. */
function lengthLeft(value: JsonValue, length: number): number {

    if (typeof value === 'string') {
        return length - value.length;
    }

    let left = length - 1;
    if (Array.isArray(value)) {
        for (let i = 0; i < value.length && left >= 0; ++i) {
            left = lengthLeft(value[i] ?? null, left - 1);
        }
    }
    else if (isJsonObject(value)) {
        for (const name in value) {
            if (left < 0) {
                break;
            }

            left = lengthLeft(value[name] ?? null, left - name.length);
        }
    }

    return left;
}

function tooLong(name: string, { contentBytes }: FieldLimits): Error {

    return badRequest(`${name} is longer than the allowed ${contentBytes} bytes`, { http: 413 });
}

/** Checks the number of elements of an object. */
export function checkElementCount(count: number, limits: FieldLimits): void {

    if (count > limits.elements) {
        throw badRequest(`an object may have at most ${limits.elements} payloads, got ${count}`);
    }
}

/** Returns valid lists by method name. The limit on entries applies to all of them together. */
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

function checkName(label: string, value: JsonValue, limits: FieldLimits): string {

    if (typeof value !== 'string' || value === '') {
        throw badRequest(`${label} must be a non-empty string`);
    }

    if (CONTROL.test(value) || !value.isWellFormed()) {
        throw badRequest(`${label} contains a control character or an unpaired surrogate`);
    }

    if (Buffer.byteLength(value) > limits.nameBytes) {
        throw badRequest(`${label} is longer than ${limits.nameBytes} bytes`);
    }

    return value;
}
