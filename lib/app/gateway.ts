/**
 * The gateway: operations, statuses, and `perform()`. Composition root without HTTP; all functions of the service are available here,
 * without a translator.
 */

import type { Logger } from 'pino';
import type { DoipRequest, DoipResponse, InputKind } from '../doip/envelope.js';
import type { JsonObject } from '../util/json-types.js';
import type { StatusInfo } from '../errors/status.js';
import { demandDescribable } from '../core/operation-description.js';
import { toOperation, type OwnOperation } from '../core/own-operation.js';
import type { OperationResolver } from '../core/registry.js';
import type { ChangeListener } from '../objects/change-events.js';
import type { Runtime } from './container.js';
import type { Services } from '../core/services.js';
import type { CommitObserver } from '../../db/database.js';
import type { DispatcherState, RequestObserver, RequestTracer } from '../core/dispatcher.js';
import type { GatewayState } from '../metrics/load.js';
import { Dispatcher } from '../core/dispatcher.js';
import { LocalRequests } from '../core/local-requests.js';
import { OperationRegistry } from '../core/registry.js';
import { DatabaseError } from '../../db/errors.js';
import { LOGINS, Op, WITHOUT_CREDENTIALS } from '../doip/operation-ids.js';
import { DoipError, internal, tooLarge, unavailable, UNKNOWN_OUTCOME } from '../errors/errors.js';
import { StatusTable } from '../errors/status.js';
import { methodResolver } from '../operations/methods/call.js';
import { builtInOperations } from '../operations/index.js';
import { EdgeLimiter } from '../identity/throttling/edge-limiter.js';
import { RequestLimiter } from '../identity/throttling/request-limiter.js';
import { openRuntime, openWorkerRuntime } from './container.js';
import { StartupState } from '../health/startup-state.js';
import { DatabaseMonitor } from '../health/database-monitor.js';
import type { GatewayOptions } from './options.js';

/** Error message during an outage. */
const DOWN = 'The system is down.';

const FULL = 'The storage is full: nothing was stored.';
const STALLED = 'The database completes no changes, as when its disk is full: nothing was stored.';
const STORAGE_FULL = 'The storage is full: the service starts when there is room.';

/** Retry-After in seconds: the database usually returns soon, but freeing disk space needs an operator. */
const RETRY_SECONDS = 5;
const SHUTDOWN_RETRY_SECONDS = 1;
const FULL_RETRY_SECONDS = 60;

/** A repository. */
export interface Gateway {
    /** Performs a request. Never rejects: errors are responses. */
    perform(request: DoipRequest): Promise<DoipResponse>;
    /**
     * Returns the error to report for one that the output of a response throws while it is read: 503 for a lost database or a full
     * disk; null for other errors. A lost database is noticed at once then.
     */
    explain(error: unknown): DoipError | null;
    /**
     * Returns what the input of a request is, for translators, whose limits depend on that: whether it is credentials or a search, and whether credentials
     * of the request are ignored. `operationId` is an id or alias; empty to learn about the credentials only.
     */
    inputKind(operationId: string, authentication: JsonObject): InputKind;
    /** Rate limiter for translators: rejects logins from addresses with too many logins in progress. */
    readonly edge: EdgeLimiter;
    /**
     * Adds a custom operation, before `start()`.
     *
     * @throws Error when the declaration is invalid or its id is taken
     */
    registerOperation<A extends object>(operation: OwnOperation<A>, options?: { override?: boolean }): void;
    /** Registers a custom status, before it is used. `http` defaults to 200. */
    registerStatus(id: string, options?: { http?: number; reason?: string }): void;
    /** Adds operations that depend on the target, before `start()`. */
    addResolver(resolver: OperationResolver): void;
    /**
     * Reports every change of an object by this process after it was stored, before `start()`. A process that stops may have reported less than it
     * has stored, and other nodes report their own changes: whoever must miss nothing compares transaction numbers.
     *
     * @throws Error after the start
     */
    onChange(listener: ChangeListener): void;
    /** Table of statuses for translators. */
    readonly statuses: StatusTable;
    /**
     * Opens and migrates the database and starts the service. Rejects on failure; `perform` then responds with 503, as during a later
     * outage of the database, and `start` can be called again.
     */
    start(): Promise<GatewayStart>;
    /** Announces that the service is about to stop: it is not ready for further clients, but serves requests until `stop()`. */
    drain(): void;
    /** Stops background work and closes the database. */
    stop(): Promise<void>;
    /** Reports requests and transactions to an observer, such as one that counts them; before `start()`. */
    observe(observer: GatewayObserver): void;
    /** Performs every request in a span; before `start()`. */
    trace(tracer: RequestTracer): void;
    /** Returns what metrics read. */
    readonly state: GatewayState;
    /** True between a successful start and `stop()`. */
    readonly isUp: boolean;
    /** Services of the operations. Throws before `start()`. */
    readonly services: Services;
}

