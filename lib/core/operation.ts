/**
 * The contract of an operation: id, authorisation, input and handler, declared in one object.
 */

import type Joi from 'joi';
import type { Segment } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { empty, json, jsonOfText } from '../doip/segments.js';
import type { DoipError } from '../errors/errors.js';
import { Status } from '../errors/status.js';
import type { OperationContext } from './operation-context.js';
import type { OutputKind, Rule } from './operation-summary.js';

/** An operation of the service, built-in or registered by its owner. */
export interface Operation<A extends object = JsonObject> {
    /** A handle, such as `20.500.123/Op.WordCount`. */
    readonly id: string;
    readonly aliases?: readonly string[];
    /** One line for users. */
    readonly summary: string;
    /** Allowed targets: the service, objects, or both. */
    readonly target: 'service' | 'object' | 'any';
    /** HTTP methods in DOIP over HTTP; default POST only. */
    readonly methods?: readonly ('GET' | 'POST')[];
    /** True for an operation that changes nothing but is POST only here; other interfaces may map GET to it. */
    readonly readOnly?: boolean;
    /** True if the input is a sequence of items that are stored one by one: on a full disk as many as fit are stored. */
    readonly storesEachItem?: boolean;
    /** Required, so that it cannot be forgotten. A function denies access by throwing a DoipError. */
    readonly authorise: Rule | ((context: OperationContext<A>) => Promise<void> | void);
    /** Schema of the attributes, with defaults and conversions. Unknown attributes are always allowed. */
    readonly attributes?: Joi.ObjectSchema<A>;
    /** `none` rejects any input, `json` takes exactly one JSON segment, `segments` passes the sequence on. Default `none`. */
    readonly input?: 'none' | 'json' | 'optional-json' | 'segments';
    /** Schema of the JSON input. */
    readonly inputSchema?: Joi.Schema;
    /**
     * The members of a JSON object as input that the handler sees. All others are dropped before the handler runs, so that they
     * do not occupy memory while it waits.
     */
    readonly inputMembers?: readonly string[];
    /** JSON Schema (2020-12) of a JSON output, for descriptions; results are not validated. */
    readonly resultSchema?: JsonObject;
    /** What the output may be, for descriptions; default JSON alone with a `resultSchema`, unknown without one. */
    readonly outputs?: readonly OutputKind[];
    /**
     * True if it is available when start-up failed or the database is down. The caller is always anonymous, and nothing is read
     * before the handler runs. Requires target `service` and rule `anyone`.
     */
    readonly availableWhenDown?: boolean;
    /** True if it only reads, and nothing that one process alone has, or searches: worker processes perform it themselves. */
    readonly isLocal?: boolean;
    /** True for an operation on objects that also accepts ids of deleted objects; its handler checks `hasTarget`. */
    readonly targetMayBeGone?: boolean;
    /** Message before the id of a missing target; default `Missing object`. */
    readonly missing?: string;
    /** True to hide it from ListOperations. */
    readonly unlisted?: boolean;
    handler(context: OperationContext<A>): Promise<OperationResult>;
}

/** Result of a handler; see {@link result}. */
export interface OperationResult {
    readonly status: string;
    readonly attributes: JsonObject;
    readonly output: AsyncIterable<Segment>;
    /** Code of HTTP, where it is not that of the status. */
    readonly http?: number;
    /** User id that the input authenticated, for the access log; absent if that is the caller of the request. */
    readonly callerId?: string | null;
    /** Id of the object that was created, for the access log. */
    readonly createdId?: string;
    /** Of an operation that counts as reading, where it may have changed something: the rule that allowed it, for the audit log. */
    readonly changedBy?: string;
    /** What was done to a user, key or token, for the audit log: ids as members beside those of all entries. */
    readonly audited?: JsonObject;
    /** True if nothing was changed that has no entry of its own in the audit log, as each object has: the operation gets none. */
    readonly unaudited?: boolean;
    /** Tag of the version of the object on which the output depends; absent if it depends on more than that. */
    readonly entityTag?: string;
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

/** Constructors of results. */
export const result = {

    /** One JSON value. */
    json(value: JsonValue, attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output: json(value) };
    },

    /** One JSON value, by its text, which is sent as it is: strict JSON without blanks. It is parsed only for who reads the value. */
    jsonText(text: string, attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output: jsonOfText(text) };
    },

    /** A sequence of segments. */
    segments(output: AsyncIterable<Segment>, attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output };
    },

    /** A report of what was done, also when an error has ended that early; null for none. It is sent as it is. */
    report(output: AsyncIterable<Segment>, error: DoipError | null): OperationResult {

        if (!error) {
            return { status: Status.ok, attributes: {}, output };
        }

        const { status, message, attributes, http } = error;
        return { status, attributes: { ...attributes, message, report: true }, output, ...http === undefined ? {} : { http } };
    },

    /** No output. */
    empty(attributes: JsonObject = {}): OperationResult {

        return { status: Status.ok, attributes, output: empty() };
    },

    /** A status other than success, with an error body. */
    status(status: string, value: JsonValue, attributes: JsonObject = {}): OperationResult {

        return { status, attributes, output: json(value) };
    }
};
