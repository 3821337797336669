/**
 * The code of all types at one moment: entry modules, and the modules they can require. Knows nothing of threads.
 */

/** A module whose exports are hooks and methods. */
export interface EntryModule {
    /** Module id: `/cordra/schemas/Document` for a type, `/cordra/design` for the design. */
    readonly name: string;
    /** For logs and messages, such as `type Document`. */
    readonly label: string;
    readonly code: string;
}

/** A module for `require`. */
export interface ScriptModule {
    readonly kind: 'script' | 'json';
    /** Returns the source; may have to load it. */
    text(): string | Promise<string>;
}

/** All modules of one moment. */
export interface Program {
    /** Changes with every change of a schema, a module or the design. Contexts of other versions are never reused. */
    readonly version: string;
    /** Returns the module with exactly this id, an absolute path; undefined if there is none. */
    find(name: string): ScriptModule | undefined;
}

/** Returns a program in which one unit is replaced, for code that is about to be saved. */
export function withUnit(program: Program, unit: EntryModule, version: string): Program {

    const module: ScriptModule = { kind: 'script', text: () => unit.code };
    return { version, find: (name) => (name === unit.name ? module : program.find(name)) };
}
