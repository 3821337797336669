/** What the user interface says while it waits, and when something failed. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { serverText } from '../server-texts/index.js';
import { dismiss, messages, textOf } from '../state/messages.js';
import { isUnavailable } from '../api/unavailable.js';
import { Icon } from './icon.js';
import type { Resource } from './use-resource.js';

const t = defineTexts({
    en: {
        loading: 'Loading …', again: 'Try again', dismiss: 'Dismiss', noAnswer: 'The service does not respond.', notReady: 'The service is not ready. It may be starting.',
        next: { one: 'The page tries again by itself, in {count} second.', other: 'The page tries again by itself, in {count} seconds.' }, now: 'The page tries again by itself: now.'
    },
    de: {
        loading: 'Wird geladen …', again: 'Noch einmal', dismiss: 'Ausblenden', noAnswer: 'Der Dienst antwortet nicht.', notReady: 'Der Dienst ist nicht bereit. Vielleicht startet er gerade.',
        next: { one: 'Die Seite versucht es von selbst noch einmal, in {count} Sekunde.', other: 'Die Seite versucht es von selbst noch einmal, in {count} Sekunden.' },
        now: 'Die Seite versucht es von selbst noch einmal: jetzt.'
    },
    fr: {
        loading: 'Chargement …', again: 'Réessayer', dismiss: 'Masquer', noAnswer: 'Le service ne répond pas.', notReady: 'Le service n’est pas prêt. Il démarre peut-être.',
        next: { one: 'La page réessaie d’elle-même, dans {count} seconde.', other: 'La page réessaie d’elle-même, dans {count} secondes.' }, now: 'La page réessaie d’elle-même : maintenant.'
    }
});

const TOO_MANY = 429;

/** Statuses whose message is of the service itself, not of a proxy. */
const HAS_REASON: ReadonlySet<number> = new Set([500, 503]);

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
                <p dir="auto">{serverText(message)}</p>
                {children}
            </div>
            {onRetry && <button type="button" onClick={onRetry}>{t('again')}</button>}
        </div>
    );
}

/** Why a resource could not be read; while the service is unavailable, also when it is asked again without the user. */
export function Unreadable({ error, retryOn, reload }: Pick<Resource<unknown>, 'retryOn' | 'reload'> & { readonly error: Error }): JSX.Element {

    if (!isUnavailable(error) || error.status === TOO_MANY) {
        return <ErrorBox message={textOf(error)} onRetry={reload} />;
    }

    const { status, message } = error;
    return (
        <ErrorBox message={t(status === 0 ? 'noAnswer' : 'notReady')} onRetry={reload}>
            {HAS_REASON.has(status) && <p class="muted" dir="auto">{message}</p>}
            <Countdown until={retryOn} />
        </ErrorBox>
    );
}

/** Says when the next attempt is. Screen readers do not read each second. */
function Countdown({ until }: { readonly until: number | null }): JSX.Element {

    const left = (): number => (until === null ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    const [, tick] = useState(0);
    useEffect(() => {

        const timer = setInterval(() => tick(left()), 1000);
        return () => clearInterval(timer);
    }, [until]);
    const count = left();
    return <p aria-live="off">{count === 0 ? t('now') : t('next', { count })}</p>;
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
