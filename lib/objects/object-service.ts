/**
 * Creates, updates and deletes objects: the pipeline between a request and a stored object. Access is checked before, by the
 * operation; the validity of objects is checked here and by the code of their type.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Acl } from '../doip/digital-object.js';
import type { Proposal } from './hooks/hook-object.js';
import type { StoredObject, IndexedForm } from '../model/stored-object.js';
import { badRequest, missingObject } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { checkOwnWriters } from '../model/caller.js';
import { beingChanged, ObjectTransaction } from './object-transaction.js';
import { retryOnConflict } from '../util/concurrency/retry-on-conflict.js';
import { indexFormOf, withIndexForm } from './hooks/indexed-form-builder.js';
import { applyContent, applyElements, type UpdateRequest, checkVersion } from './update-request.js';
import { authorOf, holding, type HeldLock, type ScriptChain, type WriteContext } from '../model/write-context.js';
import { WriteHooks, type HookedWrite } from './hooks/write-hooks.js';
import type { PreparedChange } from '../model/object-draft.js';
import { editOf } from './hooks/hook-object.js';
import type { WriteParts } from './object-transaction.js';

export { authorOf, type WriteContext } from '../model/write-context.js';

/** Maximum number of runs of a method while other nodes keep changing its object. */
const METHOD_ATTEMPTS = 20;

/** Internal to this file: the object is not the one that was passed to the method. */
const STALE = new Error('the object has changed');

/** A prepared change, and the hooks to run after it is stored. */
type HookedChange = PreparedChange & { readonly before: StoredObject; readonly hooks: WriteHooks | null };

/** Creates, updates and deletes objects. */
export class ObjectService {

    readonly #parts: WriteParts;
    readonly #transaction: ObjectTransaction;

    constructor(parts: WriteParts) {

        this.#parts = parts;
        this.#transaction = new ObjectTransaction(parts);
    }

    /**
     * Updates an object. Recomputed, including hooks, when another writer committed first.
     *
     * @throws DoipError 400 for an invalid request, 404 if the object or a part to delete does not exist, 409 if other writers
     *   keep committing first
     */
    update(id: string, request: UpdateRequest, context: WriteContext): Promise<StoredObject> {

        const { input } = request;
        return this.#stored(id, context, async (before, now) => {

            checkVersion(this.#parts.catalog.current.design, before);
            if (input.id !== undefined && input.id !== id) {
                throw badRequest(`the id of the input, ${input.id}, differs from the target, ${id}`);
            }

            const rights = { type: this.#typeAfter(before, request), acl: input.acl ?? before.acl };
            checkWriters(before, rights, context);
            const proposal: Proposal = {
                id, ...rights,
                content: applyContent(before.content, request),
                userMetadata: input.userMetadata ?? before.userMetadata,
                elements: applyElements(before, request)
            };
            const write = { before, input, context };
            const hooks = this.#hooksOf(write, proposal.type);
            const target = hooks ? await hooks.withId(await hooks.beforeSchemaValidation(proposal)) : proposal;
            return this.#prepare(write, { now, target, hooks, sent: proposal.content });
        });
    }

