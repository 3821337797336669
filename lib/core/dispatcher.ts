/**
 * Performs one request: the fixed order of steps between an envelope and its answer. The first step that fails decides the
 * answer, and `perform` itself never rejects.
 *
 * resolve the operation → look at the target → authenticate → check the attributes → authorise → run the handler
 *
 * The target is read before the caller is known because the same read tells whether cached types, rights and credentials
 * are still current; nothing of it is revealed before the caller was authorised.
 */

import type { Logger } from 'pino';
import type { DoipRequest, DoipResponse } from '../doip/envelope.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Services } from './services.js';
import type { Operation, OperationResult } from './operation.js';
import type { OperationRegistry } from './registry.js';
import { badRequest, declined, DoipError, internal } from '../errors/errors.js';
import { DESIGN_ID, SERVICE_ALIAS } from '../doip/ids.js';
import { json } from '../doip/segments.js';
import type { StatusTable } from '../errors/status.js';
import { ANONYMOUS, denied } from '../model/caller.js';
import { authorise, missingTarget } from './authorise.js';
import { shapeAttributes, shapeInput } from './input.js';
import { Context, requestLog } from './context.js';
import type { OperationContext } from './operation-context.js';
import { readRequestContext } from './attributes.js';

/** What the dispatcher works with. */
export interface DispatcherOptions {
    readonly registry: OperationRegistry;
    readonly services: Services;
    readonly statuses: StatusTable;
    readonly log: Logger;
    /** What every ordinary operation is answered with while the service is not up; null when it is. */
    readonly outage: DoipError | null;
    /** The answer that stands for an error of another kind than ours; null for one that says nothing to the caller. */
    readonly explain?: (error: unknown) => DoipError | null;
}

/** Bytes of an input that is looked at when it is stored. */
const SMALL_BYTES = 256 * 1024;

/** Turns requests into answers. */
export class Dispatcher {

    private readonly options: DispatcherOptions;

    constructor(options: DispatcherOptions) {

        this.options = options;
    }

    /** Performs a request. Never rejects: whatever goes wrong is an answer. */
    async perform(request: DoipRequest): Promise<DoipResponse> {

        const seen: { caller: Caller | null } = { caller: null };
        try {
            const { status, attributes, output, callerId = seen.caller?.userId ?? null } = await this.run(request, seen);
            return { requestId: request.requestId, status, attributes, output, callerId };
        }
        catch (error) {
            const known = this.options.explain?.(error) ?? error;
            const response = errorResponse(request.requestId, known, this.options.statuses, () => requestLog(this.options.log, request));
            return { ...response, callerId: seen.caller?.userId ?? null };
        }
    }

    private async run(request: DoipRequest, seen: { caller: Caller | null }): Promise<OperationResult> {

        const { registry, services } = this.options;
        const fixed = registry.get(request.operationId);
        const { outage } = this.options;
        if (fixed?.availableWhenDown) {
            return this.runWithoutState(fixed, request);
        }

        if (outage) {
            throw outage;
        }

        const targetId = this.resolveTarget(request);
        const view = await services.objects.view(targetId);
        const caller = await services.authentication.authenticate(request, fixed?.id, view.epochs);
        seen.caller = caller;
        return await this.runFor(caller, request, { fixed, stored: view.object });
    }

    /**
     * Performs a request within another one, for the caller of that one: with the same rights, checks and hooks as if it had come by
     * itself. Rejects with what the caller would be answered.
     */
    async performFor(caller: Caller, request: DoipRequest): Promise<OperationResult> {

        const { registry, services, outage } = this.options;
        if (outage) {
            throw outage;
        }

        const { object } = await services.objects.view(this.resolveTarget(request));
        return await this.runFor(caller, request, { fixed: registry.get(request.operationId), stored: object });
    }

    private async runFor(
        caller: Caller, request: DoipRequest, { fixed, stored }: { fixed: Operation | undefined; stored: StoredObject | null }
    ): Promise<OperationResult> {

        const { registry, services } = this.options;
        const targetId = this.resolveTarget(request);
        // Before a method is looked for: whether there is one must not decide what is said of a request that cannot be.
        const requestContext = readRequestContext(request.attributes);
        const operation = fixed ?? await registry.find(request.operationId, targetId);
        if (!operation) {
            throw unknownOperation({ caller, targetId, services }, request.operationId, stored);
        }

        this.checkVerb(operation, request);
        this.checkTarget(operation, targetId);
        const attributes = shapeAttributes(operation, request.attributes, request.attributeTexts);
        const context = new Context({
            caller, targetId, operation, attributes, services, request, log: this.options.log, stored, requestContext
        });
        await authorise(operation, context, stored);
        await this.checkRoom(operation, request);
        await shapeInput(operation, context, request.input);
        return operation.handler(context);
    }

