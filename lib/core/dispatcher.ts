/**
 * Performs requests: the fixed sequence of steps between an envelope and its response. The first step that fails determines the
 * response; `perform` never rejects.
 *
 * resolve the operation → read the target → authenticate → validate the attributes → authorise → run the handler
 *
 * The target is read before the caller is known, because the same read tells whether cached types, rights and credentials are
 * current. Nothing of it is revealed before the caller is authorised.
 */

import type { Logger } from 'pino';
import type { DoipRequest, DoipResponse } from '../doip/envelope.js';
import type { Caller } from '../model/caller.js';
import type { RequestAllowance, RequestKind, RequestLimiter } from '../identity/throttling/request-limiter.js';
import type { Services } from './services.js';
import type { Operation, OperationResult } from './operation.js';
import type { OperationRegistry } from './registry.js';
import { badRequest, declined, unknownOutcome, type DoipError } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { Op } from '../doip/operation-ids.js';
import { Status, type StatusTable } from '../errors/status.js';
import { ANONYMOUS, fromAddress, inRequest } from '../model/caller.js';
import { authorise, authoriseAgain, demandCall, isReading, unknownOperation } from './authorise.js';
import { originOf, recordDenial, recordOperation } from './auditing.js';
import { shapeAttributes, shapeInput } from './input.js';
import { ForPrimary } from '../errors/for-primary.js';
import { forPrimary, type LocalRequests } from './local-requests.js';
import { Context, CURRENT_MS } from './context.js';
import { readRequestContext } from './attributes.js';
import { isOnService, readTarget, type Target } from './request-target.js';
import { errorResponse, responseTo } from './responses.js';
import { CallCounter } from '../util/concurrency/event-loop-yielder.js';

/** Dependencies of the dispatcher. */
export interface DispatcherOptions {
    readonly registry: OperationRegistry;
    readonly statuses: StatusTable;
    readonly log: Logger;
    /** Maps errors of other kinds to responses; null for an error whose details the caller must not see. */
    readonly explain?: (error: unknown) => DoipError | null;
    /** Limits the rate of requests, except those that operations perform for their callers; absent for no limit. */
    readonly limiter?: RequestLimiter | null;
    /** In a worker process: what it performs itself. */
    readonly local?: LocalRequests | null;
}

/** A performed request, with labels of which clients cannot invent new ones. */
export interface PerformedRequest {
    /** Id of a registered operation, `method` for one that depends on the target, such as a method of its type, or `other`. */
    readonly operation: string;
    /** `rest`, `doip-http`, `doip`, `internal` or `other`. */
    readonly protocol: string;
    /** Id of a known status, or `other`. */
    readonly status: string;
}

/** Called when the response to a request is about to begin, with the seconds since the request was given. */
export type RequestObserver = (request: PerformedRequest, seconds: number) => void;

/** Performs a request by calling `perform` once, for example in a span of a trace. */
export type RequestTracer = (request: DoipRequest, perform: () => Promise<TracedResponse>) => Promise<TracedResponse>;

/** A response, and what is known of its request. */
export interface TracedResponse {
    readonly response: DoipResponse;
    readonly performed: PerformedRequest;
    /** True for an internal error. */
    readonly isError: boolean;
}

/** Replaced when the service starts or stops, and when the database is lost or found again. */
export interface DispatcherState {
    readonly services: Services;
    /** Error for all operations while the service is not up, except those available when down; null when it is up. */
    readonly outage: DoipError | null;
}

/** What becomes known of a request while it is performed. */
interface Seen {
    caller: Caller | null;
    /** True once an operation was found that depends on the target. */
    dynamic: boolean;
    /** Absent without rate limits. */
    allowance?: RequestAllowance;
}

/** A request with its target. */
interface Dispatched {
    readonly request: DoipRequest;
    readonly services: Services;
    readonly target: Target;
    /** The operation; undefined if the target determines it. */
    readonly fixed: Operation | undefined;
}

/** Input up to this size in bytes is not checked for disk space in advance. */
const SMALL_BYTES = 256 * 1024;

/** Requests that may be performed in one turn of the event loop: many need nothing that would end it, such as I/O. */
const REQUESTS_PER_TURN = 16;

/** Interfaces that metrics name. */
const PROTOCOLS: ReadonlySet<string> = new Set(['rest', 'doip-http', 'doip', 'internal']);

/** Performs requests. */
export class Dispatcher {

