/**
 * Creating, changing and deleting objects: the pipeline between a described wish and a stored object. Whether the caller
 * may is decided by the operation, before; what the object must look like is decided here.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Acl } from '../doip/object.js';
import type { JsonObject } from '../doip/json.js';
import type { Caller } from '../identity/caller.js';
import type { ObjectStore, ObjectView } from '../stores/object-store.js';
import type { Catalog } from '../types/catalog.js';
import type { ContentPipeline } from './content-pipeline.js';
import type { FieldLimits } from './field-rules.js';
import type { ObjectInput } from './object-input.js';
import type { ObjectWriter } from './object-writer.js';
import type { StoredObject } from './stored-object.js';
import type { ObjectChange } from './write-participant.js';
import type { KeyedLocks } from '../core/locks.js';
import { badRequest, conflict, notFound } from '../doip/error.js';
import { DESIGN_ID } from '../doip/handle.js';
import { ANONYMOUS_AUTHOR } from '../identity/caller.js';
import { checkNewId, checkTypeName } from './field-rules.js';
import { idFromPrimary, mintId } from './id-minter.js';
import { applyContent, applyElements, type UpdateWish } from './update-wish.js';

/** Who writes, and how. */
export interface WriteContext {
    readonly caller: Caller;
    /** Do everything but store it. */
    readonly dryRun?: boolean;
    /** From the request, for hooks. */
    readonly requestContext?: JsonObject;
    /** Asked again about the object as it is when it is changed, because rights may have changed meanwhile. */
    readonly check?: (object: StoredObject) => void;
}

/** Milliseconds that a writer waits for another one on the same object. */
const LOCK_DEADLINE = 30_000;

/** Milliseconds for which a change is computed anew while other nodes keep being faster. */
const RACE_DEADLINE = 15_000;

/** Most milliseconds between two attempts. A random part of it keeps nodes from meeting again and again. */
const RACE_PAUSE = 20;

/** How many ids are minted before that is given up. */
const MINT_ATTEMPTS = 8;

/** Creates, changes and deletes objects. */
export class ObjectService {

    private readonly store: ObjectStore;
    private readonly catalog: Catalog;
    private readonly pipeline: ContentPipeline;
    private readonly writer: ObjectWriter;
    private readonly limits: FieldLimits;
    private readonly locks: KeyedLocks;

    constructor(parts: {
        store: ObjectStore; catalog: Catalog; pipeline: ContentPipeline; writer: ObjectWriter; limits: FieldLimits; locks: KeyedLocks;
    }) {

        this.store = parts.store;
        this.catalog = parts.catalog;
        this.pipeline = parts.pipeline;
        this.writer = parts.writer;
        this.limits = parts.limits;
        this.locks = parts.locks;
    }

    /** The object of an id, or its absence. The catalog of types is at least as new as the object afterwards. */
    async view(id: string): Promise<ObjectView> {

        const view = await this.store.view(id);
        await this.catalog.ensure(view.epochs.types);
        return view;
    }

    /**
     * Creates an object.
     *
     * @param options `suffix` is used when the input names no id; without either an id is minted
     * @throws DoipError 400 for content that the type does not allow, 409 when the id is taken
     */
    async create(input: ObjectInput, context: WriteContext, options: { suffix?: string | undefined } = {}): Promise<StoredObject> {

        const { prefix } = this.catalog.current;
        const given = input.id ?? (options.suffix === undefined ? undefined : `${prefix}/${options.suffix}`);
        this.checkWritable(context.caller, given ?? '');
        if (given !== undefined) {
            checkNewId(given, prefix, this.limits);
            if ((await this.store.view(given)).object) {
                throw conflict(`Object already exists: ${given}`);
            }
        }

        for (const id of given === undefined ? this.candidates(input) : [given]) {
            const change = await this.draftNew(id, input, context);
            const outcome = context.dryRun ? 'stored' : await this.writer.write(change);
            if (outcome === 'stored') {
                return change.after;
            }
        }

        throw conflict(given === undefined ? 'no free id could be minted, try again' : `Object already exists: ${given}`);
    }

