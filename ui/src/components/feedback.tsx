/** What the user interface says while it waits, and when something failed. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { dismiss, messages } from '../state/messages.js';
import { Icon } from './icon.js';

const t = defineTexts({
    en: { loading: 'Loading …', again: 'Try again', dismiss: 'Dismiss' },
    de: { loading: 'Wird geladen …', again: 'Noch einmal', dismiss: 'Ausblenden' },
    fr: { loading: 'Chargement …', again: 'Réessayer', dismiss: 'Masquer' }
});

/** Time before anything is shown, in milliseconds: most responses arrive sooner. */
const DELAY_MS = 200;

/** Says that something is loading, if it takes longer. */
export function Loading(): JSX.Element | null {

    const [isShown, show] = useState(false);
    useEffect(() => {

        const timer = setTimeout(() => show(true), DELAY_MS);
        return () => clearTimeout(timer);
    }, []);
    return isShown ? <p class="loading" role="status">{t('loading')}</p> : null;
}

/** An error, with a button for another attempt where there is one. */
export function ErrorBox({ message, children, onRetry }: {
    readonly message: string; readonly children?: ComponentChildren; readonly onRetry?: () => void;
}): JSX.Element {

    return (
        <div class="box error" role="alert">
            <Icon name="error" />
            <div class="grow">
                <p dir="auto">{message}</p>
                {children}
            </div>
            {onRetry && <button type="button" onClick={onRetry}>{t('again')}</button>}
        </div>
    );
}

/** A part of the page without content, with what can be done about it. With `isPage` it is all that the page has. */
export function Empty({ title, children, isPage = false }: {
    readonly title: string; readonly children?: ComponentChildren; readonly isPage?: boolean;
}): JSX.Element {

    return <div class="empty">{isPage ? <h1 class="empty-title" dir="auto">{title}</h1> : <p class="empty-title">{title}</p>}{children}</div>;
}

/** Progress of long work; without a total it only shows that work goes on. */
export function ProgressBar({ done, total, label }: { readonly done: number; readonly total: number | null; readonly label: string }): JSX.Element {

    return (
        <div class="progress" role="status">
            <progress aria-label={label} {...total === null ? {} : { value: done, max: total }} />
            <span>{label}</span>
        </div>
    );
}

/** The messages, in the corner of the page. */
export function Messages(): JSX.Element {

    return (
        <div class="messages" role="status" aria-live="polite">
            {messages.value.map(({ id, kind, text }) => (
                <div key={id} class={`message ${kind}`}>
                    <Icon name={kind === 'error' ? 'error' : kind === 'success' ? 'check' : 'info'} />
                    <span dir="auto">{text}</span>
                    <button type="button" class="quiet icon-button" aria-label={t('dismiss')} onClick={() => dismiss(id)}><Icon name="close" /></button>
                </div>
            ))}
        </div>
    );
}