    /** Each request keeps the state with which it began. */
    state: DispatcherState;
    /** Called for every request, except those that operations perform for their callers. */
    observer: RequestObserver | null = null;
    /** Called like the observer. */
    tracer: RequestTracer | null = null;
    readonly #options: DispatcherOptions;
    readonly #requests = new CallCounter(REQUESTS_PER_TURN);

    constructor(options: DispatcherOptions, state: DispatcherState) {

        this.#options = options;
        this.state = state;
    }

    /** Performs a request. Never rejects: errors become responses. */
    perform(request: DoipRequest): Promise<DoipResponse> {

        if (this.#isForPrimary(request)) {
            return Promise.resolve(forPrimary(request));
        }

        return this.observer || this.tracer ? this.#watched(request) : this.#perform(request, { caller: null, dynamic: false });
    }

    /** Performs a request for the tracer and the observer. */
    async #watched(request: DoipRequest): Promise<DoipResponse> {

        const { tracer } = this;
        const { response } = tracer ? await tracer(request, () => this.#observed(request)) : await this.#observed(request);
        return response;
    }

    async #observed(request: DoipRequest): Promise<TracedResponse> {

        const began = performance.now();
        const seen: Seen = { caller: null, dynamic: false };
        const response = await this.#perform(request, seen);
        const performed = this.#labelsOf(request, response, seen);
        if (response.isForPrimary !== true) {
            this.observer?.(performed, (performance.now() - began) / 1000);
        }

        return { response, performed, isError: response.status === Status.internal };
    }

    async #perform(request: DoipRequest, seen: Seen): Promise<DoipResponse> {

        try {
            return responseTo(request, await this.#run(request, seen), seen);
        }
        catch (error) {
            if (this.#options.local?.isAnswer(error, request, this.state.services) === false) {
                return forPrimary(request);
            }

            const explained = this.#options.explain?.(error) ?? error;
            recordDenial(this.state.services, request, seen.caller, explained);
            return errorResponse(request, explained, seen, { statuses: this.#options.statuses, log: this.#options.log });
        }
    }

    /** True in a worker for a request that it does not even begin with. */
    #isForPrimary(request: DoipRequest): boolean {

        const { local, registry } = this.#options;
        return local ? this.state.outage !== null || !local.admits(request, registry.get(request.operationId)) : false;
    }

    #labelsOf({ operationId, transport: { translator, protocol } }: DoipRequest, { status }: DoipResponse, { dynamic }: Seen): PerformedRequest {

        const { registry, statuses } = this.#options;
        const name = translator ?? protocol;
        return {
            operation: registry.get(operationId)?.id ?? (dynamic ? 'method' : 'other'),
            protocol: PROTOCOLS.has(name) ? name : 'other',
            status: statuses.has(status) ? status : 'other'
        };
    }

    async #run(request: DoipRequest, seen: Seen): Promise<OperationResult> {

        const { services, outage } = this.state;
        const fixed = this.#options.registry.get(request.operationId);
        if (fixed?.availableWhenDown) {
            return this.#runWithoutState(fixed, request);
        }

        if (outage) {
            throw outage;
        }

        const allowance = this.#options.limiter?.begin(request, kindOf(fixed));
        if (allowance) {
            seen.allowance = allowance;
            allowance.countAnonymous();
        }

        await this.#requests.count();
        const target = await readTarget(request, services, fixed !== undefined);
        if (this.#options.local?.admitsTarget(request, target, services) === false) {
            throw new ForPrimary();
        }

        const authenticated = services.identity.authenticator.authenticate(request, fixed?.id, target.epochs);
        const found = await (allowance ? countingFailure(authenticated, allowance) : authenticated);
        const known = found.userId === null ? fromAddress(found, request.transport.remoteAddress) : found;
        const caller = services.auditTrail ? inRequest(known, originOf(request, fixed?.id)) : known;
        seen.caller = caller;
        allowance?.countCaller(caller);
        return await this.#runFor(caller, { request, services, target, fixed }, seen);
    }

    /**
     * Performs a request on behalf of the caller of another one, with the same access checks, validation and hooks as if the
     * caller had sent it. Rejects with the error that the caller would get.
     */
    async performFor(caller: Caller, request: DoipRequest): Promise<OperationResult> {

        const { services, outage } = this.state;
        if (outage) {
            throw outage;
        }

        await this.#requests.count();
        const fixed = this.#options.registry.get(request.operationId);
        const target = await readTarget(request, services, fixed !== undefined);
        try {
            return await this.#runFor(caller, { request, services, target, fixed });
        }
        catch (error) {
            recordDenial(services, request, caller, error);
            throw error;
        }
    }

    async #runFor(caller: Caller, { request, services, target, fixed }: Dispatched, seen?: Seen): Promise<OperationResult> {

        const { id: targetId, object: stored, calledType } = target;
        // Before methods are looked up: the error for an invalid request must not depend on whether a method exists.
        const requestContext = readRequestContext(request.attributes);
        if (!fixed) {
            demandCall(caller, seen === undefined);
        }

        const operation = fixed ?? await this.#options.registry.find(request.operationId, targetId, calledType);
        if (!operation) {
            throw unknownOperation({ caller, services, operationId: request.operationId }, target);
        }

        if (seen && !fixed) {
            seen.dynamic = true;
        }

        checkVerb(operation, request);
        checkTarget(operation, target.isService);
        const attributes = shapeAttributes(operation, request.attributes, request.attributeTexts);
        const context = new Context({
            caller, targetId, operation, attributes, services, request, log: this.#options.log, stored, requestContext
        });
        const { catalog } = services;
        const kind = { isDynamic: fixed === undefined, isNested: seen === undefined };
        const rules = catalog.current;
        await authorise(operation, context, { target: stored, ...kind });
        await checkFreeSpace(operation, request, services);
        if (seen?.allowance && !isReading(operation)) {
            context.replaceInput(seen.allowance.counted());
        }

        const begun = performance.now();
        await shapeInput(operation, context, context.input);
        const isSlow = performance.now() - begun >= CURRENT_MS;
        if (isSlow || catalog.current !== rules) {
            await authoriseAgain(operation, context, kind);
        }

        if (seen && this.#options.local?.isOutdated(request, services)) {
            throw new ForPrimary();
        }

        const outcome = await operation.handler(context);
        if (seen && caller.origin) {
            await recordOperation(operation, context, outcome).catch((error: unknown) => abandon(outcome, unknownOutcome(error)));
        }

        return outcome;
    }

    /** Performs an operation that is available when down. It must not touch the database, not even before an outage is detected. */
    async #runWithoutState(operation: Operation, request: DoipRequest): Promise<OperationResult> {

        const { services, outage } = this.state;
        checkVerb(operation, request);
        if (!outage) {
            checkTarget(operation, isOnService(request, services.serviceId));
        }

        const context = contextWithoutState(operation, request, services, this.#options.log);
        await shapeInput(operation, context, request.input);
        return operation.handler(context);
    }
}

