/**
 * What the service does for scripts, with full rights. Given with every call; the functions run on the main thread while the
 * script waits. They must tell harmless what they cannot do by a DoipError, which the script sees as a CordraError.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { ScriptScope } from '../../model/script-scope.js';
import type { Program } from './program.js';

/** How to search; everything else in it is the script's own and to be ignored. */
export interface ScriptSearchParams {
    /** 0-based. */
    readonly pageNum: number;
    /** Negative: all. */
    readonly pageSize: number;
    /** `name`, `name ASC` or `name DESC`, comma-separated; empty for none. */
    readonly sortFields: string;
}

/** Services for scripts. */
export interface ScriptHost {
    /** The full object; null when there is none. `design` works, too. */
    get(id: string, scope: ScriptScope): Promise<JsonObject | null>;
    /** `{ pageNum, pageSize, size, results }`. */
    search(query: string, params: ScriptSearchParams, scope: ScriptScope): Promise<JsonObject>;
    create(object: JsonObject, scope: ScriptScope): Promise<JsonObject>;
    update(object: JsonObject, scope: ScriptScope): Promise<JsonObject>;
    delete(id: string, scope: ScriptScope): Promise<void>;
    /** Bytes of an element, at most `limit`; null when there is none. */
    payload(id: string, name: string, limit: number, scope: ScriptScope): Promise<Uint8Array | null>;
    /** Compares a secret with the stored hash of the value at a pointer. The object is an id or a full object. */
    verifySecret(object: JsonValue, pointer: string, secret: string, scope: ScriptScope): Promise<boolean>;
    /** `{ content, userMetadata, full, payloads }` for an object with hashes. */
    verifyHashes(object: JsonObject, scope: ScriptScope): Promise<JsonObject>;
    /** `{ success, errors: [{ message, pointer }] }`. */
    validate(value: JsonValue, schema: JsonValue, scope: ScriptScope): Promise<JsonObject>;
    /** Ids of the groups that a user belongs to. */
    groupsOf(userId: string, scope: ScriptScope): Promise<readonly string[]>;
    /** The public key of the service, a JWK. */
    publicKey(scope: ScriptScope): Promise<JsonObject>;
    /** A JWT with a payload, claims or a text, signed with the private key of the service. */
    sign(payload: JsonValue, scope: ScriptScope): Promise<string>;
}

/** What questions are answered with. */
export interface HostCallContext {
    readonly world: Program;
    readonly host: ScriptHost;
    /** For calls that the answers lead to; made when there is a first question. */
    readonly scope: () => ScriptScope;
    /** Longest answer, in characters or bytes. */
    readonly crossingBytes: number;
    /** Told of errors that scripts are not told. */
    readonly report: (error: unknown) => void;
}
