/**
 * Hooks of one write, in order. If the type of an object changes, the delete hooks of the old type and the create hooks of the
 * new type run.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { FieldLimits } from '../input/field-validation.js';
import type { HookFacts, Lifecycle, ObjectHook } from './lifecycle.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { badRequest } from '../../errors/errors.js';
import { fromHookObject, toHookObject, toHookPayload, type Proposal } from './hook-object.js';
import { holding, NO_SCRIPT, type ScriptChain, type WriteContext } from '../../model/write-context.js';
import type { ObjectInput } from '../../model/object-input.js';

/** Dependencies of hooks. */
export interface HookParts {
    readonly lifecycle: Lifecycle;
    readonly limits: FieldLimits;
}

/** A write whose hooks run. */
export interface HookedWrite {
    /** Null for a creation. */
    readonly before: StoredObject | null;
    /** Input of the request; undefined for a change of the ACL or a delete. */
    readonly input: ObjectInput | undefined;
    readonly context: WriteContext;
}

/** Runs the hooks of one write. Created only if a type concerned has code. */
export class WriteHooks {

    readonly #parts: HookParts;
    readonly #write: HookedWrite;
    /** Names of the elements whose bytes came with the request. */
    readonly #uploaded: ReadonlySet<string>;

    constructor(parts: HookParts, write: HookedWrite) {

        this.#parts = parts;
        this.#write = write;
        const sent = [...write.input?.elements.values() ?? []];
        this.#uploaded = new Set(sent.filter(({ staged }) => staged).map(({ name }) => name));
    }

    /** Runs `beforeSchemaValidation`, which may set the id of a new object. */
    async beforeSchemaValidation(proposal: Proposal): Promise<Proposal> {

        const members = { newPayloads: this.#newPayloads(proposal.elements), payloadsToDelete: this.#write.input?.elementsToDelete ?? [] };
        return this.#transform('beforeSchemaValidation', proposal, members);
    }

    /** Runs `beforeSchemaValidationWithId`. */
    async withId(proposal: Proposal): Promise<Proposal> {

        return this.#transform('beforeSchemaValidationWithId', proposal);
    }

    /** Runs `beforeStorage`; before that `beforeDelete` of the old type if the type changes. */
    async beforeStorage(after: StoredObject): Promise<void> {

        const { before } = this.#write;
        if (before && before.type !== after.type) {
            await this.#call('beforeDelete', before, { isUpdate: true });
        }

        await this.#call('beforeStorage', after, this.#flags(after.type));
    }

    /** Runs `afterCreateOrUpdate`; before that `afterDelete` of the old type if the type has changed. */
    async afterStorage(after: StoredObject): Promise<void> {

        const { before, input, context } = this.#write;
        if (context.dryRun) {
            return;
        }

        await discardDropped(input, after.elements);
        if (before && before.type !== after.type) {
            await this.#call('afterDelete', before, { isUpdate: true });
        }

        await this.#call('afterCreateOrUpdate', after, this.#flags(after.type));
    }

    /** Runs `beforeDelete` of an object to be deleted. */
    async beforeDelete(object: StoredObject): Promise<void> {

        await this.#call('beforeDelete', object, {});
    }

    /** Runs `afterDelete` of a deleted object. */
    async afterDelete(object: StoredObject): Promise<void> {

        if (!this.#write.context.dryRun) {
            await this.#call('afterDelete', object, {});
        }
    }

    /**
     * Yields ids for a new object from the generator of its type or of the design; none if there is no generator or it leaves
     * the id to the service. A generator that is not loopable is called once.
     */
    async *generatedIds(proposal: Proposal, attempts: number): AsyncGenerator<string> {

        const generator = await this.#parts.lifecycle.generator(proposal.type, this.#facts({ isNew: true }));
        for (let i = 0; generator && i < (generator.isLoopable ? attempts : 1); ++i) {
            const id = await generator.next(toHookObject(proposal));
            if (id === null) {
                return;
            }

            yield id;
        }
    }

    async #transform(hook: ObjectHook, proposal: Proposal, members: JsonObject = {}): Promise<Proposal> {

        const { lifecycle, limits } = this.#parts;
        const { before } = this.#write;
        if (!lifecycle.has(proposal.type, hook)) {
            return proposal;
        }

        const facts = this.#facts({ ...this.#flags(proposal.type), ...members });
        const returned = await lifecycle.run(hook, proposal.type, toHookObject(proposal, before?.metadata), facts);
        if (returned === undefined) {
            return proposal;
        }

        const changed = fromHookObject(returned, proposal, { limits, uploaded: this.#uploaded });
        if (proposal.id !== undefined && changed.id !== proposal.id) {
            throw badRequest(`${hook} must not change the id of object ${proposal.id}`);
        }

        return changed;
    }

    async #call(hook: ObjectHook, object: StoredObject, members: JsonObject): Promise<void> {

        const { lifecycle } = this.#parts;
        if (lifecycle.has(object.type, hook)) {
            await lifecycle.run(hook, object.type, toHookObject(object, object.metadata), this.#facts(members, hook));
        }
    }

    /** Returns the flags that describe the kind of write to a hook. */
    #flags(type: string): JsonObject {

        const { before } = this.#write;
        return { isNew: before?.type !== type, isUpdate: before !== null };
    }

    #facts(members: JsonObject, hook?: ObjectHook): HookFacts {

        const { before, context } = this.#write;
        const { caller, requestContext = {}, dryRun = false } = context;
        const original = before && hook !== 'beforeDelete' ? { originalObject: toHookObject(before, before.metadata) as unknown as JsonObject } : {};
        return {
            caller, requestContext, isDryRun: dryRun, chain: this.#chain(hook),
            members: { ...members, ...original, ...dryRun ? { isDryRun: true } : {} }
        };
    }

    /** Returns the chain for a hook: the request holds the lock of the object until the object is stored. */
    #chain(hook: ObjectHook | undefined): ScriptChain {

        const { before, context: { chain } } = this.#write;
        const isDone = hook === 'afterCreateOrUpdate' || hook === 'afterDelete';
        return before && !isDone ? holding(before.id, { by: 'change', lastWrite: null }, chain) : chain ?? NO_SCRIPT;
    }

    #newPayloads(elements: readonly StoredElement[]): JsonObject[] {

        return elements.filter(({ name }) => this.#uploaded.has(name)).map((element) => ({ ...toHookPayload(element) }));
    }
}

/** Deletes staged bytes that a hook has dropped from the object. */
async function discardDropped(input: ObjectInput | undefined, elements: readonly StoredElement[]): Promise<void> {

    const retained = new Set(elements.map(({ store, blobId }) => `${store} ${blobId}`));
    for (const { staged } of input?.elements.values() ?? []) {
        if (staged && !retained.has(`${staged.store} ${staged.blobId}`)) {
            await staged.discard();
        }
    }
}
