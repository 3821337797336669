/**
 * Spans of OpenTelemetry, one for each operation. Only its API is used: the SDK, which samples and exports, is that of the process
 * (`NODE_OPTIONS=--require …`); without one nothing is recorded.
 */

import type { RequestTracer } from '../core/dispatcher.js';
import type { DoipRequest } from '../doip/envelope.js';
import { implementation } from '../util/version.js';

/** Maximum length of an attribute, in UTF-16 code units. */
const MAX_LENGTH = 255;

/** Loads the API and returns a tracer. */
export async function openTracer(): Promise<RequestTracer> {

    const { context, propagation, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
    const tracer = trace.getTracer(implementation.name, implementation.version);
    return async (request, perform) => {

        const active = context.active();
        const { traceparent } = request.transport;
        // Instrumentation of HTTP has a span already, whose parent is that of the header.
        const parent = trace.getSpan(active) || traceparent === undefined ? active : propagation.extract(active, { traceparent });
        const span = tracer.startSpan('operation', { kind: SpanKind.SERVER, attributes: attributesOf(request) }, parent);
        let isForPrimary = false;
        try {
            const traced = await context.with(trace.setSpan(parent, span), perform);
            const { response: { callerId }, performed: { operation, protocol, status }, isError } = traced;
            isForPrimary = traced.response.isForPrimary === true;
            span.updateName(operation);
            span.setAttributes({
                'doip.operation': operation, 'doip.protocol': protocol, 'doip.status': status,
                ...typeof callerId === 'string' ? { 'enduser.id': callerId } : {}
            });
            if (isError) {
                span.setStatus({ code: SpanStatusCode.ERROR });
            }

            return traced;
        }
        finally {
            // A span that does not end is not exported: the request has the one of the primary process.
            if (!isForPrimary) {
                span.end();
            }
        }
    };
}

function attributesOf({ targetId, transport: { logId } }: DoipRequest): Record<string, string> {

    return { 'doip.target': targetId.slice(0, MAX_LENGTH).toWellFormed(), ...logId === undefined ? {} : { 'doip.request': logId.slice(0, MAX_LENGTH).toWellFormed() } };
}
