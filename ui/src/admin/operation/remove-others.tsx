/** The choice to delete all objects that are not in a file: who makes it enters how many objects there are. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { repository } from '../../api/client.js';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { useResource } from '../../components/use-resource.js';
import { textOf } from '../../state/messages.js';
import { t } from './texts.js';

/** The number of all objects. @throws RepositoryError */
export async function countAll(signal?: AbortSignal): Promise<number> {

    return (await repository.searchPage('*:*', { pageSize: 0, ...signal ? { signal } : {} })).size;
}

/** The warning, with the number that is to be entered. `onCount` gets it once it is entered, and null before. */
export function ConfirmRemoval({ onCount }: { readonly onCount: (count: number | null) => void }): JSX.Element {

    const [text, setText] = useState('');
    const { value: count, error, reload } = useResource((signal) => countAll(signal), []);
    const type = (next: string): void => {

        setText(next);
        onCount(count !== null && next.trim() === String(count) ? count : null);
    };

    return (
        <div class="box warning">
            <Icon name="warning" />
            <div class="grow stack">
                <p>{t('removeWarning')}</p>
                {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
                {count !== null && <label>{t('confirmRemoval', { count: String(count) })}<input inputMode="numeric" autocomplete="off" value={text} onInput={(event) => type(event.currentTarget.value)} /></label>}
            </div>
        </div>
    );
}
