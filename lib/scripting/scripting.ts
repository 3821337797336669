/**
 * Everything about type code, composed: what the gateway asks and closes.
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

/** What type code needs of the rest. */
export interface ScriptingOptions {
    readonly catalog: Catalog;
    readonly elements: ElementService;
    readonly policy: Policy;
    readonly limits: ScriptLimits;
    readonly log: Logger;
    /** What scripts may ask for; asked for when the first script runs. */
    readonly services: () => ScriptedServices;
    readonly byIds: ObjectsById;
}

/** Types, design and modules that are not stored yet, and what scripts of theirs find when they ask the service. */
export interface ComingCode {
    readonly catalog: CodeSource;
    readonly elements: ModuleOpener;
    /** Makes the services for scripts out of those that answer with what is stored now. */
    host(stored: ScriptHost): ScriptHost;
}

/** Code that is not stored yet, as it will run. */
export type Rehearsal = Pick<Scripting, 'lifecycle' | 'inspector'>;

/** Type code. */
export interface Scripting {
    /** The same code runner over types that are not stored yet. Nothing that a script writes is stored. */
    readonly rehearse: (coming: ComingCode) => Rehearsal;
    readonly lifecycle: Lifecycle;
    readonly inspector: CodeInspector;
    readonly design: DesignHooks;
    readonly methods: Methods;
    readonly codedRules: AuthConfigHooks;
    /** Ends what is running. */
    close(): Promise<void>;
}

/** Composes it. No thread runs before there is code to be run. */
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
        methods: new Methods({ desk, policy, catalog, objects: () => services().objects }),
        codedRules,
        close: async () => {

            await Promise.all([pool.close(), codedRules.close()]);
        }
    };
}
