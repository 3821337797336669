/** Spans of OpenTelemetry, recorded by its SDK: one for each operation, below the span of the client. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { forPrimary } from '../../lib/core/local-requests.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { DIALECTS } from '../support/database.js';
import { openTracer } from '../../lib/tracing/tracer.js';
import { ADMIN_PASSWORD, startGateway } from '../support/gateway.js';
import { NativeClient } from '../support/native.js';
import type { RestService } from '../support/rest-service.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

/** Removes what `register()` has made global, for other tests of the process. */
function forgetProvider(): void {

    trace.disable();
    context.disable();
    propagation.disable();
    Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'));
}

describe('spans of operations', () => {

    const exporter = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    let service: RestService;

    before(async () => {

        provider.register();
        service = await startRest(DIALECTS[0]!.create, 'http/1.1', { TRACING: true, DOIP_PORT: 0 });
        await service.create('Document', { secret: 'content of the object' }, 'handle=test/map');
    });

    beforeEach(() => exporter.reset());

    after(async () => {

        await service.stop();
        await provider.shutdown();
        forgetProvider();
    });

    const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();

    it('have the operation as name, the trace of the client, and no content', async () => {

        const headers = { traceparent: TRACEPARENT, 'request-id': 'request-7' };
        const { statusCode } = await service.asAdmin('GET /objects/test/map', { headers });

        const [span, ...more] = spans();
        expect([statusCode, more.length]).to.equal([200, 0]);
        expect([span?.name, span?.kind, span?.status.code]).to.equal([Op.retrieve, SpanKind.SERVER, SpanStatusCode.UNSET]);
        expect([span?.spanContext().traceId, span?.parentSpanContext?.spanId]).to.equal([TRACE, PARENT]);
        expect<unknown>(span?.attributes).to.equal({
            'doip.target': 'test/map', 'doip.request': 'request-7', 'doip.operation': Op.retrieve, 'doip.protocol': 'rest',
            'doip.status': '0.DOIP/Status.001', 'enduser.id': 'admin'
        });
        expect(span?.instrumentationScope.name).to.equal('doip-gateway');
    });

    it('begin a trace without a valid header, by every interface', async () => {

        await service.anonymously('GET /objects/test/map', { headers: { traceparent: '00-0-0-01' } });
        await service.anonymously(`GET /doip?operationId=${Op.retrieve}&targetId=test/map`);
        const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
        await client.ask(`${JSON.stringify({ targetId: 'test/map', operationId: Op.retrieve })}\n#\n#\n`);
        client.close();

        expect(spans().map(({ name, attributes }) => [name, attributes['doip.protocol']])).to.equal([[Op.retrieve, 'rest'], [Op.retrieve, 'doip-http'], [Op.retrieve, 'doip']]);
        expect(new Set(spans().map((span) => span.spanContext().traceId)).size).to.equal(3);
        expect(spans().every(({ parentSpanContext }) => parentSpanContext === undefined)).to.be.true();
    });

    it('are not recorded by a process that leaves the request to another one', async () => {

        const tracer = await openTracer();
        const request = {
            requestId: null, clientId: null, targetId: 'test/map', operationId: Op.retrieve, authentication: {}, attributes: {}, input: (async function *() {})(),
            transport: { protocol: 'http', secure: true, remoteAddress: '' }, signal: new AbortController().signal
        };
        const performed = { operation: Op.retrieve, protocol: 'rest', status: 'other' };
        await tracer(request, () => Promise.resolve({ response: forPrimary(request), performed, isError: true }));

        expect(spans()).to.equal([]);
    });

    it('are below a span that the process has begun already', async () => {

        const outer = trace.getTracer('test').startSpan('outer');
        await context.with(trace.setSpan(context.active(), outer), () => service.gateway.perform({
            requestId: null, clientId: null, targetId: 'service', operationId: Op.hello, authentication: {}, attributes: {}, input: (async function *() {})(),
            transport: { protocol: 'internal', secure: true, remoteAddress: '', traceparent: TRACEPARENT }, signal: new AbortController().signal
        }));
        outer.end();

        const [span] = spans();
        expect([span?.name, span?.parentSpanContext?.spanId]).to.equal([Op.hello, outer.spanContext().spanId]);
    });

    it('have no names that clients invent, nor secrets', async () => {

        await service.anonymously(`GET /doip?operationId=invented/Op.${'x'.repeat(500)}&targetId=service`);
        await service.anonymously(`GET /objects/${'y'.repeat(5000)}`);
        await service.anonymously('POST /auth/token', {
            headers: { 'content-type': 'application/json' }, payload: JSON.stringify({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD })
        });

        const found = spans();
        expect(found.map(({ name }) => name)).to.equal(['other', Op.retrieve, Op.authToken]);
        expect(String(found[1]?.attributes['doip.target']).length).to.equal(255);
        expect(found[2]?.attributes['enduser.id']).to.equal('admin');
        const text = JSON.stringify(found.map(({ name, attributes, events }) => [name, attributes, events]));
        expect([ADMIN_PASSWORD, 'content of the object', 'invented'].filter((secret) => text.includes(secret))).to.equal([]);
    });

    it('are errors for internal errors only', async () => {

        const database = await DIALECTS[0]!.create();
        const tracer = await openTracer();
        const test = await startGateway(database, {}, (gateway) => {

            gateway.trace(tracer);
            gateway.registerOperation({
                id: '20.500.123/Op.Fail', summary: 'fail', target: 'service', authorise: 'anyone', handler: () => Promise.reject(new Error('a secret of the cause'))
            });
        });
        await test.asAdmin(Op.retrieve, { targetId: 'test/none' });
        await test.asAdmin('20.500.123/Op.Fail');
        await test.stop();
        await database.dispose();

        expect(spans().map(({ name, status }) => [name, status.code])).to.equal([
            [Op.retrieve, SpanStatusCode.UNSET], ['20.500.123/Op.Fail', SpanStatusCode.ERROR]
        ]);
        expect(JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status]))).to.not.include('a secret of the cause');
    });
});

describe('without TRACING', () => {

    it('nothing is recorded, whatever SDK there is', async () => {

        const exporter = new InMemorySpanExporter();
        const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
        provider.register();
        const service = await startRest(DIALECTS[0]!.create);
        try {
            await service.anonymously('GET /design');
            expect(exporter.getFinishedSpans()).to.equal([]);
        }
        finally {
            await service.stop();
            await provider.shutdown();
            forgetProvider();
        }
    });
});
