/** Results of a search, as a table and as cards. */

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.js';
import { Ago, UserName } from '../components/object-link.js';
import { isJsonMap, type JsonMap } from '../json/exact-number.js';
import { joined } from '../json/joined.js';
import { to } from '../router.js';
import { uiConfig } from '../state/design.js';
import { previewOfType } from './context.js';
import { titleOf, type Field } from './fields.js';
import type { Result } from './search-types.js';
import { sortIn, type Sort } from './state.js';
import { t } from './texts.js';
import { FieldValues, shortened } from './value.js';

/** Longest title that is shown. */
const MAX_TITLE = 300;

/** Objects that are selected. */
export interface Selection {
    readonly ids: ReadonlySet<string>;
    readonly toggle: (ids: readonly string[], isSelected: boolean) => void;
}

export interface ResultsProps {
    readonly results: readonly Result[];
    /** The rest of their content, by id, where it was read later. */
    readonly contents: ReadonlyMap<string, JsonMap>;
    /** Null when nothing can be selected. */
    readonly selection: Selection | null;
    readonly sort: string;
    readonly onSort: (sort: Sort) => void;
}

function contentOf({ id, content }: Result, contents: ResultsProps['contents']): JsonMap {

    const all = joined(content, contents.get(id) ?? {});
    return isJsonMap(all) ? all : {};
}

/** Keys move from one result to the next. */
function move(event: KeyboardEvent): void {

    if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || !(event.target instanceof HTMLElement) || !event.target.matches('.result-title')) {
        return;
    }

    const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.result-title')];
    const next = all[all.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1)];
    if (next) {
        event.preventDefault();
        next.focus();
    }
}

function Title({ result, content }: { readonly result: Result; readonly content: JsonMap }): JSX.Element {

    const { id, type } = result;
    return <a class="result-title" href={to.object(id)} title={id} dir="auto">{shortened(titleOf(content, previewOfType(type)) ?? id, MAX_TITLE)}</a>;
}

function Select({ result, content, selection }: { readonly result: Result; readonly content: JsonMap; readonly selection: Selection }): JSX.Element {

    const name = shortened(titleOf(content, previewOfType(result.type)) ?? result.id, 100);
    return (
        <input type="checkbox" aria-label={t('select', { name })} checked={selection.ids.has(result.id)}
            onChange={(event) => selection.toggle([result.id], event.currentTarget.checked)} />
    );
}

/** The type as a badge. */
export function TypeBadge({ type, isVersion = false }: { readonly type: string; readonly isVersion?: boolean | undefined }): JSX.Element {

    return <><span class="badge" dir="auto">{type}</span>{isVersion && <> <span class="badge">{t('version')}</span></>}</>;
}

