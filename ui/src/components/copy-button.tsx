/** A button that copies a text. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { say } from '../state/messages.js';
import { copyText } from './copy.js';
import { Icon } from './icon.js';

const t = defineTexts({
    en: { copied: 'Copied.', failed: 'The browser does not allow copying.' },
    de: { copied: 'Kopiert.', failed: 'Der Browser erlaubt das Kopieren nicht.' },
    fr: { copied: 'Copié.', failed: 'Le navigateur n’autorise pas la copie.' }
});

/** Time for which the button shows that it has copied, in milliseconds. */
const SHOWN_MS = 2000;

/** The button: an icon, or with the name beside it. */
export function CopyButton({ text, label, hasText = false }: { readonly text: string; readonly label: string; readonly hasText?: boolean }): JSX.Element {

    const [isDone, setDone] = useState(false);
    const copy = (): void => {

        void copyAndSay(text).then((isCopied) => {

            setDone(isCopied);
            setTimeout(() => setDone(false), SHOWN_MS);
        });
    };

    return (
        <button type="button" class={hasText ? 'small' : 'quiet icon-button small'} aria-label={hasText ? undefined : label} title={label} onClick={copy}>
            <Icon name={isDone ? 'check' : 'copy'} />{hasText && label}
        </button>
    );
}

/** Copies a text and says so. */
export async function copyAndSay(text: string): Promise<boolean> {

    const isCopied = await copyText(text);
    say(isCopied ? t('copied') : t('failed'), isCopied ? 'success' : 'error');
    return isCopied;
}
