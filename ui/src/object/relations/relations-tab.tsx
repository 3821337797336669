/** What an object refers to, and what refers to it: as a graph, and beside it as a list. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { ObjectLink } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { getJson, objectPath } from '../../api/client.js';
import { to } from '../../router.js';
import { labelOf } from '../../state/labels.js';
import { sayError, textOf } from '../../state/messages.js';
import type { TabProps } from '../model/load.js';
import { COLOURS, GraphView } from './graph-view.js';
import { filtered, layOut, NO_GRAPH, withRelations, type Edge, type Graph, type Point, type Relationships } from './relationships.js';
import { t } from './texts.js';

/** Objects that the graph shows. */
const MAX_NODES = 400;

function readRelations(id: string, signal?: AbortSignal): Promise<Relationships> {

    return getJson<Relationships>(objectPath(id, '/relationships'), {}, signal);
}

/** The tab. */
export function RelationsTab({ object: { id, etag } }: TabProps): JSX.Element {

    const { value, error, reload } = useResource((signal) => readRelations(id, signal), [id, etag]);
    if (error) {
        return <ErrorBox message={textOf(error)} onRetry={reload} />;
    }

    if (!value) {
        return <Loading />;
    }

    return value.edges.length === 0 ? <Empty title={t('none')} /> : <Explorer key={`${id} ${etag}`} first={id} relations={value} />;
}

function Explorer({ first, relations }: { readonly first: string; readonly relations: Relationships }): JSX.Element {

    const [graph, setGraph] = useState<Graph>(() => withRelations(NO_GRAPH, first, relations));
    const [selected, select] = useState(first);
    const [property, setProperty] = useState('');
    const places = useRef<ReadonlyMap<string, Point>>(new Map());
    const shown = useMemo(() => filtered(graph, property, first), [graph, property]);
    const nodes = shown.nodes.slice(0, MAX_NODES);
    const ids = new Set(nodes.map(({ id }) => id));
    const edges = shown.edges.filter(({ from, to: target }) => ids.has(from) && ids.has(target));
    const laidOut = useMemo(() => layOut(nodes.map(({ id }) => id), edges, { first, places: places.current }), [shown]);
    useEffect(() => {

        places.current = laidOut;
    }, [laidOut]);
    const types = [...new Set([...graph.nodes.values()].map(({ type }) => type))].sort((a, b) => a.localeCompare(b));
    const properties = [...new Set([...graph.edges.values()].map(({ jsonPointer }) => jsonPointer))].sort((a, b) => a.localeCompare(b));
    const nameOf = (id: string): string => graph.nodes.get(id)?.label ?? labelOf(id).value?.label ?? id;
    const expand = (id: string): void => {

        select(id);
        if (!graph.expanded.has(id)) {
            readRelations(id).then((found) => setGraph((known) => withRelations(known, id, found)), sayError);
        }
    };

    return (
        <div class="stack">
            <div class="row">
                {properties.length > 1 && (
                    <label class="inline filter">{t('filter')}
                        <select value={property} onChange={(event) => setProperty(event.currentTarget.value)}>
                            <option value="">{t('all')}</option>
                            {properties.map((each) => <option key={each} value={each}>{each}</option>)}
                        </select>
                    </label>
                )}
                <ul class="legend" aria-label={t('legend')}>
                    {types.slice(0, COLOURS + 4).map((type, i) => (
                        <li key={type}><span class={`dot colour-${Math.min(i, COLOURS - 1)}`} aria-hidden="true" /><span dir="auto">{type}</span></li>
                    ))}
                </ul>
            </div>
            {graph.truncated.size > 0 && <p class="box warning"><Icon name="warning" />{t('truncated')}</p>}
            {shown.nodes.length > MAX_NODES && <p class="muted">{t('tooMany', { count: MAX_NODES })}</p>}
            <div class="relations">
                <div class="stack">
                    <GraphView nodes={nodes} edges={edges} places={laidOut} first={first} selected={selected} expanded={graph.expanded} types={types}
                        labelOf={nameOf} onSelect={select} onExpand={expand} />
                    <p class="muted">{t('hint')}</p>
                    <div class="card row" role="status">
                        <strong dir="auto" class="grow">{nameOf(selected)}</strong>
                        <span class="muted" dir="auto">{graph.nodes.get(selected)?.type}</span>
                        {selected !== first && <a class="button small" href={to.object(selected)}>{t('open')}</a>}
                        {!graph.expanded.has(selected) && <button type="button" class="small" onClick={() => expand(selected)}>{t('expand')}</button>}
                    </div>
                </div>
                <section class="relation-list" aria-label={t('list')}>
                    <Group title={t('outgoing')} edges={shown.edges.filter(({ from }) => from === first)} end={({ to: target }) => target} nameOf={nameOf} />
                    <Group title={t('incoming')} edges={shown.edges.filter(({ from, to: target }) => target === first && from !== first)} end={({ from }) => from} nameOf={nameOf} />
                    <Others edges={shown.edges.filter(({ from, to: target }) => from !== first && target !== first)} nameOf={nameOf} />
                </section>
            </div>
        </div>
    );
}

/** Objects of a list at first. */
const FIRST = 50;

interface GroupProps {
    readonly title: string;
    readonly edges: readonly Required<Edge>[];
    readonly end: (edge: Edge) => string;
    readonly nameOf: (id: string) => string;
}

function Group({ title, edges, end, nameOf }: GroupProps): JSX.Element | null {

    const byProperty = new Map<string, string[]>();
    edges.forEach((edge) => byProperty.set(edge.jsonPointer, [...byProperty.get(edge.jsonPointer) ?? [], end(edge)]));
    return edges.length === 0 ? null : (
        <>
            <h2>{title}</h2>
            {[...byProperty].map(([property, ids]) => (
                <div key={property}>
                    <h3 class="mono">{property} <span class="count">{ids.length}</span></h3>
                    <Limited items={ids} show={(id) => <ObjectLink id={id} label={nameOf(id)} />} />
                </div>
            ))}
        </>
    );
}

function Others({ edges, nameOf }: { readonly edges: readonly Required<Edge>[]; readonly nameOf: (id: string) => string }): JSX.Element | null {

    return edges.length === 0 ? null : (
        <>
            <h2>{t('others')}</h2>
            <Limited items={edges} show={({ from, to: target, jsonPointer }) => (
                <><ObjectLink id={from} label={nameOf(from)} /> → <ObjectLink id={target} label={nameOf(target)} /> <small class="mono">{jsonPointer}</small></>
            )} />
        </>
    );
}

function Limited<T>({ items, show }: { readonly items: readonly T[]; readonly show: (item: T) => JSX.Element }): JSX.Element {

    const [limit, setLimit] = useState(FIRST);
    return (
        <>
            <ul>{items.slice(0, limit).map((item, i) => <li key={i}>{show(item)}</li>)}</ul>
            {items.length > limit && <button type="button" class="link" onClick={() => setLimit(limit * 2)}>+ {items.length - limit}</button>}
        </>
    );
}
