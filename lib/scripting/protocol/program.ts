/**
 * The code that exists at one moment: what can be called, and what it can require. Knows nothing of threads.
 */

/** Code that hooks and methods are called in. */
export interface EntryModule {
    /** Module id: `/cordra/schemas/Document` for a type, `/cordra/design` for the design. */
    readonly name: string;
    /** For logs and messages, such as `type Document`. */
    readonly label: string;
    readonly code: string;
}

/** A module as `require` finds it. */
export interface ScriptModule {
    readonly kind: 'script' | 'json';
    /** Its source; may have to be fetched. */
    text(): string | Promise<string>;
}

/** All modules of one moment. */
export interface Program {
    /** Changes whenever a schema, a module or the design changes. Contexts of another version are never used again. */
    readonly version: string;
    /** The module with exactly this id, an absolute path; undefined when there is none. */
    find(name: string): ScriptModule | undefined;
}

/** A world with another unit put in the place of the stored one, for code that is about to be saved. */
export function withUnit(world: Program, unit: EntryModule, version: string): Program {

    const module: ScriptModule = { kind: 'script', text: () => unit.code };
    return { version, find: (name) => (name === unit.name ? module : world.find(name)) };
}
