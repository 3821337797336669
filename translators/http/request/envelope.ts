/** Request envelope of the HTTP translators. Its abort signal is created lazily, because most requests complete without using it. */

import type { Request } from '@hapi/hapi';
import type { DoipRequest } from '../../../lib/doip/envelope.js';
import { header } from '../headers/decode.js';
import { peerSignal } from './transport.js';

/**
 * A request envelope. It is a class on purpose: a getter in an object literal would give every envelope its own hidden class, which the
 * garbage collector keeps until a full collection, together with the request.
 */
export class HttpEnvelope implements DoipRequest {

    readonly requestId: string | null;
    readonly clientId: string | null;
    readonly targetId: string;
    readonly operationId: string;
    readonly authentication: DoipRequest['authentication'];
    readonly attributes: DoipRequest['attributes'];
    readonly attributeTexts: DoipRequest['attributeTexts'];
    readonly laterAttributes: DoipRequest['laterAttributes'];
    readonly input: DoipRequest['input'];
    readonly rawInput: DoipRequest['rawInput'];
    readonly transport: DoipRequest['transport'];
    readonly safe?: boolean;
    readonly allowTypeChange?: boolean;
    readonly httpMethod?: 'GET' | 'POST';
    readonly #request: Request;
    #signal: AbortSignal | undefined;

    constructor(request: Request, fields: Omit<DoipRequest, 'signal' | 'inputBytes'>) {

        this.requestId = fields.requestId;
        this.clientId = fields.clientId;
        this.targetId = fields.targetId;
        this.operationId = fields.operationId;
        this.authentication = fields.authentication;
        this.attributes = fields.attributes;
        this.attributeTexts = fields.attributeTexts;
        this.laterAttributes = fields.laterAttributes;
        this.input = fields.input;
        this.rawInput = fields.rawInput;
        this.transport = fields.transport;
        this.#request = request;
        if (fields.safe) {
            this.safe = true;
        }

        if (fields.allowTypeChange) {
            this.allowTypeChange = true;
        }

        if (fields.httpMethod !== undefined) {
            this.httpMethod = fields.httpMethod;
        }
    }

    get inputBytes(): number | undefined {

        const { headers } = this.#request;
        const length = header(headers, 'content-length') ?? '';
        const isEncoded = (header(headers, 'content-encoding') ?? 'identity') !== 'identity';
        return !isEncoded && /^\d+$/.test(length) ? Number(length) : undefined;
    }

    /** Aborted when the connection closes before the response ends. */
    get signal(): AbortSignal {

        this.#signal ??= peerSignal(this.#request);
        return this.#signal;
    }
}
