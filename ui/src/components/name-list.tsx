/** A list of names, such as of types: entered one by one, with suggestions. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { Icon } from './icon.js';
import { useLongList } from './use-long-list.js';

const t = defineTexts({ en: { add: 'Add', remove: 'Remove {name}' }, de: { add: 'Hinzufügen', remove: '{name} entfernen' }, fr: { add: 'Ajouter', remove: 'Retirer {name}' } });

/** Suggestions at a time. */
const MAX_SUGGESTED = 200;

/** The list. Values are unique, and not empty. With `isReadOnly` it only shows them. */
export function NameList({ label, hint, values, suggestions = [], isReadOnly = false, onChange }: {
    readonly label: string; readonly hint?: string; readonly values: readonly string[]; readonly suggestions?: readonly string[]; readonly isReadOnly?: boolean;
    readonly onChange: (values: readonly string[]) => void;
}): JSX.Element {

    const [text, setText] = useState('');
    // A name that is being typed is part of the values already: nobody has to confirm the last one.
    const [typed, setTyped] = useState<string | null>(null);
    const id = useId();
    const shown = typed === null ? values : values.filter((each) => each !== typed);
    const { shown: visible, filter, more } = useLongList(shown, null);
    const type = (next: string): void => {

        const name = next.trim();
        const isNew = name !== '' && !shown.includes(name);
        setText(next);
        setTyped(isNew ? name : null);
        onChange(isNew ? [...shown, name] : shown);
    };

    const add = (): void => {

        setText('');
        setTyped(null);
    };

    const matching = suggestions.filter((each) => !shown.includes(each) && each.toLowerCase().includes(text.toLowerCase())).slice(0, MAX_SUGGESTED);
    return (
        <div class="name-list">
            <label for={id}>{label}</label>
            {filter}
            {visible.length > 0 && (
                <ul class="names">
                    {visible.map((value) => (
                        <li key={value} class="name-chip"><bdi>{value}</bdi>{!isReadOnly && <button type="button" class="quiet" aria-label={t('remove', { name: value })} onClick={() => onChange(values.filter((each) => each !== value))}><Icon name="close" /></button>}</li>
                    ))}
                </ul>
            )}
            {more}
            <div class="row">
                <input id={id} class="grow" list={`${id}-list`} dir="auto" autocomplete="off" value={text} readOnly={isReadOnly} onInput={(event) => type(event.currentTarget.value)} onKeyDown={(event) => {

                    if (event.key === 'Enter') {
                        event.preventDefault();
                        add();
                    }
                }} />
                {!isReadOnly && <button type="button" disabled={text.trim() === ''} aria-label={`${t('add')}: ${label}`} onClick={add}>{t('add')}</button>}
            </div>
            <datalist id={`${id}-list`}>{matching.map((each) => <option key={each} value={each} />)}</datalist>
            {hint !== undefined && <small>{hint}</small>}
        </div>
    );
}
