/**
 * Prepares drafts for storage: generated fields, validation by the type, extraction of secrets, reference checks. Runs without
 * holding a transaction or connection.
 */

import type { JsonObject } from '../util/json-types.js';
import { rememberText } from '../json/raw-json.js';
import { approximateLength, turnFor } from '../util/concurrency/event-loop-yielder.js';
import type { Catalog } from '../types/catalog.js';
import type { ProcessInput } from '../types/type-definition.js';
import type { FieldLimits } from './input/field-validation.js';
import type { ReferenceChecker } from './reference-checker.js';
import type { StoredObject } from '../model/stored-object.js';
import type { TxnIdGenerator } from './txn-id-generator.js';
import type { ObjectChange } from '../model/write-participant.js';
import { NO_ROLES } from '../model/account-annotations.js';
import { checkApproximateSize, checkedText, checkElementCount } from './input/field-validation.js';
import type { ProcessedContent } from '../model/processed-content.js';
import type { Draft, SecretRemover, PreparedChange } from '../model/object-draft.js';
import type { ObjectHasher } from './hashes/object-hashes.js';
import { SCHEMA_TYPE } from '../types/built-in-types.js';
import { checkDesignType } from './update-request.js';

/** A change whose code is validated. */
export type InspectedChange = Pick<PreparedChange, 'before' | 'after' | 'processed'>;

/** Validates the code in an object before it is stored. */
export interface CodeInspector {
    /** Validates changed code, which runs among the scripts of the caller; returns null if there is none. Rejects with DoipError 400 if it is invalid. */
    inspect(change: InspectedChange & Pick<ObjectChange, 'caller'>): Promise<void> | null;
}

/** Looks up types. */
export type TypeCatalog = Pick<Catalog, 'current' | 'require'>;

/** Checks permissions for script modules in an object; see `scripting/hooks/module-permissions`. */
export interface ModuleInspector {
    /**
     * Returns whether the change adds modules that must not shadow others, also when it is stored.
     *
     * @param isRestored true for an object as it was elsewhere, which may shadow modules
     * @throws DoipError 401 or 403 if the caller may not change modules, 400 or 409 if they would shadow others
     */
    check(change: InspectedChange & Pick<ObjectChange, 'caller'>, isRestored: boolean): boolean;
}

const UNLIMITED: FieldLimits = { idBytes: Infinity, nameBytes: Infinity, aclEntries: Infinity, elements: Infinity, contentBytes: Infinity };

/** Prepares drafts. */
export class ContentPipeline {

    readonly #catalog: TypeCatalog;
    readonly #secrets: SecretRemover;
    readonly #references: ReferenceChecker;
    readonly #clock: TxnIdGenerator;
    readonly #limits: FieldLimits;
    readonly #code: CodeInspector;
    readonly #hasher: ObjectHasher;
    readonly #modules: ModuleInspector;

    constructor(parts: {
        catalog: TypeCatalog; secrets: SecretRemover; references: ReferenceChecker; clock: TxnIdGenerator; limits: FieldLimits;
        code: CodeInspector; hasher: ObjectHasher; modules: ModuleInspector;
    }) {

        this.#catalog = parts.catalog;
        this.#secrets = parts.secrets;
        this.#references = parts.references;
        this.#clock = parts.clock;
        this.#limits = parts.limits;
        this.#code = parts.code;
        this.#hasher = parts.hasher;
        this.#modules = parts.modules;
    }

