/**
 * A started gateway on a fresh database, and short ways to perform operations with it.
 */

import { pino } from 'pino';
import type { DoipRequest, DoipResponse, Segment } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { Gateway } from '../../lib/app/gateway.js';
import type { TestDatabase } from './database.js';
import { empty, sequence } from '../../lib/doip/segments.js';
import { createGateway } from '../../lib/app/gateway.js';
import type { GatewayOptions } from '../../lib/app/options.js';
import { DEFAULT_LIMITS, type ScriptLimits } from '../../lib/scripting/pool/script-pool.js';

/** Password of the administrator in tests. */
export const ADMIN_PASSWORD = 'admin-password';

/** Credentials of the administrator. */
export const ADMIN: JsonObject = { username: 'admin', password: ADMIN_PASSWORD };

/** A request in short; what is absent has the ordinary value. */
export interface ShortRequest {
    readonly targetId?: string;
    readonly authentication?: JsonObject;
    readonly clientId?: string;
    readonly requestId?: string;
    readonly attributes?: JsonObject;
    /** Segments, or one JSON value. */
    readonly input?: readonly Segment[] | JsonValue;
    readonly safe?: boolean;
    readonly allowTypeChange?: boolean;
}

/** An answer, read to its end. */
export interface Answer {
    readonly status: string;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly http: number | undefined;
    readonly requestId: string | null;
    /** JSON values and the texts of bytes, in order. */
    readonly output: unknown[];
    /** The first of them. */
    readonly value: unknown;
}

/** A gateway and how to talk to it. */
export interface TestGateway {
    readonly gateway: Gateway;
    perform(operationId: string, request?: ShortRequest): Promise<Answer>;
    /** As the administrator. */
    asAdmin(operationId: string, request?: ShortRequest): Promise<Answer>;
    /** Creates an object as the administrator and gives it back; fails when it is refused. */
    create(type: string, content: JsonObject, more?: JsonObject): Promise<JsonObject & { id: string }>;
    stop(): Promise<void>;
}

/** Limits small enough to be met in tests. */
export const LIMITS: GatewayOptions['limits'] = {
    idBytes: 255, nameBytes: 255, aclEntries: 100, elements: 20, contentBytes: 1_000_000, elementBytes: 10_000_000
};

/**
 * Time that a call of type code may take, unless a test is about it. Scripts have a low priority: where other processes keep the machine busy, a call that
 * needs some tenths of a second of processor time may last longer than a service allows by default.
 */
export const SCRIPT_SECONDS = 60;

/** Limits of scripts with that time. */
export const SCRIPT_LIMITS: ScriptLimits = { ...DEFAULT_LIMITS, timeout: SCRIPT_SECONDS * 1000 };

/** Hashing passwords takes about a millisecond. */
export const QUICK = { cost: 1024, blockSize: 1, parallelization: 1 };

/** Options for a gateway on a test database. */
export function gatewayOptions(database: TestDatabase, options: Partial<GatewayOptions> = {}): GatewayOptions {

    return {
        dataDir: database.options.dataDir, databaseUrl: database.options.url, prefix: 'test', extensionKeyword: 'cordra',
        adminPassword: ADMIN_PASSWORD, passwordCost: QUICK, limits: LIMITS, scripts: SCRIPT_LIMITS,
        log: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }), ...options
    };
}

/** Starts a gateway. `prepare` runs before the start, to register operations. */
export async function startGateway(
    database: TestDatabase, options: Partial<GatewayOptions> = {}, prepare: (gateway: Gateway) => void = () => {}
): Promise<TestGateway> {

    const gateway = createGateway(gatewayOptions(database, options));
    prepare(gateway);
    await gateway.start();
    return talkTo(gateway);
}

/** Short ways to talk to a gateway. */
export function talkTo(gateway: Gateway): TestGateway {

    const perform: TestGateway['perform'] = async (operationId, request = {}) => {

        return readAnswer(await gateway.perform(envelope(operationId, request)));
    };

    const asAdmin: TestGateway['asAdmin'] = (operationId, request = {}) => perform(operationId, { authentication: ADMIN, ...request });
    return {
        gateway, perform, asAdmin,
        async create(type, content, more = {}) {

            const { attributes, ...rest } = more;
            const input = { type, ...rest, attributes: { content, ...attributes as JsonObject } };
            const { value, status } = await asAdmin('0.DOIP/Op.Create', { input });
            if (status !== '0.DOIP/Status.001') {
                throw new Error(`creating failed: ${JSON.stringify(value)}`);
            }

            return value as JsonObject & { id: string };
        },
        stop: () => gateway.stop()
    };
}

/** A whole request envelope. */
export function envelope(operationId: string, request: ShortRequest = {}): DoipRequest {

    const { input } = request;
    return {
        operationId,
        targetId: request.targetId ?? 'service',
        requestId: request.requestId ?? null,
        clientId: request.clientId ?? null,
        authentication: request.authentication ?? {},
        attributes: request.attributes ?? {},
        input: toSegments(input),
        transport: { protocol: 'internal', secure: true, remoteAddress: '' },
        signal: new AbortController().signal,
        ...(request.safe === undefined ? {} : { safe: request.safe }),
        ...(request.allowTypeChange === undefined ? {} : { allowTypeChange: request.allowTypeChange })
    };
}

function toSegments(input: ShortRequest['input']): AsyncIterable<Segment> {

    if (input === undefined) {
        return empty();
    }

    return Array.isArray(input) && input.every(isSegment) ? sequence(...input as unknown as Segment[]) : sequence({ kind: 'json', value: input as JsonValue });
}

function isSegment(value: unknown): boolean {

    return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Reads an answer to its end. */
export async function readAnswer({ status, attributes, http, requestId, output }: DoipResponse): Promise<Answer> {

    const values: unknown[] = [];
    for await (const segment of output) {
        if (segment.kind === 'json') {
            values.push(JSON.parse(JSON.stringify(segment.value)));
            continue;
        }

        const chunks: Uint8Array[] = [];
        for await (const chunk of segment.body) {
            chunks.push(chunk);
        }

        values.push(Buffer.concat(chunks).toString());
    }

    return { status, attributes, http, requestId, output: values, value: values[0] };
}
