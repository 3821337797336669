/** What is shown instead of results: the error of a query at its place, and what can be done when nothing was found. */

import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { Unreadable } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import type { Resource } from '../components/use-resource.js';
import { to } from '../router.js';
import { serverText } from '../server-texts/index.js';
import { design } from '../state/design.js';
import { allFields } from './context.js';
import { filterText } from './facets.js';
import { errorPlace, fieldHints, wordsIn } from './hints.js';
import { paramsOf, typeOf, type SearchState } from './state.js';
import { t } from './texts.js';

/** Letters of the query that are shown around the error. */
const AROUND = 60;

/** The error of a search. */
export function QueryProblem(
    { error, query, retryOn, reload }: Pick<Resource<unknown>, 'retryOn' | 'reload'> & { readonly error: Error; readonly query: string }
): JSX.Element {

    const at = errorPlace(error.message, query);
    if (at === null) {
        return <Unreadable {...{ error, retryOn, reload }} />;
    }

    const before = query.slice(Math.max(0, at - AROUND), at);
    const after = query.slice(at, at + AROUND);
    const goThere = (): void => {

        const input = document.querySelector<HTMLInputElement>('.search-box input');
        input?.focus();
        input?.setSelectionRange(at, at + 1);
    };

    return (
        <div class="box error query-error" role="alert">
            <Icon name="error" />
            <div class="grow">
                <p><strong>{t('error')}</strong></p>
                <p dir="auto">{t('at', { position: at + 1 })}: {serverText(error.message.replace(/^Query parse failure at character \d+: /, ''))}</p>
                <div class="scroll-x" role="group" tabIndex={0} aria-label={t('error')}>
                    <code class="caret-lines" dir="ltr">{at > AROUND ? '…' : ''}{before}<mark>{after.slice(0, 1) || ' '}</mark>{after.slice(1)}{'\n'}<span aria-hidden="true">{' '.repeat(before.length + (at > AROUND ? 1 : 0))}^</span></code>
                </div>
            </div>
            <button type="button" onClick={goThere}>{t('place')}</button>
        </div>
    );
}

/** Names that types gave to fields, and those of payloads; found once for each design, as there may be thousands of types. */
const otherNames = computed((): readonly string[] => {

    const found = new Set<string>();
    JSON.stringify(design.value?.schemas ?? {}, (name, value: unknown) => {

        if (name === 'altFieldName' && typeof value === 'string') {
            found.add(value);
        }
        else if (name === 'altPayloadFieldNames' && typeof value === 'object' && value !== null) {
            Object.values(value).flat().forEach((each) => found.add(String(each)));
        }

        return value;
    });
    return [...found];
});

/** Hints for fields that no type has. */
export function FieldHints({ state }: { readonly state: SearchState }): JSX.Element | null {

    if (!design.value || !state.query.includes(':')) {
        return null;
    }

    const hints = fieldHints(state.query, allFields(typeOf(state)).map(({ name }) => name), otherNames.value);
    return hints.length === 0 ? null : (
        <div class="box warning" role="status">
            <Icon name="warning" />
            <ul class="plain-list">
                {hints.map(({ wrong, right, query }) => (
                    <li key={wrong}><a href={to.search(paramsOf({ ...state, query, page: 1 }))} dir="auto">{t('useField', { wrong, right })}</a></li>
                ))}
            </ul>
        </div>
    );
}

/** What can be done when nothing was found. */
export function NothingFound({ state }: { readonly state: SearchState }): JSX.Element {

    const { query, filters } = state;
    const words = wordsIn(query);
    const type = typeOf(state);
    const address = (change: Partial<SearchState>): string => to.search(paramsOf({ ...state, page: 1, ...change }));
    return (
        <div class="card nothing">
            <p class="empty-title">{t('hints')}</p>
            <ul>
                {filters.length > 1 && filters.map((filter) => (
                    <li key={filter}><a href={address({ filters: filters.filter((each) => each !== filter) })}>{t('without', { name: filterText(filter, type) })}</a></li>
                ))}
                {filters.length > 0 && <li><a href={address({ filters: [] })}>{t('withoutFilters')}</a></li>}
                {words !== '' && words !== query && <li><a href={address({ query: words })}>{t('everywhere')}: <span dir="auto">{words}</span></a></li>}
                <li><a href={to.search()}>{t('allObjects')}</a></li>
            </ul>
        </div>
    );
}
