/**
 * Parses the segments of Create and Update. Parts come in any order: JSON segments with parts of a digital object, and pairs of
 * an element header and its bytes, which are staged as they arrive. Nothing is linked to an object here; staged bytes are
 * discarded on failure.
 */

import type { Segment, Transport } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { FieldLimits } from './field-validation.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { numberTextAt } from '../../json/exact-numbers.js';
import { writeJson } from '../../json/serializer.js';
import { bytesSegment, jsonOf } from '../../doip/segments.js';
import {
    checkAcl, checkContent, checkElementCount, checkElementName, checkFilename, checkMediaType, checkTypeName,
    checkUserMetadata
} from './field-validation.js';
import type { StagedElement, ElementInput, ObjectInput } from '../../model/object-input.js';

/** Options of {@link readObjectInput}. */
export interface InputReaderOptions {
    readonly limits: FieldLimits;
    /**
     * Called before the first bytes are staged or held in memory as JSON, or at the end; called again if the type has changed since, because access
     * depends on it. Throws to reject the input.
     */
    beforeBytes(input: ObjectInput): Promise<void> | void;
    /** Called before JSON that the carrier has not read yet is held in memory while the type is not known. Throws to reject the input. */
    beforeType?(): Promise<void> | void;
    stage(body: AsyncIterable<Uint8Array>, input: ObjectInput): Promise<StagedElement>;
    /** True if bytes are accepted only for elements listed in the object; otherwise their header suffices. Default false. */
    readonly mustDeclare?: boolean;
}

/** True for network requests, which must list their elements so that misspelt names are detected; programs that embed the service need not. */
export function mustDeclare({ protocol }: Transport): boolean {

    return protocol !== 'internal';
}

/** True if nothing was sent. */
export function isEmptyInput(input: ObjectInput): boolean {

    return input.content === undefined && input.contentAtPointer === undefined && input.acl === undefined &&
        input.userMetadata === undefined && input.elements.size === 0;
}

/** Runs the work that stores an input; discards the staged bytes if it fails or is a dry run. */
export async function storing<T>(input: ObjectInput, dryRun: boolean, work: () => Promise<T>): Promise<T> {

    let stored = false;
    try {
        const done = await work();
        stored = !dryRun;
        return done;
    }
    finally {
        if (!stored) {
            await discardInput(input);
        }
    }
}

async function discardInput(input: ObjectInput): Promise<void> {

    for (const { staged } of input.elements.values()) {
        await staged?.discard();
    }
}

/** Reads the segments of Create or Update. If it throws, no staged bytes remain. */
export async function readObjectInput(segments: AsyncIterable<Segment>, options: InputReaderOptions): Promise<ObjectInput> {

    const input: ObjectInput = { elements: new Map(), elementsToDelete: [] };
    const reader = new InputReader(input, options);
    try {
        for await (const segment of segments) {
            await reader.add(segment);
        }

        await reader.end();
        return input;
    }
    catch (error) {
        await discardInput(input);
        throw error;
    }
}

class InputReader {

    readonly #input: ObjectInput;
    readonly #options: InputReaderOptions;
    #header: ElementInput | null = null;
    /** Input at the last call of `beforeBytes`; null before the first. */
    #placeholder: Pick<ObjectInput, 'type'> | null = null;
    #first = true;

    constructor(input: ObjectInput, options: InputReaderOptions) {

        this.#input = input;
        this.#options = options;
    }

    async add(segment: Segment): Promise<void> {

        if (this.#header) {
            await this.#addBytes(this.#header, segment);
            this.#header = null;
            return;
        }

        if (segment.kind === 'bytes') {
            await this.#admitPart();
        }

        const value = await jsonOf(segment);
        if (!isJsonObject(value)) {
            throw badRequest('Unexpected input segments: expected a digital object or the header of an element');
        }

        if (this.#first || value.attributes !== undefined) {
            this.#addPart(value);
            this.#first = false;
            if (segment.kind === 'json' && segment.isBeforeJson) {
                await this.#admitPart();
            }

            return;
        }

        this.#header = this.#describe(value, true);
    }