    /** Replaces the access control list of an object; absent lists fall back to the defaults. The content is not validated. */
    updateAcl(id: string, acl: Acl | null, context: WriteContext): Promise<StoredObject> {

        return this.#stored(id, context, async (before, now) => {

            checkVersion(this.#parts.catalog.current.design, before);
            checkWriters(before, { type: before.type, acl }, context);
            const write = { before, input: undefined, context };
            return this.#prepare(write, { now, target: { ...before, acl }, hooks: this.#hooksOf(write, before.type), sent: null });
        });
    }

    /** Deletes an object with its elements; the design object cannot be deleted. */
    async remove(id: string, context: WriteContext): Promise<void> {

        if (id === DESIGN_ID) {
            throw badRequest('the design object cannot be deleted');
        }

        const { caller } = context;
        const { before, hooks } = await this.#transaction.change(id, context, async (before, now) => {

            const hooks = this.#hooksOf({ before, input: undefined, context }, before.type);
            await hooks?.beforeDelete(before);
            return { before, after: null, processed: null, steps: [], caller, now, hooks };
        });
        await hooks?.afterDelete(before);
    }

    /**
     * Computes the indexed form of an object; undefined if its type has no hook for it, so that it is indexed as stored.
     *
     * @throws DoipError if the hook fails
     */
    indexFormOf(object: StoredObject, context: WriteContext): Promise<IndexedForm | undefined> {

        return indexFormOf(this.#parts, object, context);
    }

    /**
     * Runs a method on an object under its mutex, and stores the changed object like an update, but without the hooks before the validation.
     * Repeated when another node committed first.
     *
     * @param work gets the current object; returns its answer and the object as the method left it
     */
    async callOn<T>(
        id: string, context: WriteContext,
        work: (object: StoredObject, chain: ScriptChain) => Promise<{ readonly answer: T; readonly object: JsonValue | undefined }>
    ): Promise<T> {

        const attempt = async (): Promise<{ readonly answer: T; readonly change: HookedChange | null } | null> => {

            const lock: HeldLock = { by: 'call', lastWrite: null };
            const chain = holding(id, lock, context.chain);
            const { object } = await this.#parts.reader.view(id);
            if (!object) {
                throw missingObject(id);
            }

            context.check?.(object);
            const { answer, object: edited } = await work(object, chain);
            const target = editOf(edited, object, this.#parts.limits);
            if (!target) {
                return { answer, change: null };
            }

            const change = await this.#storeEdit(target, object, { lock, chain, context });
            return change && { answer, change };
        };

        const { answer, change } = await this.#transaction.locked(id, context, (deadline) => (
            retryOnConflict(attempt, { deadline, maxAttempts: METHOD_ATTEMPTS, message: beingChanged(id) })
        ));
        await change?.hooks?.afterStorage(change.after);
        return answer;
    }

    /** Stores what a method has made of an object; returns null if another writer has changed it since it was passed to the method. */
    async #storeEdit(
        target: Proposal, original: StoredObject,
        { lock, chain, context }: { readonly lock: HeldLock; readonly chain: ScriptChain; readonly context: WriteContext }
    ): Promise<HookedChange | null> {

        try {
            return await this.#transaction.change(original.id, { ...context, chain }, (before, now) => {

                const { txnId } = before.metadata;
                if (txnId !== original.metadata.txnId && txnId !== lock.lastWrite) {
                    throw STALE;
                }

                checkVersion(this.#parts.catalog.current.design, before);
                // The method has ended: its hooks are those of an update by the caller, and not of a script.
                const write = { before, input: undefined, context };
                return this.#prepare(write, { now, target, hooks: this.#hooksOf(write, target.type), sent: null });
            });
        }
        catch (error) {
            if (error === STALE) {
                return null;
            }

            throw error;
        }
    }

    /**
     * Computes a change and stores it. The final hooks run after the mutex is released. The object that a dry run returns keeps the transaction
     * number that is stored.
     */
    async #stored(
        id: string, context: WriteContext, compute: (before: StoredObject, now: number) => Promise<HookedChange>
    ): Promise<StoredObject> {

        const { before, after, hooks } = await this.#transaction.change(id, context, compute);
        await hooks?.afterStorage(after);
        return context.dryRun ? { ...after, metadata: { ...after.metadata, txnId: before.metadata.txnId } } : after;
    }

    async #prepare(
        { before, context }: HookedWrite & { before: StoredObject },
        { target, now, hooks, sent }: { target: Proposal; now: number; hooks: WriteHooks | null; sent: JsonObject | null }
    ): Promise<HookedChange> {

        const { caller, beforeWrite } = context;
        const change = await this.#parts.pipeline.prepare({
            ...target, before, id: before.id, caller, now,
            metadata: { ...before.metadata, modifiedOn: now, modifiedBy: authorOf(caller) },
            contentTouched: target.content !== before.content || target.type !== before.type,
            beforeWrite, sent
        });
        await hooks?.beforeStorage(change.after);
        return withIndexForm(this.#parts, { ...change, before, hooks }, context);
    }

    /** Returns the hooks of a write; null if there are none, or if a script writes. */
    #hooksOf(write: HookedWrite, type: string): WriteHooks | null {

        const { lifecycle } = this.#parts;
        const { before, context } = write;
        const hasHooks = !context.chain && (lifecycle.has(type) || before !== null && before.type !== type && lifecycle.has(before.type));
        return hasHooks ? new WriteHooks(this.#parts, write) : null;
    }

    #typeAfter(before: StoredObject, { input, allowTypeChange }: UpdateRequest): string {

        const type = input.type ?? before.type;
        if (type !== before.type && !allowTypeChange && !this.#parts.catalog.current.design.enableTypeChangeViaUpdate) {
            throw badRequest(`object ${before.id} has type ${before.type}; the design does not allow a change to ${type}`);
        }

        return type;
    }
}

/** Checks changes of permissions to write, or to call methods, which can write. Another type has other default writers, and other methods. */
function checkWriters({ id, type, acl }: StoredObject, target: Pick<StoredObject, 'type' | 'acl'>, { caller }: WriteContext): void {

    const isChanged = type !== target.type ||
        acl !== target.acl && JSON.stringify([acl?.writers, acl?.methods]) !== JSON.stringify([target.acl?.writers, target.acl?.methods]);
    if (isChanged) {
        checkOwnWriters(caller, id);
    }
}
