/** Pages of long lists, so that a list of any length costs as much as a page. */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';

/** A page: indices from `start` to before `end`. */
export interface Page {
    readonly start: number;
    readonly end: number;
    /** Goes to the page of an index. */
    readonly show: (index: number) => void;
}

/** The page that is shown; it follows what the node is asked to show. */
export function usePage(node: FormNode, length: number, size: number): Page {

    const [start, setStart] = useState(0);
    const wanted = node.shownKey.value;
    const show = (index: number): void => setStart(Math.max(0, Math.floor(index / size) * size));
    useEffect(() => {

        if (wanted !== null && /^\d+$/.test(wanted)) {
            show(Number(wanted));
        }
    }, [wanted]);
    const first = start < length ? start : Math.max(0, Math.floor((length - 1) / size) * size);
    return { start: first, end: Math.min(length, first + size), show };
}

/** Buttons for pages; nothing for a single one. */
export function Pager({ page: { start, end, show }, length, size }: {
    readonly page: Page; readonly length: number; readonly size: number;
}): JSX.Element | null {

    return length <= size ? null : (
        <div class="form-pager row">
            <button type="button" class="icon-button" aria-label={t('previous')} disabled={start === 0} onClick={() => show(start - size)}><Icon name="back" /></button>
            <span>{t('range', { from: start + 1, to: end, all: length })}</span>
            <button type="button" class="icon-button" aria-label={t('next')} disabled={end >= length} onClick={() => show(start + size)}><Icon name="forward" /></button>
        </div>
    );
}
