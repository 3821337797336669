/** Facets of a search: values with the number of objects that have them, and ranges of times and numbers. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../components/icon.js';
import { dateText } from '../i18n/dates.js';
import { formatNumber, formatTime } from '../i18n/index.js';
import { fieldLabel, fieldsOfType } from './context.js';
import { daysFilter, daysIn, DAY_MS, dayOf, isBegin, timeIn } from './days.js';
import type { Field } from './fields.js';
import type { Bucket, FacetCounts } from './request.js';
import { rangeIn, valueIn, type SearchState } from './state.js';
import { t } from './texts.js';
import { facetText } from './value.js';

/** Values of a facet that are shown at first. */
const SHOWN = 6;

/** A facet and how it is shown. */
export interface Facet extends FacetCounts {
    readonly label: string;
    /** Null for a field that no type declares. */
    readonly display: FieldDisplay | null;
}

/** What decides how values are shown. */
type FieldDisplay = Pick<Field, 'kind' | 'reference'>;

const USER: FieldDisplay = { kind: 'reference' };

interface FacetsProps {
    readonly state: SearchState;
    readonly facets: readonly Facet[];
    readonly ranges: readonly Pick<Field, 'name' | 'label' | 'kind'>[];
    readonly onChange: (filters: readonly string[]) => void;
}

/** All facets. */
export function Facets({ state, facets, ranges, onChange }: FacetsProps): JSX.Element {

    return (
        <div class="facets">
            {facets.map((facet) => <ValueFacet key={facet.field} facet={facet} filters={state.filters} onChange={onChange} />)}
            {ranges.map((field) => <RangeFacet key={field.name} field={field} filters={state.filters} onChange={onChange} />)}
        </div>
    );
}

type Change = Pick<FacetsProps, 'onChange'> & { readonly filters: readonly string[] };

function ValueFacet({ facet: { field, label, display, buckets }, filters, onChange }: Change & { readonly facet: Facet }): JSX.Element {

    const [showsAll, showAll] = useState(false);
    const chosen = new Map(filters.flatMap((filter) => {

        const value = valueIn(filter);
        return value?.field === field ? [[value.value, filter] as const] : [];
    }));
    const missing = [...chosen].filter(([value]) => !buckets.some((bucket) => bucket.value === value))
        .map(([value, filterQuery]): Bucket => ({ value, filterQuery, count: 0 }));
    const all = [...missing, ...buckets];
    const max = Math.max(1, ...all.map(({ count }) => count));
    const shown = showsAll ? all : all.filter(({ value }, index) => index < SHOWN || chosen.has(value));
    const toggle = ({ value, filterQuery }: Bucket): void => {

        const active = chosen.get(value);
        onChange(active === undefined ? [...filters, filterQuery] : filters.filter((each) => each !== active));
    };

    return (
        <fieldset class="facet">
            <legend dir="auto">{label}</legend>
            {shown.map((bucket) => (
                <label key={bucket.value} class="facet-value">
                    <input type="checkbox" checked={chosen.has(bucket.value)} onChange={() => toggle(bucket)} />
                    <span class="facet-name" dir="auto">{facetText(bucket.value, display) || '–'}</span>
                    <span class="facet-count">{formatNumber(bucket.count)}</span>
                    <meter class="facet-bar" aria-hidden="true" min={0} max={max} value={bucket.count} />
                </label>
            ))}
            {all.length > SHOWN && (
                <button type="button" class="link" onClick={() => showAll(!showsAll)}>{showsAll ? t('showLess') : t('showAll', { count: all.length })}</button>
            )}
        </fieldset>
    );
}

/** Days before today, and the text for it. */
const PRESETS = [[1, 'lastDay'], [7, 'lastWeek'], [30, 'lastMonth'], [365, 'lastYear']] as const;

