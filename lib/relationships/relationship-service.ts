/**
 * References from and to an object (interface specification, "Relationships.Get"), as far as the caller may read them. Objects
 * that are deleted, unreadable or hidden by the code of their type are left out with their references, so that their existence
 * is not revealed.
 */

import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../util/json-types.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { TextReader } from '../search/hit-loader.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { ObjectResolution, Reading } from '../objects/read/object-resolution.js';
import type { StoredObject } from '../model/stored-object.js';
import { getAt } from '../json/pointer.js';
import { rememberText } from '../json/raw-json.js';
import type { DigitalObject } from '../doip/digital-object.js';
import type { Catalog } from '../types/catalog.js';
import type { LabelReader } from './label-reader.js';
import { digitalObjectText, SerializedObject } from '../doip/serialized-object.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import { ResultReader } from '../search/hit-loader.js';
import { toDigitalObject } from '../model/stored-object.js';

/** Context of the caller. */
export type RelationshipReader = Reading & { readonly signal: AbortSignal };

/** A reference in the form of the response. */
type JsonEdge = JsonObject & { readonly from: string; readonly to: string };

/** A reference between two objects. */
interface Edge {
    readonly from: string;
    readonly to: string;
    readonly pointer: string;
}

/** An object of the response with its JSON text. */
interface VisibleObject {
    readonly object: DigitalObject;
    readonly text: string;
    readonly label: string;
    /** The references of its content as the code of its type shows it, by {@link keyOf}; null if it is shown as stored. */
    readonly shown: ReadonlySet<string> | null;
}

/** Number of edges processed per turn of the event loop. */
const EDGES_PER_BATCH = 500;

/** Maximum number of references to an object that are read; further ones are not found. */
const MAX_VISITED = 100_000;

/** Maximum number of edges, as a multiple of the number of objects. */
const EDGES_PER_OBJECT = 10;

/** Maximum total length of the JSON texts of all related objects, in UTF-16 code units; the response is sent in one piece. */
const MAX_ANSWER_LENGTH = 4 * 1024 * 1024;

/** Dependencies. */
export interface RelationshipParts {
    readonly references: ReferenceStore;
    readonly objects: TextReader;
    readonly policy: Policy;
    readonly resolution: ObjectResolution;
    readonly labels: Pick<LabelReader, 'labelOf'>;
    readonly catalog: Pick<Catalog, 'current'>;
    /** Maximum number of objects in each direction. */
    readonly limit: number;
}

/** Finds related objects. */
export class RelationshipService {

    readonly #references: ReferenceStore;
    readonly #reader: ResultReader;
    readonly #policy: Policy;
    readonly #resolution: ObjectResolution;
    readonly #labels: Pick<LabelReader, 'labelOf'>;
    readonly #catalog: Pick<Catalog, 'current'>;
    readonly #limit: number;

    constructor(parts: RelationshipParts) {

        this.#references = parts.references;
        this.#reader = new ResultReader({ ...parts, yielder: new EventLoopYielder() });
        this.#policy = parts.policy;
        this.#resolution = parts.resolution;
        this.#labels = parts.labels;
        this.#catalog = parts.catalog;
        this.#limit = parts.limit;
    }

