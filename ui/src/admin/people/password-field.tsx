/** A field for a new password, which can be shown and generated. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { t } from './texts.js';

/** Characters that are not mistaken for each other. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const LENGTH = 18;

/** A random password, of more than 100 bits. */
export function randomPassword(): string {

    let text = '';
    while (text.length < LENGTH) {
        // Values that would favour the first characters are left out.
        const values = crypto.getRandomValues(new Uint8Array(LENGTH)).filter((value) => value < 256 - 256 % ALPHABET.length);
        text += [...values].map((value) => ALPHABET[value % ALPHABET.length]).join('');
    }

    return text.slice(0, LENGTH);
}

export function PasswordField({ label, value, onChange, canGenerate = false, autoComplete = 'new-password' }: {
    readonly label: string; readonly value: string; readonly onChange: (value: string) => void; readonly canGenerate?: boolean; readonly autoComplete?: 'new-password' | 'current-password';
}): JSX.Element {

    const [isShown, show] = useState(false);
    const id = useId();
    const generate = (): void => {

        show(true);
        onChange(randomPassword());
    };

    return (
        <div>
            <label for={id}>{label}</label>
            <div class="row password-row">
                <input id={id} class="grow" required {...isShown ? { type: 'text' as const } : { type: 'password' as const }} autocomplete={autoComplete} autocapitalize="off" spellcheck={false}
                    value={value} onInput={(event) => onChange(event.currentTarget.value)} />
                {canGenerate && <button type="button" onClick={generate}>{t('generate')}</button>}
                <button type="button" aria-pressed={isShown} aria-label={`${t('show')}: ${label}`} onClick={() => show(!isShown)}>{t('show')}</button>
            </div>
        </div>
    );
}
