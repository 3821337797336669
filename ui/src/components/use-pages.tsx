/** Long lists that are shown step by step: what nobody has asked for yet is not part of the page. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';

const t = defineTexts({
    en: { more: { one: 'Show {count} more', other: 'Show {count} more' } },
    de: { more: { one: '{count} weiteren zeigen', other: '{count} weitere zeigen' } },
    fr: { more: { one: 'Afficher {count} de plus', other: 'Afficher {count} de plus' } }
});

/** The number of entries that are shown, `first` of `total` at the beginning, and a button for `step` more; null where all are shown. */
export function usePages(total: number, first: number, step = first): readonly [shown: number, more: JSX.Element | null] {

    const [shown, setShown] = useState(first);
    const rest = total - shown;
    return [shown, rest <= 0 ? null : (
        <button type="button" class="link" onClick={() => setShown(shown + step)}>{t('more', { count: Math.min(step, rest) })} {`(${shown} / ${total})`}</button>
    )];
}
