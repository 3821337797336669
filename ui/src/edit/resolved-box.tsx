/** What is said where type code changes objects when they are read: the editor has what the code shows, and the service does not tell what is stored. */

import type { JSX } from 'preact';
import { Icon } from '../components/icon.js';
import { t } from './texts.js';

/** The box, with the consent without which nothing is saved; without `onAgree` of an object that is only copied. */
export function ResolvedBox({ isAgreed = false, onAgree }: { readonly isAgreed?: boolean; readonly onAgree?: (isAgreed: boolean) => void }): JSX.Element {

    return (
        <div class="box warning">
            <Icon name="warning" />
            <div class="grow stack">
                <p>{t(onAgree ? 'resolved' : 'resolvedCopy')}</p>
                {onAgree && <label class="inline"><input type="checkbox" checked={isAgreed} onChange={({ currentTarget }) => onAgree(currentTarget.checked)} />{t('storeShown')}</label>}
            </div>
        </div>
    );
}
