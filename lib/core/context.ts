/**
 * Builds the context for the handler from the envelope of a request.
 */

import type { Logger } from 'pino';
import type { DoipRequest } from '../doip/envelope.js';
import type { JsonObject } from '../util/json-types.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Services } from './services.js';
import type { Operation } from './operation.js';
import { DoipError } from '../errors/errors.js';
import { shapeAttributes } from './input.js';
import type { OperationContext } from './operation-context.js';
import { readRequestContext } from './attributes.js';
import { inRequest, sharedCaller } from '../model/caller.js';

/** Time for which a caller is current, in milliseconds. */
export const CURRENT_MS = 1000;

/** The context as the dispatcher builds it; handlers see the interface only. */
export class Context implements OperationContext {

    caller: Caller;
    readonly targetId: string;
    readonly attributes: JsonObject;
    readonly requestContext: JsonObject;
    readonly services: Services;
    readonly transport: DoipRequest['transport'];
    input: DoipRequest['input'];
    inputJson: OperationContext['inputJson'];
    private stored: StoredObject | null;
    private readonly operation: Operation;
    private readonly request: DoipRequest;
    private replacedRawInput: DoipRequest['rawInput'];
    private readonly rootLog: Logger;
    private ownLog: Logger | undefined;
    private latestCaller: Caller;
    private renewedOn = performance.now();
    private renewal: Promise<void> | null = null;

    constructor(parts: ContextParts) {

        this.caller = parts.caller;
        this.latestCaller = parts.caller;
        this.targetId = parts.targetId;
        this.attributes = parts.attributes;
        this.requestContext = parts.requestContext;
        this.services = parts.services;
        this.transport = parts.request.transport;
        this.input = parts.request.input;
        this.inputJson = undefined;
        this.stored = parts.stored;
        this.replacedRawInput = undefined;
        this.operation = parts.operation;
        this.request = parts.request;
        this.rootLog = parts.log;
    }

    /** Brings the caller and the target up to date, before the handler begins; returns the target. @throws DoipError 401 for credentials that have ended */
    async refresh(): Promise<StoredObject | null> {

        this.caller = await this.currentCaller();
        if (this.stored) {
            this.stored = (await this.services.reader.view(this.targetId)).object;
        }

        return this.stored;
    }

    async currentCaller(maxAgeMs = CURRENT_MS): Promise<Caller> {

        if (performance.now() - this.renewedOn >= maxAgeMs) {
            // For all items of a batch at once; credentials that have ended are not verified for each of them.
            this.renewal ??= this.renew();
        }

        await this.renewal;
        return this.latestCaller;
    }

    private async renew(): Promise<void> {

        const now = performance.now();
        try {
            // Rights, types and the design are renewed as well.
            await this.services.reader.epochs();
            const renewed = await this.services.identity.authenticator.renewed(this.request, this.caller, this.operation.id);
            const { origin } = this.caller;
            this.latestCaller = renewed === sharedCaller(this.latestCaller) ? this.latestCaller : origin ? inRequest(renewed, origin) : renewed;
            this.renewedOn = now;
            this.renewal = null;
        }
        catch (error) {
            // During an outage the next item tries again.
            this.renewal = error instanceof DoipError && error.http === 401 ? this.renewal : null;
            throw error;
        }
    }

    get signal(): AbortSignal {

        return this.request.signal;
    }

    get rawInput(): DoipRequest['input'] {

        return this.replacedRawInput ?? this.request.rawInput ?? this.input;
    }

    /** Replaces both forms of the input, before either is read. */
    replaceInput({ input, rawInput }: Pick<DoipRequest, 'input' | 'rawInput'>): void {

        this.input = input;
        this.replacedRawInput = rawInput;
    }

    latest(): Pick<OperationContext, 'attributes' | 'requestContext'> {

        const { attributes, attributeTexts, laterAttributes } = this.request;
        const later = laterAttributes?.() ?? null;
        if (!later) {
            return this;
        }

        const all = { ...attributes, ...later };
        return { attributes: shapeAttributes(this.operation, all, attributeTexts), requestContext: readRequestContext(all) };
    }

    get log(): Logger {

        this.ownLog ??= requestLog(this.rootLog, this.request);
        return this.ownLog;
    }

    get givenAttributes(): JsonObject {

        return this.request.attributes;
    }

    get isSafe(): boolean {

        return this.request.safe === true;
    }

    get allowTypeChange(): boolean {

        return this.request.allowTypeChange === true;
    }

    get hasTarget(): boolean {

        return this.stored !== null;
    }

    get target(): StoredObject {

        if (!this.stored) {
            throw new Error(`target ${this.targetId} was not loaded for this operation`);
        }

        return this.stored;
    }
}

/** Parts of a context. */
export interface ContextParts {
    readonly caller: Caller;
    readonly targetId: string;
    readonly operation: Operation;
    readonly attributes: JsonObject;
    readonly requestContext: JsonObject;
    readonly services: Services;
    readonly log: Logger;
    readonly request: DoipRequest;
    readonly stored: StoredObject | null;
}

/** Maximum length of an id in the log, in characters: those of native requests may have a mebibyte. */
const MAX_LOGGED = 255;

/** Returns a logger that adds the request to its lines. Created on first use, since most requests log nothing. */
export function requestLog(log: Logger, { operationId, targetId, transport: { logId, traceId } }: DoipRequest): Logger {

    const [operation, target] = [operationId, targetId].map((id) => id.slice(0, MAX_LOGGED));
    return log.child({ operation, target, ...(logId === undefined ? {} : { request: logId }), ...(traceId === undefined ? {} : { traceId }) });
}
