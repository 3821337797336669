/**
 * What an object points at and what points at it (interface specification, "Relationships.Get"), as far as the caller may
 * read it. Objects that are gone, unreadable or kept back by the code of their type are left out, and so are references from
 * and to them: that they exist is told nowhere.
 */

import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../doip/json.js';
import type { Policy } from '../identity/policy.js';
import type { ObjectScan } from '../stores/object-scan.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { ObjectResolution, Reading } from './object-resolution.js';
import type { StoredObject } from './stored-object.js';
import { getAt } from '../doip/json-pointer.js';
import { jsonText, rememberText } from '../doip/known-text.js';
import type { DigitalObject } from '../doip/object.js';
import { digitalObjectText } from '../doip/written-object.js';
import { toDigitalObject } from './stored-object.js';

/** What is asked for. */
export interface RelationshipWish {
    /** True to leave out what points at the object. */
    readonly outboundOnly: boolean;
}

/** Who asks. */
export type RelationshipReader = Reading & { readonly signal: AbortSignal };

/** A reference between two objects. */
interface Edge {
    readonly from: string;
    readonly to: string;
    readonly pointer: string;
}

/** Objects that are read at once. */
const OBJECTS_AT_ONCE = 50;

/** References to an object that are looked at: of those beyond it nobody learns. */
const MAX_LOOKED_AT = 100_000;

/** Edges for each object that may be answered. */
const EDGES_PER_OBJECT = 10;

/** Length of the content of all objects of an answer, which is sent in one piece. */
const MAX_ANSWER_LENGTH = 4 * 1024 * 1024;

/** Finds related objects. */
export class RelationshipService {

    readonly #references: ReferenceStore;
    readonly #objects: Pick<ObjectScan, 'byIds'>;
    readonly #policy: Policy;
    readonly #resolution: ObjectResolution;
    readonly #limit: number;

    /** @param parts `limit` is the number of objects in each direction */
    constructor(parts: {
        references: ReferenceStore; objects: Pick<ObjectScan, 'byIds'>; policy: Policy; resolution: ObjectResolution; limit: number;
    }) {

        this.#references = parts.references;
        this.#objects = parts.objects;
        this.#policy = parts.policy;
        this.#resolution = parts.resolution;
        this.#limit = parts.limit;
    }

