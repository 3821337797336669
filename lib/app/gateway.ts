/**
 * The gateway: operations, statuses, and `perform()`. A composition root without HTTP; everything that the service can do is
 * reachable here, without any translator.
 */

import type { Logger } from 'pino';
import type { DoipRequest, DoipResponse } from '../doip/envelope.js';
import type { StatusInfo } from '../errors/status.js';
import { toOperation, type OwnOperation } from '../core/own-operation.js';
import type { OperationResolver } from '../core/registry.js';
import type { Runtime } from './container.js';
import type { Services } from '../core/services.js';
import type { DispatcherState } from '../core/dispatcher.js';
import { Dispatcher } from '../core/dispatcher.js';
import { OperationRegistry } from '../core/registry.js';
import { DatabaseError } from '../../db/errors.js';
import { DoipError, internal, unavailable } from '../errors/errors.js';
import { StatusTable } from '../errors/status.js';
import { methodResolver } from '../operations/methods/call.js';
import { builtInOperations } from '../operations/index.js';
import { EdgeLimiter } from '../identity/throttling/edge-limiter.js';
import { openRuntime } from './container.js';
import { StartupState } from '../health/startup-state.js';
import { DatabaseMonitor } from '../health/database-monitor.js';
import type { GatewayOptions } from './options.js';

/** What is said while nothing can be done. */
const DOWN = 'The system is down.';

const UNKNOWN_OUTCOME = 'the database was lost while it stored the change: look whether it was stored before you try again';

const FULL = 'The storage is full: nothing was stored.';
const NO_ROOM = 'The storage is full: the service starts when there is room.';

/** Seconds after which a client may ask again: a database is soon back, room has to be made by somebody. */
const RETRY_SECONDS = 5;
const FULL_RETRY_SECONDS = 60;

/** A repository. */
export interface Gateway {
    /** Performs a request. Never rejects: errors are answers. */
    perform(request: DoipRequest): Promise<DoipResponse>;
    /** Tells translators which logins need not be performed, as too many from their address are in progress. */
    readonly edge: EdgeLimiter;
    /**
     * Adds an operation of one's own, before `start()`.
     *
     * @throws Error when the declaration is wrong or its id is taken
     */
    registerOperation<A extends object>(operation: OwnOperation<A>, options?: { override?: boolean }): void;
    /** Makes a status of one's own known, before it is used. `http` defaults to 200. */
    registerStatus(id: string, options?: { http?: number; reason?: string }): void;
    /** Adds operations whose existence depends on the target, before `start()`. */
    addResolver(resolver: OperationResolver): void;
    /** The statuses that translators ask. */
    readonly statuses: StatusTable;
    /**
     * Opens the database, brings it up to date and begins to answer. Rejects when that fails; `perform` then answers 500, and it
     * can be called again. A database that goes away later is waited for: until it is back `perform` answers 503.
     */
    start(): Promise<GatewayStart>;
    /** Ends background work and closes the database. */
    stop(): Promise<void>;
    /** True between a start that succeeded and `stop()`. */
    readonly isUp: boolean;
    /** The services behind the operations. Throws before `start()`. */
    readonly services: Services;
}

/** What the first start had to tell. */
export interface GatewayStart {
    /** The administrator's password when none was given and one was made up. Shown once, stored only as a hash. */
    readonly generatedPassword: string | null;
}

/**
 * Makes a gateway. Nothing is opened before `start()`.
 *
 * @example
 * const gateway = createGateway(gatewayOptions(configure({ DATA_DIR: './data' })));
 * gateway.registerOperation(wordCount);
 * await gateway.start();
 */
export function createGateway(options: GatewayOptions): Gateway {

    return new RepositoryGateway(options);
}

class RepositoryGateway implements Gateway {

    readonly statuses = new StatusTable();
    readonly edge = new EdgeLimiter();
    readonly #options: GatewayOptions;
    readonly #log: Logger;
    readonly #registry = new OperationRegistry();
    readonly #startup = new StartupState();
    #runtime: Runtime | null = null;
    #watch: DatabaseMonitor | null = null;
    /** The start that is going on or was last; never rejects. */
    #opening: Promise<unknown> = Promise.resolve();
    readonly #dispatcher: Dispatcher;
    readonly perform: Gateway['perform'];

