/** Gateways whose searches are in OpenSearch. */

import type { TestDatabase } from './database.js';
import { startGateway, type TestGateway } from './gateway.js';
import { found } from './searching.js';
import { until } from './until.js';

/** Starts one; an index that was replaced is kept for five seconds. */
export function startWithEngine(database: TestDatabase, url: string, shards = 1): Promise<TestGateway> {

    return startGateway(database, { search: { engine: { url, shards, keepFormerMs: 5000 } } });
}

/** Waits until searches are answered. */
export async function searchesReady({ gateway }: TestGateway): Promise<void> {

    await until(() => gateway.state.subsystems.get('indexer') === 'UP');
}

/** Ids that a search finds, in ascending order. */
export async function foundIds(gateway: TestGateway, query: string, more = {}): Promise<unknown[]> {

    return (await found(gateway, { query, type: 'id', sortFields: 'id', ...more })).results as unknown[];
}
