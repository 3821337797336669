/**
 * The current design, types and script modules: an immutable registry in memory, renewed when the epoch of types, which is read
 * together with every object, shows a change made on any node.
 */

import type { JsonObject } from '../util/json-types.js';
import type { Epochs, ObjectStore } from '../stores/objects/object-store.js';
import type { CatalogStore } from '../stores/catalog-store.js';
import type { ModuleFile, ScriptModuleStore } from '../stores/script-module-store.js';
import type { SettingStore } from '../stores/setting-store.js';
import type { TypeDefinition } from './type-definition.js';
import type { TypeRegistry } from './type-registry.js';
import { unavailable } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { isJsonObject } from '../util/json-types.js';
import { UPLOAD_SETTING } from '../stores/setting-store.js';
import { SCHEMA_TYPE } from './built-in-types.js';
import { SingleFlight } from '../util/concurrency/single-flight.js';

/** A Schema object as the registry needs it. */
export interface SchemaRecord {
    readonly id: string;
    readonly txnId: number;
    readonly content: JsonObject;
}

/** Builds a registry of all types; provided by the composition root. */
export type RegistryBuilder = (design: JsonObject, schemas: readonly SchemaRecord[], previous: TypeRegistry | null) => TypeRegistry;

/** Evaluates the access rules that type code computes: name → entry. Called before a new registry takes effect. */
export type RuleMaker = (
    planned: TypeRegistry, files: readonly ModuleFile[], onRevised: (rules: ReadonlyMap<string, JsonObject>) => void
) => Promise<ReadonlyMap<string, JsonObject>>;

/** Schema objects that have changed, as they are now; null for those that are none any more. */
type SchemaChanges = ReadonlyMap<string, SchemaRecord | null>;

/** Seconds a client should wait before it retries during an upload. */
const RETRY_AFTER = 5;

/** The current design and types. */
export class Catalog {

    readonly #store: ObjectStore;
    readonly #rows: CatalogStore;
    readonly #modules: ScriptModuleStore;
    readonly #settings: SettingStore;
    readonly #build: RegistryBuilder;
    readonly #authConfigRules: RuleMaker;
    #registry: TypeRegistry | null = null;
    #epoch = -1;
    #storedEpoch = -1;
    #isUploading = false;
    #schemas = new Map<string, SchemaRecord>();
    #directories: ReadonlyMap<string, string> = new Map();
    #files: readonly ModuleFile[] = [];
    readonly #loading = new SingleFlight<void>();

    constructor(parts: {
        store: ObjectStore; rows: CatalogStore; modules: ScriptModuleStore; settings: SettingStore; build: RegistryBuilder; authConfigRules: RuleMaker;
    }) {

        this.#store = parts.store;
        this.#rows = parts.rows;
        this.#modules = parts.modules;
        this.#settings = parts.settings;
        this.#build = parts.build;
        this.#authConfigRules = parts.authConfigRules;
    }

    /** The registry; {@link ensure} makes it as recent as required. */
    get current(): TypeRegistry {

        if (!this.#registry) {
            throw new Error('the catalog of types has not been loaded');
        }

        return this.#registry;
    }

    /** Epoch of the registry; grows whenever a type, a script module or the design changes. Not the same in other processes. */
    get epoch(): number {

        return this.#epoch;
    }

    /** The same epoch as the database has it, for what is stored or told to other processes. */
    get storedEpoch(): number {

        return this.#storedEpoch;
    }

    /**
     * Throws while an upload of all objects is in progress: types may be missing until it ends, and only its own writes are
     * accepted.
     *
     * @throws DoipError 503
     */
    checkComplete(): void {

        if (this.#isUploading) {
            throw unavailable('an upload of objects is in progress, try again later', RETRY_AFTER);
        }
    }

    /**
     * Returns a type.
     *
     * @throws DoipError 400 if it does not exist, 503 if an upload in progress may still create it
     */
    require(name: string): TypeDefinition {

        const type = this.current.get(name);
        if (type) {
            return type;
        }

        this.checkComplete();
        return this.current.require(name);
    }