    constructor(options: GatewayOptions) {

        this.#options = options;
        this.#log = options.log;
        for (const operation of builtInOperations) {
            this.#registry.register(operation, { override: true });
        }

        this.#registry.addResolver(methodResolver(() => this.services));

        this.#dispatcher = new Dispatcher({
            registry: this.#registry, statuses: this.statuses, log: this.#log, explain: (error) => this.#explain(error)
        }, this.#unstarted(internal(undefined, DOWN)));
        this.perform = this.#dispatcher.perform.bind(this.#dispatcher);
    }

    get isUp(): boolean {

        return this.#runtime !== null;
    }

    get services(): Services {

        if (!this.#runtime) {
            throw new Error('the gateway has not been started');
        }

        return this.#runtime.services;
    }

    registerOperation<A extends object>(operation: OwnOperation<A>, options: { override?: boolean } = {}): void {

        this.#registry.register(toOperation(operation, (caller, request) => this.#dispatcher.performFor(caller, request)), options);
    }

    registerStatus(id: string, options: Partial<StatusInfo> = {}): void {

        this.statuses.register(id, options);
    }

    addResolver(resolver: OperationResolver): void {

        this.#registry.addResolver(resolver);
    }

    async start(): Promise<GatewayStart> {

        this.#registry.seal();
        this.#startup.begin();
        const opening = openRuntime(this.#options, {
            registry: this.#registry, startup: this.#startup, statuses: this.statuses, edge: this.edge, explain: (error) => this.#explain(error)
        });
        this.#opening = opening.catch(() => null);
        try {
            const { runtime, generatedPassword } = await opening;
            this.#runtime = runtime;
            const { database } = runtime;
            this.#watch = new DatabaseMonitor({
                ping: (patience) => database.ping(patience), onOutage: () => this.#suspend(runtime), onReturn: () => this.#resume(runtime), log: this.#log
            });
            this.#watch.start();
            this.#startup.succeed(async () => (await this.#watch?.ping() === false ? 'silent' : await database.trouble?.() ?? null));
            this.#dispatcher.state = { services: runtime.services, outage: null };
            return { generatedPassword };
        }
        catch (error) {
            const hasNoRoom = isFull(error) || error instanceof Error && isFull(error.cause);
            this.#startup.fail(hasNoRoom ? 'no room to start' : null);
            this.#dispatcher.state = this.#unstarted(hasNoRoom ? unavailable(NO_ROOM, FULL_RETRY_SECONDS) : internal(undefined, DOWN));
            throw error;
        }
    }

    async stop(): Promise<void> {

        await this.#opening;
        const [runtime, watch] = [this.#runtime, this.#watch];
        this.#runtime = null;
        this.#watch = null;
        this.#dispatcher.state = this.#unstarted(internal(undefined, 'The system is shutting down.'));
        await watch?.stop();
        await runtime?.close();
    }

    /** While the database is away everything is answered at once instead of after many attempts to reach it. */
    #suspend({ services }: Runtime): void {

        this.#startup.set('storage', 'FAILED');
        this.#dispatcher.state = { services, outage: unavailable(DOWN, RETRY_SECONDS) };
    }

    #resume({ services }: Runtime): void {

        this.#startup.set('storage', 'UP');
        this.#dispatcher.state = { services, outage: null };
    }

    /** Without a runtime only the operations that need no state can be performed; they see nothing but the start-up state. */
    #unstarted(outage: DoipError): DispatcherState {

        return { services: { startup: this.#startup } as Services, outage };
    }

    /** What an operation that met no database is answered with, before the watch has noticed. */
    #explain(error: unknown): DoipError | null {

        const fault = error instanceof DoipError ? error.cause : error;
        if (isFull(fault)) {
            return unavailable(FULL, FULL_RETRY_SECONDS, fault);
        }

        if (!(fault instanceof DatabaseError) || fault.fault === 'failed') {
            return null;
        }

        this.#watch?.reportFailure();
        return fault.fault === 'unavailable' ? unavailable(DOWN, RETRY_SECONDS) : internal(fault, UNKNOWN_OUTCOME);
    }
}

/** Also of files beside the database. */
function isFull(fault: unknown): boolean {

    return fault instanceof DatabaseError ? fault.fault === 'full' :
        fault instanceof Error && ['ENOSPC', 'EDQUOT'].includes((fault as NodeJS.ErrnoException).code ?? '');
}
