/** The graph as a drawing: a node for each object, which can be moved to by keyboard. */

import { select } from 'd3-selection';
import { zoom, zoomIdentity, type ZoomBehavior } from 'd3-zoom';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import type { Edge, GraphNode, Point } from './relationships.js';
import { t } from './texts.js';

/** Colours of types; more types have the last one. Colours are in the style sheet. */
export const COLOURS = 8;

/** Longer labels are cut in the drawing. */
const MAX_LABEL = 26;
const RADIUS = 11;

interface GraphViewProps {
    readonly nodes: readonly GraphNode[];
    readonly edges: readonly Required<Edge>[];
    readonly places: ReadonlyMap<string, Point>;
    readonly first: string;
    readonly selected: string;
    readonly expanded: ReadonlySet<string>;
    /** Types in the order of their colours. */
    readonly types: readonly string[];
    readonly labelOf: (id: string) => string;
    readonly onSelect: (id: string) => void;
    readonly onExpand: (id: string) => void;
}

/** The drawing. */
export function GraphView({ nodes, edges, places, first, selected, expanded, types, labelOf, onSelect, onExpand }: GraphViewProps): JSX.Element {

    const svg = useRef<SVGSVGElement>(null);
    const behavior = useRef<ZoomBehavior<SVGSVGElement, unknown> | null>(null);
    const [transform, setTransform] = useState(zoomIdentity);
    useEffect(() => {

        const { current } = svg;
        if (!current) {
            return;
        }

        const own = zoom<SVGSVGElement, unknown>().scaleExtent([0.1, 4]).filter((event: Event) => event.type !== 'dblclick')
            .on('zoom', (event: { readonly transform: typeof zoomIdentity }) => setTransform(event.transform));
        select(current).call(own);
        behavior.current = own;
        return () => {

            select(current).on('.zoom', null);
        };
    }, []);
    const fit = (): void => {

        const { current } = svg;
        if (!current || !behavior.current) {
            return;
        }

        const all = [...places.values()];
        const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
        const [left, top, right, bottom] = [Math.min(...xs) - 90, Math.min(...ys) - 40, Math.max(...xs) + 90, Math.max(...ys) + 50];
        const { width, height } = current.getBoundingClientRect();
        const scale = Math.min(1.4, width / (right - left), height / (bottom - top));
        const next = zoomIdentity.translate(width / 2 - scale * (left + right) / 2, height / 2 - scale * (top + bottom) / 2).scale(scale);
        behavior.current.transform(select(current), next);
    };

    useEffect(fit, [places]);
    const zoomBy = (factor: number): void => {

        if (svg.current) {
            behavior.current?.scaleBy(select(svg.current), factor);
        }
    };

    const at = (id: string): Point => places.get(id) ?? { x: 0, y: 0 };
    return (
        <div class="graph">
            <svg ref={svg} role="group" aria-label={t('graph')}>
                <defs>
                    <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" /></marker>
                </defs>
                <g transform={transform.toString()}>
                    {edges.map(({ from, to, jsonPointer }) => (
                        <path key={`${from}\n${to}\n${jsonPointer}`} class={from === selected || to === selected ? 'edge near' : 'edge'}
                            d={edgePath(at(from), at(to), from === to)} marker-end="url(#arrow)"><title>{jsonPointer}</title></path>
                    ))}
                    {nodes.map(({ id, type }) => {

                        const label = labelOf(id);
                        const { x, y } = at(id);
                        const state = `${id === first ? ' first' : ''}${id === selected ? ' selected' : ''}${expanded.has(id) ? ' expanded' : ''}`;
                        return (
                            <g key={id} class={`node colour-${Math.min(types.indexOf(type), COLOURS - 1)}${state}`} transform={`translate(${x},${y})`} role="button" tabIndex={0}
                                aria-label={`${t('node', { label, type })}${expanded.has(id) ? `, ${t('expanded')}` : ''}`} aria-pressed={id === selected}
                                onClick={() => onSelect(id)} onFocus={() => onSelect(id)} onDblClick={() => onExpand(id)} onKeyDown={(event) => {

                                    if (event.key === 'Enter' || event.key === ' ') {
                                        event.preventDefault();
                                        onExpand(id);
                                    }
                                }}>
                                <title>{`${label} (${type})`}</title>
                                <circle r={id === first ? RADIUS + 4 : RADIUS} />
                            </g>
                        );
                    })}
                    <g aria-hidden="true">
                        {nodes.map(({ id }) => (
                            <text key={id} class={id === first ? 'label first' : 'label'} x={at(id).x} y={at(id).y + RADIUS + 17} text-anchor="middle">{cut(labelOf(id))}</text>
                        ))}
                    </g>
                </g>
            </svg>
            <div class="graph-tools">
                <button type="button" class="icon-button" aria-label={t('zoomIn')} onClick={() => zoomBy(1.3)}><Icon name="add" /></button>
                <button type="button" class="icon-button" aria-label={t('zoomOut')} onClick={() => zoomBy(1 / 1.3)}><span aria-hidden="true">−</span></button>
                <button type="button" class="small" onClick={fit}>{t('reset')}</button>
            </div>
        </div>
    );
}

function cut(label: string): string {

    return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label;
}

/** A line from the rim of one node to that of another; a loop for an object that refers to itself. */
function edgePath(from: Point, to: Point, isLoop: boolean): string {

    if (isLoop) {
        return `M${from.x - 8} ${from.y - 10}c-24 -38 40 -38 16 0`;
    }

    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    return `M${from.x + dx * RADIUS} ${from.y + dy * RADIUS}L${to.x - dx * (RADIUS + 5)} ${to.y - dy * (RADIUS + 5)}`;
}
