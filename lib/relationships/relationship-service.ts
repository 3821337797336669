/**
 * What an object points at and what points at it (interface specification, "Relationships.Get"), as far as the caller may
 * read it. Objects that are gone, unreadable or kept back by the code of their type are left out, and so are references from
 * and to them: that they exist is told nowhere.
 */

import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../util/json-types.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { TextReader } from '../search/hit-loader.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { ObjectResolution, Reading } from '../objects/read/object-resolution.js';
import type { StoredObject } from '../model/stored-object.js';
import { getAt } from '../json/pointer.js';
import { jsonText, rememberText } from '../json/raw-json.js';
import type { DigitalObject } from '../doip/digital-object.js';
import { digitalObjectText, SerializedObject } from '../doip/serialized-object.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import { ResultReader } from '../search/hit-loader.js';
import { toDigitalObject } from '../model/stored-object.js';

/** What is asked for. */
export interface RelationshipQuery {
    /** True to leave out what points at the object. */
    readonly outboundOnly: boolean;
}

/** Who asks. */
export type RelationshipReader = Reading & { readonly signal: AbortSignal };

/** A reference as it is answered. */
type JsonEdge = JsonObject & { readonly from: string; readonly to: string };

/** A reference between two objects. */
interface Edge {
    readonly from: string;
    readonly to: string;
    readonly pointer: string;
}

/** An object of the answer, with its JSON text. */
interface Shown {
    readonly object: DigitalObject;
    readonly text: string;
}

/** Edges that are looked at and written in one turn of the event loop. */
const EDGES_PER_BATCH = 500;

/** References to an object that are looked at: of those beyond it nobody learns. */
const MAX_LOOKED_AT = 100_000;

/** Edges for each object that may be answered. */
const EDGES_PER_OBJECT = 10;

/** Length of the content of all objects of an answer, which is sent in one piece. */
const MAX_ANSWER_LENGTH = 4 * 1024 * 1024;

/** Finds related objects. */
export class RelationshipService {

    readonly #references: ReferenceStore;
    readonly #reader: ResultReader;
    readonly #policy: Policy;
    readonly #resolution: ObjectResolution;
    readonly #limit: number;

    /** @param parts `limit` is the number of objects in each direction */
    constructor(parts: {
        references: ReferenceStore; objects: TextReader; policy: Policy; resolution: ObjectResolution; limit: number;
    }) {

        this.#references = parts.references;
        this.#reader = new ResultReader({ ...parts, turns: new EventLoopYielder() });
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
    async graph(target: StoredObject, { outboundOnly }: RelationshipQuery, reader: RelationshipReader): Promise<JsonObject> {

        const own = this.#policy.visibleTo(reader.caller, await this.#resolution.resolve(target, reader), target);
        const shown = new Map([[target.id, withText(toDigitalObject(own))]]);
        const inbound = outboundOnly ? NOTHING : await this.#inbound(target.id, reader);
        const outbound = await this.#outbound(target.id);
        const ids = new Set([...inbound.edges.map(({ from }) => from), ...outbound.edges.map(({ to }) => to)]);
        ids.delete(target.id);
        const isWhole = await this.#show([...ids], shown, reader);
        const edges = await shownEdges([...inbound.edges, ...outbound.edges], shown);
        const referring = new Set(edges.list.flatMap(({ from, to }) => [from, to]));
        const nodes = [...shown].filter(([id]) => id === target.id || referring.has(id));
        const isTruncated = inbound.isCut || outbound.isCut || !isWhole;
        return written({
            nodes: nodes.map(([id]) => (id === target.id ? { id, label: id } : { id })),
            edges, results: nodes.map(([, found]) => found), isTruncated
        });
    }

    /** References from objects that the caller may read and find, but for versions. References of the object to itself count as outbound. */
    async #inbound(id: string, { caller, signal }: RelationshipReader): Promise<Edges> {

        const found = new Edges(this.#limit);
        let lookedAt = 0;
        for await (const block of this.#references.inbound(id)) {
            for (const { from, pointer } of block) {
                if (from.id !== id && !from.metadata.isVersion && this.#policy.canFind(caller, from).allowed) {
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
    async #show(ids: readonly string[], shown: Map<string, Shown>, reader: RelationshipReader): Promise<boolean> {

        let length = 0;
        for await (const block of this.#reader.show(hitsOf(ids), reader)) {
            for (const object of block) {
                const found = withText(object);
                length += jsonText(found.object.attributes.content).length;
                if (length > MAX_ANSWER_LENGTH) {
                    return false;
                }

                shown.set(object.id, found);
            }
        }

        return true;
    }
}

async function *hitsOf(ids: readonly string[]) {

    yield ids.map((id) => ({ id, score: null }));
}

/** The text of its content is known afterwards. */
function withText(found: DigitalObject): Shown {

    const object = found instanceof SerializedObject ? found.toJSON() : found;
    if (found instanceof SerializedObject) {
        rememberText(object.attributes.content, found.parts.content);
    }

    return { object, text: digitalObjectText(object) };
}

/** Those edges of which both objects are shown, as they are answered, and the text of their list. */
async function shownEdges(edges: readonly Edge[], shown: ReadonlyMap<string, Shown>): Promise<{ readonly list: JsonEdge[]; readonly text: string }> {

    const list: JsonEdge[] = [];
    const texts: string[] = [];
    for (let start = 0; start < edges.length; start += EDGES_PER_BATCH) {
        const block = edges.slice(start, start + EDGES_PER_BATCH).filter((edge) => isShown(edge, shown))
            .map(({ from, to, pointer }): JsonEdge => ({ from, to, style: 'arrow', jsonPointer: pointer }));
        if (block.length > 0) {
            list.push(...block);
            texts.push(JSON.stringify(block).slice(1, -1));
        }

        await setImmediate();
    }

    return { list, text: `[${texts.join()}]` };
}

/** True when both objects are shown, and the referring one with the value that refers: code may show content without it. */
function isShown({ from, to, pointer }: Edge, shown: ReadonlyMap<string, Shown>): boolean {

    const content = shown.get(from)?.object.attributes.content;
    const value = content && getAt(content, pointer);
    return typeof value === 'string' && shown.has(to) && to.endsWith(value);
}

/** A graph together with its text, which is put together of those of its parts: there may be many, and long ones. */
function written(
    { nodes, edges, results, isTruncated }: {
        readonly nodes: JsonObject[]; readonly edges: { readonly list: JsonEdge[]; readonly text: string };
        readonly results: readonly Shown[]; readonly isTruncated: boolean;
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
