/**
 * A gateway with types to store many objects of at once, and short ways to send them.
 */

import type { Segment } from '../../lib/doip/envelope.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { TestDatabase } from './database.js';
import type { TestGateway } from './gateway.js';
import { ADMIN, LIMITS, startGateway } from './gateway.js';
import type { GatewayOptions } from '../../lib/app/options.js';

export const BATCH = '20.DOIP/Op.BatchUpload';

/** The result of one item. */
export interface BatchResult {
    readonly position: number;
    readonly responseCode: number;
    readonly response: JsonObject & { readonly id?: string; readonly message?: string; readonly attributes?: JsonObject };
}

/** What a batch is answered with. */
export interface BatchRecord {
    readonly results: readonly BatchResult[];
    readonly success: boolean;
    readonly message?: string;
}

/** A gateway with the types `Plain` and `Strict`, a limit of 50,000 bytes for an item, and the user `u`. */
export interface BatchGateway extends TestGateway {
    readonly database: TestDatabase;
    /** Credentials of the user `u`. */
    readonly user: JsonObject;
    /** Sends a batch, as the administrator unless told otherwise; the results come by position. */
    batch(input: readonly Segment[] | JsonValue, more?: { attributes?: JsonObject; authentication?: JsonObject }): Promise<BatchRecord>;
    /** The content of an object; undefined when there is none. */
    content(id: string): Promise<unknown>;
}

/** Starts one on a database of its own, which goes away with it. */
export async function createBatchGateway(create: () => Promise<TestDatabase>, options: Partial<GatewayOptions> = {}): Promise<BatchGateway> {

    const database = await create();
    const gateway = await startBatchGateway(database, options);
    return {
        ...gateway,
        async stop() {

            await gateway.stop();
            await database.dispose();
        }
    };
}

/** Starts one on a database that somebody else looks after. */
export async function startBatchGateway(database: TestDatabase, options: Partial<GatewayOptions> = {}): Promise<BatchGateway> {

    const gateway = await startGateway(database, { limits: { ...LIMITS, itemBytes: 50_000 }, ...options });
    await gateway.create('User', { id: '', username: 'u', password: 'user-password' }, { id: 'test/u' });
    await gateway.asAdmin('gateway/Op.Schemas.Update', { attributes: { type: 'Plain' }, input: { type: 'object' } });
    await gateway.asAdmin('gateway/Op.Schemas.Update', { attributes: { type: 'Strict' }, input: {
        type: 'object', required: ['name'],
        properties: { name: { type: 'string', maxLength: 10 }, friend: { type: 'string', cordra: { type: { handleReference: { types: ['Strict'] } } } } }
    } });
    return {
        ...gateway, database,
        user: { username: 'u', password: 'user-password' },
        async batch(input, { attributes = {}, authentication = ADMIN } = {}) {

            const { value } = await gateway.perform(BATCH, { input, attributes, authentication });
            const record = value as BatchRecord;
            return { ...record, results: record.results?.toSorted((a, b) => a.position - b.position) };
        },
        async content(id) {

            const { value } = await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: id });
            return (value as { attributes?: { content: unknown } }).attributes?.content;
        }
    };
}

/** The response codes of a batch, by position. */
export function codes({ results }: BatchRecord): number[] {

    return results.map(({ responseCode }) => responseCode);
}

/** Text as one segment of bytes that arrives in small pieces. */
export function text(value: string, mediaType = 'application/json'): Segment[] {

    const bytes = Buffer.from(value);
    async function *body(): AsyncGenerator<Uint8Array> {

        for (let i = 0; i < bytes.length; i += 1000) {
            yield bytes.subarray(i, i + 1000);
        }
    }

    return [{ kind: 'bytes', mediaType, body: body() }];
}
