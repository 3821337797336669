/** The choice of a type for a new object, where there are too many for a menu. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { go, to } from '../router.js';
import { t } from './texts.js';

/** Types that are suggested at a time. */
const MAX_SUGGESTED = 200;

/** The dialog. `types` are in alphabetical order. */
export function CreateDialog({ types, onClose }: { readonly types: readonly string[]; readonly onClose: () => void }): JSX.Element {

    const [text, setText] = useState('');
    const id = useId();
    const found = types.filter((type) => type.toLowerCase().includes(text.toLowerCase()));
    const chosen = types.includes(text) ? text : found.length === 1 ? found[0] : undefined;
    const create = (event: Event): void => {

        event.preventDefault();
        if (chosen !== undefined) {
            onClose();
            go(to.create(chosen));
        }
    };

    return (
        <Dialog title={t('createType')} onClose={onClose}>
            <form class="stack" onSubmit={create}>
                <label>{t('chooseType')}
                    <input list={id} value={text} autofocus autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
                </label>
                <datalist id={id}>{found.slice(0, MAX_SUGGESTED).map((type) => <option key={type} value={type} />)}</datalist>
                <div class="actions"><button type="submit" class="primary" disabled={chosen === undefined}>{t('createButton')}</button></div>
            </form>
        </Dialog>
    );
}
