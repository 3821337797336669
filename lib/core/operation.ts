/**
 * The contract of an operation: what it is called, who may, what it takes, what it does. Declared in one object, so that
 * everything about an operation is read in one place.
 */

import type Joi from 'joi';
import type { Segment } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { empty, json } from '../doip/segments.js';
import { Status } from '../errors/status.js';
import type { OperationContext } from './operation-context.js';
import type { Rule } from './operation-summary.js';

/** An operation of the service, built-in or registered by its owner. */
export interface Operation<A extends object = JsonObject> {
    /** A handle, such as `20.500.123/Op.WordCount`. */
    readonly id: string;
    readonly aliases?: readonly string[];
    /** One line for people. */
    readonly summary: string;
    /** What it is performed on: the service, an object, or either. */
    readonly target: 'service' | 'object' | 'any';
    /** HTTP methods by which DOIP over HTTP offers it; default POST only. */
    readonly methods?: readonly ('GET' | 'POST')[];
    /** True for an operation that changes nothing but is offered by POST alone: other interfaces may have it answer a GET. */
    readonly readOnly?: boolean;
    /** True when the input is a sequence of items that are stored each on their own: those that there is room for are. */
    readonly storesEachItem?: boolean;
    /** No default on purpose: forgetting it is an error. A function decides by throwing a DoipError. */
    readonly authorise: Rule | ((context: OperationContext<A>) => Promise<void> | void);
    /** Shape of the attributes; defaults and coercions live here. Unknown attributes are always let through. */
    readonly attributes?: Joi.ObjectSchema<A>;
    /** `none` refuses any input, `json` takes exactly one JSON segment, `segments` hands the sequence over. Default `none`. */
    readonly input?: 'none' | 'json' | 'optional-json' | 'segments';
    /** Shape of the JSON input. */
    readonly inputSchema?: Joi.Schema;
    /**
     * The only members of the input that the handler sees, where that is a JSON object. Everything else is forgotten before the
     * handler runs, so that it is not in memory while the handler waits.
     */
    readonly inputMembers?: readonly string[];
    /**
     * True to be answered even when start-up failed or the database is away. The caller is always anonymous and nothing is read
     * before the handler runs: needs target `service` and the rule `anyone`.
     */
    readonly availableWhenDown?: boolean;
    /** True for an operation on objects that also has an answer for an id whose object is gone; its handler asks `hasTarget`. */
    readonly targetMayBeGone?: boolean;
    /** What is said before the id of a target that does not exist; default `Missing object`. */
    readonly missing?: string;
    /** True to be left out of ListOperations. */
    readonly unlisted?: boolean;
    handler(context: OperationContext<A>): Promise<OperationResult>;
}

/** What a handler returns. Made by {@link result}. */
export interface OperationResult {
    readonly status: string;
    readonly attributes: JsonObject;
    readonly output: AsyncIterable<Segment>;
    /** Who proved to be whom by the input, for the access log; absent where the caller of the request is the one. */
    readonly callerId?: string | null;
}

/**
 * Declares an operation, with the types of its attributes inferred from its schema.
 *
 * @example
 * const wordCount = defineOperation({ id: '20.500.123/Op.WordCount', summary: 'count the words of the content',
 *     target: 'object', methods: ['GET', 'POST'], authorise: 'reader',
 *     handler: async ({ target }) => result.json({ words: count(target.content) }) });
 */
export function defineOperation<A extends object = JsonObject>(operation: Operation<A>): Operation<A> {

    return operation;
}

/** The ways to answer. */
export const result = {

    /** One JSON value. */
    json(value: JsonValue, attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output: json(value) };
    },

    /** Any sequence of segments. */
    segments(output: AsyncIterable<Segment>, attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output };
    },

    /** Nothing. */
    empty(attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output: empty() };
    },

    /** A status other than success, with an error body. */
    status(status: string, value: JsonValue, attributes: JsonObject = {}): OperationResult {

        return { status, attributes, output: json(value) };
    }
};
