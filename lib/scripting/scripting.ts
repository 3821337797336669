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
import { CodeValidator } from './hooks/code-validator.js';
import { AuthConfigHooks } from './hooks/auth-config-hooks.js';
import { DesignHooks } from './hooks/design-hooks.js';
import { SearchCode } from './hooks/search-code.js';
import { Methods } from './methods/methods.js';
import { MethodSurvey } from './methods/method-survey.js';
import { ScriptInvoker } from './invoker/script-invoker.js';
import { ScriptPool, type ScriptLimits } from './pool/script-pool.js';
import type { HostCallContext, ScriptHost } from './protocol/script-host.js';
import { ServiceHost, type ObjectPages, type ScriptedServices } from './host/service-host.js';
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
    readonly objects: ObjectPages;
    /** Returns what the service answers to errors of its storage; null for other errors. */
    readonly explain: HostCallContext['explain'];
    /** True in a process that runs no code, and performs only what no code has to do with. */
    readonly isInert: boolean;
}

/** Milliseconds for which the description of the service waits for code that it has not seen yet. */
const SURVEY_TIMEOUT = 1000;

/** Types, design and modules that are not stored yet, and the host calls of their scripts. */
export interface PlannedCode {
    readonly catalog: CodeSource;
    readonly elements: ModuleOpener;
    /** Wraps the host calls, which work on the stored state, for scripts of the prospective state. */
    host(stored: ScriptHost): ScriptHost;
    /** True where the caller is the author of the code, who is told what is wrong with it. */
    readonly isOfCaller?: boolean;
}

/** Hooks and validation of code that is not stored yet. */
export type Rehearsal = Pick<Scripting, 'lifecycle' | 'inspector'>;

/** The composed scripting modules. */
export interface Scripting {
    /** Runs hooks for types that are not stored yet. Writes of their scripts are not stored. */
    readonly rehearse: (planned: PlannedCode) => Rehearsal;
    readonly lifecycle: Lifecycle;
    readonly inspector: CodeInspector;
    readonly design: DesignHooks;
    readonly methods: Methods;
    /** The methods of all types, for descriptions. */
    readonly survey: MethodSurvey;
    readonly authConfigRules: AuthConfigHooks;
    readonly searchCode: SearchCode;
    readonly pool: Pick<ScriptPool, 'load'>;
    /** Aborts running scripts and stops all workers. */
    close(): Promise<void>;
}

/** Composes the modules. Workers start with the first script. */
export function composeScripting({ catalog, elements, policy, limits, log, objects, services, explain, isInert }: ScriptingOptions): Scripting {

    const pool = new ScriptPool(limits, log, explain);
    const scripts = new ProgramCatalog(catalog, elements);
    const shared = { objects, maxResultLength: limits.maxMessageBytes };
    const hostFor = (invocation: InvocationContext): ServiceHost => new ServiceHost(services(), shared, invocation);
    const invoker = new ScriptInvoker({ pool, scripts, hostFor, log, isInert });
    const rehearsal: InvocationContext = { caller: SERVICE, requestContext: {}, chain: NO_SCRIPT, isDryRun: true };
    const authConfigRules = new AuthConfigHooks({ scripts, limits, log });
    const methods = new Methods({ invoker, policy, catalog, services });
    let rehearsals = 0;
    const rehearse = (planned: PlannedCode): Rehearsal => {

        const { design } = planned.catalog.current;
        const hostOf = (invocation: InvocationContext): ScriptHost => planned.host(hostFor({ ...invocation, isDryRun: true }));
        const plannedScripts = new ProgramCatalog(planned.catalog, planned.elements, `rehearsal ${++rehearsals} `);
        const plannedInvoker = new ScriptInvoker({ pool, scripts: plannedScripts, hostFor: hostOf, log, reportsFailures: planned.isOfCaller ?? false });
        return {
            lifecycle: new TypeHooks({ invoker: plannedInvoker, policy, log, design: () => design }),
            inspector: new CodeValidator({ pool, scripts: plannedScripts, host: () => hostOf(rehearsal), elements: planned.elements, log })
        };
    };

    return {
        pool,
        rehearse,
        lifecycle: new TypeHooks({ invoker, policy, log, design: () => catalog.current.design }),
        inspector: new CodeValidator({ pool, scripts, host: () => hostFor(rehearsal), elements, log }),
        design: new DesignHooks({ invoker, policy, design: () => catalog.current.design }),
        methods,
        survey: new MethodSurvey({ methods, catalog, scripts, timeout: SURVEY_TIMEOUT }),
        authConfigRules,
        searchCode: new SearchCode({ invoker, catalog }),
        close: async () => {

            await Promise.all([pool.close(), authConfigRules.close()]);
        }
    };
}
