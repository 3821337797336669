/**
 * Static description of operations.
 */

import type { Caller } from '../model/caller.js';

/** An operation in a list; see `Operation`. */
export interface OperationSummary {
    readonly id: string;
    /** One line for users. */
    readonly summary: string;
    readonly target: 'service' | 'object' | 'any';
    readonly authorise: Rule | ((...args: never[]) => unknown);
    readonly unlisted?: boolean;
}

/** The available operations. */
export interface OperationList {
    /** Returns the registered operations, without methods of types. */
    all(): readonly OperationSummary[];
    /** Returns the ids of methods of a target that a caller may call. */
    listDynamic(targetId: string, caller: Caller): Promise<readonly string[]>;
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
