/**
 * Everything that a repository holds, to be compared before and after: its export, and what its index finds.
 */

import type { JsonObject } from '../../lib/util/json-types.js';
import type { TestGateway } from './gateway.js';
import { Op } from '../../lib/doip/operation-ids.js';

/** The objects by id, as lines of an export with the bytes of all payloads, without what every write changes. */
export type RepositoryState = ReadonlyMap<string, string>;

/** An object in such a line. */
export interface ExportedObject {
    readonly id: string;
    readonly type: string;
    readonly attributes: { readonly content: JsonObject; readonly acl?: JsonObject; readonly metadata: JsonObject };
    readonly elements: readonly ExportedElement[];
}

/** A payload in such a line. */
export interface ExportedElement {
    readonly id: string;
    readonly type?: string;
    readonly attributes: { readonly filename?: string };
    base64Element?: string;
}

/** A line with a part of the bytes of a large payload of the object before it. */
interface Chunk {
    readonly element: string;
    readonly base64: string;
}

/** The state of now. */
export async function stateOf(gateway: TestGateway): Promise<RepositoryState> {

    const { output } = await gateway.asAdmin(Op.exportObjects);
    const objects: ExportedObject[] = [];
    for (const text of String(output[0]).trimEnd().split('\n').slice(1, -1)) {
        const line = JSON.parse(text) as ExportedObject | Chunk;
        if ('id' in line) {
            objects.push(line);
        }
        else {
            addChunk(objects.at(-1), line);
        }
    }

    return new Map(objects.map((object) => {

        const { txnId: _txnId, ...metadata } = object.attributes.metadata;
        return [object.id, JSON.stringify({ ...object, attributes: { ...object.attributes, metadata } })] as const;
    }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Each chunk but the last has bytes that are as many base64 characters without padding, so that the texts can be joined. */
function addChunk(object: ExportedObject | undefined, { element, base64 }: Chunk): void {

    const found = object?.elements.find(({ id }) => id === element);
    if (!found) {
        throw new Error(`the bytes of ${element} belong to no object`);
    }

    found.base64Element = (found.base64Element ?? '') + base64;
}

/** Ids that a query finds. */
export async function foundBy(gateway: TestGateway, query: string): Promise<string[]> {

    const { value } = await gateway.asAdmin('0.DOIP/Op.Search', { attributes: { query, pageSize: -1, type: 'id' } });
    return (value as { results: string[] }).results.toSorted();
}
