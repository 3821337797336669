/** The dialog that saves a search under a name, and renames and deletes those that were saved. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { say } from '../../state/messages.js';
import { addressOf, deleteSearch, MAX_NAME, renameSearch, savedSearches, saveSearch, type SavedSearch } from '../../state/saved-searches.js';
import { t } from './texts.js';

/** A search that may be saved: what to call it, and the parameters of its address. */
interface SavedDialogProps {
    readonly search: SavedSearch | null;
    readonly onClose: () => void;
}

/** The dialog; with a search it offers to save that. */
export function SavedDialog({ search, onClose }: SavedDialogProps): JSX.Element {

    const searches = savedSearches.value;
    return (
        <Dialog title={search ? t('save') : t('title')} onClose={onClose}>
            <div class="stack">
                {search && <SaveForm search={search} onSaved={onClose} />}
                {search === null && searches.length === 0 && <p class="muted">{t('none')}</p>}
                {searches.length > 0 && (
                    <ul class="saved-list" aria-label={t('title')}>{searches.map((each) => <Entry key={each.name} search={each} onOpen={onClose} />)}</ul>
                )}
                <p class="muted">{t('note')}</p>
                <div class="actions"><button type="button" onClick={onClose}>{t('close')}</button></div>
            </div>
        </Dialog>
    );
}

function SaveForm({ search, onSaved }: { readonly search: SavedSearch; readonly onSaved: () => void }): JSX.Element {

    const [name, setName] = useState(search.name.slice(0, MAX_NAME));
    const [isRefused, refuse] = useState(false);
    const trimmed = name.trim();
    const save = (event: Event): void => {

        event.preventDefault();
        const isSaved = saveSearch({ name: trimmed, params: search.params });
        refuse(!isSaved);
        if (isSaved) {
            say(t('saved', { name: trimmed }));
            onSaved();
        }
    };

    return (
        <form class="stack" onSubmit={save}>
            <label>{t('name')}
                <input value={name} required autofocus maxLength={MAX_NAME} pattern=".*\S.*" dir="auto" autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
            </label>
            {savedSearches.value.some((each) => each.name === trimmed) && <p role="status" class="muted">{t('replaces')}</p>}
            {isRefused && <ErrorBox message={t('full')} />}
            <div class="actions"><button type="submit" class="primary">{t('submit')}</button></div>
        </form>
    );
}

function Entry({ search, onOpen }: { readonly search: SavedSearch; readonly onOpen: () => void }): JSX.Element {

    const { name } = search;
    const [next, setNext] = useState<string | null>(null);
    const rename = (event: Event): void => {

        event.preventDefault();
        renameSearch(name, (next ?? '').trim());
        setNext(null);
    };

    return next === null ? (
        <li>
            <a class="grow" href={addressOf(search)} dir="auto" onClick={onOpen}>{name}</a>
            <button type="button" class="quiet icon-button" aria-label={t('rename', { name })} onClick={() => setNext(name)}><Icon name="edit" /></button>
            <button type="button" class="quiet icon-button" aria-label={t('delete', { name })} onClick={() => {

                deleteSearch(name);
                say(t('deleted', { name }));
            }}><Icon name="delete" /></button>
        </li>
    ) : (
        <li>
            <form class="row grow" onSubmit={rename}>
                <input class="grow" aria-label={t('newName', { name })} value={next} required autofocus maxLength={MAX_NAME} pattern=".*\S.*" dir="auto" autocomplete="off"
                    onInput={(event) => setNext(event.currentTarget.value)} />
                <button type="submit">{t('keep')}</button>
                {next.trim() !== name && savedSearches.value.some((each) => each.name === next.trim()) && <small role="status">{t('replaces')}</small>}
            </form>
        </li>
    );
}