/** Observer of a gateway. Its methods are called often, and must neither throw nor wait. */
export interface GatewayObserver {
    performed(...performed: Parameters<RequestObserver>): void;
    committed(...committed: Parameters<CommitObserver>): void;
}

/** Result of a start. */
export interface GatewayStart {
    /** The generated password of the administrator, if none was configured; shown once, stored as a hash only. */
    readonly generatedPassword: string | null;
}

/**
 * Creates a gateway. Nothing is opened before `start()`.
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
    readonly #listeners: ChangeListener[] = [];
    #hasStarted = false;
    #observer: GatewayObserver | null = null;
    #watch: DatabaseMonitor | null = null;
    /** The current or last start; never rejects. */
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

        const isLimited = options.rates !== undefined && RequestLimiter.isNeeded(options.rates);
        this.#dispatcher = new Dispatcher({
            registry: this.#registry, statuses: this.statuses, log: this.#log, explain: (error) => this.explain(error),
            limiter: isLimited && !options.worker ? new RequestLimiter(options.rates) : null,
            local: options.worker ? new LocalRequests({
                countsRequests: isLimited, recordsDenials: (options.auditDays ?? 0) > 0, hasPayloadStore: Boolean(options.payloadStore),
                hasSearchEngine: Boolean(options.search?.engine),
                codeOf: options.worker.codeOf
            }) : null
        }, this.#unstarted(unavailable(DOWN, RETRY_SECONDS)));
        this.perform = this.#dispatcher.perform.bind(this.#dispatcher);
    }

    get state(): GatewayState {

        return { isUp: this.isUp && this.#startup.state === 'UP', subsystems: this.#startup.subsystems, load: this.#runtime?.load() ?? null };
    }

    observe(observer: GatewayObserver): void {

        this.#observer = observer;
        this.#dispatcher.observer = (request, seconds) => observer.performed(request, seconds);
    }

    trace(tracer: RequestTracer): void {

        this.#dispatcher.tracer = tracer;
    }

    get isUp(): boolean {

        return this.#runtime !== null;
    }

    inputKind(operationId: string, { sessionId, token, password }: JsonObject): InputKind {

        const operation = this.#registry.get(operationId);
        const id = operation?.id ?? '';
        const isOfSession = sessionId !== undefined && token === undefined && password === undefined;
        return {
            of: LOGINS.has(id) ? 'login' : id === Op.search ? 'search' : 'any',
            isUnverified: WITHOUT_CREDENTIALS.has(id) || operation?.availableWhenDown === true ||
                isOfSession && this.#runtime?.services.catalog.current.design.useLegacySessionsApi !== true
        };
    }

    get services(): Services {

        if (!this.#runtime) {
            throw new Error('the gateway has not been started');
        }

        return this.#runtime.services;
    }

    registerOperation<A extends object>(operation: OwnOperation<A>, options: { override?: boolean } = {}): void {

        const declared = toOperation(operation, (caller, request) => this.#dispatcher.performFor(caller, request));
        this.#registry.register(declared, { ...options, check: demandDescribable });
    }

    registerStatus(id: string, options: Partial<StatusInfo> = {}): void {

        this.statuses.register(id, options);
    }

    addResolver(resolver: OperationResolver): void {

        this.#registry.addResolver(resolver);
    }

    onChange(listener: ChangeListener): void {

        if (this.#hasStarted) {
            throw new Error('listeners for changes must be added before the gateway is started');
        }

        this.#listeners.push(listener);
    }

    async start(): Promise<GatewayStart> {

        this.#registry.seal();
        this.#hasStarted = true;
        this.#startup.start();
        const open = this.#options.worker ? openWorkerRuntime : openRuntime;
        const opening = open(this.#options, {
            registry: this.#registry, startup: this.#startup, statuses: this.statuses,
            // The edge of a worker rejects nothing: logins are for the primary process.
            edge: this.#options.worker ? new EdgeLimiter() : this.edge, explain: (error) => this.explain(error),
            listeners: this.#listeners, onCommitted: (...committed) => this.#observer?.committed(...committed)
        });
        this.#opening = opening.catch(() => null);
        try {
            const { runtime, generatedPassword } = await opening;
            this.#runtime = runtime;
            const { database } = runtime;
            this.#watch = new DatabaseMonitor({
                ping: (timeoutMs) => database.ping(timeoutMs), onOutage: () => this.#suspend(runtime), onReturn: () => this.#resume(runtime), log: this.#log
            });
            this.#watch.start();
            this.#startup.succeed(async () => (await this.#watch?.ping() === false ? 'silent' : await database.condition()));
            this.#dispatcher.state = { services: runtime.services, outage: null };
            return { generatedPassword };
        }
        catch (error) {
            const isStorageFull = isFull(error) || error instanceof Error && isFull(error.cause);
            this.#startup.fail(isStorageFull ? 'no room to start' : null);
            this.#dispatcher.state = this.#unstarted(isStorageFull ? unavailable(STORAGE_FULL, FULL_RETRY_SECONDS) : unavailable(DOWN, RETRY_SECONDS));
            throw error;
        }
    }

    drain(): void {

        this.#startup.drain();
    }

    async stop(): Promise<void> {

        await this.#opening;
        const [runtime, watch] = [this.#runtime, this.#watch];
        this.#runtime = null;
        this.#watch = null;
        this.#dispatcher.state = this.#unstarted(unavailable('The system is shutting down.', SHUTDOWN_RETRY_SECONDS));
        await watch?.stop();
        await runtime?.close();
    }

    explain(error: unknown): DoipError | null {

        const cause = error instanceof DoipError ? error.cause : error;
        if (isFull(cause)) {
            return unavailable(FULL, FULL_RETRY_SECONDS, cause);
        }

        if (!(cause instanceof DatabaseError) || cause.fault === 'failed') {
            return null;
        }

        if (cause.fault === 'stalled') {
            return unavailable(STALLED, FULL_RETRY_SECONDS, cause);
        }

        if (cause.fault === 'too-large') {
            this.#log.warn({ event: 'database.too-large', err: cause }, 'a value exceeds a limit of the database server');
            return tooLarge('the database server does not store values of this size');
        }

        this.#watch?.reportFailure();
        return cause.fault === 'unavailable' ? unavailable(DOWN, RETRY_SECONDS) : internal(cause, UNKNOWN_OUTCOME);
    }

    /** During an outage of the database, requests fail at once instead of after many retries. */
    #suspend({ services }: Runtime): void {

        this.#startup.set('storage', 'FAILED');
        this.#dispatcher.state = { services, outage: unavailable(DOWN, RETRY_SECONDS) };
    }

    #resume({ services, renew }: Runtime): void {

        renew();
        this.#startup.set('storage', 'UP');
        this.#dispatcher.state = { services, outage: null };
    }

    /** State of the dispatcher without a runtime: only operations that need no state can be performed. */
    #unstarted(outage: DoipError): DispatcherState {

        return { services: { startup: this.#startup } as Services, outage };
    }
}

/** True for a full disk, also for files outside of the database. */
function isFull(cause: unknown): boolean {

    return cause instanceof DatabaseError ? cause.fault === 'full' :
        cause instanceof Error && ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '');
}