    /** Transaction number of the Schema object that defines a type, as the registry has it; null for a type that is built in or unknown. */
    txnIdOf(name: string): number | null {

        const schemaId = this.current.get(name)?.schemaId;
        return (schemaId ? this.#schemas.get(schemaId)?.txnId : null) ?? null;
    }

    /** Objects whose payloads are script modules: object id → name of the directory. */
    get moduleDirectories(): ReadonlyMap<string, string> {

        return this.#directories;
    }

    /** The script modules: payloads of these objects. */
    get moduleFiles(): readonly ModuleFile[] {

        return this.#files;
    }

    /** Builds a hypothetical registry: the given Schema objects beside the current ones that stay, optionally with another design. */
    withChanges(schemas: readonly SchemaRecord[], design: JsonObject | undefined, remains: (id: string) => boolean): TypeRegistry {

        const remaining = [...this.#schemas.values()].filter(({ id }) => remains(id));
        return this.#build(design ?? this.current.design.content, [...remaining, ...schemas], null);
    }

    /** Loads the registry, unless it is at least as recent as an epoch. */
    async ensure(epoch: number): Promise<void> {

        while (this.#epoch < epoch) {
            await this.#loading.run(() => this.#load());
        }
    }

    /**
     * Loads the registry if an epoch of the database, as another process has read it, differs from its own and the database has another state:
     * a later one, or an earlier one where it has lost commits.
     */
    async catchUp(storedEpoch: number): Promise<void> {

        if (this.#storedEpoch !== storedEpoch) {
            const { epochs } = await this.#store.freshView(DESIGN_ID);
            await this.ensure(epochs.types);
        }
    }

    async #load(): Promise<void> {

        // The first read returns the epoch, so that any later change raises it again.
        const { object: design, epochs } = await this.#store.freshView(DESIGN_ID);
        const changes = this.#registry && await this.#readChanges(epochs);
        const schemas = changes ? this.#schemas : await this.#loadSchemas();
        const directories = await this.#modules.directories();
        const files = directories.size > 0 ? await this.#modules.files() : [];
        const isUploading = await this.#settings.get(UPLOAD_SETTING) !== null;
        const planned = this.#planned(design?.content ?? {}, schemas, changes);
        // After the types: those of a type that is seen to be gone are stored.
        const former = await this.#rows.formerRules();
        const computed = await this.#authConfigRules(planned, files, (revised) => {

            this.#registry = planned.ruledBy({ computed: revised, former });
        });
        this.#registry = planned.ruledBy({ computed, former });
        this.#schemas = schemas;
        for (const [id, record] of changes ?? []) {
            setOrDelete(schemas, id, record);
        }

        this.#directories = directories;
        this.#files = files;
        this.#isUploading = isUploading;
        this.#epoch = epochs.types;
        this.#storedEpoch = epochs.storedTypes;
    }

    #planned(design: JsonObject, schemas: ReadonlyMap<string, SchemaRecord>, changes: SchemaChanges | null): TypeRegistry {

        if (!changes) {
            return this.#build(design, [...schemas.values()], this.#registry);
        }

        const changed = this.#registry?.changed(design, Array.from(changes, ([id, record]) => ({ id, content: record?.content ?? null })));
        if (changed) {
            return changed;
        }

        const all = new Map(schemas);
        changes.forEach((record, id) => setOrDelete(all, id, record));
        // Of types with the same name or URI the one with the lowest id counts, as after a start.
        return this.#build(design, [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), this.#registry);
    }

    /** Reads the Schema objects that have changed since the last load; null if all must be read, as after the database has lost changes. */
    async #readChanges({ types, storedTypes }: Epochs): Promise<SchemaChanges | null> {

        const isSameHistory = types - storedTypes === this.#epoch - this.#storedEpoch;
        const ids = isSameHistory ? await this.#rows.changedBetween(this.#storedEpoch, storedTypes) : null;
        const changes = ids && new Map<string, SchemaRecord | null>();
        for (const id of ids ?? []) {
            changes?.set(id, await this.#readSchema(id));
        }

        return changes;
    }

    /** Reads all Schema objects; takes those that are unchanged from memory. */
    async #loadSchemas(): Promise<Map<string, SchemaRecord>> {

        const schemas = new Map<string, SchemaRecord>();
        let after = '';
        for (;;) {
            const page = await this.#store.listTips(SCHEMA_TYPE, after);
            for (const { id, txnId } of page) {
                const former = this.#schemas.get(id);
                const record = former?.txnId === txnId ? former : await this.#readSchema(id);
                if (record) {
                    schemas.set(id, record);
                }

                after = id;
            }

            if (page.length === 0) {
                return schemas;
            }
        }
    }

    async #readSchema(id: string): Promise<SchemaRecord | null> {

        const { object } = await this.#store.freshView(id);
        return object?.type === SCHEMA_TYPE && !object.metadata.isVersion && isJsonObject(object.content.schema) ?
            { id, txnId: object.metadata.txnId, content: object.content } : null;
    }
}

function setOrDelete(schemas: Map<string, SchemaRecord>, id: string, record: SchemaRecord | null): void {

    if (record) {
        schemas.set(id, record);
    }
    else {
        schemas.delete(id);
    }
}
