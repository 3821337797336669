/** The search: results, facets, order, pages. Its state is in the address. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { caller } from '../api/session.js';
import { isUnavailable } from '../api/unavailable.js';
import { Icon } from '../components/icon.js';
import { lazy } from '../components/lazy.js';
import { useCallerRound } from '../components/use-caller-round.js';
import { useChanged } from '../components/use-changed.js';
import { useResource } from '../components/use-resource.js';
import { formatNumber } from '../i18n/index.js';
import { go, to } from '../router.js';
import { design, uiConfig } from '../state/design.js';
import { fieldsOfType, previewOfType } from './context.js';
import { Chips, Facets, fieldFor, labelFor, type Facet } from './facets.js';
import { facetFields, isUsefulFacet, pointersOf, rangeFields, sortableFields, type Field } from './fields.js';
import { rememberPreviews } from './page-request.js';
import { Pager } from './pager.js';
import { FieldHints, NothingFound, QueryProblem } from './problem.js';
import { readFacets, readMissing, readPage, readTypes, type Bucket, type FacetCounts, type Page } from './request.js';
import { SavedList } from './saved/saved-list.js';
import { t as saved } from './saved/texts.js';
import { ResultCards, ResultTable, type Selection } from './results.js';
import { ALL, initialSearch, paramsOf, readState, sortIn, sortText, typeOf, valueIn, type SearchState, type View } from './state.js';
import { t } from './texts.js';
import { shortened } from './value.js';
import type { ScreenProps } from '../shell/app.js';

const Explain = lazy(async () => (await import('./explain.js')).Explain);
const ExportDialog = lazy(async () => (await import('./export/export-dialog.js')).ExportDialog);
const SavedDialog = lazy(async () => (await import('./saved/saved-dialog.js')).SavedDialog);
const BulkDialog = lazy(async () => (await import('./bulk/bulk-dialog.js')).BulkDialog);

const MAX_BUCKETS = 50;
/** Windows that are narrower show cards, unless the address says otherwise. */
const NARROW = '(max-width: 45rem)';

/** Fields of metadata that every search offers. */
const OWN_RANGES: readonly Pick<Field, 'name' | 'kind'>[] = [{ name: 'objmodified', kind: 'time' }, { name: 'objcreated', kind: 'time' }];

/** The types of results; null until they are known. */
type Types = readonly string[] | null;

/** A dialog about results: those that were shown when it was opened, whatever the address says since. */
type SearchDialog =
    | { readonly kind: 'export'; readonly state: SearchState; readonly types: Types; readonly count: number }
    | { readonly kind: 'bulk'; readonly state: SearchState; readonly types: Types; readonly ids: readonly string[] | null; readonly count: number }
    | { readonly kind: 'save' };