    async end(): Promise<void> {

        if (this.#header) {
            throw badRequest(`element ${this.#header.name} has a header but no bytes`);
        }

        await this.#announce();
        checkElementCount(this.#input.elements.size, this.#options.limits);
    }

    /** Decides about access before more JSON is held in memory. */
    async #admitPart(): Promise<void> {

        await (this.#input.type === undefined ? this.#options.beforeType?.() : this.#announce());
    }

    async #announce(): Promise<void> {

        const placeholder = this.#placeholder;
        const { type } = this.#input;
        if (!placeholder || placeholder.type !== type) {
            this.#placeholder = type === undefined ? {} : { type };
            await this.#options.beforeBytes(this.#input);
        }
    }

    #addPart(part: JsonObject): void {

        const input = this.#input;
        const { limits } = this.#options;
        if (typeof part.id === 'string' && part.id !== '') {
            input.id = part.id;
        }
        else if (part.id !== undefined && part.id !== null && part.id !== '') {
            throw badRequest('id must be a string');
        }

        if (part.type !== undefined && part.type !== null) {
            input.type = checkTypeName(part.type, limits);
        }

        if (part.attributes !== undefined && !isJsonObject(part.attributes)) {
            throw badRequest('attributes must be a JSON object');
        }

        this.#addAttributes(part.attributes ?? {}, part.content);
        this.#addElements(part.elements);
    }

    #addAttributes(attributes: JsonObject, topLevelContent: JsonValue | undefined): void {

        const input = this.#input;
        const { limits } = this.#options;
        // Some published clients put the content beside the attributes.
        const content = attributes.content ?? topLevelContent;
        if (content !== undefined) {
            input.content = checkContent(content);
        }

        if (attributes.contentAtPointer !== undefined) {
            input.contentAtPointer = { value: attributes.contentAtPointer, text: numberTextAt(attributes, 'contentAtPointer') };
        }

        if (attributes.acl !== undefined && attributes.acl !== null) {
            input.acl = checkAcl(attributes.acl, limits);
        }

        if (attributes.userMetadata !== undefined && attributes.userMetadata !== null) {
            input.userMetadata = checkUserMetadata(attributes.userMetadata);
        }

        const names = attributes.elementsToDelete;
        if (names !== undefined && names !== null) {
            if (!Array.isArray(names)) {
                throw badRequest('elementsToDelete must be an array of element names');
            }

            input.elementsToDelete.push(...names.map((name) => checkElementName(name, limits)));
        }
    }

    #addElements(elements: JsonValue | undefined): void {

        if (elements === undefined || elements === null) {
            return;
        }

        if (!Array.isArray(elements)) {
            throw badRequest('elements must be an array');
        }

        for (const element of elements) {
            if (!isJsonObject(element)) {
                throw badRequest('elements must be an array of objects');
            }

            this.#describe(element, false);
        }
    }

    /** Adds the description of an element. A header may refer to an element that the object already lists. */
    #describe(value: JsonObject, isHeader: boolean): ElementInput {

        const input = this.#input;
        const { limits } = this.#options;
        const name = checkElementName(value.id, limits);
        const existing = input.elements.get(name);
        if (isHeader && !existing && this.#options.mustDeclare) {
            throw badRequest(input.elements.size === 0 ? `Unexpected input segments: the object does not declare element ${name}` : `No such element ${name}`);
        }

        if (existing && (!isHeader || existing.staged)) {
            throw badRequest(`Duplicate payload ${name}`);
        }

        const element: ElementInput = existing ?? { name };
        if (value.type !== undefined) {
            element.mediaType = checkMediaType(value.type, limits);
        }

        const attributes = isJsonObject(value.attributes) ? value.attributes : {};
        const filename = value.filename ?? attributes.filename;
        if (filename !== undefined) {
            element.filename = checkFilename(filename, limits);
        }

        input.elements.set(name, element);
        checkElementCount(input.elements.size, limits);
        return element;
    }

    async #addBytes(element: ElementInput, segment: Segment): Promise<void> {

        const [input, options] = [this.#input, this.#options];
        const bytes = segment.kind === 'bytes' ? segment : bytesSegment(Buffer.from(writeJson(segment.value)));
        await this.#announce();
        element.mediaType ??= checkMediaType(bytes.mediaType, options.limits);
        element.filename ??= checkFilename(bytes.filename, options.limits);
        element.staged = await options.stage(bytes.body, input);
    }
}