    /**
     * Changes an object. Computed anew when another writer was faster.
     *
     * @throws DoipError 400 for a wish that cannot be, 404 when the object or a part to delete does not exist, 409 when
     *     others kept being faster
     */
    async update(id: string, wish: UpdateWish, context: WriteContext): Promise<StoredObject> {

        return this.changing(id, context, async (before, now) => {

            const { input } = wish;
            if (input.id !== undefined && input.id !== id) {
                throw badRequest(`the id of the input, ${input.id}, differs from the target, ${id}`);
            }

            const type = this.typeAfter(before, wish);
            const content = applyContent(before.content, wish);
            return this.pipeline.prepare({
                before, id, type, content, caller: context.caller, now,
                acl: input.acl ?? before.acl,
                userMetadata: input.userMetadata ?? before.userMetadata,
                elements: applyElements(before, wish),
                metadata: { ...before.metadata, modifiedOn: now, modifiedBy: authorOf(context.caller) },
                contentTouched: content !== before.content || type !== before.type
            });
        });
    }

    /** Replaces the access control list of an object; absent arrays fall back to the defaults. */
    async updateAcl(id: string, acl: Acl, context: WriteContext): Promise<StoredObject> {

        return this.changing(id, context, (before, now) => this.pipeline.prepare({
            ...before, before, caller: context.caller, now, acl,
            metadata: { ...before.metadata, modifiedOn: now, modifiedBy: authorOf(context.caller) },
            contentTouched: false
        }));
    }

    /** Deletes an object with its elements. The design object stays. */
    async remove(id: string, context: WriteContext): Promise<void> {

        if (id === DESIGN_ID) {
            throw badRequest('the design object cannot be deleted');
        }

        await this.changing(id, context, async (before, now) => ({
            before, after: null, processed: null, steps: [], caller: context.caller, now
        }));
    }

    private *candidates(input: ObjectInput): Generator<string> {

        const { prefix } = this.catalog.current;
        const primary = this.pipeline.primaryOf(input);
        if (primary !== undefined) {
            yield idFromPrimary(prefix, primary);
        }

        for (let i = 0; i < MINT_ATTEMPTS; ++i) {
            yield mintId(prefix);
        }
    }

    private draftNew(id: string, input: ObjectInput, { caller }: WriteContext): Promise<ObjectChange & { after: StoredObject }> {

        const now = Date.now();
        const wish = { input };
        const author = authorOf(caller);
        return this.pipeline.prepare({
            before: null, id, type: checkTypeName(input.type, this.limits), content: applyContent({}, wish), caller, now,
            acl: input.acl ?? null,
            userMetadata: input.userMetadata ?? null,
            elements: applyElements({ id, elements: [] }, wish),
            metadata: { createdOn: now, createdBy: author, modifiedOn: now, modifiedBy: author },
            contentTouched: true
        });
    }

    /** The frame of every change to an existing object: one writer at a time, on its newest state, repeated after a lost race. */
    private async changing<C extends ObjectChange>(
        id: string, context: WriteContext, compute: (before: StoredObject, now: number) => Promise<C>
    ): Promise<NonNullable<C['after']>> {

        return this.locks.run(id, LOCK_DEADLINE, async () => {

            const deadline = Date.now() + RACE_DEADLINE;
            while (Date.now() < deadline) {
                const { object: before } = await this.view(id);
                if (!before) {
                    throw notFound(`object ${id} does not exist`);
                }

                context.check?.(before);
                this.checkWritable(context.caller, id);
                this.checkVersion(before);
                const change = await compute(before, Date.now());
                if (context.dryRun || await this.writer.write(change) === 'stored') {
                    return change.after as NonNullable<C['after']>;
                }

                await sleep(Math.random() * RACE_PAUSE);
            }

            throw conflict(`object ${id} is being changed by others, try again`);
        });
    }

    private typeAfter(before: StoredObject, { input, allowTypeChange }: UpdateWish): string {

        const type = input.type ?? before.type;
        if (type !== before.type && !allowTypeChange && !this.catalog.current.design.enableTypeChangeViaUpdate) {
            throw badRequest(`object ${before.id} has type ${before.type}; the design does not allow a change to ${type}`);
        }

        return type;
    }

    private checkWritable(caller: Caller, id: string): void {

        if (this.catalog.current.design.isReadOnly && !(caller.isAdmin && id === DESIGN_ID)) {
            throw badRequest('Cordra is read-only');
        }
    }

    private checkVersion({ metadata }: StoredObject): void {

        if (metadata.isVersion && !this.catalog.current.design.enableVersionEdits) {
            throw badRequest('Object versions cannot be edited');
        }
    }
}

/** The name that metadata records for a caller. */
export function authorOf(caller: Caller): string {

    return caller.userId ?? ANONYMOUS_AUTHOR;
}
