/**
 * Type code of the current catalog: code of types, of the design, and script modules.
 */

import type { ElementService } from '../../objects/elements/element-service.js';
import type { ModuleFile } from '../../stores/script-module-store.js';
import type { Catalog } from '../../types/catalog.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import { readBytes } from '../../doip/segments.js';
import { normalized } from './module-resolver.js';
import type { ScriptModule, EntryModule, Program } from '../protocol/program.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Maximum size of a module in bytes. */
export const MAX_MODULE_BYTES = 4 * 1024 * 1024;

const TYPES = '/cordra/schemas/';
const SCHEMA_ENDING = '.schema.json';

/** Module ids of the code in the design. */
const DESIGN = '/cordra/design';
const HANDLES = '/cordra/handles';

/** Types, design and modules that code is taken from. */
export type CodeSource = Pick<Catalog, 'epoch' | 'current' | 'moduleFiles'>;

/** Opens the bytes of modules. */
export type ModuleOpener = Pick<ElementService, 'open'>;

/** Code of one state of the catalog. */
interface Moment {
    readonly epoch: number;
    readonly registry: TypeRegistry;
    readonly program: Program;
    /** Units of types, cached on first use; null for types without code. */
    readonly units: Map<string, EntryModule | null>;
    readonly design: EntryModule | null;
    readonly handles: EntryModule | null;
}

/** Provides the code in the catalog. */
export class ProgramCatalog {

    readonly #catalog: CodeSource;
    readonly #elements: ModuleOpener;
    readonly #name: string;
    #moment: Moment | null = null;

    /** @param name prefix that distinguishes versions of this program from those of others in the same workers */
    constructor(catalog: CodeSource, elements: ModuleOpener, name = '') {

        this.#catalog = catalog;
        this.#elements = elements;
        this.#name = name;
    }

    /** All modules of the current catalog. */
    get program(): Program {

        return this.#now().program;
    }

    /** Returns the code of a type; null if it has none. */
    unitOf(type: string): EntryModule | null {

        const { units, registry } = this.#now();
        return getOrAdd(units, type, () => {

            const code = registry.get(type)?.javascript;
            return code === undefined ? null : typeUnit(type, code);
        });
    }

    /** The code of the design; null if it has none. */
    get design(): EntryModule | null {

        return this.#now().design;
    }

    /** The code that computes handle values; null if there is none. */
    get handles(): EntryModule | null {

        return this.#now().handles;
    }

    /** Returns the current code of a unit; null if it no longer has any, undefined if its type no longer exists. */
    currentOf({ name }: EntryModule): EntryModule | null | undefined {

        const { design, handles, registry } = this.#now();
        if (name === DESIGN || name === HANDLES) {
            return name === DESIGN ? design : handles;
        }

        const type = name.slice(TYPES.length);
        return this.unitOf(type) ?? (registry.get(type) ? null : undefined);
    }

    #now(): Moment {

        const { epoch, current } = this.#catalog;
        if (this.#moment?.epoch !== epoch) {
            this.#moment = this.#build(epoch, current);
        }

        return this.#moment;
    }

    /** Returns all modules of a state of the catalog, which need not be in effect yet. */
    programOf(version: string, registry: TypeRegistry, moduleFiles: readonly ModuleFile[]): Program {

        const { javascript, handleJavascript } = registry.design;
        const files = filesByPath(moduleFiles);
        const fixed = new Map([[DESIGN, javascript], [HANDLES, handleJavascript]]);
        const find = (name: string): ScriptModule | undefined => {

            const code = fixed.get(name) ?? codeOfType(name, registry);
            if (code !== undefined) {
                return { kind: 'script', text: () => code };
            }

            const file = files.get(name);
            return file ? this.#moduleOf(file) : schemaOf(name, registry);
        };

        return { version, find };
    }

    #build(epoch: number, registry: TypeRegistry): Moment {

        const { javascript, handleJavascript } = registry.design;
        return {
            epoch, registry,
            program: this.programOf(`${this.#name}${epoch}`, registry, this.#catalog.moduleFiles),
            units: new Map(),
            design: javascript === undefined ? null : designUnit(javascript),
            handles: handleJavascript === undefined ? null : handlesUnit(handleJavascript)
        };
    }

    #moduleOf({ element }: ModuleFile): ScriptModule {

        return {
            kind: element.name.endsWith('.json') ? 'json' : 'script',
            text: async () => (await readBytes(this.#elements.open(element, null), MAX_MODULE_BYTES)).toString()
        };
    }
}

/** Returns the code of a type as a unit. */
export function typeUnit(type: string, code: string): EntryModule {

    return { name: TYPES + type, label: `type ${type}`, code };
}

/** Returns the code of the design as a unit. */
export function designUnit(code: string): EntryModule {

    return { name: DESIGN, label: 'the design', code };
}

/** Returns the code that computes handle values as a unit. */
export function handlesUnit(code: string): EntryModule {

    return { name: HANDLES, label: 'handle values', code };
}

/** Returns the module id of an element of an object that holds modules. */
export function modulePath(directory: string, name: string): string {

    return normalized(`/${directory}/${name}`);
}

/** Of several files with the same path, the first one counts. */
function filesByPath(files: readonly ModuleFile[]): ReadonlyMap<string, ModuleFile> {

    const byPath = new Map<string, ModuleFile>();
    for (const file of files) {
        const path = modulePath(file.directory, file.element.name);
        if (!byPath.has(path)) {
            byPath.set(path, file);
        }
    }

    return byPath;
}

/** Returns the code of a type by module id. Any type can be required, even one without exports. */
function codeOfType(name: string, registry: TypeRegistry): string | undefined {

    const type = name.startsWith(TYPES) ? registry.get(name.slice(TYPES.length)) : undefined;
    return type && (type.javascript ?? '');
}

function schemaOf(name: string, registry: TypeRegistry): ScriptModule | undefined {

    const isSchema = name.startsWith(TYPES) && name.endsWith(SCHEMA_ENDING);
    const type = isSchema ? registry.get(name.slice(TYPES.length, -SCHEMA_ENDING.length)) : undefined;
    return type && { kind: 'json', text: () => JSON.stringify(type.schema) };
}