/** A table: with columns for the properties where all results are of one type, else with one for all that is shown of each. */
export function ResultTable({ results, contents, selection, sort, onSort }: ResultsProps): JSX.Element {

    const types = new Set(results.map(({ type }) => type));
    const [only] = types;
    const columns: readonly Field[] = types.size === 1 && only !== undefined ? previewOfType(only).fields.slice(0, 6) : [];
    const title = types.size === 1 && only !== undefined ? previewOfType(only).title : null;
    const order = sortIn(sort);
    const ids = results.map(({ id }) => id);
    const column = (label: string, field: string | null): JSX.Element => (
        <th key={field ?? label} scope="col" aria-sort={field === null || order.field !== field ? undefined : order.isDescending ? 'descending' : 'ascending'}>
            {field === null ? label : (
                <button type="button" class="quiet sort-button" onClick={() => onSort({ field, isDescending: order.field === field && !order.isDescending })}>
                    <span dir="auto">{label}</span>{order.field === field && <Icon name={order.isDescending ? 'down' : 'up'} />}
                </button>
            )}
        </th>
    );
    return (
        <div class="card scroll-x results-frame" role="region" aria-label={t('results')} tabIndex={0}>
            <table class="results" onKeyDown={move}>
                <thead>
                    <tr>
                        {selection && <th scope="col"><SelectAll ids={ids} selection={selection} /></th>}
                        {column(title?.label ?? t('object'), title && !title.path.includes('_') ? title.name : null)}
                        {types.size > 1 && column(t('type'), 'type')}
                        {types.size > 1 ? column(t('columns'), null) : columns.map((field) => column(field.label, field.path.includes('_') || field.kind === 'object' ? null : field.name))}
                        {column(t('modified'), 'objmodified')}
                        {column(t('by'), null)}
                    </tr>
                </thead>
                <tbody>
                    {results.map((result) => {

                        const content = contentOf(result, contents);
                        const { metadata = {} } = result;
                        return (
                            <tr key={result.id} class={selection?.ids.has(result.id) ? 'selected' : ''}>
                                {selection && <td><Select result={result} content={content} selection={selection} /></td>}
                                <th scope="row">
                                    <Title result={result} content={content} />
                                    {metadata.isVersion && <> <span class="badge">{t('version')}</span></>}
                                    <Files result={result} />
                                </th>
                                {types.size > 1 && <td><TypeBadge type={result.type} /></td>}
                                {types.size > 1 ? <td><PreviewLine type={result.type} content={content} /></td> :
                                    columns.map((field) => <td key={field.name}><FieldValues content={content} field={field} /></td>)}
                                <td class="nowrap">{metadata.modifiedOn !== undefined && <Ago time={metadata.modifiedOn} />}</td>
                                <td>{metadata.modifiedBy !== undefined && <UserName id={metadata.modifiedBy} />}</td>
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}

function SelectAll({ ids, selection }: { readonly ids: readonly string[]; readonly selection: Selection }): JSX.Element {

    const ref = useRef<HTMLInputElement>(null);
    const count = ids.filter((id) => selection.ids.has(id)).length;
    useEffect(() => {

        if (ref.current) {
            ref.current.indeterminate = count > 0 && count < ids.length;
        }
    });
    return (
        <input ref={ref} type="checkbox" aria-label={t('selectPage')} checked={count > 0 && count === ids.length}
            onChange={(event) => selection.toggle(ids, event.currentTarget.checked)} />
    );
}

function Files({ result: { payloads = [] } }: { readonly result: Result }): JSX.Element | null {

    return payloads.length === 0 ? null :
        <small class="file-count" title={payloads.slice(0, 10).map(({ name, filename }) => filename ?? name).join(', ')}><Icon name="file" />{t('files', { count: payloads.length })}</small>;
}

/** What is shown of an object, in a line. */
export function PreviewLine({ type, content }: { readonly type: string; readonly content: JsonMap }): JSX.Element {

    return (
        <div class="preview">
            {previewOfType(type).fields.map((field) => <PreviewPart key={field.name} field={field} content={content} />)}
        </div>
    );
}

function PreviewPart({ field, content }: { readonly field: Field; readonly content: JsonMap }): JSX.Element | null {

    const values = FieldValues({ content, field });
    return values && <span class="preview-part">{!field.hidesLabel && <span class="muted" dir="auto">{field.label}: </span>}{values}</span>;
}

/** Cards. What they show besides the preview is set by the design. */
export function ResultCards({ results, contents, selection }: ResultsProps): JSX.Element {

    const { includeType, includeModifiedDate, includeCreatedDate } = uiConfig.value.searchResults ?? {};
    return (
        <ul class="cards" onKeyDown={move}>
            {results.map((result) => {

                const content = contentOf(result, contents);
                const { metadata: { modifiedOn, modifiedBy, createdOn, isVersion } = {} } = result;
                return (
                    <li key={result.id} class={`card result-card ${selection?.ids.has(result.id) ? 'selected' : ''}`}>
                        <div class="card-head">
                            {selection && <Select result={result} content={content} selection={selection} />}
                            <h2 class="card-title"><Title result={result} content={content} /></h2>
                            {includeType !== false && <TypeBadge type={result.type} isVersion={isVersion} />}
                        </div>
                        <PreviewLine type={result.type} content={content} />
                        <div class="card-foot muted">
                            <span class="mono card-id" dir="auto">{shortened(result.id, 100)}</span>
                            <Files result={result} />
                            {includeCreatedDate === true && createdOn !== undefined && <span>{t('created')} <Ago time={createdOn} /></span>}
                            {includeModifiedDate !== false && modifiedOn !== undefined && <span>{t('modified')} <Ago time={modifiedOn} /></span>}
                            {includeModifiedDate !== false && modifiedBy !== undefined && <span>{t('by')} <UserName id={modifiedBy} /></span>}
                        </div>
                    </li>
                );
            })}
        </ul>
    );
}
