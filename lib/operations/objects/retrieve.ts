/**
 * `0.DOIP/Op.Retrieve`: reads an object, a part of its content, or the bytes of an element (specification: GET
 * `/objects/<id>`, DOIP "Retrieve").
 */

import Joi from 'joi';
import type { OperationContext } from '../../core/context.js';
import type { OperationResult } from '../../core/operation.js';
import type { Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../doip/json.js';
import type { StoredElement } from '../../objects/stored-object.js';
import { demand } from '../../core/authorise.js';
import { flag, text, texts } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import { notFound } from '../../doip/error.js';
import { requireAt } from '../../doip/json-pointer.js';
import { prune } from '../../doip/json-prune.js';
import { Op } from '../../doip/operation-ids.js';
import { jsonSegment } from '../../doip/segments.js';
import { resolveRange } from '../../objects/byte-range.js';
import { objectAnswer, objectFacts } from '../../objects/object-answer.js';

interface RetrieveAttributes {
    readonly element?: string;
    readonly range?: { readonly start?: number; readonly end?: number };
    readonly includeElementData: boolean;
    readonly jsonPointer?: string;
    readonly filter?: readonly string[];
}

const offset = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);

export const retrieve = defineOperation<RetrieveAttributes>({
    id: Op.retrieve,
    aliases: ['Retrieve'],
    summary: 'read an object, a part of its content or an element',
    target: 'object',
    methods: ['GET', 'POST'],
    authorise: 'reader',
    attributes: Joi.object<RetrieveAttributes>({
        element: text(),
        range: Joi.object({ start: offset, end: offset }).or('start', 'end'),
        includeElementData: flag().default(false),
        jsonPointer: text(),
        filter: texts()
    }),

    async handler(context) {

        const { element, includeElementData, jsonPointer } = context.attributes;
        if (element !== undefined) {
            return retrieveElement(context, element);
        }

        if (jsonPointer !== undefined) {
            return retrievePart(context, jsonPointer);
        }

        const [object, facts] = objectAnswer(context, context.target);
        const shown = filtered(context, object);
        return includeElementData ? result.segments(withElements(context, shown), facts) : result.json(shown, facts);
    }
});

function retrieveElement(context: OperationContext<RetrieveAttributes>, name: string): OperationResult {

    const { target, attributes, services: { elements } } = context;
    checkPayloadRight(context);
    const element = target.elements.find((candidate) => candidate.name === name);
    if (!element) {
        throw notFound(`No payload ${name} in object ${target.id}`);
    }

    const range = attributes.range ? resolveRange(attributes.range, element.size) : null;
    const length = range ? range.end - range.start + 1 : element.size;
    const body = elements.open(element, range);
    const facts: JsonObject = { ...objectFacts(context, target), ...elementFacts(element), size: element.size };
    if (range) {
        facts.range = { start: range.start, end: range.end, size: element.size };
    }

    return result.segments(one({ kind: 'bytes', body, length }), facts);
}

function retrievePart(context: OperationContext<RetrieveAttributes>, pointer: string): OperationResult {

    const { target, services: { catalog } } = context;
    const [object, facts] = objectAnswer(context, target);
    const { content } = (object as { attributes: { content: JsonObject } }).attributes;
    const value = requireAt(content, pointer);
    const mediaType = catalog.current.get(target.type)?.textMediaTypeAt(content, pointer);
    return result.json(value, mediaType === undefined ? facts : { ...facts, textMediaType: mediaType });
}

async function *withElements(context: OperationContext<RetrieveAttributes>, object: JsonValue): AsyncGenerator<Segment> {

    const { target, services: { elements } } = context;
    checkPayloadRight(context);
    yield jsonSegment(object);
    for (const element of target.elements) {
        yield jsonSegment({ id: element.name });
        const { mediaType, filename } = element;
        yield {
            kind: 'bytes', body: elements.open(element, null), length: element.size,
            ...(mediaType === null ? {} : { mediaType }), ...(filename === null ? {} : { filename })
        };
    }
}

function checkPayloadRight({ caller, target, services: { policy } }: OperationContext<RetrieveAttributes>): void {

    demand(caller, policy.canReadPayload(caller, target));
}

function filtered({ attributes: { filter } }: OperationContext<RetrieveAttributes>, object: JsonValue): JsonValue {

    return filter === undefined ? object : prune(object, filter);
}

function elementFacts({ mediaType, filename }: StoredElement): JsonObject {

    return {
        mediaType: mediaType ?? 'application/octet-stream',
        ...(filename === null ? {} : { filename })
    };
}

async function *one(segment: Segment): AsyncGenerator<Segment> {

    yield segment;
}