/** The screen. */
export function Search({ route: { params } }: ScreenProps): JSX.Element {

    const text = params.toString();
    const state = useMemo(() => readState(params), [text]);
    useEffect(() => {

        const initial = text === '' ? initialSearch(uiConfig.value) : null;
        if (initial) {
            go(to.search(initial), { replace: true });
        }
    }, [text, uiConfig.value]);
    const { query, filters, sort } = state;
    const round = useCallerRound();
    const { value: page, error, isLoading, retryOn, reload } = useResource((signal) => readPage(state, signal), [text.replace(/&?view=\w+/, ''), round], { isPersistent: true });
    const contents = useContents(page);
    const change = (next: Partial<SearchState>): void => go(to.search(paramsOf({ ...state, page: 1, ...next })));
    const view: View = state.view ?? (matchMedia(NARROW).matches ? 'cards' : 'table');
    const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
    const [selectsAll, selectAll] = useState(false);
    const [dialog, setDialog] = useState<SearchDialog | null>(null);
    const [isExplained, explain] = useState(false);
    const criteria = criteriaOf(state);
    const unselect = (): void => {

        setSelected(new Set());
        selectAll(false);
    };

    useChanged(criteria, unselect);
    // What was selected among the former results, while those of this search were awaited.
    const shown = page === null ? '' : criteriaOf(page.state);
    useChanged(shown, unselect);
    const isShown = shown === criteria;
    const selection: Selection | null = caller.value.active ? {
        ids: selectsAll ? new Set(page?.results.map(({ id }) => id)) : selected,
        toggle: (ids, isSelected) => {

            const next = new Set(selectsAll ? page?.results.map(({ id }) => id) : selected);
            ids.forEach((id) => (isSelected ? next.add(id) : next.delete(id)));
            selectAll(false);
            setSelected(next);
        }
    } : null;
    const [changes, setChanges] = useState(0);
    const types = useTypes(page, changes);
    const typesIn = (of: SearchState): Types => {

        const own = typeOf(of);
        return own !== null ? [own] : criteriaOf(of) === shown ? types?.map(({ value }) => value) ?? null : null;
    };

    const type = onlyOne(typesIn(state));
    const facets = useFacets({ state, page, types, type, changes });
    const ranges = [...OWN_RANGES.map((field) => ({ ...field, label: labelFor(field.name, null) })), ...rangeFields(type === null ? [] : fieldsOfType(type))];
    const Results = view === 'table' ? ResultTable : ResultCards;
    const count = selectsAll ? page?.size ?? 0 : selected.size;
    const openExport = ({ state: of, size }: Page): void => setDialog({ kind: 'export', state: of, types: typesIn(of), count: size });
    const openBulk = (of: SearchState): void => setDialog({ kind: 'bulk', state: of, types: typesIn(of), ids: selectsAll ? null : [...selected], count });

    return (
        <div class="search-screen">
            <Heading state={state} page={isShown ? page : null} error={error} />
            <FieldHints state={state} />
            {error && <QueryProblem {...{ error, query, retryOn, reload }} />}
            <Chips filters={filters} type={type} onChange={(next) => change({ filters: next })} />
            {!error && page && (
                <div class="search-body">
                    <FacetPanel>
                        <>
                            <SavedList class="saved-searches" />
                            <Facets state={state} facets={facets} ranges={ranges} onChange={(next) => change({ filters: next })} />
                        </>
                    </FacetPanel>
                    <div class="search-main" aria-busy={isLoading}>
                        <Toolbar state={state} type={type} view={view} size={page.size} onChange={change} onExport={() => openExport(page)} onSave={() => setDialog({ kind: 'save' })} />
                        {selection && count > 0 && (
                            <div class="selection-bar" role="group" aria-label={t('selected', { count })}>
                                <strong>{t('selected', { count })}</strong>
                                {!selectsAll && selected.size < page.size && (
                                    <button type="button" class="link" onClick={() => selectAll(true)}>{t('selectAll', { count: page.size })}</button>
                                )}
                                <button type="button" class="link" onClick={() => selection.toggle([...selection.ids, ...selected], false)}>{t('unselect')}</button>
                                <span class="grow" />
                                <button type="button" class="primary" onClick={() => openBulk(page.state)}>{t('change')}</button>
                            </div>
                        )}
                        {page.results.length > 0 && (
                            <Results results={page.results} onSort={(next) => change({ sort: sortText(next) })} {...{ contents, selection, sort }} />
                        )}
                        {page.size === 0 && isShown && <NothingFound state={state} />}
                        {page.size > 0 && page.results.length === 0 && <EmptyPage page={page} />}
                        {page.size > 0 && <Pager state={state} size={page.size} />}
                        <details class="explain" onToggle={(event) => explain(event.currentTarget.open)}>
                            <summary>{t('explain')}</summary>
                            {isExplained && <Explain state={state} type={type} />}
                        </details>
                    </div>
                </div>
            )}
            {dialog?.kind === 'export' && <ExportDialog state={dialog.state} size={dialog.count} types={dialog.types ?? typesIn(dialog.state) ?? []} onClose={() => setDialog(null)} />}
            {dialog?.kind === 'save' && (
                <SavedDialog search={{ name: nameOf(state), params: to.search(paramsOf({ ...state, page: 1 })).replace(/^[^?]*\??/, '') }} onClose={() => setDialog(null)} />
            )}
            {dialog?.kind === 'bulk' && (
                <BulkDialog state={dialog.state} type={onlyOne(dialog.types ?? typesIn(dialog.state))} ids={dialog.ids} count={dialog.count}
                    onClose={() => setDialog(null)} onDone={(deleted) => {

                        const gone = new Set(deleted);
                        setSelected((ids) => new Set([...ids].filter((id) => !gone.has(id))));
                        setChanges(changes + 1);
                        reload();
                    }} />
            )}
        </div>
    );
}

