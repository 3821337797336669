/**
 * The hooks of one write, in their order. An object whose type changes leaves one type and comes into being under another:
 * the old one is asked as for a deletion, the new one as for a creation.
 */

import type { JsonObject } from '../../util/json-types.js';
import type { FieldLimits } from '../input/field-validation.js';
import type { HookFacts, Lifecycle, ObjectHook } from './lifecycle.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { badRequest } from '../../errors/errors.js';
import { fromHookObject, toHookObject, toHookPayload, type Proposal } from './hook-object.js';
import { holding, NO_SCRIPT, type ScriptChain, type WriteContext } from '../../model/write-context.js';
import type { ObjectInput } from '../../model/object-input.js';

/** What hooks are asked with. */
export interface HookParts {
    readonly lifecycle: Lifecycle;
    readonly limits: FieldLimits;
}

/** A write that is about to be worked out. */
export interface HookedWrite {
    /** Null for a creation. */
    readonly before: StoredObject | null;
    /** What came with the request; undefined when nothing but rights or a deletion did. */
    readonly input: ObjectInput | undefined;
    readonly context: WriteContext;
}

/** Asks the hooks about one write. Made only when there is a type with code among those concerned. */
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

    /** `beforeSchemaValidation`. An id that it sets is that of the object, if it is new. */
    async beforeSchemaValidation(proposal: Proposal): Promise<Proposal> {

        const members = { newPayloads: this.#newPayloads(proposal.elements), payloadsToDelete: this.#write.input?.elementsToDelete ?? [] };
        return this.#transform('beforeSchemaValidation', proposal, members);
    }

    /** `beforeSchemaValidationWithId`. */
    async withId(proposal: Proposal): Promise<Proposal> {

        return this.#transform('beforeSchemaValidationWithId', proposal);
    }

    /** `beforeStorage`, and `beforeDelete` of a type that the object leaves. */
    async beforeStorage(after: StoredObject): Promise<void> {

        const { before } = this.#write;
        if (before && before.type !== after.type) {
            await this.#call('beforeDelete', before, { isUpdate: true });
        }

        await this.#call('beforeStorage', after, this.#flags(after.type));
    }

    /** `afterCreateOrUpdate`, and `afterDelete` of a type that the object has left. */
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

    /** `beforeDelete` of an object that goes. */
    async beforeDelete(object: StoredObject): Promise<void> {

        await this.#call('beforeDelete', object, {});
    }

    /** `afterDelete` of an object that is gone. */
    async afterDelete(object: StoredObject): Promise<void> {

        if (!this.#write.context.dryRun) {
            await this.#call('afterDelete', object, {});
        }
    }

    /**
     * Ids for a new object, from the generator of its type or of the design; none when there is no generator or it leaves the
     * matter to the service. Asked again only when it may be asked again.
     */
    async *generatedIds(proposal: Proposal, attempts: number): AsyncGenerator<string> {

        const generator = await this.#parts.lifecycle.generator(proposal.type, this.#facts(proposal.type, { isNew: true }));
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

        const facts = this.#facts(proposal.type, { ...this.#flags(proposal.type), ...members });
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
            await lifecycle.run(hook, object.type, toHookObject(object, object.metadata), this.#facts(object.type, members, hook));
        }
    }

    /** What a type is told of the kind of write. */
    #flags(type: string): JsonObject {

        const { before } = this.#write;
        return { isNew: before?.type !== type, isUpdate: before !== null };
    }

    #facts(type: string, members: JsonObject, hook?: ObjectHook): HookFacts {

        const { before, context } = this.#write;
        const { caller, requestContext = {}, dryRun = false } = context;
        const original = before && hook !== 'beforeDelete' ? { originalObject: toHookObject(before, before.metadata) as unknown as JsonObject } : {};
        return {
            caller, requestContext, isDryRun: dryRun, chain: this.#chain(hook),
            members: { ...members, ...original, ...dryRun ? { isDryRun: true } : {} }
        };
    }

    /** Before it is stored the object is in our hands; afterwards nobody holds it. */
    #chain(hook: ObjectHook | undefined): ScriptChain {

        const { before, context: { within } } = this.#write;
        const isDone = hook === 'afterCreateOrUpdate' || hook === 'afterDelete';
        return before && !isDone ? holding(before.id, { by: 'change', lastWrite: null }, within) : within ?? NO_SCRIPT;
    }

    #newPayloads(elements: readonly StoredElement[]): JsonObject[] {

        return elements.filter(({ name }) => this.#uploaded.has(name)).map((element) => ({ ...toHookPayload(element) }));
    }
}

/** Bytes that a hook left out belong to nobody. */
async function discardDropped(input: ObjectInput | undefined, elements: readonly StoredElement[]): Promise<void> {

    const kept = new Set(elements.map(({ store, blobId }) => `${store} ${blobId}`));
    for (const { staged } of input?.elements.values() ?? []) {
        if (staged && !kept.has(`${staged.store} ${staged.blobId}`)) {
            await staged.discard();
        }
    }
}
