/**
 * The design, the types and the modules for scripts as they are now. Kept in memory as an immutable registry and built anew when the epoch of types,
 * read together with every object, says that somebody changed them, here or on another node.
 */

import type { JsonObject } from '../doip/json.js';
import type { ObjectStore } from '../stores/object-store.js';
import type { ModuleFile, ScriptModuleStore } from '../stores/script-module-store.js';
import type { TypeRegistry } from './type-registry.js';
import { DESIGN_ID } from '../doip/handle.js';
import { isJsonObject } from '../doip/json.js';
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

/** Design and types of this moment. */
export class Catalog {

    readonly #store: ObjectStore;
    readonly #modules: ScriptModuleStore;
    readonly #build: RegistryBuilder;
    readonly #codedRules: RuleMaker;
    #registry: TypeRegistry | null = null;
    #epoch = -1;
    #schemas = new Map<string, SchemaRecord>();
    #directories: ReadonlyMap<string, string> = new Map();
    #files: readonly ModuleFile[] = [];
    #loading: Promise<void> | null = null;

    constructor(parts: { store: ObjectStore; modules: ScriptModuleStore; build: RegistryBuilder; codedRules: RuleMaker }) {

        this.#store = parts.store;
        this.#modules = parts.modules;
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

    /** Objects whose payloads are modules for scripts: id → name of the directory. */
    get moduleDirectories(): ReadonlyMap<string, string> {

        return this.#directories;
    }

    /** The payloads of these objects. */
    get moduleFiles(): readonly ModuleFile[] {

        return this.#files;
    }

    /** The registry as it would be with some Schema objects more, or with them alone, and with another design. */
    imagine(schemas: readonly SchemaRecord[], design: JsonObject | undefined, keepsOthers: boolean): TypeRegistry {

        const ids = new Set(schemas.map(({ id }) => id));
        const kept = keepsOthers ? [...this.#schemas.values()].filter(({ id }) => !ids.has(id)) : [];
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
        const coming = this.#build(design?.content ?? {}, [...schemas.values()], this.#registry);
        this.#registry = coming.ruledBy(await this.#codedRules(coming, files));
        this.#schemas = schemas;
        this.#directories = directories;
        this.#files = files;
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
