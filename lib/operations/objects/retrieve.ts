/**
 * `0.DOIP/Op.Retrieve`: reads an object, a part of its content, or the bytes of an element (specification: GET
 * `/objects/<id>`, DOIP "Retrieve").
 */

import Joi from 'joi';
import type { OperationResult } from '../../core/operation.js';
import type { Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { asUnshared } from '../../util/streams/transient-bytes.js';
import type { DirectOutput } from '../../objects/hooks/lifecycle.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { demand } from '../../model/caller.js';
import { flag, text, texts } from '../../core/attributes.js';
import { tagged } from '../../core/entity-tags.js';
import { entityTagOf } from '../../model/preconditions.js';
import { defineOperation, result } from '../../core/operation.js';
import { notFound } from '../../errors/errors.js';
import { requireAt } from '../../json/pointer.js';
import { prune } from '../../json/filter.js';
import { Op, RETRIEVE_ALIAS } from '../../doip/operation-ids.js';
import { DIGITAL_OBJECT } from '../../doip/result-schemas.js';
import { bytesSegment, jsonSegment, sequence } from '../../doip/segments.js';
import { resolveRange } from '../../objects/elements/byte-range.js';
import { objectAnswer, objectAttributes } from '../../objects/read/object-presenter.js';
import type { OperationContext } from '../../core/operation-context.js';

interface RetrieveAttributes {
    readonly element?: string;
    readonly range?: { readonly start?: number; readonly end?: number };
    /** Tags of the versions of which the range is wanted; of any other the whole is sent. */
    readonly ifRange?: readonly string[];
    readonly includeElementData: boolean;
    readonly jsonPointer?: string;
    readonly filter?: readonly string[];
}

/** Some clients send null for the end of a range that they do not mean. */
const offset = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER).empty(null);

export const retrieve = defineOperation<RetrieveAttributes>({
    id: Op.retrieve,
    aliases: [RETRIEVE_ALIAS],
    summary: 'read an object, a part of its content or an element',
    target: 'object',
    methods: ['GET', 'POST'],
    authorise: 'reader',
    isLocal: true,
    attributes: Joi.object<RetrieveAttributes>({
        element: text(),
        range: Joi.object({ start: offset, end: offset }),
        ifRange: texts(),
        includeElementData: flag().default(false),
        jsonPointer: text(),
        filter: texts()
    }),
    resultSchema: { anyOf: [DIGITAL_OBJECT, { description: 'with jsonPointer the value there, with filter the requested branches of the object' }] },
    // Of an element its bytes; with includeElementData the object, and of each element its id and bytes.
    outputs: ['json', 'bytes', 'segments'],

    async handler(context) {

        const { attributes: { element, filter, includeElementData, jsonPointer }, caller, services: { policy, resolution }, target } = context;
        // What type code makes of an object may differ each time, and what is hidden may be shown after a change of rights.
        const isResolved = resolution.concerns(target.type);
        const visible = isResolved ? await resolution.resolve(target, context) : target;
        const entityTag = isResolved || policy.hidesFrom(caller, target) ? null : entityTagOf(target);
        if (element !== undefined) {
            return retrieveElement(context, policy.visibleTo(caller, visible, target), { name: element, entityTag });
        }

        if (jsonPointer !== undefined) {
            return tagged(await retrievePart(context, visible, jsonPointer), entityTag);
        }

        if (includeElementData) {
            checkPayloadRight(context);
        }

        const [object, facts] = objectAnswer(context, target, visible);
        const value = filter === undefined ? object : prune(object, filter);
        return includeElementData ? result.segments(withElements(context, visible, value), facts) : tagged(result.json(value, facts), entityTag);
    }
});

async function retrieveElement(
    context: OperationContext<RetrieveAttributes>, visible: StoredObject, { name, entityTag }: { name: string; entityTag: string | null }
): Promise<OperationResult> {

    const { target, attributes: { ifRange, range: wanted }, services: { elements, resolution } } = context;
    checkPayloadRight(context);
    const element = visible.elements.find((candidate) => candidate.name === name);
    if (!element) {
        throw notFound(`No payload ${name} in object ${target.id}`);
    }

    const part = wanted && (ifRange === undefined || entityTag !== null && ifRange.includes(entityTag)) ? wanted : {};
    // Code may have bytes where none are stored: only without them is a range of them an error.
    const range = element.size === 0 ? null : resolveRange(part, element.size);
    const replacement = await resolution.resolvePayload({ object: target, shown: visible }, name, context, range);
    if (replacement) {
        return replaced(context, replacement);
    }

    if (element.size === 0) {
        resolveRange(part, 0);
    }

    const length = range ? range.end - range.start + 1 : element.size;
    const body = asUnshared(elements.open(element, range));
    const facts = Object.assign(objectAttributes(context, target), elementFacts(element));
    if (range) {
        facts.range = { start: range.start, end: range.end, size: element.size };
    }

    return tagged(result.segments(sequence({ kind: 'bytes', body, length, isWhole: true }), facts), entityTag);
}

/** Output of type code instead of the bytes of an element; ranges do not apply to it. */
function replaced(context: OperationContext<RetrieveAttributes>, { bytes, mediaType, filename }: DirectOutput): OperationResult {

    const facts = { mediaType: mediaType ?? 'application/octet-stream', ...filename === undefined ? {} : { filename }, size: bytes.byteLength };
    return result.segments(sequence({ ...bytesSegment(bytes), isWhole: true }), { ...objectAttributes(context, context.target), ...facts });
}

async function retrievePart(context: OperationContext<RetrieveAttributes>, visible: StoredObject, pointer: string): Promise<OperationResult> {

    const { target, services: { catalog } } = context;
    const [object, facts] = objectAnswer(context, target, visible);
    const { content } = (object as { attributes: { content: JsonObject } }).attributes;
    const value = requireAt(content, pointer);
    const type = catalog.current.get(target.type);
    await type?.prepare();
    const mediaType = type?.textMediaTypeAt(content, pointer);
    return result.json(value, mediaType === undefined ? facts : { ...facts, textMediaType: mediaType });
}

async function *withElements(
    context: OperationContext<RetrieveAttributes>, visible: StoredObject, object: JsonValue
): AsyncGenerator<Segment> {

    const { caller, target, services: { elements, policy, resolution } } = context;
    yield jsonSegment(object);
    const shown = policy.visibleTo(caller, visible, target).elements;
    for (const [index, element] of shown.entries()) {
        const { mediaType, filename } = element;
        const isBeforeJson = index < shown.length - 1;
        const replacement = await resolution.resolvePayload({ object: target, shown: visible }, element.name, context, null);
        yield jsonSegment({ id: element.name });
        if (replacement) {
            const { bytes, ...facts } = replacement;
            yield { ...bytesSegment(bytes, facts), isBeforeJson };
            continue;
        }

        yield {
            kind: 'bytes', body: asUnshared(elements.open(element, null)), length: element.size, isBeforeJson,
            ...(mediaType === null ? {} : { mediaType }), ...(filename === null ? {} : { filename })
        };
    }
}

function checkPayloadRight({ caller, target, services: { policy } }: OperationContext<RetrieveAttributes>): void {

    demand(caller, policy.canReadPayload(caller, target));
}

function elementFacts({ mediaType, filename, size }: StoredElement): JsonObject {

    const type = mediaType ?? 'application/octet-stream';
    return filename === null ? { mediaType: type, size } : { mediaType: type, filename, size };
}