/** Releases what the output holds of a result that nobody gets, because of an error, which is kept when that fails, too. */
async function abandon({ output }: OperationResult, error: unknown): Promise<never> {

    await output[Symbol.asyncIterator]().return?.().catch(() => undefined);
    throw error;
}

function checkVerb(operation: Operation, request: DoipRequest): void {

    const isAllowed = operation.methods?.includes('GET') || operation.readOnly === true && request.httpMethod === undefined;
    if (request.safe && !isAllowed) {
        throw badRequest(`operation ${operation.id} may change things: use POST instead of GET`);
    }
}

/** Rejects input that is known to exceed the free disk space before it is read. To be awaited; undefined if there is nothing to wait for. */
function checkFreeSpace(operation: Operation, request: DoipRequest, { space }: Services): Promise<void> | undefined {

    if (isReading(operation) || operation.storesEachItem) {
        return undefined;
    }

    const { inputBytes = 0 } = request;
    return inputBytes > SMALL_BYTES ? space.demand(inputBytes) : undefined;
}

/** What an operation counts as; one that depends on the target, such as a method of its type, may change things. */
function kindOf(operation: Operation | undefined): RequestKind {

    return operation?.id === Op.search ? 'search' : operation && isReading(operation) ? 'read' : 'change';
}

/** Counts a request with wrong credentials for its address. */
async function countingFailure(authenticated: Promise<Caller>, allowance: RequestAllowance): Promise<Caller> {

    try {
        return await authenticated;
    }
    catch (error) {
        allowance.countFailure(error);
        throw error;
    }
}

function checkTarget(operation: Operation, onService: boolean): void {

    if (operation.target === 'service' && !onService || operation.target === 'object' && onService) {
        const expected = operation.target === 'service' ? 'the target service' : 'an object as target';
        throw declined(`Operation not supported: ${operation.id} needs ${expected}`);
    }
}

function contextWithoutState(operation: Operation, request: DoipRequest, services: Services, log: Logger): Context {

    return new Context({
        caller: ANONYMOUS, targetId: DESIGN_ID, operation, attributes: shapeAttributes(operation, request.attributes, request.attributeTexts),
        requestContext: readRequestContext(request.attributes), services, log, request, stored: null
    });
}
