/** The searches that a user has saved, as links. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { lazy } from '../../components/lazy.js';
import { addressOf, savedSearches } from '../../state/saved-searches.js';
import { t } from './texts.js';

const SavedDialog = lazy(async () => (await import('./saved-dialog.js')).SavedDialog);

/** The list, with a button for changes; nothing where none is saved. */
export function SavedList({ class: className }: { readonly class: string }): JSX.Element | null {

    const [isOpen, open] = useState(false);
    const searches = savedSearches.value;
    return searches.length === 0 && !isOpen ? null : (
        <section class={className} aria-labelledby="saved-searches">
            <h2 id="saved-searches">{t('title')}</h2>
            <ul class="saved-links">
                {searches.map((each) => <li key={each.name}><a href={addressOf(each)} dir="auto">{each.name}</a></li>)}
            </ul>
            <button type="button" class="link" onClick={() => open(true)}>{t('manage')}</button>
            {isOpen && <SavedDialog search={null} onClose={() => open(false)} />}
        </section>
    );
}
