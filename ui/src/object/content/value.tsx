/**
 * Values with parts: objects as lists of properties, arrays as lists or tables. Large ones are shown step by step: what is folded or further down
 * is not part of the page until somebody asks for it.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { usePages } from '../../components/use-pages.js';
import { isJsonMap, isScalar, type Json, type JsonMap } from '../../json/exact-number.js';
import { titleOfName } from '../../json/property-title.js';
import { textIn, type Schema, type SchemaView } from '../model/schema.js';
import { Scalar } from './scalar.js';
import { countScalars, orderedNames, tableColumns } from './shape.js';
import { t } from './texts.js';

/** Entries that are shown at first, and how many come with each request for more. */
const FIRST = 20;
const STEP = 40;
/** Lists of short values up to this length are open. */
const MAX_FLAT = 200;
/** Parts with more values than this are folded. */
const MAX_OPEN = 40;
/** Deeper parts are folded. */
const MAX_LEVEL = 6;
/** Longer texts are lines of their own, in characters. */
const MAX_CHIP = 100;

interface ValueProps {
    readonly value: Json;
    readonly schema: Schema;
    /** Schema of what the value is part of. */
    readonly parent: Schema;
    readonly view: SchemaView;
    /** Depth, from 0 for the content. */
    readonly level: number;
}

/** A value of any kind. */
export function Value(props: ValueProps): JSX.Element {

    const { value } = props;
    if (isScalar(value)) {
        return <Scalar {...props} />;
    }

    return Array.isArray(value) ? <List {...props} value={value as readonly Json[]} /> : <Properties {...props} value={value as JsonMap} />;
}

/** The properties of an object. */
export function Properties({ value, schema, view, level }: Omit<ValueProps, 'value'> & { readonly value: JsonMap }): JSX.Element {

    const names = orderedNames(value, view.names(schema));
    const [shown, more] = usePages(names.length, FIRST, STEP);
    if (names.length === 0) {
        return <span class="muted">({t('none')})</span>;
    }

    return (
        <>
            <dl class={level === 0 ? 'properties top' : 'properties'}>
                {names.slice(0, shown).map((name) => {

                    const own = view.member(schema, name);
                    const description = textIn(own, 'description');
                    return (
                        <div key={name} class="property">
                            <dt title={description === undefined ? name : `${name}: ${description}`} dir="auto">{textIn(own, 'title') ?? titleOfName(name)}</dt>
                            <dd><Part value={value[name] ?? null} schema={own} parent={schema} view={view} level={level + 1} /></dd>
                        </div>
                    );
                })}
            </dl>
            {more}
        </>
    );
}

/** A part of a value: folded if it is large. */
function Part(props: ValueProps): JSX.Element {

    const { value, level } = props;
    const [isOpen, setOpen] = useState(() => level <= MAX_LEVEL && (isSmall(value) || isListOfScalars(value)));
    if (isScalar(value)) {
        return <Value {...props} />;
    }

    const count = Array.isArray(value) ? value.length : Object.keys(value as JsonMap).length;
    if (count === 0 || level <= MAX_LEVEL && isSmall(value)) {
        return <Value {...props} />;
    }

    return (
        <details class="part" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{Array.isArray(value) ? t('entries', { count }) : t('properties', { count })}</summary>
            {isOpen && <Value {...props} />}
        </details>
    );
}

function isSmall(value: Json): boolean {

    return countScalars(value, MAX_OPEN + 1) <= MAX_OPEN;
}

function isListOfScalars(value: Json): boolean {

    return Array.isArray(value) && value.length <= MAX_FLAT && value.every((each) => isScalar(each as Json));
}

/** The entries of an array. */
function List({ value, schema, view, level }: Omit<ValueProps, 'value'> & { readonly value: readonly Json[] }): JSX.Element {

    const [shown, more] = usePages(value.length, FIRST, STEP);
    if (value.length === 0) {
        return <span class="muted">({t('none')})</span>;
    }

    const columns = tableColumns(value);
    const visible = value.slice(0, shown);
    if (columns !== null) {
        return (
            <>
                <Table rows={visible as readonly JsonMap[]} columns={columns} schema={schema} view={view} level={level} />
                {more}
            </>
        );
    }

    const isFlat = value.every((each) => isScalar(each) && !(typeof each === 'string' && each.length > MAX_CHIP));
    return (
        <>
            <ul class={isFlat ? 'value-chips' : 'entries'}>
                {visible.map((each, i) => (
                    <li key={i}><Part value={each} schema={view.member(schema, i)} parent={schema} view={view} level={level + 1} /></li>
                ))}
            </ul>
            {more}
        </>
    );
}

interface TableProps {
    readonly rows: readonly JsonMap[];
    readonly columns: readonly string[];
    readonly schema: Schema;
    readonly view: SchemaView;
    readonly level: number;
}

function Table({ rows, columns, schema, view, level }: TableProps): JSX.Element {

    const ofItem = view.member(schema, 0);
    const titles = columns.map((name) => textIn(view.member(ofItem, name), 'title') ?? titleOfName(name));
    return (
        <div class="scroll-x" tabIndex={0} role="group" aria-label={t('entries', { count: rows.length })}>
            <table class="entries-table">
                <thead><tr>{titles.map((title, i) => <th key={columns[i]} scope="col" dir="auto">{title}</th>)}</tr></thead>
                <tbody>
                    {rows.map((row, i) => {

                        const own = view.member(schema, i);
                        return (
                            <tr key={i}>
                                {columns.map((name) => (
                                    <td key={name}>{isJsonMap(row) && Object.hasOwn(row, name) && (
                                        <Value value={row[name] ?? null} schema={view.member(own, name)} parent={own} view={view} level={level + 2} />
                                    )}</td>
                                ))}
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}
