/** What the methods of the client take and return for operations that a program declares; `doip-gateway types` writes such declarations. */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { ClientRequest, PerformRequest } from './connection.js';
import type { RequestOptions } from './objects.js';

/** Types of an operation. Members of its declaration that need not be given are optional, as `attributes?`. */
export interface OperationTypes {
    readonly attributes?: unknown;
    readonly input?: unknown;
    readonly result: unknown;
}

/** Operations that are not declared: JSON. */
export type AnyOperations = Readonly<Record<string, {
    readonly attributes?: JsonObject;
    readonly input?: ClientRequest['input'];
    readonly result: JsonValue | undefined;
}>>;

/** Declarations of operations by their ids: an interface or a type. */
export type Operations<O> = { readonly [I in keyof O]: OperationTypes };

/** Attributes and input of an operation, and how it is called. */
export type CallOptions<T> = Omit<T, 'result'> & RequestOptions & Pick<PerformRequest, 'isRead'>;

/** The arguments of a call after the operation: none are needed where nothing of the operation is required. */
export type CallArguments<T> = Partial<CallOptions<T>> extends CallOptions<T> ? [options?: CallOptions<T>] : [options: CallOptions<T>];
