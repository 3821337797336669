/**
 * The body of a create or update in the words of the core: a sequence of segments, produced while the body arrives. Nothing
 * is gathered but the JSON parts, so `content` may come last and payloads of any size pass through (interface
 * specification, multipart rules of create).
 */

import type { Segment } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/doip/json.js';
import type { RequestWithBody } from '../http/body.js';
import type { Part } from '../http/multipart.js';
import type { HttpLimits } from '../http/performer.js';
import type { Params } from '../http/params.js';
import { badRequest, DoipError } from '../../lib/doip/error.js';
import { parseJson } from '../../lib/doip/json-text.js';
import { jsonSegment } from '../../lib/doip/segments.js';
import { bytesPart, isForm, isMultipart, readJsonBody, readJsonPart, readParts, readTextPart } from '../http/body.js';

/** What is known of the object before its body is read, and how its body is meant. */
export interface ObjectInputOptions {
    /** Type and id as far as the parameters told them; sent first. */
    readonly head: JsonObject;
    /** True when the JSON is not the whole content but the value at a pointer into it. */
    readonly atPointer?: boolean;
    /** Names of plain fields besides the JSON ones that mean something: `type`, `handle`, `payloadToDelete`. */
    readonly fields: readonly string[];
    /** All parameters; a form's fields are among them. */
    readonly params: Params;
    readonly limits: HttpLimits;
}

/** Fields that hold JSON, by the attribute that they become. */
const JSON_FIELDS: ReadonlyMap<string, string> = new Map([
    ['content', 'content'], ['json', 'content'], ['acl', 'acl'], ['userMetadata', 'userMetadata']
]);

/** How the faults of fields are introduced, where clients know a wording. */
const COMPLAINTS: ReadonlyMap<string, string> = new Map([
    ['acl', 'Invalid ACL format'], ['userMetadata', 'Invalid userMetadata format']
]);

/** The segments of a create or update: the head, then each part of the body as it comes. */
export async function *objectSegments(request: RequestWithBody, options: ObjectInputOptions): AsyncGenerator<Segment> {

    const { head, limits } = options;
    yield jsonSegment(head);
    if (isMultipart(request)) {
        yield *multipartSegments(readParts(request, limits), options);
    }
    else if (isForm(request)) {
        yield *formSegments(options);
    }
    else {
        const content = await readJsonBody(request, limits);
        yield *content === undefined ? [] : [attribute('content', content, options)];
    }
}

function *formSegments(options: ObjectInputOptions): Generator<Segment> {

    const { params, limits } = options;
    const once = noneTwice();
    for (const [field, name] of JSON_FIELDS) {
        const text = params.text(field);
        if (text !== undefined) {
            once(name);
            yield attribute(name, parseJson(text, { name: `field ${field}`, maxDepth: limits.jsonDepth }), options);
        }
    }
}

/**
 * A part that declares a file is a payload, whatever its name; anything else is a field. Unknown fields are skipped, unless they
 * declare a media type: no client does so for a field, and Node's fetch leaves an empty file name out.
 */
async function *multipartSegments(parts: AsyncIterable<Part>, options: ObjectInputOptions): AsyncGenerator<Segment> {

    const { fields, limits } = options;
    const once = noneTwice();
    for await (const part of parts) {
        const { filename, mediaType, name = '' } = part;
        const jsonName = JSON_FIELDS.get(name);
        const isField = jsonName !== undefined || fields.includes(name);
        if (filename !== undefined || mediaType !== undefined && !isField) {
            yield jsonSegment({
                id: name,
                ...(mediaType === undefined ? {} : { type: mediaType }),
                ...(filename === undefined || filename === '' ? {} : { filename })
            });
            yield bytesPart(part);
        }
        else if (jsonName !== undefined) {
            once(jsonName);
            yield attribute(jsonName, await readJsonField(part, limits), options);
        }
        else if (isField) {
            yield plainField(name, await readTextPart(part, limits), once);
        }
    }
}

async function readJsonField(part: Part, limits: HttpLimits): Promise<JsonValue> {

    try {
        return await readJsonPart(part, limits);
    }
    catch (error) {
        const complaint = COMPLAINTS.get(part.name ?? '');
        throw complaint !== undefined && error instanceof DoipError
            ? badRequest(`${complaint}: ${error.message}`, { details: error.details })
            : error;
    }
}

function plainField(name: string, text: string, once: (name: string) => void): Segment {

    if (name === 'payloadToDelete') {
        return jsonSegment({ attributes: { elementsToDelete: [text] } });
    }

    once(name);
    return jsonSegment({ [name === 'handle' ? 'id' : name]: text, attributes: {} });
}

function attribute(name: string, value: JsonValue, { atPointer }: ObjectInputOptions): Segment {

    return jsonSegment({ attributes: { [name === 'content' && atPointer ? 'contentAtPointer' : name]: value } });
}

/** Refuses a name that it has seen. */
function noneTwice(): (name: string) => void {

    const seen = new Set<string>();
    return (name) => {

        if (seen.has(name)) {
            throw badRequest(`part ${name} is given more than once`);
        }

        seen.add(name);
    };
}
