/**
 * A route: the translation of one path to one operation and back. `route-handler.ts` handles what all routes share (parameters,
 * credentials, request context, errors).
 */

import type { DoipResponse, Segment, Transport } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { RequestWithBody } from './request/body.js';
import type { HttpLimits } from './request/translator-options.js';
import type { Params } from './request/params.js';
import type { Reply } from './response/reply.js';

/** A request to a route. */
export interface RouteCall {
    /** Method, headers and raw body. */
    readonly request: RequestWithBody;
    /** Parameters of the query string, and of a form body. */
    readonly params: Params;
    /** The decoded rest of the path: an object id or a type name. Empty for routes without one. */
    readonly name: string;
    /** Prefix of the interface's paths in the requested URL. */
    readonly base: string;
    /** Prefix of all paths of the service, which is the path of its cookies, or empty. */
    readonly prefix: string;
    readonly transport: Transport;
    readonly limits: HttpLimits;
    /** Limits for a body that is read before the operation consumes its input, when the caller is not authenticated yet. */
    readonly unknownLimits: () => HttpLimits;
}

/** An operation to perform, and how to translate its response. */
export interface OperationCall {
    readonly operationId: string;
    /** Default: the service. */
    readonly targetId?: string;
    /** Default: none. The request context is added. */
    readonly attributes?: JsonObject;
    /** Attributes from the body, available after the input was read. */
    readonly laterAttributes?: () => JsonObject | null;
    /** Default: none. */
    readonly input?: AsyncIterable<Segment>;
    /** Allows an update to change the type of the object; default false. */
    readonly allowTypeChange?: boolean;
    /** True if the reply depends on more than the version of the object: it has no entity tag. Default false. */
    readonly isUntagged?: boolean;
    /** Translates a success, or an error with a report. Default: the unchanged output. */
    fromEnvelope?(response: DoipResponse): Reply | Promise<Reply>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A path and its methods, with their translation. GET routes also serve HEAD. */
export interface Route {
    readonly methods: readonly Method[];
    /** Path without base. `{name*}` matches the rest of the path, including slashes; it may be empty. */
    readonly path: string;
    /** True if a form has short parameters only: it has the limit of requests without credentials, which are not known to be valid yet. */
    readonly hasShortForm?: boolean;
    /** True if credentials count in the header Authorization alone, which no page of another site can send. Default false. */
    readonly needsHeader?: boolean;
    /** Throws DoipErrors for an invalid request. */
    toEnvelope(call: RouteCall): OperationCall | Promise<OperationCall>;
}
