/**
 * The body of a create or update in the words of the core: a sequence of segments, produced while the body arrives. Nothing
 * is gathered but the JSON parts, so `content` may come last and payloads of any size pass through (interface
 * specification, multipart rules of create).
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
    bytesPart, isForm, isMultipart, readJsonBody, readJsonPart, readParts, readTextPart
} from '../../http/request/body.js';
import { contentType, FORM_TYPE } from '../../http/headers/content-type.js';
import { readFieldsOrJson } from '../../http/request/fields.js';
import { given, Params } from '../../http/request/params.js';
import { prefixed } from './json-input.js';

/** What is known of the object before its body is read, and how its body is meant. */
export interface ObjectInputOptions {
    /** Type and id as far as the parameters told them; sent first. */
    readonly head: JsonObject;
    /** True when a pointer among the parameters means that the JSON is not the whole content but the value there. */
    readonly takesPointer: boolean;
    /** Names of plain fields besides the JSON ones that mean something. */
    readonly fields: readonly string[];
    readonly params: BodyParams;
    readonly limits: HttpLimits;
}

/** The parameters of a request whose body may hold some of them. Those of the URL come first. */
export class BodyParams {

    readonly #ofUrl: Params;
    readonly #fields: [string, string][] = [];
    readonly #names = new Set<string>();

    constructor(ofUrl: Params) {

        this.#ofUrl = ofUrl;
    }

    /** Those that are known by now: all of them when the body was read. */
    get known(): Params {

        return this.#fields.length === 0 ? this.#ofUrl : this.#ofUrl.and(Params.fromPairs(this.#fields));
    }

    /** Adds a field of the body. True when its value counts, as that of the first with its name does. */
    add(name: string, value: string): boolean {

        const isFirst = !this.#ofUrl.has(name) && !this.#names.has(name);
        this.#fields.push([name, value]);
        this.#names.add(name);
        return isFirst;
    }
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

    const { head, limits, params } = options;
    yield jsonSegment(head);
    if (isMultipart(request)) {
        yield *multipartSegments(readParts(request, limits), options);
    }
    else if (isForm(request)) {
        yield *formSegments(options);
    }
    else if (contentType(request.headers).essence === FORM_TYPE) {
        yield *fieldSegments(await readFieldsOrJson(request, limits), options);
    }
    else {
        const content = await readJsonBody(request, limits, true);
        yield *content === undefined ? [] : [attribute('content', content, options)];
    }

    params.known.requestContext();                          // Refuses what cannot be read while nothing is stored
}

/** The body of an update that says that it is a form. */
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
        const text = params.known.text(field);
        if (text !== undefined) {
            once(name);
            yield attribute(name, parseJson(text, {
                name: `field ${field}`, maxDepth: limits.jsonDepth, maxValues: limits.jsonValues, sentNumber: true
            }), options);
        }
    }
}

/**
 * A part that declares a file is a payload, whatever its name; anything else is a field. Unknown fields are skipped, unless they
 * declare a media type: no client does so for a field, and Node's fetch leaves an empty file name out. Content is kept back where
 * a field that comes later may say what it means.
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
                elements: [given({ id: name, type: mediaType, attributes: filename === undefined ? undefined : { filename } })]
            });
            yield jsonSegment({ id: name });
            yield bytesPart(part);
        }
        else if (jsonName !== undefined) {
            once(jsonName);
            const value = await readJsonField(part, limits);
            if (jsonName === 'content' && options.takesPointer) {
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
        const complaint = COMPLAINTS.get(part.name ?? '');
        throw complaint === undefined ? error : prefixed(complaint, error);
    }
}

/** What a field says of the object. Fields that say what is to be done with it are attributes of the operation. */
function *plainField(name: string, text: string, counts: boolean): Generator<Segment> {

    if (name === 'payloadToDelete') {
        yield jsonSegment({ attributes: { elementsToDelete: [text] } });
    }
    else if (counts && (name === 'type' || name === 'handle')) {
        yield jsonSegment({ [name === 'handle' ? 'id' : name]: text, attributes: {} });
    }
}

function attribute(name: string, value: JsonValue, { takesPointer, params }: ObjectInputOptions): Segment {

    const atPointer = name === 'content' && takesPointer && params.known.has('jsonPointer');
    return jsonSegment({ attributes: objectOf(atPointer ? 'contentAtPointer' : name, value) });
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
