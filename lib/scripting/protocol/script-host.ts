/**
 * Host calls: what the service does for scripts, with full rights. The functions run on the main thread while the script waits.
 * Errors that scripts may see must be DoipErrors; scripts get them as CordraErrors.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { DoipError } from '../../errors/errors.js';
import type { ScriptScope } from '../../model/script-scope.js';
import type { Program } from './program.js';
import type { ValueLimits } from './value-limits.js';

/** Search parameters; other members come from the script and are ignored. */
export interface ScriptSearchParams {
    /** 0-based. */
    readonly pageNum: number;
    /** Negative for all. */
    readonly pageSize: number;
    /** `name`, `name ASC` or `name DESC`, comma-separated; empty for no order. */
    readonly sortFields: string;
}

/** The host calls. */
export interface ScriptHost {
    /** Returns the full object, also of `design`; null if it does not exist. */
    get(id: string, scope: ScriptScope): Promise<JsonObject | null>;
    /** Returns `{ pageNum, pageSize, size, results }`. */
    search(query: string, params: ScriptSearchParams, scope: ScriptScope): Promise<JsonObject>;
    create(object: JsonObject, scope: ScriptScope): Promise<JsonObject>;
    update(object: JsonObject, scope: ScriptScope): Promise<JsonObject>;
    delete(id: string, scope: ScriptScope): Promise<void>;
    /** Returns the bytes of an element, at most `limit`; null if it does not exist. */
    payload(id: string, name: string, limit: number, scope: ScriptScope): Promise<Uint8Array | null>;
    /** Compares a secret with the stored hash of the value at a JSON pointer. `object` is an id or a full object. */
    verifySecret(object: JsonValue, pointer: string, secret: string, scope: ScriptScope): Promise<boolean>;
    /** Returns `{ content, userMetadata, full, payloads }` for an object with hashes. Reads the bytes of all elements that have one. */
    verifyHashes(object: JsonObject, scope: ScriptScope): Promise<JsonObject>;
    /** Returns `{ success, errors: [{ message, pointer }] }`. */
    validate(value: JsonValue, schema: JsonValue, scope: ScriptScope): Promise<JsonObject>;
    /** Returns the ids of all groups of a user. */
    groupsOf(userId: string, scope: ScriptScope): Promise<readonly string[]>;
    /** Returns the public key of the service as a JWK. */
    publicKey(scope: ScriptScope): Promise<JsonObject>;
    /** Returns a JWT with a payload (claims or a string), signed with the private key of the service. */
    sign(payload: JsonValue, scope: ScriptScope): Promise<string>;
}

/** Context of the host calls of one run. */
export interface HostCallContext {
    readonly program: Program;
    readonly host: ScriptHost;
    /** Scope for script calls that a host call leads to; created with the first host call. */
    readonly scope: () => ScriptScope;
    /** Maximum length of a result, in characters or bytes. */
    readonly maxMessageBytes: number;
    /** Limits of what a script asks for. */
    readonly values: ValueLimits;
    /** Logs errors whose details scripts must not see. */
    readonly report: (error: unknown) => void;
    /** Returns what the service answers to errors of its storage, such as 503 during an outage; null for other errors. */
    readonly explain: (error: unknown) => DoipError | null;
}
