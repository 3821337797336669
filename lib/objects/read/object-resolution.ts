/**
 * Objects on their way to a reader: the code of a type may show another form of its objects, or keep them back.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Caller } from '../../model/caller.js';
import type { FieldLimits } from '../input/field-validation.js';
import type { DirectOutput, HookFacts, Lifecycle } from '../hooks/lifecycle.js';
import type { ByteRange } from '../../stores/blobs/element-store.js';
import type { StoredObject } from '../../model/stored-object.js';
import { internal } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { fromHookObject, toHookObject } from '../hooks/hook-object.js';
import { withoutHashes } from '../hashes/object-hashes.js';
import { NO_SCRIPT } from '../../model/write-context.js';

/** Who reads. */
export interface Reading {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
}

/** Asks `onObjectResolution` and `onPayloadResolution`. Objects of types without them pass untouched. */
export class ObjectResolution {

    readonly #lifecycle: Lifecycle;
    readonly #limits: FieldLimits;

    constructor(lifecycle: Lifecycle, limits: FieldLimits) {

        this.#lifecycle = lifecycle;
        this.#limits = limits;
    }

    /** False when an object of the type is shown as it is stored. */
    concerns(type: string): boolean {

        return this.#lifecycle.has(type, 'onObjectResolution');
    }

    /**
     * The object as it is to be shown.
     *
     * @throws DoipError 403, or what the code says, when it is not to be shown
     */
    async resolve(object: StoredObject, reading: Reading): Promise<StoredObject> {

        if (!this.concerns(object.type)) {
            return object;
        }

        const returned = await this.#lifecycle.run('onObjectResolution', object.type, asHookObject(object), factsOf(reading, {}));
        return returned === undefined ? object : this.#checked(returned, object);
    }

    /** Results of a search as they are to be shown, in their order; null for those that are kept back. Asks once per type. */
    async resolveAll(objects: readonly StoredObject[], reading: Reading): Promise<readonly (StoredObject | null)[]> {

        const types = new Set(objects.map(({ type }) => type));
        const concerned = [...types].filter((type) => this.concerns(type));
        if (concerned.length === 0) {
            return objects;
        }

        const shown = new Map<StoredObject, StoredObject | null>();
        for (const type of concerned) {
            const ofType = objects.filter((object) => object.type === type);
            const facts = factsOf(reading, { isSearch: true });
            const outcomes = await this.#lifecycle.runAll('onObjectResolution', type, ofType.map(asHookObject), facts);
            ofType.forEach((object, index) => shown.set(object, this.#outcome(outcomes[index], object)));
        }

        return objects.map((object) => {

            const found = shown.get(object);
            return found === undefined ? object : found;
        });
    }

    /** What is shown instead of the bytes of an element; null to show these. `range` in bytes, inclusive. */
    async resolvePayload(object: StoredObject, payload: string, reading: Reading, range: ByteRange | null): Promise<DirectOutput | null> {

        if (!this.#lifecycle.has(object.type, 'onPayloadResolution')) {
            return null;
        }

        const members = { payload, ...range ? { start: range.start, end: range.end } : {} };
        return this.#lifecycle.resolvePayload(object.type, asHookObject(object), factsOf(reading, members));
    }

    #outcome(outcome: Awaited<ReturnType<Lifecycle['runAll']>>[number] | undefined, object: StoredObject): StoredObject | null {

        if (!outcome || 'error' in outcome) {
            return null;
        }

        try {
            return outcome.value === undefined ? object : this.#shown(outcome.value, object);
        }
        catch {
            // The lifecycle logs what code throws; an object that it returns in no form of an object is kept back as well.
            return null;
        }
    }

    #checked(returned: JsonValue, object: StoredObject): StoredObject {

        try {
            return this.#shown(returned, object);
        }
        catch (error) {
            throw internal(error);
        }
    }

    /**
     * The id stays, and so does what rights depend on: they were looked at before. Hashes go where the object is shown in another form:
     * they are not those of what is shown, and short values that were taken away could be found out by trying.
     */
    #shown(returned: JsonValue, object: StoredObject): StoredObject {

        const names = new Set(object.elements.map(({ name }) => name));
        const { type, content, acl, userMetadata, elements } = fromHookObject(returned, object, { limits: this.#limits, uploaded: names });
        const { metadata } = returned as JsonObject;
        const shown = {
            id: object.id, type, content, acl, userMetadata, elements,
            metadata: isJsonObject(metadata) ? { ...object.metadata, ...metadata } : object.metadata
        };
        return shown.metadata.hashes === undefined || isSameForm(shown, object) ? shown : { ...shown, metadata: withoutHashes(shown.metadata) };
    }
}

/** True when two objects have the same hashes. */
function isSameForm(one: StoredObject, other: StoredObject): boolean {

    return isDeepStrictEqual(
        [one.type, one.content, one.acl, one.userMetadata, one.elements], [other.type, other.content, other.acl, other.userMetadata, other.elements]
    );
}

function asHookObject(object: StoredObject): ReturnType<typeof toHookObject> {

    return toHookObject(object, object.metadata);
}

function factsOf({ caller, requestContext }: Reading, members: JsonObject): HookFacts {

    return { caller, requestContext, members, chain: NO_SCRIPT, isDryRun: false };
}
