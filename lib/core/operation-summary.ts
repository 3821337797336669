/**
 * What can be said of an operation without running it.
 */

import type { Caller } from '../model/caller.js';

/** An operation as a list shows it; see `Operation`. */
export interface OperationSummary {
    readonly id: string;
    /** One line for people. */
    readonly summary: string;
    readonly target: 'service' | 'object' | 'any';
    readonly authorise: Rule | ((...args: never[]) => unknown);
    readonly unlisted?: boolean;
}

/** The operations that there are. */
export interface OperationList {
    /** Those of the service; without methods of types. */
    all(): readonly OperationSummary[];
    /** Ids of the methods of a target that a caller may call. */
    listDynamic(targetId: string, caller: Caller): Promise<readonly string[]>;
}

/**
 * Who may perform an operation, decided before its handler runs.
 *
 * - `anyone`: no check, also without login
 * - `caller`: anyone who is logged in
 * - `admin`: the administrator
 * - `reader`, `writer`: callers with that right on the target object
 * - `in-handler`: the answer depends on the input; the handler asks the policy itself
 */
export type Rule = 'anyone' | 'caller' | 'admin' | 'reader' | 'writer' | 'in-handler';