function RangeFacet({ field: { name, label, kind }, filters, onChange }: Change & { readonly field: Pick<Field, 'name' | 'label' | 'kind'> }): JSX.Element {

    const id = useId();
    const active = filters.find((filter) => rangeIn(filter)?.field === name);
    const range = active === undefined ? null : rangeIn(active);
    const initial = range ? daysIn(range) : { from: '', to: '' };
    const set = (from: string, to: string): void => {

        const filter = daysFilter(name, kind, from, to);
        onChange([...filters.filter((each) => each !== active), ...filter === null ? [] : [filter]]);
    };

    const submit = (event: Event): void => {

        event.preventDefault();
        const data = new FormData(event.currentTarget as HTMLFormElement);
        const text = (name: string): string => {

            const value = data.get(name);
            return typeof value === 'string' ? value : '';
        };

        set(text('from'), text('to'));
    };

    const type = kind === 'number' ? 'number' : 'date';
    return (
        <details class="facet" open={active !== undefined}>
            <summary id={id} dir="auto">{label}</summary>
            {kind !== 'number' && (
                <div class="range-presets">
                    {PRESETS.map(([days, text]) => (
                        <button key={days} type="button" class="small" onClick={() => set(dayOf(Date.now() - days * DAY_MS), '')}>{t(text)}</button>
                    ))}
                </div>
            )}
            <form class="range" onSubmit={submit} aria-labelledby={id} key={active ?? ''}>
                <label>{t('from')}<input type={type} name="from" step="any" defaultValue={initial.from} /></label>
                <label>{t('to')}<input type={type} name="to" step="any" defaultValue={initial.to} /></label>
                <button type="submit" class="small">{t('apply')}</button>
            </form>
        </details>
    );
}

/** The filters that are in use, each with a button that removes it. */
export function Chips({ filters, type, onChange }: Change & { readonly type: string | null }): JSX.Element | null {

    if (filters.length === 0) {
        return null;
    }

    return (
        <ul class="chips" aria-label={t('filters')}>
            {filters.map((filter) => {

                const text = filterText(filter, type);
                return (
                    <li key={filter}>
                        <button type="button" class="chip" aria-label={t('remove', { name: text })} onClick={() => onChange(filters.filter((each) => each !== filter))}>
                            <span dir="auto">{text}</span><Icon name="close" />
                        </button>
                    </li>
                );
            })}
            {filters.length > 1 && <li><button type="button" class="link" onClick={() => onChange([])}>{t('clear')}</button></li>}
        </ul>
    );
}

/** A filter in words. */
export function filterText(filter: string, type: string | null): string {

    const value = valueIn(filter);
    if (value) {
        return `${labelFor(value.field, type)}: ${facetText(value.value, fieldFor(value.field, type))}`;
    }

    const range = rangeIn(filter);
    if (!range) {
        return filter;
    }

    const { from, to } = daysIn(range);
    const write = (day: string, bound: string | null, isDay = true): string => {

        // A time within a day, as in an address from another time zone, is shown as such.
        const time = timeIn(range.field, bound ?? '');
        return time !== null && !(isDay && isBegin(time)) ? formatTime(time) : dateText(day, 'date') ?? day;
    };

    const [first, last] = [write(from, range.from), write(to, range.to, range.isBefore)];
    const text = from !== '' && to !== '' ? `${first} – ${last}` : from === '' ? t('until', { to: last }) : t('since', { from: first });
    return `${labelFor(range.field, type)}: ${text}`;
}

/** A field by its name; null for one that no type declares. */
export function fieldFor(name: string, type: string | null): FieldDisplay | null {

    return name === 'metadata/createdBy' || name === 'metadata/modifiedBy' ? USER : type === null ? null : fieldsOfType(type).find((field) => field.name === name) ?? null;
}

/** The label of a field by its name, also for those of metadata. */
export function labelFor(name: string, type: string | null): string {

    const own: Readonly<Record<string, string>> = { type: t('type'), objmodified: t('modified'), objcreated: t('created'), 'metadata/createdBy': t('by'), id: t('id') };
    return own[name] ?? fieldLabel(name, type);
}
