/**
 * Creation of objects: choice of an id, and the pipeline from input to stored object.
 */

import type { JsonObject } from '../util/json-types.js';
import type { Catalog } from '../types/catalog.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import type { ContentPipeline } from './content-pipeline.js';
import type { ObjectWriter, WriteOutcome } from './object-writer.js';
import type { StoredObject } from '../model/stored-object.js';
import type { TxnIdGenerator } from './txn-id-generator.js';
import { conflict, DoipError } from '../errors/errors.js';
import { WRITE_TIMEOUT_MS } from './object-transaction.js';
import { checkNewId, checkTypeName } from './input/field-validation.js';
import type { Proposal } from './hooks/hook-object.js';
import { withIndexForm } from './hooks/indexed-form-builder.js';
import { idFromPrimary, mintId } from './id-minter.js';
import { retryOnConflict } from '../util/concurrency/retry-on-conflict.js';
import { applyContent, applyElements, checkWritable } from './update-request.js';
import { authorOf, type WriteContext } from '../model/write-context.js';
import { WriteHooks, type HookParts } from './hooks/write-hooks.js';
import { ID_RESERVED } from '../model/write-participant.js';
import type { ObjectInput } from '../model/object-input.js';
import type { PreparedChange } from '../model/object-draft.js';

/** Maximum number of minted ids to try. */
const MINT_ATTEMPTS = 8;

/** Maximum number of generated ids to try. */
const GENERATE_ATTEMPTS = 100;

/** Maximum number of attempts when the transaction number was too late. */
const NUMBER_ATTEMPTS = 5;

/** Options for the id of a new object. */
export interface CreateOptions {
    /** Suffix of the id, after the prefix of this service, if the input has no id. */
    readonly suffix?: string | undefined;
    /** True if the id in the input was just looked up and is free; if it is taken meanwhile, the result is still 409. */
    readonly isFree?: boolean;
}

/** Context of the attempts to create an object. */
interface Creation {
    readonly context: WriteContext;
    readonly hooks: WriteHooks | null;
    /** The content as the client sent it. */
    readonly sent: JsonObject;
}

/** Creates objects. */
export class ObjectCreation {

    readonly #store: ObjectStore;
    readonly #catalog: Catalog;
    readonly #pipeline: ContentPipeline;
    readonly #writer: ObjectWriter;
    readonly #hooks: HookParts;
    readonly #clock: TxnIdGenerator;
    readonly #patience: number;

    constructor(parts: {
        store: ObjectStore; catalog: Catalog; pipeline: ContentPipeline; writer: ObjectWriter; hooks: HookParts; clock: TxnIdGenerator;
        patience?: number | undefined;
    }) {

        this.#store = parts.store;
        this.#catalog = parts.catalog;
        this.#pipeline = parts.pipeline;
        this.#writer = parts.writer;
        this.#hooks = parts.hooks;
        this.#clock = parts.clock;
        this.#patience = parts.patience ?? WRITE_TIMEOUT_MS;
    }

