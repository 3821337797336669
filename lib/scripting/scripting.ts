/**
 * Composition of the scripting modules.
 */

import type { Logger } from 'pino';
import type { Policy } from '../identity/access/access-policy.js';
import type { CodeInspector } from '../objects/content-pipeline.js';
import type { ElementService } from '../objects/elements/element-service.js';
import type { Lifecycle } from '../objects/hooks/lifecycle.js';
import type { Catalog } from '../types/catalog.js';
import { ProgramCatalog, type CodeSource, type ModuleOpener } from './program/program-catalog.js';
import { CodeValidator, SyntaxChecker } from './hooks/code-validator.js';
import { AuthConfigHooks } from './hooks/auth-config-hooks.js';
import { DesignHooks } from './hooks/design-hooks.js';
import { Methods } from './methods/methods.js';
import { ScriptInvoker } from './invoker/script-invoker.js';
import { ScriptPool, type ScriptLimits } from './pool/script-pool.js';
import type { ScriptHost } from './protocol/script-host.js';
import { ServiceHost, type ObjectsById, type ScriptedServices } from './host/service-host.js';
import { TypeHooks } from './hooks/type-hooks.js';
import { SERVICE } from '../model/caller.js';
import { NO_SCRIPT } from '../model/write-context.js';
import { type InvocationContext } from './protocol/invocation-context.js';

/** Dependencies of type code. */
export interface ScriptingOptions {
    readonly catalog: Catalog;
    readonly elements: ElementService;
    readonly policy: Policy;
    readonly limits: ScriptLimits;
    readonly log: Logger;
    /** Services for host calls; first used when a script runs. */
    readonly services: () => ScriptedServices;
    readonly byIds: ObjectsById;
}

/** Types, design and modules that are not stored yet, and the host calls of their scripts. */
export interface ComingCode {
    readonly catalog: CodeSource;
    readonly elements: ModuleOpener;
    /** Wraps the host calls, which work on the stored state, for scripts of the prospective state. */
    host(stored: ScriptHost): ScriptHost;
}

/** Hooks and validation of code that is not stored yet. */
export type Rehearsal = Pick<Scripting, 'lifecycle' | 'inspector'>;

/** The composed scripting modules. */
export interface Scripting {
    /** Runs hooks for types that are not stored yet. Writes of their scripts are not stored. */
    readonly rehearse: (coming: ComingCode) => Rehearsal;
    readonly lifecycle: Lifecycle;
    readonly inspector: CodeInspector;
    readonly design: DesignHooks;
    readonly methods: Methods;
    readonly codedRules: AuthConfigHooks;
    /** Aborts running scripts and stops all workers. */
    close(): Promise<void>;
}

/** Composes the modules. Workers start with the first script. */
export function composeScripting({ catalog, elements, policy, limits, log, byIds, services }: ScriptingOptions): Scripting {

    const pool = new ScriptPool(limits, log);
    const scripts = new ProgramCatalog(catalog, elements);
    const hostFor = (occasion: InvocationContext): ServiceHost => new ServiceHost(services(), byIds, occasion);
    const desk = new ScriptInvoker({ pool, scripts, hostFor, log });
    const rehearsal: InvocationContext = { caller: SERVICE, requestContext: {}, chain: NO_SCRIPT, isDryRun: true };
    const codedRules = new AuthConfigHooks({ scripts, limits, log });
    const checker = new SyntaxChecker({ pool, scripts, host: () => hostFor(rehearsal) });
    let rehearsals = 0;
    const rehearse = (coming: ComingCode): Rehearsal => {

        const { design } = coming.catalog.current;
        const host = (): ScriptHost => coming.host(hostFor(rehearsal));
        const comingScripts = new ProgramCatalog(coming.catalog, coming.elements, `rehearsal ${++rehearsals} `);
        const comingDesk = new ScriptInvoker({ pool, scripts: comingScripts, hostFor: host, log });
        const comingChecker = new SyntaxChecker({ pool, scripts: comingScripts, host });
        return {
            lifecycle: new TypeHooks({ desk: comingDesk, policy, log, design: () => design }),
            inspector: new CodeValidator({ checker: comingChecker, elements: coming.elements, log })
        };
    };

    return {
        rehearse,
        lifecycle: new TypeHooks({ desk, policy, log, design: () => catalog.current.design }),
        inspector: new CodeValidator({ checker, elements, log }),
        design: new DesignHooks({ desk, policy, design: () => catalog.current.design }),
        methods: new Methods({ desk, policy, catalog, services }),
        codedRules,
        close: async () => {

            await Promise.all([pool.close(), codedRules.close()]);
        }
    };
}
