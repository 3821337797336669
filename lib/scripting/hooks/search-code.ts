/**
 * Tells what type code has to do with searches. Worker processes ask for it, as they run no code: they perform searches with which it has
 * nothing to do.
 */

import type { Catalog } from '../../types/catalog.js';
import { SERVICE } from '../../model/caller.js';
import { NO_SCRIPT } from '../../model/write-context.js';
import type { ScriptInvoker } from '../invoker/script-invoker.js';
import type { EntryModule } from '../protocol/program.js';
import { OWN_KEY, type InvocationContext } from '../protocol/invocation-context.js';
import { mayMakeRules } from './auth-config-hooks.js';

/** A state of the types, as a process counts its epochs and as the database does. */
export type TypesState = Pick<Catalog, 'epoch' | 'storedEpoch'>;

/** The answer for a state of the catalog. */
export interface CodeSurvey {
    /** Of the types, as the database has it. */
    readonly epoch: number;
    /** True if searches find the same without the code of the types and the design. */
    readonly isSearchFree: boolean;
    /** Types whose code changes or withholds what is found, or may do so as it cannot be loaded. */
    readonly resolving: ReadonlySet<string>;
}

/** Maximum number of types with code that are looked at. */
const MAX_TYPES = 1000;

const INVOCATION: InvocationContext = { caller: SERVICE, requestContext: {}, chain: NO_SCRIPT, isDryRun: true, callerKey: OWN_KEY };

/** Looks at the exports of all type code. */
export class SearchCode {

    readonly #invoker: ScriptInvoker;
    readonly #catalog: Catalog;

    constructor({ invoker, catalog }: { readonly invoker: ScriptInvoker; readonly catalog: Catalog }) {

        this.#invoker = invoker;
        this.#catalog = catalog;
    }

    /** Looks at a state that is at least as recent as an epoch of the database, unless that has lost it. */
    async survey(atLeast: number): Promise<CodeSurvey> {

        await this.#catalog.catchUp(atLeast);
        const { epoch: begun, storedEpoch: epoch } = this.#catalog;
        const { scripts } = this.#invoker;
        const { design } = scripts;
        const names = this.#catalog.current.codedNames();
        const units = names.map((name) => ({ name, unit: scripts.unitOf(name) }));
        const resolving = new Set<string>();
        if (names.length > MAX_TYPES || units.some(({ unit }) => unit && mayMakeRules(unit.code)) || await this.#mayHave(design, 'customizeQuery')) {
            return { epoch, isSearchFree: false, resolving };
        }

        for (const { name, unit } of units) {
            if (await this.#mayHave(unit, 'onObjectResolution')) {
                resolving.add(name);
            }
        }

        return { epoch, isSearchFree: this.#catalog.epoch === begun, resolving };
    }

    async #mayHave(unit: EntryModule | null, hook: string): Promise<boolean> {

        if (!unit) {
            return false;
        }

        const { failure, hooks } = await this.#invoker.describe(unit, INVOCATION);
        return failure !== null || hooks.has(hook);
    }
}
