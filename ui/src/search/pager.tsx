/** Pages of results. */

import type { JSX } from 'preact';
import { Icon } from '../components/icon.js';
import { formatNumber } from '../i18n/index.js';
import { go, to } from '../router.js';
import { paramsOf, SIZES, type SearchState } from './state.js';
import { t } from './texts.js';

/** Pages beside the present one that have links. */
const NEIGHBOURS = 2;

/** The numbers that have links; 0 stands for a gap. */
export function pageNumbers(page: number, last: number): readonly number[] {

    const near = Array.from({ length: 2 * NEIGHBOURS + 1 }, (none, index) => page - NEIGHBOURS + index);
    const all = [...new Set([1, ...near, last])].filter((number) => number >= 1 && number <= last).sort((one, other) => one - other);
    return all.flatMap((number, index) => (index > 0 && number - (all[index - 1] ?? 0) > 1 ? [0, number] : [number]));
}

/** Links to pages; arrow keys go to the previous and the next one. */
export function Pager({ state, size }: { readonly state: SearchState; readonly size: number }): JSX.Element {

    const last = Math.max(1, Math.ceil(size / state.size));
    const address = (page: number): string => to.search(paramsOf({ ...state, page }));
    const turn = (event: KeyboardEvent): void => {

        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        const page = state.page + step;
        if (step !== 0 && !event.altKey && !event.ctrlKey && !event.metaKey && page >= 1 && page <= last && !(event.target instanceof HTMLSelectElement)) {
            event.preventDefault();
            go(address(page));
        }
    };

    return (
        <div class="pager">
            {last > 1 && (
                <nav aria-label={t('pages')} onKeyDown={turn}>
                    {state.page > 1 && <a class="button quiet icon-button" href={address(state.page - 1)} rel="prev" aria-label={t('previous')}><Icon name="back" /></a>}
                    {pageNumbers(state.page, last).map((number, index) => (number === 0 ? <span key={`gap ${index}`} class="muted">…</span> : (
                        <a key={number} class="button quiet" href={address(number)} aria-label={t('page', { number })} aria-current={number === state.page ? 'page' : undefined}>
                            {formatNumber(number)}
                        </a>
                    )))}
                    {state.page < last && <a class="button quiet icon-button" href={address(state.page + 1)} rel="next" aria-label={t('next')}><Icon name="forward" /></a>}
                </nav>
            )}
            <label class="inline page-size">
                <select value={state.size} onChange={(event) => go(to.search(paramsOf({ ...state, page: 1, size: Number(event.currentTarget.value) })))}>
                    {[...new Set([...SIZES, state.size])].sort((one, other) => one - other).map((each) => <option key={each} value={each}>{each}</option>)}
                </select>
                {t('perPage')}
            </label>
        </div>
    );
}