    /**
     * Validates a draft and completes it with a transaction number. Must run within an attempt of the clock.
     *
     * @throws DoipError 400 with JSON pointers of the errors
     */
    async prepare(draft: Draft): Promise<PreparedChange> {

        checkDesignType(draft.id, draft.type);
        const limits = this.#limitsFor(draft);
        checkElementCount(draft.elements.length, limits);
        if (draft.userMetadata) {
            checkedText('userMetadata', draft.userMetadata, limits);
        }

        const { before, caller, now } = draft;
        if (!draft.contentTouched) {
            const type = this.#catalog.current.get(draft.type);
            await type?.prepare();
            const regenerated = type?.regenerate(factsOf(draft)) ?? draft.content;
            if (regenerated !== draft.content) {
                return await this.#prepareContent({ ...draft, content: regenerated }, 'as-it-was', limits);
            }

            const change = { before, after: await this.#complete(draft, draft.content), processed: null, steps: [], caller, now };
            return this.#modules.check(change, false) ? { ...change, addsModules: true } : change;
        }

        return await this.#prepareContent(draft, draft.restored, limits);
    }

    async #prepareContent(draft: Draft, restored: Draft['restored'], limits: FieldLimits): Promise<PreparedChange> {

        const { before, caller, now } = draft;
        const keepsContent = restored === 'as-it-was' || restored === 'reviewed';
        checkApproximateSize(draft.content, limits);
        const length = approximateLength(draft.content);
        await turnFor(length);
        const processed = await (keepsContent ? this.#examine(draft) : this.#process(draft));
        await turnFor(length);
        const { content, steps, secrets } = await this.#secrets.extract(processed, draft);
        const text = checkedText('content', content, limits);
        rememberText(content, text);
        await turnFor(text.length);
        const change = { before, after: await this.#complete(draft, content), processed, steps, caller, now, ...secrets ? { secrets } : {} };
        const addsModules = this.#modules.check(change, Boolean(draft.restored));
        const inspection = draft.restored === 'reviewed' ? null : this.#code.inspect(change);
        if (inspection) {
            await inspection;
        }

        return addsModules ? { ...change, addsModules } : change;
    }

    /** What was reviewed is within the limits, except for former objects of a rollback, of which none may be left out when limits are lower than before. */
    #limitsFor({ restored }: Pick<Draft, 'restored'>): FieldLimits {

        return restored === 'reviewed' ? UNLIMITED : this.#limits;
    }

    /** Returns the text of the primary property of content to be created; undefined if its type marks none. */
    async primaryOf(type: string, content: JsonObject): Promise<string | undefined> {

        const definition = this.#catalog.current.get(type);
        await definition?.prepare();
        return definition?.primaryOf(content);
    }

    async #process(draft: Draft): Promise<ProcessedContent> {

        await this.#catalog.require(draft.type).prepare();
        if (draft.type === SCHEMA_TYPE) {
            await this.#catalog.current.prepareSchemaObject(draft.content);
        }

        const processed = this.#catalog.require(draft.type).process(factsOf(draft));
        if (!draft.restored) {
            await this.#references.check(processed, draft);
        }

        return processed;
    }

    /** Returns what is known of unvalidated content; its type may no longer exist. */
    async #examine({ type, content }: Draft): Promise<ProcessedContent> {

        const definition = this.#catalog.current.get(type);
        await definition?.prepare();
        return definition?.examine(content) ?? unmarked(content);
    }

    #complete(draft: Draft, content: JsonObject): StoredObject | Promise<StoredObject> {

        const { id, type, acl, userMetadata, elements, metadata } = draft;
        const txnId = this.#clock.next(draft.before?.metadata.txnId);
        const object = { id, type, content, acl, userMetadata, elements, metadata: { ...metadata, txnId } };
        return draft.restored && metadata.hashes ? object : this.#hasher.complete(object);
    }
}

/** Returns the content of a draft, and the facts for its generated fields. */
function factsOf({ content, id, metadata, restored }: Draft): ProcessInput {

    const { createdOn, createdBy, modifiedOn, modifiedBy } = metadata;
    return { content, id, createdOn, createdBy, modifiedOn, modifiedBy, isRestored: restored !== undefined };
}

/** Returns content without annotations, for a type that does not exist. */
function unmarked(content: JsonObject): ProcessedContent {

    return { content, annotations: [], references: [], roles: NO_ROLES, moduleDirectory: undefined };
}