    /**
     * The graph around an object: `nodes` (the object first, with a label; then what points at it, then what it points at),
     * `edges`, one for each reference, and `results`, the digital objects by id. `truncated` is true when something was left
     * out for its number or size.
     *
     * @param target readable to the caller
     * @throws DoipError 403, or what the code of its type says, when the object is kept back
     */
    async graph(target: StoredObject, { outboundOnly }: RelationshipWish, reader: RelationshipReader): Promise<JsonObject> {

        const shown = new Map([[target.id, this.#policy.visibleTo(reader.caller, await this.#resolution.resolve(target, reader), target)]]);
        const inbound = outboundOnly ? NOTHING : await this.#inbound(target.id, reader);
        const outbound = await this.#outbound(target.id);
        const ids = new Set([...inbound.edges.map(({ from }) => from), ...outbound.edges.map(({ to }) => to)]);
        ids.delete(target.id);
        const isWhole = await this.#show([...ids], shown, reader);
        const edges = [...inbound.edges, ...outbound.edges].filter((edge) => isShown(edge, shown));
        const referring = new Set(edges.flatMap(({ from, to }) => [from, to]));
        const nodes = [...shown].filter(([id]) => id === target.id || referring.has(id));
        const isTruncated = inbound.isCut || outbound.isCut || !isWhole;
        return written({
            nodes: nodes.map(([id]) => (id === target.id ? { id, label: id } : { id })),
            edges: edges.map(({ from, to, pointer }) => ({ from, to, style: 'arrow', jsonPointer: pointer })),
            results: Object.fromEntries(nodes.map(([id, object]) => [id, toDigitalObject(object)])),
            ...(isTruncated ? { truncated: true } : {})
        });
    }

    /** References from objects that the caller may read, but for versions. References of the object to itself count as outbound. */
    async #inbound(id: string, { caller, signal }: RelationshipReader): Promise<Edges> {

        const found = new Edges(this.#limit);
        let lookedAt = 0;
        for await (const block of this.#references.inbound(id)) {
            for (const { from, pointer } of block) {
                if (from.id !== id && !from.metadata.isVersion && this.#policy.canRead(caller, from).allowed) {
                    found.add({ from: from.id, to: id, pointer }, from.id);
                }
            }

            lookedAt += block.length;
            found.isCut ||= lookedAt >= MAX_LOOKED_AT;
            if (found.isCut) {
                break;
            }

            signal.throwIfAborted();
            await setImmediate();
        }

        return found;
    }

    async #outbound(id: string): Promise<Edges> {

        const found = new Edges(this.#limit);
        for await (const block of this.#references.outbound(id)) {
            block.forEach(({ pointer, toId }) => found.add({ from: id, to: toId, pointer }, toId));
            if (found.isCut) {
                break;
            }
        }

        return found;
    }

    /** Adds the objects that the caller may see, in the order of their ids; false when not all of them fit. */
    async #show(ids: readonly string[], shown: Map<string, StoredObject>, reader: RelationshipReader): Promise<boolean> {

        let length = 0;
        for (let start = 0; start < ids.length; start += OBJECTS_AT_ONCE) {
            reader.signal.throwIfAborted();
            const block = ids.slice(start, start + OBJECTS_AT_ONCE);
            const byId = new Map((await this.#visible(block, reader)).map((object) => [object.id, object]));
            for (const id of block) {
                const object = byId.get(id);
                length += object ? jsonText(object.content).length : 0;
                if (length > MAX_ANSWER_LENGTH) {
                    return false;
                }

                if (object) {
                    shown.set(id, object);
                }
            }

            await setImmediate();
        }

        return true;
    }

    async #visible(ids: readonly string[], reader: RelationshipReader): Promise<StoredObject[]> {

        const readable = (await this.#objects.byIds(ids)).filter((object) => this.#policy.canRead(reader.caller, object).allowed);
        const resolved = await this.#resolution.resolveAll(readable, reader);
        return readable.flatMap((object, i) => {

            const shown = resolved[i];
            return shown ? [this.#policy.visibleTo(reader.caller, shown, object)] : [];
        });
    }
}

/** True when both objects are shown, and the referring one with the value that refers: code may show content without it. */
function isShown({ from, to, pointer }: Edge, shown: ReadonlyMap<string, StoredObject>): boolean {

    const object = shown.get(from);
    const value = object && getAt(object.content, pointer);
    return typeof value === 'string' && shown.has(to) && to.endsWith(value);
}

interface Graph {
    readonly nodes: JsonObject[];
    readonly edges: JsonObject[];
    readonly results: Readonly<Record<string, DigitalObject>>;
    readonly truncated?: boolean;
}

/** A graph together with its text, which is put together in turns: there may be many objects, and their contents long. */
async function written(graph: Graph): Promise<JsonObject> {

    const { nodes, edges, results, ...rest } = graph;
    const all = Object.entries(results);
    const texts: string[] = [];
    for (let start = 0; start < all.length; start += OBJECTS_AT_ONCE) {
        texts.push(...all.slice(start, start + OBJECTS_AT_ONCE).map(([id, object]) => `${JSON.stringify(id)}:${digitalObjectText(object)}`));
        await setImmediate();
    }

    const head = JSON.stringify({ nodes, edges }).slice(0, -1);
    const end = rest.truncated ? ',"truncated":true}' : '}';
    return rememberText(graph as unknown as JsonObject, `${head},"results":{${texts.join()}}${end}`);
}

/** References in one direction, each place in content once, up to the limits. */
class Edges {

    readonly edges: Edge[] = [];
    /** True when not all of them are there. */
    isCut = false;
    readonly #limit: number;
    readonly #others = new Set<string>();
    readonly #places = new Set<string>();

    constructor(limit: number) {

        this.#limit = limit;
    }

    /** @param other the object that it brings in */
    add(edge: Edge, other: string): void {

        const place = JSON.stringify([edge.from, edge.pointer, edge.to]);
        if (this.isCut || this.#places.has(place)) {
            return;
        }

        this.#others.add(other);
        if (this.#others.size > this.#limit || this.edges.length >= this.#limit * EDGES_PER_OBJECT) {
            this.isCut = true;
            return;
        }

        this.#places.add(place);
        this.edges.push(edge);
    }
}

const NOTHING = new Edges(0);
