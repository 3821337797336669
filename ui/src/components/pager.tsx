/** Steps through the pages of a list. */

import type { JSX } from 'preact';
import { defineTexts } from '../i18n/index.js';
import { Icon } from './icon.js';

const t = defineTexts({
    en: { pages: 'Pages', previous: 'Previous page', next: 'Next page', position: '{first}–{last} of {size}' },
    de: { pages: 'Seiten', previous: 'Vorige Seite', next: 'Nächste Seite', position: '{first}–{last} von {size}' },
    fr: { pages: 'Pages', previous: 'Page précédente', next: 'Page suivante', position: '{first}–{last} sur {size}' }
});

/** Buttons for the previous and the next page, if there is more than one. `page` is 0-based. */
export function Pager({ page, pageSize, size, onPage }: {
    readonly page: number; readonly pageSize: number; readonly size: number; readonly onPage: (page: number) => void;
}): JSX.Element | null {

    if (size <= pageSize && page === 0) {
        return null;
    }

    const last = Math.min(size, (page + 1) * pageSize);
    return (
        <nav class="pages" aria-label={t('pages')}>
            <button type="button" class="icon-button" aria-label={t('previous')} disabled={page === 0} onClick={() => onPage(page - 1)}><Icon name="back" /></button>
            <span role="status">{t('position', { first: Math.min(page * pageSize + 1, last), last, size })}</span>
            <button type="button" class="icon-button" aria-label={t('next')} disabled={last >= size} onClick={() => onPage(page + 1)}><Icon name="forward" /></button>
        </nav>
    );
}