/** What is said on a page without results, although there are some: it is after the last one, or type code hides those of this page. */
function EmptyPage({ page: { state, size } }: { readonly page: Page }): JSX.Element {

    const isPastEnd = (state.page - 1) * state.size >= size;
    const address = (page: number): string => to.search(paramsOf({ ...state, page }));
    return (
        <p class="card">
            {t(isPastEnd ? 'pastEnd' : 'hidden')}{' '}
            {state.page * state.size < size ? <a href={address(state.page + 1)}>{t('next')}</a> : state.page > 1 && <a href={address(1)}>{t('firstPage')}</a>}
        </p>
    );
}

/** What decides which objects are results. */
function criteriaOf({ query, filters }: SearchState): string {

    return JSON.stringify([query, filters]);
}

function onlyOne(types: Types): string | null {

    return types?.length === 1 ? types[0] ?? null : null;
}

/** What a search may be called: its query, else the values to which it is limited. */
function nameOf({ query, filters }: SearchState): string {

    const values = filters.map((filter) => valueIn(filter)?.value ?? filter);
    return [...query === '' || query === ALL ? [] : [query], ...values].join(', ');
}

/** What the types show of the results, where it was not asked for in the first place. */
function useContents(page: Page | null): Parameters<typeof ResultTable>[0]['contents'] {

    const isDesignKnown = design.value !== null;
    const types = isDesignKnown ? [...new Set(page?.results.map(({ type }) => type))] : [];
    const wanted = types.map((type) => [type, pointersOf(previewOfType(type))] as const);
    const missing = [...new Set(wanted.flatMap(([, pointers]) => pointers))].filter((pointer) => page && !page.pointers.includes(pointer));
    useEffect(() => {

        if (wanted.length > 0) {
            rememberPreviews(Object.fromEntries(wanted));
        }
    }, [JSON.stringify(wanted)]);
    const { value } = useResource(async (signal) => (page ? readMissing(page, missing, signal) : new Map()), [page, missing.join('\n')]);
    return value ?? new Map();
}

/** The types of the results, once these are shown; null until they are counted. */
function useTypes(page: Page | null, changes: number): readonly Bucket[] | null {

    const criteria = page === null ? '' : criteriaOf(page.state);
    const { value } = useResource(
        async (signal) => (page === null ? null : { criteria, buckets: await readTypes(page.state, signal) }), [criteria, changes]);
    return value?.criteria === criteria ? value.buckets : null;
}

interface FacetOptions {
    readonly state: SearchState;
    readonly page: Page | null;
    readonly types: readonly Bucket[] | null;
    readonly type: string | null;
    /** Number of changes that were made here: the counts are read again after each. */
    readonly changes: number;
}

/** The facets: types first, those of the schema when it is known which type there is. */
function useFacets({ state, page, types, type, changes }: FacetOptions): readonly Facet[] {

    // Who made an object stands with the references, before the texts.
    const fields = type === null || design.value === null ? [] : facetFields(fieldsOfType(type));
    const [texts, others] = [fields.filter(({ kind }) => kind === 'text'), fields.filter(({ kind }) => kind !== 'text')];
    const names = [...others, { name: 'metadata/createdBy' }, ...texts].map(({ name }) => name);
    const filtered = [...new Set(state.filters.map((filter) => valueIn(filter)?.field).filter((field) => field !== undefined))];
    const wanted = [...new Set([...filtered.includes('type') ? ['type'] : [], ...names, ...filtered])];
    const { value } = useResource<readonly FacetCounts[]>(
        async (signal) => (page === null || type === null && types === null ? [] : readFacets(page.state, wanted, filtered, MAX_BUCKETS, signal)),
        [wanted.join('\n'), JSON.stringify([page?.state.query, page?.state.filters]), page === null || type === null && types === null, changes]);
    const size = page?.size ?? 0;
    const first: readonly FacetCounts[] = filtered.includes('type') || types === null ? [] : [{ field: 'type', buckets: types }];
    return [...first, ...value ?? []].filter(({ field, buckets }) => filtered.includes(field) || isUsefulFacet(field === 'type' ? 'choice' : fieldFor(field, type)?.kind, buckets, size, MAX_BUCKETS))
        .map((each) => ({ ...each, label: labelFor(each.field, type), display: fieldFor(each.field, type) }));
}