    /** See `ObjectService.create`. */
    async create(input: ObjectInput, context: WriteContext, { suffix, isFree = false }: CreateOptions): Promise<StoredObject> {

        const given = input.id ?? (suffix === undefined ? undefined : `${this.#catalog.current.prefix}/${suffix}`);
        checkWritable(this.#catalog.current.design, context.caller, given ?? '');
        if (given !== undefined) {
            checkNewId(given, this.#catalog.current.prefix, this.#hooks.limits);
            if (!isFree) {
                await this.#checkFree(given);
            }
        }

        const hooks = this.#hooksOf(input, context);
        let proposal = this.#propose(given, input);
        const attempt = { context, hooks, sent: proposal.content };
        if (hooks) {
            proposal = await hooks.beforeSchemaValidation(proposal);
            if (proposal.id !== undefined && proposal.id !== given) {
                checkNewId(proposal.id, this.#catalog.current.prefix, this.#hooks.limits);
                await this.#checkFree(proposal.id);
            }
        }

        const after = proposal.id === undefined ?
            await this.#underNewId(proposal, attempt) :
            await this.#under(proposal.id, proposal, attempt);
        if (!after) {
            throw proposal.id === undefined ? conflict('no free id could be found, try again') : alreadyThere(proposal.id);
        }

        await hooks?.afterStorage(after);
        return after;
    }

    #hooksOf(input: ObjectInput, context: WriteContext): WriteHooks | null {

        const { lifecycle } = this.#hooks;
        const concerns = input.type !== undefined && !context.within && (lifecycle.has(input.type) || lifecycle.mayGenerateIds(input.type));
        return concerns ? new WriteHooks(this.#hooks, { before: null, input, context }) : null;
    }

    #propose(id: string | undefined, input: ObjectInput): Proposal {

        return {
            id,
            type: checkTypeName(input.type, this.#hooks.limits),
            content: applyContent({}, { input }),
            acl: input.acl ?? null,
            userMetadata: input.userMetadata ?? null,
            elements: applyElements({ id: id ?? 'without id', elements: [] }, { input })
        };
    }

    async #underNewId(proposal: Proposal, creation: Creation): Promise<StoredObject | null> {

        const generated = creation.hooks ? await this.#underGenerated(proposal, creation, creation.hooks) : null;
        if (generated) {
            return generated;
        }

        const primary = await this.#underPrimary(proposal, creation);
        if (primary) {
            return primary;
        }

        for (let i = 0; i < MINT_ATTEMPTS; ++i) {
            const after = await this.#under(mintId(this.#catalog.current.prefix), proposal, creation);
            if (after) {
                return after;
            }
        }

        return null;
    }

    /** Creates the object with the id derived from its content; null if there is none, or it is taken or reserved for another user or group. */
    async #underPrimary(proposal: Proposal, creation: Creation): Promise<StoredObject | null> {

        const primary = this.#pipeline.primaryOf(proposal.type, proposal.content);
        if (primary === undefined) {
            return null;
        }

        try {
            return await this.#under(idFromPrimary(this.#catalog.current.prefix, primary), proposal, creation);
        }
        catch (error) {
            if (error instanceof DoipError && error.reason === ID_RESERVED) {
                return null;
            }

            throw error;
        }
    }

    /** Creates the object with a generated id; null if code generates none. */
    async #underGenerated(proposal: Proposal, creation: Creation, hooks: WriteHooks): Promise<StoredObject | null> {

        let last: string | null = null;
        for await (const id of hooks.generatedIds(proposal, GENERATE_ATTEMPTS)) {
            checkNewId(id, this.#catalog.current.prefix, this.#hooks.limits);
            last = id;
            const isTaken = (await this.#store.view(id)).object !== null;
            const after = isTaken ? null : await this.#under(id, proposal, creation);
            if (after) {
                return after;
            }
        }

        if (last !== null) {
            throw alreadyThere(last);
        }

        return null;
    }

    /** Creates the object with an id; null if the id is taken. */
    async #under(id: string, wanted: Proposal, creation: Creation): Promise<StoredObject | null> {

        const { after, outcome } = await retryOnConflict(() => this.#clock.reserve(() => this.#attempt(id, wanted, creation)), {
            deadline: performance.now() + this.#patience, maxAttempts: NUMBER_ATTEMPTS,
            message: `object ${id} took too long to be created, try again`
        });
        return outcome === 'stored' ? after : null;
    }

    /** Returns null if the transaction number was too late. */
    async #attempt(
        id: string, wanted: Proposal, { context, hooks, sent }: Creation
    ): Promise<{ after: StoredObject; outcome: WriteOutcome } | null> {

        const proposal = { ...wanted, id };
        const change = await this.#draft(id, hooks ? await hooks.withId(proposal) : proposal, sent, context);
        await hooks?.beforeStorage(change.after);
        const made = withIndexForm(this.#hooks, change, context);
        const indexed = made instanceof Promise ? await made : made;
        const outcome = context.dryRun ? 'stored' : await this.#writer.write(indexed);
        return outcome === 'lost-race' ? null : { after: change.after, outcome };
    }

    #draft(id: string, proposal: Proposal, sent: JsonObject, { caller, earlier }: WriteContext): Promise<PreparedChange> {

        const now = Date.now();
        const author = authorOf(caller);
        return this.#pipeline.prepare({
            ...proposal, before: null, id, caller, now,
            metadata: { createdOn: now, createdBy: author, modifiedOn: now, modifiedBy: author },
            contentTouched: true, earlier, sent
        });
    }

    /** Checks that an id is free. @throws DoipError 409 */
    async #checkFree(id: string): Promise<void> {

        if ((await this.#store.view(id)).object) {
            throw alreadyThere(id);
        }
    }
}

function alreadyThere(id: string): Error {

    return conflict(`Object already exists: ${id}`);
}
