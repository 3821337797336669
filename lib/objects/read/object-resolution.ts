/**
 * Resolution hooks: type code may change or hide its objects when they are read.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Policy } from '../../identity/access/access-policy.js';
import { demand, type Caller } from '../../model/caller.js';
import type { FieldLimits } from '../input/field-validation.js';
import type { DirectOutput, HookFacts, Lifecycle } from '../hooks/lifecycle.js';
import type { ByteRange } from '../../stores/blobs/element-store.js';
import type { StoredObject } from '../../model/stored-object.js';
import { internal } from '../../errors/errors.js';
import { approximateLength, LengthBudget } from '../../util/concurrency/event-loop-yielder.js';
import { isJsonObject } from '../../util/json-types.js';
import { fromHookObject, toHookObject } from '../hooks/hook-object.js';
import { withoutHashes } from '../hashes/object-hashes.js';
import { NO_SCRIPT } from '../../model/write-context.js';

/** Context of a read. */
export interface Reading {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
}

/**
 * Runs `onObjectResolution` and `onPayloadResolution`. Objects of types without these hooks are returned unchanged. The rights of the caller are
 * checked again when the code is chosen: a type that hid its objects by code may hide them by its rights meanwhile.
 */
export class ObjectResolution {

    readonly #lifecycle: Lifecycle;
    readonly #limits: FieldLimits;
    readonly #policy: Pick<Policy, 'canFind' | 'canRead' | 'canReadPayload'>;

    constructor({ lifecycle, limits, policy }: {
        readonly lifecycle: Lifecycle; readonly limits: FieldLimits; readonly policy: Pick<Policy, 'canFind' | 'canRead' | 'canReadPayload'>;
    }) {

        this.#lifecycle = lifecycle;
        this.#limits = limits;
        this.#policy = policy;
    }

    /** False if objects of the type are shown as stored. */
    concerns(type: string): boolean {

        return this.#lifecycle.has(type, 'onObjectResolution');
    }

    /**
     * Returns the object as it is to be shown.
     *
     * @throws DoipError 403, or the error of the hook, if the object is hidden; 401 or 403 if the caller may not read it any more
     */
    async resolve(object: StoredObject, reading: Reading): Promise<StoredObject> {

        if (!this.concerns(object.type)) {
            return object;
        }

        const facts = factsOf(reading, {}, () => demand(reading.caller, this.#policy.canRead(reading.caller, object)));
        const returned = await this.#lifecycle.run('onObjectResolution', object.type, asHookObject(object), facts);
        return returned === undefined ? object : this.#checked(returned, object);
    }

    /** Returns search results as they are to be shown, in order; null for hidden ones, and for those that may not be found any more. Once per type. */
    async resolveAll(objects: readonly StoredObject[], reading: Reading): Promise<readonly (StoredObject | null)[]> {

        const types = new Set(objects.map(({ type }) => type));
        const concerned = [...types].filter((type) => this.concerns(type));
        if (concerned.length === 0) {
            return objects;
        }

        const resolved = new Map<StoredObject, StoredObject | null>();
        const budget = new LengthBudget();
        for (const type of concerned) {
            const ofType = objects.filter((object) => object.type === type);
            let hidden = new Set<StoredObject>();
            const hide = (): void => {

                hidden = new Set(ofType.filter((object) => !this.#policy.canFind(reading.caller, object).allowed));
            };

            // Also now: the type may have lost its code while that of another one ran, and then there is no start.
            hide();
            const facts = factsOf(reading, { isSearch: true }, hide);
            const outcomes = await this.#lifecycle.runAll('onObjectResolution', type, ofType.map(asHookObject), facts);
            for (const [index, object] of ofType.entries()) {
                await budget.spend(approximateLength(object.content));
                resolved.set(object, hidden.has(object) ? null : this.#outcome(outcomes[index], object));
            }
        }

        return objects.map((object) => {

            const found = resolved.get(object);
            return found === undefined ? object : found;
        });
    }

    /**
     * Returns the output that replaces the bytes of an element; null to use these. The code gets the object as it is shown, and rights are those to
     * the stored one.
     *
     * @param range in bytes, inclusive
     * @throws DoipError as {@link resolve}
     */
    async resolvePayload(
        { object, shown }: { readonly object: StoredObject; readonly shown: StoredObject }, payload: string, reading: Reading, range: ByteRange | null
    ): Promise<DirectOutput | null> {

        const check = (): void => demand(reading.caller, this.#policy.canReadPayload(reading.caller, object));
        check();
        if (!this.#lifecycle.has(object.type, 'onPayloadResolution')) {
            return null;
        }

        const members = { payload, ...range ? { start: range.start, end: range.end } : {} };
        const facts = factsOf(reading, members, check);
        return this.#lifecycle.resolvePayload(object.type, asHookObject(shown), facts);
    }

    #outcome(outcome: Awaited<ReturnType<Lifecycle['runAll']>>[number] | undefined, object: StoredObject): StoredObject | null {

        if (!outcome || 'error' in outcome) {
            return null;
        }

        try {
            return outcome.value === undefined ? object : this.#readReturned(outcome.value, object);
        }
        catch {
            // Errors of code are logged by the lifecycle; a malformed object is hidden too.
            return null;
        }
    }

    #checked(returned: JsonValue, object: StoredObject): StoredObject {

        try {
            return this.#readReturned(returned, object);
        }
        catch (error) {
            throw internal(error);
        }
    }

    /**
     * Returns the shown form. Id and everything that permissions depend on stay unchanged, since they were checked before.
     * Hashes are removed if the form differs from the stored one: they would not match, and could reveal short values that were
     * removed.
     */
    #readReturned(returned: JsonValue, object: StoredObject): StoredObject {

        const names = new Set(object.elements.map(({ name }) => name));
        const { type, content, acl, userMetadata, elements } = fromHookObject(returned, object, { limits: this.#limits, uploaded: names });
        const { metadata } = returned as JsonObject;
        const resolved = {
            id: object.id, type, content, acl, userMetadata, elements,
            metadata: isJsonObject(metadata) ? { ...object.metadata, ...metadata } : object.metadata
        };
        return resolved.metadata.hashes === undefined || isSameForm(resolved, object) ? resolved : { ...resolved, metadata: withoutHashes(resolved.metadata) };
    }
}

/** True if two objects have the same hashes. */
function isSameForm(one: StoredObject, other: StoredObject): boolean {

    return isDeepStrictEqual(
        [one.type, one.content, one.acl, one.userMetadata, one.elements], [other.type, other.content, other.acl, other.userMetadata, other.elements]
    );
}

function asHookObject(object: StoredObject): ReturnType<typeof toHookObject> {

    return toHookObject(object, object.metadata);
}

function factsOf({ caller, requestContext }: Reading, members: JsonObject, atStart: () => void): HookFacts {

    return { caller, requestContext, members, chain: NO_SCRIPT, isDryRun: false, atStart };
}
