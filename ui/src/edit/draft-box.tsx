/** What is shown when there is a draft of what is edited, or when it is kept as one. */

import type { JSX } from 'preact';
import { formatAgo, formatTime } from '../i18n/index.js';
import type { Draft } from '../state/drafts.js';
import { t } from './texts.js';

/** The box. */
export function DraftBox({ draft: { savedOn }, isOld, onRestore, onDiscard }: {
    readonly draft: Draft; readonly isOld: boolean; readonly onRestore: () => void; readonly onDiscard: () => void;
}): JSX.Element {

    return (
        <div class="box">
            <p class="grow">{t('draftFound', { time: formatTime(savedOn) })}{isOld && ` ${t('draftOld')}`}</p>
            <button type="button" onClick={onRestore}>{t('restore')}</button>
            <button type="button" onClick={onDiscard}>{t('discard')}</button>
        </div>
    );
}

/** What is said about the draft of what is edited. */
export function draftText(kept: number | 'tooLarge' | 'refused' | null): string {

    if (kept === null) {
        return '';
    }

    return typeof kept === 'number' ? t('draftKept', { ago: formatAgo(kept) }) : t(kept === 'tooLarge' ? 'draftTooLarge' : 'draftRefused');
}
