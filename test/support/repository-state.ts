/**
 * Everything that a repository holds, to be compared before and after: its export, and what its index finds.
 */

import type { TestGateway } from './gateway.js';
import { Op } from '../../lib/doip/operation-ids.js';

/** The objects by id, as lines of an export, without what every write changes. */
export type RepositoryState = ReadonlyMap<string, string>;

/** The state of now. */
export async function stateOf(gateway: TestGateway): Promise<RepositoryState> {

    const { output } = await gateway.asAdmin(Op.exportObjects);
    const lines = String(output[0]).trimEnd().split('\n').slice(1, -1).map((line) => JSON.parse(line) as { id: string; attributes: { metadata: Record<string, unknown> } });
    return new Map(lines.map((line) => {

        const { txnId: _txnId, ...metadata } = line.attributes.metadata;
        return [line.id, JSON.stringify({ ...line, attributes: { ...line.attributes, metadata } })] as const;
    }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Ids that a query finds. */
export async function foundBy(gateway: TestGateway, query: string): Promise<string[]> {

    const { value } = await gateway.asAdmin('0.DOIP/Op.Search', { attributes: { query, pageSize: -1, type: 'id' } });
    return (value as { results: string[] }).results.toSorted();
}
