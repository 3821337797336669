/**
 * `/objects`: create, retrieve, update and delete (interface specification, "REST-style interface"). A GET or a form POST without an id is
 * a search. Multipart and form bodies may hold parameters; those of the URL take precedence.
 */

import type { DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { Reply, Headers } from '../http/response/reply.js';
import type { Params } from '../http/request/params.js';
import type { OperationCall, RouteCall, Route } from '../http/route.js';
import { badRequest } from '../../lib/errors/errors.js';
import { DESIGN_ID } from '../../lib/doip/ids.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { readJson } from '../../lib/doip/segments.js';
import { isForm } from '../http/request/body.js';
import { formatDisposition } from '../http/headers/content-disposition.js';
import { preconditionsOf } from '../http/headers/entity-tag.js';
import { rangeAttributes } from '../http/headers/range.js';
import { jsonReply, textReply } from '../http/response/reply.js';
import { BodyParams, objectSegments } from './mapping/object-input.js';
import { omitUndefined } from '../http/request/params.js';
import { asDigitalObject, objectHeaders, payloadFacts, textOf, valueWritten, view } from './mapping/rest-object.js';
import { holdsJson, isSearch } from './mapping/search-request.js';
import { search } from './search.js';
import { requireId } from './mapping/json-input.js';

const PATH = '/objects/{name*}';

/** Parameters of a create or update that may come in its body. */
const FIELDS = ['type', 'dryRun', 'full', 'pretty', 'includeResponseContext', 'requestContext'];

export const objectRoutes: readonly Route[] = [
    {
        methods: ['GET'],
        path: PATH,
        toEnvelope: get
    },
    // A published client reads the design from this path.
    { methods: ['GET'], path: `/api${PATH}`, toEnvelope: get },
    {
        methods: ['POST'],
        path: PATH,
        toEnvelope: post
    },
    { methods: ['PUT'], path: PATH, toEnvelope: update },
    { methods: ['DELETE'], path: PATH, toEnvelope: remove }
];

function get(call: RouteCall): OperationCall {

    return call.name === '' && isSearch(call.params) ? search(call.params) : retrieve(call);
}

/** A form without content is a GET whose query string is too long or holds a token. */
function post(call: RouteCall): OperationCall {

    if (!isQueryForm(call)) {
        return create(call);
    }

    return call.name === '' ? searchByForm(call) : retrieve(call);
}

/** Precedence: payload, pointer, filter. */
function retrieve(call: RouteCall): OperationCall {

    const { params } = call;
    const targetId = requireId(call, ', and a search has the parameter query');
    const payload = params.text('payload');
    if (payload !== undefined) {
        return params.flag('metadata') ? retrieveFacts(call, payload) : retrieveBytes(call, payload);
    }

    const options = viewOptions(params);
    const jsonPointer = params.text('jsonPointer');
    const filter = params.textList('filter');
    const isPart = jsonPointer !== undefined && !options.full;
    const asText = params.flag('text');
    return {
        operationId: Op.retrieve,
        targetId,
        attributes: isPart ? { jsonPointer } : {},
        // The media type of a text is that of the type, and the permission that of the moment.
        isUntagged: asText || options.withPermission,
        async fromEnvelope({ attributes, output }) {

            const value = await readJson(output);
            const permission = permissionFor(options, attributes);
            const body = isPart ? value : view(asDigitalObject(value), { full: options.full, jsonPointer, filter, permission });
            const headers = headersOf(call, attributes);
            return asText
                ? textReply(textOf(body), { headers, mediaType: attributes['textMediaType'] })
                : jsonReply(body, { headers, pretty: options.pretty });
        }
    };
}

function retrieveBytes(call: RouteCall, element: string): OperationCall {

    const disposition = call.params.text('disposition') ?? 'inline';
    formatDisposition(disposition);                         // Throws on an invalid value before anything is read
    return {
        operationId: Op.retrieve,
        targetId: call.name,
        attributes: { element, ...call.request.method === 'get' ? rangeAttributes(call.request.headers) : {} },
        fromEnvelope: ({ attributes }) => ({
            headers: Object.assign(headersOf(call, attributes), { 'Accept-Ranges': 'bytes' }),
            body: { kind: 'output', disposition, isTrusted: call.name === DESIGN_ID }
        })
    };
}

/** Returns metadata of a payload instead of its bytes. */
function retrieveFacts(call: RouteCall, payload: string): OperationCall {

    return {
        operationId: Op.retrieve,
        targetId: call.name,
        async fromEnvelope({ attributes, output }) {

            const object = asDigitalObject(await readJson(output));
            return jsonReply(payloadFacts(object, payload), { headers: headersOf(call, attributes) });
        }
    };
}

function create(call: RouteCall): OperationCall {

    const { name, params, request, limits } = call;
    if (name !== '') {
        throw badRequest('Unexpected object id in POST');
    }

    const all = new BodyParams(params);
    return {
        operationId: Op.create,
        attributes: omitUndefined({ suffix: suffixOf(params) }),
        laterAttributes: () => (all.hasFields ? createAttributes(all.knownParams) : null),
        input: objectSegments(request, {
            object: omitUndefined({ type: params.text('type'), id: params.text('handle') }),
            acceptsPointer: false,
            fields: [...FIELDS, 'handle', 'suffix'],
            params: all, limits
        }),
        fromEnvelope: (response) => writeReply(response, call, viewOptions(all.knownParams))
    };
}

/** Attributes of a create with fields in its body. Those that every request may have are in the envelope already, if the URL has them. */
function createAttributes(params: Params): JsonObject {

    return { dryRun: params.strictFlag('dryRun'), ...omitUndefined({ suffix: suffixOf(params) }), ...params.requestContext() };
}

function suffixOf(params: Params): string | undefined {

    return params.text('handle') ? undefined : params.text('suffix');
}

function update(call: RouteCall): OperationCall {

    const { params, request, limits } = call;
    const targetId = requireId(call, ', and an object is created by POST');
    const all = new BodyParams(params);
    const toDelete = params.has('payloadToDelete') ? { elementsToDelete: params.texts('payloadToDelete') } : {};
    return {
        operationId: Op.update,
        targetId,
        attributes: { ...omitUndefined({ jsonPointer: params.text('jsonPointer') }), ...toDelete, ...preconditionsOf(request.headers) },
        laterAttributes: () => (all.hasFields ? updateAttributes(all.knownParams) : null),
        allowTypeChange: true,
        input: objectSegments(request, {
            object: omitUndefined({ type: params.text('type') }),
            acceptsPointer: true,
            fields: [...FIELDS, 'jsonPointer', 'payloadToDelete'],
            params: all, limits
        }),
        fromEnvelope: (response) => writeReply(response, call, viewOptions(all.knownParams), all.knownParams.text('jsonPointer'))
    };
}

function updateAttributes(params: Params): JsonObject {

    return { dryRun: params.strictFlag('dryRun'), ...omitUndefined({ jsonPointer: params.text('jsonPointer') }), ...params.requestContext() };
}

/** Deleting a part is an update, with its rights, hooks and validation. */
function remove(call: RouteCall): OperationCall {

    const { params, request } = call;
    const targetId = requireId(call);
    const jsonPointer = params.text('jsonPointer');
    const payload = params.text('payload');
    if (jsonPointer !== undefined && payload !== undefined) {
        throw badRequest('DELETE specified both jsonPointer and payload');
    }

    if (jsonPointer === '') {
        throw badRequest('Cannot delete empty json pointer');
    }

    const part: JsonObject = {
        ...(jsonPointer === undefined ? {} : { deletePointer: jsonPointer }),
        ...(payload === undefined ? {} : { elementsToDelete: [payload] })
    };
    return {
        operationId: Object.keys(part).length > 0 ? Op.update : Op.delete,
        targetId,
        attributes: { ...part, ...(params.strictFlag('dryRun') ? { dryRun: true } : {}), ...preconditionsOf(request.headers) },
        fromEnvelope: () => jsonReply({})
    };
}

function isQueryForm({ params, request }: RouteCall): boolean {

    return isForm(request) && !params.has('content') && !params.has('json');
}

/** Some tools send a form by default, even to create an object; the error message says so. */
function searchByForm({ params }: RouteCall): OperationCall {

    if (!isSearch(params) && (params.has('type') || holdsJson(params))) {
        throw badRequest('a form is a search, and there is no query: to create an object send its content with the ' +
            'Content-Type application/json, or as the field content of the form');
    }

    return search(params);
}

/** Display options of an object. */
interface ViewOptions {
    readonly full: boolean;
    readonly pretty: boolean;
    /** Whether the full form includes the caller's permission. */
    readonly withPermission: boolean;
}

/** Never throws: it may run after the change was committed. */
function viewOptions(params: Params): ViewOptions {

    return { full: params.flag('full'), pretty: params.flag('pretty'), withPermission: params.flag('includeResponseContext') };
}

/** Response of a create or update: the content, the value written at the pointer, or the full form. */
async function writeReply({ attributes, output }: DoipResponse, call: RouteCall, options: ViewOptions, jsonPointer?: string): Promise<Reply> {

    const object = asDigitalObject(await readJson(output));
    const value: JsonValue = jsonPointer === undefined || options.full
        ? view(object, { full: options.full, permission: permissionFor(options, attributes) })
        : valueWritten(object.attributes.content, jsonPointer);
    return jsonReply(value, { headers: objectHeaders(call.base, object.id, attributes), pretty: options.pretty });
}

function headersOf({ base, name }: RouteCall, attributes: JsonObject): Headers {

    return objectHeaders(base, name, attributes);
}

function permissionFor({ withPermission }: ViewOptions, { permission }: JsonObject): string | undefined {

    return withPermission && typeof permission === 'string' ? permission : undefined;
}