function FacetPanel({ children }: { readonly children: JSX.Element }): JSX.Element {

    return (
        <details class="facet-panel" open={!matchMedia(NARROW).matches}>
            <summary><Icon name="filter" /> {t('filters')}</summary>
            {children}
        </details>
    );
}

function Heading({ state: { query }, page, error }: { readonly state: SearchState; readonly page: Page | null; readonly error: Error | null }): JSX.Element {

    const isAll = query === '' || query === ALL || query === '*';
    const found = page === null ? error ? t(isUnavailable(error) ? 'unanswered' : 'error') : t('searching') :
        page.size === 0 ? t(isAll ? 'nothing' : 'nothingFor') : t(isAll ? 'found' : 'foundFor', { count: page.size });
    return (
        <h1 class="search-heading">
            <span aria-live="polite">{found}</span>{!isAll && page !== null && <> <q class="query" dir="auto">{shortened(query, 120)}</q></>}
            {page !== null && <small class="search-time"> {t('milliseconds', { ms: formatNumber(Math.max(1, Math.round(page.time))) })}</small>}
        </h1>
    );
}

interface ToolbarProps {
    readonly state: SearchState;
    readonly type: string | null;
    readonly view: View;
    readonly size: number;
    readonly onChange: (next: Partial<SearchState>) => void;
    readonly onExport: () => void;
    readonly onSave: () => void;
}

function Toolbar({ state, type, view, size, onChange, onExport, onSave }: ToolbarProps): JSX.Element {

    const sort = sortIn(state.sort);
    const own = [['', t('relevance')], ['objmodified', t('modified')], ['objcreated', t('created')], ['type', t('type')], ['id', t('id')]] as const;
    const fields = [...own, ...type === null ? [] : sortableFields(fieldsOfType(type)).slice(0, 100).map(({ name, label }) => [name, label] as const)];
    const options = fields.some(([name]) => name === sort.field) ? fields : [...fields, [sort.field, labelFor(sort.field, type)] as const];
    const direction = t(sort.isDescending ? 'descending' : 'ascending');
    return (
        <div class="toolbar">
            <label class="inline">{t('sort')}
                <select value={sort.field} onChange={({ currentTarget: { value } }) => onChange({ sort: sortText({ field: value, isDescending: value === 'objmodified' || value === 'objcreated' }) })}>
                    {options.map(([name, label]) => <option key={name} value={name}>{shortened(label, 60)}</option>)}
                </select>
            </label>
            {sort.field !== '' && (
                <button type="button" class="quiet icon-button" aria-label={t('direction', { direction })} title={direction} onClick={() => onChange({ sort: sortText({ ...sort, isDescending: !sort.isDescending }) })}>
                    <Icon name={sort.isDescending ? 'down' : 'up'} />
                </button>
            )}
            <span class="grow" />
            <div class="segmented" role="group" aria-label={t('view')}>
                {(['table', 'cards'] as const).map((each) => (
                    <button key={each} type="button" class="quiet" aria-label={t(each)} title={t(each)} aria-pressed={view === each}
                        onClick={() => onChange({ view: each, page: state.page })}>
                        <Icon name={each === 'table' ? 'table' : 'list'} /><span class="wide">{t(each)}</span>
                    </button>
                ))}
            </div>
            <button type="button" class="quiet" aria-label={saved('save')} title={saved('save')} onClick={onSave}><Icon name="save" /></button>
            {size > 0 && <button type="button" class="quiet" onClick={onExport}><Icon name="download" /><span>{t('export')}</span></button>}
        </div>
    );
}
