/**
 * Requests for updates, and the new content computed from the old one. Pure functions.
 */

import type { JsonObject } from '../util/json-types.js';
import type { StoredElement, StoredObject } from '../model/stored-object.js';
import { badRequest, notFound } from '../errors/errors.js';
import { restoreNumberTexts } from '../json/exact-numbers.js';
import { removeAt, setAt } from '../json/pointer.js';
import { checkContent } from './input/field-validation.js';
import { isEmptyInput } from './input/object-input.js';
import type { ElementInput, ObjectInput } from '../model/object-input.js';
import type { Caller } from '../model/caller.js';
import type { Design } from '../types/design.js';
import { DESIGN_ID } from '../doip/ids.js';
import { DESIGN_TYPE } from '../types/built-in-types.js';

/** A request for an update. */
export interface UpdateRequest {
    readonly input: ObjectInput;
    /** Replace only the value at this JSON pointer, by `input.contentAtPointer`. */
    readonly jsonPointer?: string | undefined;
    /** Remove the value at this JSON pointer of the content. */
    readonly deletePointer?: string | undefined;
    /** Computes the new content from the current one; for services, in place of content in the input. */
    readonly edit?: (content: JsonObject) => JsonObject;
    /** True for content from scripts, which get numbers as doubles: unchanged numbers keep their text. */
    readonly restoresNumbers?: boolean;
    /** False to reject a type that differs from the stored one, unless the design allows it. */
    readonly allowTypeChange?: boolean | undefined;
}

/** True if the request only deletes parts of the object, each of which must exist. */
function isPartDeletion({ input, deletePointer }: UpdateRequest): boolean {

    return isEmptyInput(input) && (deletePointer !== undefined || input.elementsToDelete.length > 0);
}

/** Returns the content after the update; the same object if it is unchanged. */
export function applyContent(before: JsonObject, request: UpdateRequest): JsonObject {

    const { input, jsonPointer, deletePointer, restoresNumbers = false } = request;
    if (request.edit) {
        return request.edit(before);
    }

    if (deletePointer !== undefined) {
        if (deletePointer === '') {
            throw badRequest('Cannot delete empty json pointer');
        }

        return checkContent(removeAt(before, deletePointer));
    }

    if (jsonPointer !== undefined) {
        if (jsonPointer === '') {
            throw badRequest('Cannot update empty json pointer: leave it out to replace the whole content');
        }

        if (!input.contentAtPointer) {
            throw badRequest('Missing JSON');
        }

        return checkContent(setAt(before, jsonPointer, input.contentAtPointer.value, input.contentAtPointer.text));
    }

    if (input.content === undefined && isPartDeletion(request)) {
        return before;
    }

    const content = checkContent(input.content);
    return restoresNumbers ? restoreNumberTexts(before, content) : content;
}

/** Returns the elements after an update or create: kept, changed, added, removed. */
export function applyElements(object: Pick<StoredObject, 'id' | 'elements'>, request: UpdateRequest): StoredElement[] {

    const { input } = request;
    const removed = new Set(input.elementsToDelete);
    const names = new Set(object.elements.map(({ name }) => name));
    if (isPartDeletion(request)) {
        for (const name of removed) {
            if (!names.has(name)) {
                throw notFound(`No payload ${name} in object ${object.id}`);
            }
        }
    }

    const remaining = object.elements
        .filter(({ name }) => !removed.has(name) || input.elements.get(name)?.staged)
        .map((element) => changeElement(element, input.elements.get(element.name)));
    const added = [...input.elements.values()].filter(({ name }) => !names.has(name)).map(newElement);
    return [...remaining, ...added];
}

function changeElement(element: StoredElement, change: ElementInput | undefined): StoredElement {

    if (!change) {
        return element;
    }

    if (change.staged) {
        return newElement(change);
    }

    return {
        ...element,
        filename: change.filename === undefined ? element.filename : change.filename,
        mediaType: change.mediaType === undefined ? element.mediaType : change.mediaType
    };
}

function newElement({ name, filename, mediaType, staged }: ElementInput): StoredElement {

    if (!staged) {
        throw badRequest(`element ${name} was listed but its bytes were not sent`);
    }

    const { blobId, store, size, hash } = staged;
    return { name, filename: filename ?? null, mediaType: mediaType ?? null, size, blobId, store, hash };
}

/** Checks that the service is not read-only; the administrator may always change the design. @throws DoipError 400 */
export function checkWritable(design: Design, caller: Caller, id: string): void {

    if (design.isReadOnly && !(caller.isAdmin && id === DESIGN_ID)) {
        throw badRequest('Cordra is read-only');
    }
}

/** Checks that the design object keeps its type: with another type it would not be validated, and its access rules would be lost. */
export function checkDesignType(id: string, type: string): void {

    if (id === DESIGN_ID && type !== DESIGN_TYPE) {
        throw badRequest('the type of the design object cannot be changed');
    }
}

/** Checks that an object is not a version, or that versions may be edited. Does not apply to deletes. @throws DoipError 400 */
export function checkVersion(design: Design, { metadata }: StoredObject): void {

    if (metadata.isVersion && !design.enableVersionEdits) {
        throw badRequest('Object versions cannot be edited');
    }
}