    /**
     * Returns the graph around an object: `nodes` with their labels (the object first, then objects that refer to it, then objects
     * it refers to), `edges` (one per reference) and `results` (digital objects by id). `truncated` is true if a limit on
     * number or size was reached.
     *
     * @param target an object that the caller may read
     * @param options `outboundOnly`: leave out references to the object
     * @throws DoipError 403, or the error thrown by the code of its type, if the object is hidden
     */
    async graph(target: StoredObject, { outboundOnly }: { outboundOnly: boolean }, reader: RelationshipReader): Promise<JsonObject> {

        const visibleTarget = this.#policy.visibleTo(reader.caller, await this.#resolution.resolve(target, reader), target);
        const visible = new Map([[target.id, await this.#described(toDigitalObject(visibleTarget))]]);
        const inbound = outboundOnly ? NOTHING : await this.#inbound(target.id, reader);
        const outbound = await this.#outbound(target.id);
        const ids = new Set([...inbound.edges.map(({ from }) => from), ...outbound.edges.map(({ to }) => to)]);
        ids.delete(target.id);
        const isWhole = await this.#addVisible([...ids], visible, reader);
        const edges = await visibleEdges([...inbound.edges, ...outbound.edges], visible);
        const referring = new Set(edges.list.flatMap(({ from, to }) => [from, to]));
        const nodes = [...visible].filter(([id]) => id === target.id || referring.has(id));
        const isTruncated = inbound.isCut || outbound.isCut || !isWhole;
        return written({
            nodes: nodes.map(([id, { label }]) => ({ id, label })),
            edges, results: nodes.map(([, found]) => found), isTruncated
        });
    }

    /** Returns references from objects that the caller may read and find, except versions. References of the object to itself count as outbound. */
    async #inbound(id: string, { caller, signal }: RelationshipReader): Promise<Edges> {

        const found = new Edges(this.#limit);
        let visited = 0;
        for await (const block of this.#references.inbound(id)) {
            for (const { from, pointer } of block) {
                if (from.id !== id && !from.metadata.isVersion && this.#policy.canFind(caller, from).allowed) {
                    found.add({ from: from.id, to: id, pointer }, from.id);
                }
            }

            visited += block.length;
            found.isCut ||= visited >= MAX_VISITED;
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

    /** Adds the objects that the caller may see, in the order of their ids. Returns false if not all of them fit into the response. */
    async #addVisible(ids: readonly string[], visible: Map<string, VisibleObject>, reader: RelationshipReader): Promise<boolean> {

        let length = 0;
        for await (const block of this.#reader.load(hitsOf(ids), reader)) {
            for (const object of block) {
                const found = await this.#described(object);
                length += found.text.length;
                if (length > MAX_ANSWER_LENGTH) {
                    return false;
                }

                visible.set(object.id, found);
            }
        }

        return true;
    }

    /** Returns an object with its label and its JSON text, and caches the text of its content. */
    async #described(found: DigitalObject): Promise<VisibleObject> {

        const object = found instanceof SerializedObject ? found.toJSON() : found;
        if (found instanceof SerializedObject) {
            rememberText(object.attributes.content, found.parts.content);
        }

        const { label } = await this.#labels.labelOf(object);
        return { object, text: digitalObjectText(object), label, shown: this.#shownIn(object) };
    }

    #shownIn({ type, attributes: { content } }: DigitalObject): ReadonlySet<string> | null {

        return this.#resolution.concerns(type) ?
            new Set(this.#catalog.current.get(type)?.referencesIn(content).map(({ pointer, id }) => keyOf(pointer, id))) : null;
    }
}

async function *hitsOf(ids: readonly string[]) {

    yield ids.map((id) => ({ id, score: null }));
}

/** Returns the edges between objects that are shown, in the form of the response, with the JSON text of the list. */
async function visibleEdges(
    edges: readonly Edge[], visible: ReadonlyMap<string, VisibleObject>
): Promise<{ readonly list: JsonEdge[]; readonly text: string }> {

    const list: JsonEdge[] = [];
    const texts: string[] = [];
    for (let start = 0; start < edges.length; start += EDGES_PER_BATCH) {
        const block = edges.slice(start, start + EDGES_PER_BATCH).filter((edge) => isVisible(edge, visible))
            .map(({ from, to, pointer }): JsonEdge => ({ from, to, style: 'arrow', jsonPointer: pointer }));
        if (block.length > 0) {
            list.push(...block);
            texts.push(JSON.stringify(block).slice(1, -1));
        }

        await setImmediate();
    }

    return { list, text: `[${texts.join()}]` };
}

/** True if both objects are shown, and the referring one with the value that refers: type code may show content without it. */
function isVisible({ from, to, pointer }: Edge, visible: ReadonlyMap<string, VisibleObject>): boolean {

    const { object, shown = null } = visible.get(from) ?? {};
    const value = object && getAt(object.attributes.content, pointer);
    return typeof value === 'string' && visible.has(to) && (shown === null ? to.endsWith(value) : to === value || shown.has(keyOf(pointer, to)));
}

function keyOf(pointer: string, to: string): string {

    return JSON.stringify([pointer, to]);
}

/** Returns a graph whose JSON text is assembled from the texts of its parts, which may be many and long. */
function written(
    { nodes, edges, results, isTruncated }: {
        readonly nodes: JsonObject[]; readonly edges: { readonly list: JsonEdge[]; readonly text: string };
        readonly results: readonly VisibleObject[]; readonly isTruncated: boolean;
    }
): JsonObject {

    const graph = {
        nodes, edges: edges.list,
        results: Object.fromEntries(results.map(({ object }) => [object.id, object])),
        ...isTruncated ? { truncated: true } : {}
    };
    const texts = results.map(({ object: { id }, text }) => `${JSON.stringify(id)}:${text}`);
    const text = `{"nodes":${JSON.stringify(nodes)},"edges":${edges.text},"results":{${texts.join()}}${isTruncated ? ',"truncated":true' : ''}}`;
    return rememberText(graph as unknown as JsonObject, text);
}

/** References in one direction, without duplicates, up to the limits. */
class Edges {

    readonly edges: Edge[] = [];
    /** True if a limit was reached. */
    isCut = false;
    readonly #limit: number;
    readonly #ids = new Set<string>();
    readonly #edges = new Set<string>();

    constructor(limit: number) {

        this.#limit = limit;
    }

    /** @param other the object at the other end */
    add(edge: Edge, other: string): void {

        const key = JSON.stringify([edge.from, edge.pointer, edge.to]);
        if (this.isCut || this.#edges.has(key)) {
            return;
        }

        this.#ids.add(other);
        if (this.#ids.size > this.#limit || this.edges.length >= this.#limit * EDGES_PER_OBJECT) {
            this.isCut = true;
            return;
        }

        this.#edges.add(key);
        this.edges.push(edge);
    }
}

const NOTHING = new Edges(0);
