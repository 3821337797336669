/**
 * What a path is that stands for one operation: a way in and a way out. Everything that all such paths share (parameters,
 * credentials, the request context, errors) is done in `route-handler.ts`, so that a route is only a translation.
 */

import type { DoipResponse, Segment, Transport } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { RequestWithBody } from './request/body.js';
import type { HttpLimits } from './request/translator-options.js';
import type { Params } from './request/params.js';
import type { Reply } from './response/reply.js';

/** A request as a route sees it. */
export interface RouteCall {
    /** Method, headers and the raw body. */
    readonly request: RequestWithBody;
    /** Parameters of the query string, and of the body where it is a form. */
    readonly params: Params;
    /** The rest of the path, decoded: an object id or a type name. Empty where a route has none. */
    readonly name: string;
    /** What stands before the paths of the interface in the URL that was used. */
    readonly base: string;
    readonly transport: Transport;
    readonly limits: HttpLimits;
    /** Limits for a body that is read before the operation asks for its input, when nobody knows the caller. */
    readonly unknownLimits: () => HttpLimits;
}

/** One request in the words of the core, and how to say its answer in the words of the path. */
export interface OperationCall {
    readonly operationId: string;
    /** Default: the service. */
    readonly targetId?: string;
    /** Default: none. The request context is added to them. */
    readonly attributes?: JsonObject;
    /** Attributes that are found in the body, known when the input was read. */
    readonly laterAttributes?: () => JsonObject;
    /** Default: none. */
    readonly input?: AsyncIterable<Segment>;
    /** Lets an update change the type of the object; default false. */
    readonly allowTypeChange?: boolean;
    /** Translates a success, or an error with a report. Default: the output as it is. */
    fromEnvelope?(response: DoipResponse): Reply | Promise<Reply>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Paths and methods with their translation. GET routes answer HEAD as well. */
export interface Route {
    readonly methods: readonly Method[];
    /** Without base. `{name*}` takes the rest of the path, slashes included, and matches without any. */
    readonly path: string;
    /** Throws DoipErrors for what cannot be translated. */
    toEnvelope(call: RouteCall): OperationCall | Promise<OperationCall>;
}
