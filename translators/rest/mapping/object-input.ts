/**
 * Body of a create or update as segments for the core, produced while the body arrives. Only its JSON parts are buffered, so that `content`
 * may come last and payloads may have any size (interface specification, multipart rules of create).
 */

import type { Segment } from '../../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { RequestWithBody } from '../../http/request/body.js';
import type { Part } from '../../http/request/multipart.js';
import type { HttpLimits } from '../../http/request/translator-options.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { objectOf } from '../../../lib/json/exact-numbers.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import { jsonSegment } from '../../../lib/doip/segments.js';
import {
    bytesPart, readJsonBody, readJsonPart, readParts, readTextPart
} from '../../http/request/body.js';
import { contentType, FORM_TYPE } from '../../http/headers/content-type.js';
import { readFieldsOrJson } from '../../http/request/fields.js';
import { omitUndefined, Params } from '../../http/request/params.js';
import { prefixed } from './json-input.js';

/** What is known about the object before its body is read, and how to interpret the body. */
export interface ObjectInputOptions {
    /** Type and id as given by the parameters; the first segment. */
    readonly object: JsonObject;
    /** True when a `jsonPointer` parameter makes the JSON the value at that pointer instead of the whole content. */
    readonly acceptsPointer: boolean;
    /** Names of the plain fields that are read, besides those that hold JSON. */
    readonly fields: readonly string[];
    readonly params: BodyParams;
    readonly limits: HttpLimits;
}

/** Parameters of a request whose body may add some. Those of the URL take precedence. */
export class BodyParams {

    readonly #ofUrl: Params;
    readonly #fields: [string, string][] = [];
    readonly #names = new Set<string>();

    constructor(ofUrl: Params) {

        this.#ofUrl = ofUrl;
    }

    /** True when the body has added parameters so far. */
    get hasFields(): boolean {

        return this.#fields.length > 0;
    }

    /** Parameters read so far; complete after the body. */
    get knownParams(): Params {

        return this.#fields.length === 0 ? this.#ofUrl : this.#ofUrl.and(Params.fromPairs(this.#fields));
    }

    /** Adds a field of the body. Returns true when its value is used: the first one with its name is. */
    add(name: string, value: string): boolean {

        const isFirst = !this.#ofUrl.has(name) && !this.#names.has(name);
        this.#fields.push([name, value]);
        this.#names.add(name);
        return isFirst;
    }
}

/** Fields that hold JSON, with the attribute that each becomes. */
const JSON_FIELDS: ReadonlyMap<string, string> = new Map([
    ['content', 'content'], ['json', 'content'], ['acl', 'acl'], ['userMetadata', 'userMetadata']
]);

/** Prefixes of error messages for fields where clients rely on them. */
const COMPLAINTS: ReadonlyMap<string, string> = new Map([
    ['acl', 'Invalid ACL format'], ['userMetadata', 'Invalid userMetadata format']
]);

/** Yields the segments of a create or update: the head, then each part of the body as it arrives. */
export async function *objectSegments(request: RequestWithBody, options: ObjectInputOptions): AsyncGenerator<Segment> {

    const { object, limits, params } = options;
    yield { kind: 'json', value: object, isBeforeJson: true };
    const { essence } = contentType(request.headers);
    if (essence.startsWith('multipart/')) {
        yield *multipartSegments(readParts(request, limits), options);
    }
    else if (essence === FORM_TYPE && request.method === 'post') {
        // The fields are among the parameters already.
        yield *formSegments(options);
    }
    else if (essence === FORM_TYPE) {
        yield *fieldSegments(await readFieldsOrJson(request, limits), options);
    }
    else {
        const content = await readJsonBody(request, limits, true);
        yield *content === undefined ? [] : [attribute('content', content, options)];
    }

    params.knownParams.requestContext();                          // Throws on an unreadable value before anything is stored
}

