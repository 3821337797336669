/** The objects around an object, joined over several requests, and a layout of them. */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';

/** An edge, as the service sends it. */
export interface Edge {
    readonly from: string;
    readonly to: string;
    readonly jsonPointer?: string;
}

/** The response of `/relationships/<id>`. */
export interface Relationships {
    readonly nodes: readonly { readonly id: string; readonly label?: string }[];
    readonly edges: readonly Edge[];
    readonly results?: Readonly<Record<string, { readonly type?: string }>>;
    readonly truncated?: boolean;
}

/** An object in the graph. */
export interface GraphNode {
    readonly id: string;
    readonly label?: string;
    readonly type: string;
}

/** What is known of the graph. */
export interface Graph {
    readonly nodes: ReadonlyMap<string, GraphNode>;
    readonly edges: ReadonlyMap<string, Required<Edge>>;
    /** Objects whose relations were read. */
    readonly expanded: ReadonlySet<string>;
    /** Those of them that have more than the service returns. */
    readonly truncated: ReadonlySet<string>;
}

export const NO_GRAPH: Graph = { nodes: new Map(), edges: new Map(), expanded: new Set(), truncated: new Set() };

/** The property of a reference: indices of arrays do not matter. */
export function propertyOf(jsonPointer = ''): string {

    return jsonPointer.replace(/\/\d+(?=\/|$)/g, '/_').replace(/\/_$/, '');
}

/** Adds the relations of an object. */
export function withRelations(graph: Graph, id: string, { nodes, edges, results = {}, truncated = false }: Relationships): Graph {

    const allNodes = new Map(graph.nodes);
    for (const { id: each, label } of nodes) {
        const known = allNodes.get(each);
        const text = label ?? known?.label;
        allNodes.set(each, { id: each, type: results[each]?.type ?? known?.type ?? '', ...text === undefined ? {} : { label: text } });
    }

    const allEdges = new Map(graph.edges);
    for (const { from, to, jsonPointer } of edges) {
        const edge = { from, to, jsonPointer: propertyOf(jsonPointer) };
        if (allNodes.has(from) && allNodes.has(to)) {
            allEdges.set(JSON.stringify(edge), edge);
        }
    }

    return {
        nodes: allNodes, edges: allEdges, expanded: new Set([...graph.expanded, id]), truncated: truncated ? new Set([...graph.truncated, id]) : graph.truncated
    };
}

/** The graph with the edges of one property only, and the objects at them; the first object stays. */
export function filtered(
    { nodes, edges }: Graph, property: string, first: string
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly Required<Edge>[] } {

    const shown = [...edges.values()].filter(({ jsonPointer }) => property === '' || jsonPointer === property);
    const ids = new Set([first, ...shown.flatMap(({ from, to }) => [from, to])]);
    return { nodes: [...nodes.values()].filter(({ id }) => ids.has(id)), edges: shown };
}

/** A place. */
export interface Point {
    readonly x: number;
    readonly y: number;
}

/** Steps of the simulation; fewer for large graphs, so that it takes some tenths of a second. */
const STEPS = 240;
const LARGE = 300;

interface Body {
    readonly id: string;
    x: number;
    y: number;
    fx?: number;
    fy?: number;
}

/** Lays out a graph around its first object. Objects that have a place begin there. */
export function layOut(
    ids: readonly string[], edges: readonly Edge[], { first, places }: { readonly first: string; readonly places: ReadonlyMap<string, Point> }
): ReadonlyMap<string, Point> {

    // Fixed beginnings: the same graph looks the same each time.
    const bodies = ids.map((id, i): Body => {

        const angle = i * 2.399963;
        const { x, y } = places.get(id) ?? { x: Math.cos(angle) * 30 * Math.sqrt(i), y: Math.sin(angle) * 30 * Math.sqrt(i) };
        return { id, x, y, ...id === first ? { fx: 0, fy: 0 } : {} };
    });
    const links = edges.filter(({ from, to }) => from !== to).map(({ from, to }) => ({ source: from, target: to }));
    forceSimulation(bodies)
        .force('link', forceLink<Body, { source: string; target: string }>(links).id(({ id }) => id).distance(110))
        .force('charge', forceManyBody().strength(-420).distanceMax(700))
        .force('collide', forceCollide(46))
        .force('x', forceX(0).strength(0.04))
        .force('y', forceY(0).strength(0.06))
        .stop()
        .tick(ids.length > LARGE ? STEPS / 3 : STEPS);
    return new Map(bodies.map(({ id, x, y }) => [id, { x, y }]));
}
