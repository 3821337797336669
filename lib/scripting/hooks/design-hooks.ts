/**
 * Hooks of the design for the service as a whole: authentication, search, and handle records.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { AuthenticateHook } from '../../identity/authentication/hook-authenticator.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { Design } from '../../types/design.js';
import type { Reading } from '../../objects/read/object-resolution.js';
import type { StoredObject } from '../../model/stored-object.js';
import { internal } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { ANONYMOUS, SERVICE, type Caller } from '../../model/caller.js';
import { toHookObject } from '../../objects/hooks/hook-object.js';
import type { HookObject } from '../../objects/hooks/lifecycle.js';
import { NO_SCRIPT } from '../../model/write-context.js';
import { contextOf, objectContext } from '../invoker/hook-context.js';
import type { ScriptInvoker } from '../invoker/script-invoker.js';
import type { EntryModule } from '../protocol/program.js';
import { keyOf, loginKeyOf, OWN_KEY, type InvocationContext } from '../protocol/invocation-context.js';
import { isOfCode } from '../protocol/script-error.js';

/** Runs the hooks of the design. */
export class DesignHooks {

    readonly #invoker: ScriptInvoker;
    readonly #policy: Policy;
    readonly #design: () => Design;
    /** Cached hook for authentication, with the code it belongs to. */
    #authenticate: { readonly unit: EntryModule; readonly hook: AuthenticateHook } | null = null;

    constructor({ invoker, policy, design }: { invoker: ScriptInvoker; policy: Policy; design: () => Design }) {

        this.#invoker = invoker;
        this.#policy = policy;
        this.#design = design;
    }

    /** The hook for authentication; null if the design has none. A change of the code results in a different function. */
    authenticateHook(): AuthenticateHook | null {

        const unit = this.#unitWith('authenticate');
        if (!unit) {
            return null;
        }

        if (this.#authenticate?.unit !== unit) {
            this.#authenticate = { unit, hook: (...login) => this.#callAuthenticate(unit, ...login) };
        }

        return this.#authenticate.hook;
    }

    /**
     * Returns the query to run in place of the query of a client.
     *
     * @throws DoipError if the code rejects the search, or returns something else than a query
     */
    async customizeQuery(query: string, { caller, requestContext }: Reading): Promise<string> {

        const unit = this.#unitWith('customizeQuery');
        const invocation: InvocationContext = { caller, requestContext, chain: NO_SCRIPT, isDryRun: false };
        const returned = unit ? await this.#call(unit, 'customizeQuery', {
            args: [query], context: contextOf({ caller, requestContext, members: {} }), invocation, about: undefined
        }) : undefined;
        if (returned === undefined || returned === null) {
            return query;
        }

        // The code may be there to restrict searches.
        if (typeof returned !== 'string') {
            throw internal(new Error('customizeQuery returned no text'));
        }

        return returned;
    }

    /**
     * Returns the result of `createHandleValues` for an object; undefined if there is no such function.
     *
     * @param resolver the caller for whom the record is made; null for its registration. The code runs as the service.
     */
    async createHandleValues(object: StoredObject, requestContext: JsonObject, resolver: Caller | null): Promise<JsonValue | undefined> {

        const unit = this.#invoker.scripts.handles;
        if (!unit) {
            return undefined;
        }

        const hookObject = toHookObject(object, object.metadata);
        const isContentOnly = this.#design().useLegacyContentOnlyJavaScriptHooks;
        const source = { caller: SERVICE, requestContext, members: isContentOnly ? { useLegacyContentOnlyJavaScriptHooks: true } : {} };
        const callerKey = resolver ? keyOf(resolver) : OWN_KEY;
        const invocation: InvocationContext = { caller: SERVICE, requestContext, chain: NO_SCRIPT, isDryRun: false, callerKey };
        return await this.#call(unit, 'createHandleValues', {
            args: [isContentOnly ? hookObject.content : hookObject as HookObject & JsonObject],
            context: objectContext(source, hookObject, this.#policy), invocation, about: object.id
        });
    }

    async #callAuthenticate(unit: EntryModule, info: JsonObject, requestContext: JsonObject, source: string): Promise<JsonObject | null> {

        const callerKey = loginKeyOf(source);
        const invocation: InvocationContext = { caller: ANONYMOUS, requestContext, chain: NO_SCRIPT, isDryRun: false, callerKey };
        const context = Object.keys(requestContext).length > 0 ? { requestContext } : {};
        try {
            const answer = await this.#call(unit, 'authenticate', { args: [info], context, invocation, about: undefined });
            return isJsonObject(answer) ? answer : null;
        }
        catch (cause) {
            // Whatever status the code throws, it is no answer of the service.
            throw isOfCode(cause) ? new Error('the hook for authentication failed', { cause }) : cause;
        }
    }

    /** Returns the code of the design, unless it is known to lack a hook. */
    #unitWith(hook: string): EntryModule | null {

        const { design } = this.#invoker.scripts;
        const description = design && this.#invoker.cached(design);
        return description && description.failure === null && !description.hooks.has(hook) ? null : design;
    }

    async #call(
        unit: EntryModule, hook: string, call: { args: readonly JsonValue[]; context: JsonObject; invocation: InvocationContext; about: string | undefined }
    ): Promise<JsonValue | undefined> {

        const answer = await this.#invoker.call({ ...call, unit, path: [hook], takes: 'returned', rejectionStatus: 400 });
        return answer?.returned;
    }
}