/** Segments of an update with a form as its body. */
function *fieldSegments(body: Awaited<ReturnType<typeof readFieldsOrJson>>, options: ObjectInputOptions): Generator<Segment> {

    if ('value' in body) {
        yield *body.value === undefined ? [] : [attribute('content', body.value, options)];
        return;
    }

    for (const [name, value] of body.fields) {
        const counts = options.params.add(name, value);
        if (options.fields.includes(name)) {
            yield *plainField(name, value, counts);
        }
    }

    yield *formSegments(options);
}

function *formSegments(options: ObjectInputOptions): Generator<Segment> {

    const { params, limits } = options;
    const once = noneTwice();
    for (const [field, name] of JSON_FIELDS) {
        const text = params.knownParams.text(field);
        if (text !== undefined) {
            once(name);
            yield attribute(name, parseJson(text, {
                name: `field ${field}`, maxDepth: limits.jsonDepth, maxValues: limits.jsonValues, sentNumber: true
            }), options);
        }
    }
}

/**
 * A part that declares a file name is a payload, whatever its name; other parts are fields. An unknown field is skipped, unless it declares
 * a media type: no client does so for a field, and Node's fetch omits an empty file name. Content is held back while a later field may turn
 * it into the value at a pointer.
 */
async function *multipartSegments(parts: AsyncIterable<Part>, options: ObjectInputOptions): AsyncGenerator<Segment> {

    const { fields, limits, params } = options;
    const once = noneTwice();
    let content: JsonValue | undefined;
    for await (const part of parts) {
        const { filename, mediaType, name = '' } = part;
        const jsonName = JSON_FIELDS.get(name);
        const isField = jsonName !== undefined || fields.includes(name);
        if (filename !== undefined || mediaType !== undefined && !isField) {
            yield jsonSegment({
                attributes: {},
                elements: [omitUndefined({ id: name, type: mediaType, attributes: filename === undefined ? undefined : { filename } })]
            });
            yield jsonSegment({ id: name });
            yield bytesPart(part, limits);
        }
        else if (jsonName !== undefined) {
            once(jsonName);
            const value = await readJsonField(part, limits);
            if (jsonName === 'content' && options.acceptsPointer) {
                content = value;
            }
            else {
                yield attribute(jsonName, value, options);
            }
        }
        else if (isField) {
            const text = await readTextPart(part, limits);
            yield *plainField(name, text, params.add(name, text));
        }
    }

    if (content !== undefined) {
        yield attribute('content', content, options);
    }
}

async function readJsonField(part: Part, limits: HttpLimits): Promise<JsonValue> {

    try {
        return await readJsonPart(part, limits, true);
    }
    catch (error) {
        const message = COMPLAINTS.get(part.name ?? '');
        throw message === undefined ? error : prefixed(message, error);
    }
}

/** Segments for fields that describe the object. Fields with options of the request become attributes of the operation instead. */
function *plainField(name: string, text: string, counts: boolean): Generator<Segment> {

    if (name === 'payloadToDelete') {
        yield jsonSegment({ attributes: { elementsToDelete: [text] } });
    }
    else if (counts && (name === 'type' || name === 'handle')) {
        yield { kind: 'json', value: { [name === 'handle' ? 'id' : name]: text, attributes: {} }, isBeforeJson: true };
    }
}

function attribute(name: string, value: JsonValue, { acceptsPointer, params }: ObjectInputOptions): Segment {

    const atPointer = name === 'content' && acceptsPointer && params.knownParams.has('jsonPointer');
    return jsonSegment({ attributes: objectOf(atPointer ? 'contentAtPointer' : name, value) });
}

/** Returns a function that throws 400 for a name it has seen before. */
function noneTwice(): (name: string) => void {

    const seen = new Set<string>();
    return (name) => {

        if (seen.has(name)) {
            throw badRequest(`part ${name} is given more than once`);
        }

        seen.add(name);
    };
}
