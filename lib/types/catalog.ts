/**
 * The design, the types and the modules for scripts as they are now. Kept in memory as an immutable registry and built anew when the epoch of types,
 * read together with every object, says that somebody changed them, here or on another node.
 */

import type { JsonObject } from '../util/json-types.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import type { ModuleFile, ScriptModuleStore } from '../stores/script-module-store.js';
import type { SettingStore } from '../stores/setting-store.js';
import type { TypeDefinition } from './type-definition.js';
import type { TypeRegistry } from './type-registry.js';
import { badRequest, unavailable } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { isJsonObject } from '../util/json-types.js';
import { UPLOAD_SETTING } from '../stores/setting-store.js';
import { SCHEMA_TYPE } from './built-in-types.js';

/** A Schema object as the registry needs it. */
export interface SchemaRecord {
    readonly id: string;
    readonly txnId: number;
    readonly content: JsonObject;
}

/** Makes a registry; given by the composition root. */
export type RegistryBuilder = (design: JsonObject, schemas: readonly SchemaRecord[], previous: TypeRegistry | null) => TypeRegistry;

/** Access rules that the code of types makes: name → entry. Asked for before a registry counts. */
export type RuleMaker = (coming: TypeRegistry, files: readonly ModuleFile[]) => Promise<ReadonlyMap<string, JsonObject>>;

/** Seconds after which it is worth while to ask again whether an upload is over. */
const RETRY_AFTER = 5;

/** Design and types of this moment. */
export class Catalog {

    readonly #store: ObjectStore;
    readonly #modules: ScriptModuleStore;
    readonly #settings: SettingStore;
    readonly #build: RegistryBuilder;
    readonly #codedRules: RuleMaker;
    #registry: TypeRegistry | null = null;
    #epoch = -1;
    #isUploading = false;
    #schemas = new Map<string, SchemaRecord>();
    #directories: ReadonlyMap<string, string> = new Map();
    #files: readonly ModuleFile[] = [];
    #loading: Promise<void> | null = null;

    constructor(parts: { store: ObjectStore; modules: ScriptModuleStore; settings: SettingStore; build: RegistryBuilder; codedRules: RuleMaker }) {

        this.#store = parts.store;
        this.#modules = parts.modules;
        this.#settings = parts.settings;
        this.#build = parts.build;
        this.#codedRules = parts.codedRules;
    }

    /** The registry; {@link ensure} decides how new it is. */
    get current(): TypeRegistry {

        if (!this.#registry) {
            throw new Error('the catalog of types has not been loaded');
        }

        return this.#registry;
    }

    /** Grows whenever a type, a module for scripts or the design changes, on all nodes alike. */
    get epoch(): number {

        return this.#epoch;
    }

    /**
     * Requires that no upload of all objects runs: then types may be missing that are to come, and only its own writes pass.
     *
     * @throws DoipError 503
     */
    checkComplete(): void {

        if (this.#isUploading) {
            throw unavailable('an upload of objects is in progress, try again later', RETRY_AFTER);
        }
    }

    /**
     * Requires that there is a type.
     *
     * @throws DoipError 400 when there is none, 503 when an upload of all objects may bring it
     */
    require(name: string): TypeDefinition {

        const type = this.current.get(name);
        if (!type) {
            this.checkComplete();
            throw badRequest(`Unknown type ${name}`);
        }

        return type;
    }

    /** Objects whose payloads are modules for scripts: id → name of the directory. */
    get moduleDirectories(): ReadonlyMap<string, string> {

        return this.#directories;
    }

    /** The payloads of these objects. */
    get moduleFiles(): readonly ModuleFile[] {

        return this.#files;
    }

    /** The registry as it would be with other Schema objects beside those that stay, and perhaps with another design. */
    imagine(schemas: readonly SchemaRecord[], design: JsonObject | undefined, stays: (id: string) => boolean): TypeRegistry {

        const kept = [...this.#schemas.values()].filter(({ id }) => stays(id));
        return this.#build(design ?? this.current.design.content, [...kept, ...schemas], null);
    }

    /** Makes sure that the registry is at least as new as an epoch. Costs nothing when it is. */
    async ensure(epoch: number): Promise<void> {

        while (this.#epoch < epoch) {
            this.#loading ??= this.#load().finally(() => {

                this.#loading = null;
            });
            await this.#loading;
        }
    }

    async #load(): Promise<void> {

        // The epoch comes with the first read: whatever changes after it raises the epoch again.
        const { object: design, epochs } = await this.#store.freshView(DESIGN_ID);
        const schemas = await this.#loadSchemas();
        const directories = await this.#modules.directories();
        const files = directories.size > 0 ? await this.#modules.files() : [];
        const isUploading = await this.#settings.get(UPLOAD_SETTING) !== null;
        const coming = this.#build(design?.content ?? {}, [...schemas.values()], this.#registry);
        this.#registry = coming.ruledBy(await this.#codedRules(coming, files));
        this.#schemas = schemas;
        this.#directories = directories;
        this.#files = files;
        this.#isUploading = isUploading;
        this.#epoch = epochs.types;
    }

    /** Reads the Schema objects that changed; the others are known. */
    async #loadSchemas(): Promise<Map<string, SchemaRecord>> {

        const schemas = new Map<string, SchemaRecord>();
        let after = '';
        for (;;) {
            const page = await this.#store.listTips(SCHEMA_TYPE, after);
            for (const { id, txnId } of page) {
                const known = this.#schemas.get(id);
                const record = known?.txnId === txnId ? known : await this.#readSchema(id);
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
        return object && isJsonObject(object.content.schema) ?
            { id, txnId: object.metadata.txnId, content: object.content } : null;
    }
}
