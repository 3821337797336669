/**
 * Static description of operations.
 */

import type Joi from 'joi';
import type { Caller } from '../model/caller.js';
import type { JsonObject } from '../util/json-types.js';

/** The parts of an operation that are described; see `Operation`. */
export interface DescribedOperation {
    readonly id: string;
    readonly aliases?: readonly string[];
    readonly summary: string;
    readonly target: 'service' | 'object' | 'any';
    readonly methods?: readonly ('GET' | 'POST')[];
    readonly authorise: Rule | ((...args: never[]) => unknown);
    readonly attributes?: Joi.ObjectSchema;
    readonly input?: 'none' | 'json' | 'optional-json' | 'segments';
    readonly inputSchema?: Joi.Schema;
    readonly resultSchema?: JsonObject;
    readonly outputs?: readonly OutputKind[];
}

/** Forms of an output: one JSON value, bytes, a sequence of segments, or nothing. */
export const OUTPUT_KINDS = ['json', 'bytes', 'segments', 'none'] as const;

export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** An operation in a list; see `Operation`. */
export interface OperationSummary extends DescribedOperation {
    readonly unlisted?: boolean;
    readonly readOnly?: boolean;
}

/** An operation that depends on the target, such as a method of its type, for clients. */
export interface DynamicOperation {
    readonly id: string;
    readonly methods?: readonly ('GET' | 'POST')[];
    readonly summary?: string;
    /** JSON schemas of input and result. */
    readonly input?: JsonObject | boolean;
    readonly result?: JsonObject | boolean;
}

/** The available operations. */
export interface OperationList {
    /** Returns the registered operations, without methods of types. */
    all(): readonly OperationSummary[];
    /** True if an id or alias belongs to a registered operation. */
    has(idOrAlias: string): boolean;
    /** Returns the methods of a target that a caller may call. */
    listDynamic(targetId: string, caller: Caller): Promise<readonly DynamicOperation[]>;
}

/**
 * Authorisation rule of an operation, applied before its handler runs.
 *
 * - `anyone`: no check
 * - `caller`: any authenticated caller
 * - `admin`: the administrator
 * - `reader`, `writer`: callers with this permission on the target object
 * - `in-handler`: depends on the input; the handler asks the access policy itself
 */
export type Rule = 'anyone' | 'caller' | 'admin' | 'reader' | 'writer' | 'in-handler';