    /** What is answered while the database is away is never kept waiting by it: before anybody knows that it is away, too. */
    private async runWithoutState(operation: Operation, request: DoipRequest): Promise<OperationResult> {

        this.checkVerb(operation, request);
        if (!this.options.outage) {
            this.checkTarget(operation, this.resolveTarget(request));
        }

        const context = contextWithoutState(operation, request, this.options);
        await shapeInput(operation, context, request.input);
        return operation.handler(context);
    }

    private resolveTarget({ targetId }: DoipRequest): string {

        const { serviceId } = this.options.services;
        return targetId === SERVICE_ALIAS ? serviceId : targetId;
    }

    private checkVerb(operation: Operation, request: DoipRequest): void {

        const isReading = operation.methods?.includes('GET') || operation.readOnly === true && request.httpMethod === undefined;
        if (request.safe && !isReading) {
            throw badRequest(`operation ${operation.id} may change things: use POST instead of GET`);
        }
    }

    /** What can be known to be too long for the disk is refused before it is read. */
    private async checkRoom({ methods, readOnly, storesEachItem }: Operation, { inputBytes = 0 }: DoipRequest): Promise<void> {

        if (inputBytes > SMALL_BYTES && !methods?.includes('GET') && !readOnly && !storesEachItem) {
            await this.options.services.room.demand(inputBytes);
        }
    }

    private checkTarget(operation: Operation, targetId: string): void {

        const onService = targetId === this.options.services.serviceId;
        if (operation.target === 'service' && !onService || operation.target === 'object' && onService) {
            const wanted = operation.target === 'service' ? 'the target service' : 'an object as target';
            throw declined(`Operation not supported: ${operation.id} needs ${wanted}`);
        }
    }
}

/** Characters of an unknown operation id, and of its target, that are shown. */
const SHOWN = 100;

/** What is said of an operation that nobody knows: a caller who may not read the target learns nothing of it, its methods included. */
function unknownOperation(
    context: Pick<OperationContext, 'caller' | 'targetId' | 'services'>, operationId: string, target: StoredObject | null
): Error {

    const { caller, targetId, services: { policy, serviceId } } = context;
    const unknown = `Operation not supported: ${operationId.slice(0, SHOWN).toWellFormed()} is not known for ${targetId.slice(0, SHOWN).toWellFormed()}`;
    if (target) {
        const mayRead = policy.canRead(caller, target);
        return mayRead.allowed ? declined(unknown) : denied(caller, mayRead.reason);
    }

    return targetId === serviceId ? declined(unknown) : missingTarget(context);
}

function contextWithoutState(operation: Operation, request: DoipRequest, { services, log }: DispatcherOptions): Context {

    return new Context({
        caller: ANONYMOUS, targetId: DESIGN_ID, operation, attributes: shapeAttributes(operation, request.attributes, request.attributeTexts),
        requestContext: readRequestContext(request.attributes), services, log, request, stored: null
    });
}

/** The answer that stands for an error. What the caller may not know goes to the log only. */
function errorResponse(requestId: string | null, thrown: unknown, statuses: StatusTable, log: () => Logger): DoipResponse {

    const error = thrown instanceof DoipError ? thrown : internal(thrown);
    if (error.cause !== undefined || !(thrown instanceof DoipError)) {
        log().error({ event: 'operation.failed', err: error.cause ?? thrown, status: error.status, message: error.message }, 'operation failed');
    }
    else if (error.reason !== undefined) {
        log().info({ event: 'operation.refused', status: error.status, message: error.message, reason: error.reason }, 'operation refused');
    }

    const body = { message: error.message, ...error.details };
    const isPlain = error.http === undefined && statuses.info(error.status).http >= 400;
    return {
        requestId,
        status: error.status,
        attributes: { message: error.message, ...error.attributes },
        output: json(body),
        ...(isPlain ? {} : { http: statuses.errorCode(error) })
    };
}
