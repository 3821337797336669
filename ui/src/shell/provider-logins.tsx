/** Logins at login providers: on this page, or in another window where this page has to stay. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { logInByWindow, type WindowLogin } from '../api/login-window.js';
import { beginProviderLogin } from '../api/provider-login.js';
import type { LoginRequest } from '../api/session.js';
import { getJson } from '../api/client.js';
import { ErrorBox } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { useResource } from '../components/use-resource.js';
import { hasInput } from '../state/input.js';
import { textOf } from '../state/messages.js';
import { defineTexts } from '../i18n/index.js';

const t = defineTexts({
    en: {
        provider: 'Log in at {name}', hint: 'A window opens for it, and this page stays as it is.', cancel: 'Do not wait for it',
        waiting: 'Log in at {name} in the window that has opened. This page then goes on by itself; what you entered stays here. If you have closed the window, open it again.',
        blocked: 'The browser has not opened a window. Allow windows for this page, and try again. Or leave this page to log in: drafts of the editor are kept, but chosen files, open dialogs and changes in progress are lost.',
        leave: 'Leave this page and log in at {name}'
    },
    de: {
        provider: 'Bei {name} anmelden', hint: 'Dafür öffnet sich ein Fenster, und diese Seite bleibt, wie sie ist.', cancel: 'Nicht mehr darauf warten',
        waiting: 'Melden Sie sich in dem Fenster, das sich geöffnet hat, bei {name} an. Danach geht es auf dieser Seite von selbst weiter; das Eingegebene bleibt hier. Haben Sie das Fenster geschlossen, so öffnen Sie es noch einmal.',
        blocked: 'Der Browser hat kein Fenster geöffnet. Erlauben Sie dieser Seite Fenster, und versuchen Sie es noch einmal. Oder verlassen Sie zum Anmelden diese Seite: Entwürfe des Editors bleiben erhalten, aber ausgewählte Dateien, offene Dialoge und laufende Änderungen gehen verloren.',
        leave: 'Diese Seite verlassen und bei {name} anmelden'
    },
    fr: {
        provider: 'Se connecter chez {name}', hint: 'Une fenêtre s’ouvre pour cela, et cette page reste telle quelle.', cancel: 'Ne plus l’attendre',
        waiting: 'Connectez-vous chez {name} dans la fenêtre qui s’est ouverte. Cette page continuera ensuite d’elle-même ; vos saisies restent ici. Si vous avez fermé la fenêtre, ouvrez-la de nouveau.',
        blocked: 'Le navigateur n’a pas ouvert de fenêtre. Autorisez les fenêtres pour cette page, puis réessayez. Ou quittez cette page pour vous connecter : les brouillons de l’éditeur sont conservés, mais les fichiers choisis, les dialogues ouverts et les modifications en cours sont perdus.',
        leave: 'Quitter cette page et se connecter chez {name}'
    }
});

interface Provider {
    readonly name: string;
    readonly title?: string;
}

/** What has become of a login in a window: it is waited for, there is no window, or it has failed. */
type State = { readonly provider: Provider; readonly stage: 'waiting' | 'blocked' } | { readonly error: string } | null;

/** A button for each provider. */
export function ProviderLogins({ request }: { readonly request: LoginRequest }): JSX.Element | null {

    const providers = useResource((signal) => getJson<{ providers: readonly Provider[] }>('/auth/login', {}, signal), []).value?.providers ?? [];
    // As it was when the dialog was opened.
    const [mustStay] = useState(() => request.isRenewal || hasInput());
    const { state, begin, cancel } = useLoginWindow(request);
    const first = useRef<HTMLButtonElement>(null);
    if (providers.length === 0) {
        return null;
    }

    const giveUp = (): void => {

        cancel();
        first.current?.focus();
    };

    return (
        <>
            {providers.map((provider, n) => (
                <button key={provider.name} ref={n === 0 ? first : null} type="button"
                    onClick={() => (mustStay ? begin(provider) : void beginProviderLogin(provider.name))}>{t('provider', { name: titleOf(provider) })}</button>
            ))}
            {mustStay && <small class="muted">{t('hint')}</small>}
            <div role="status">{state && 'stage' in state && <Stage {...state} onCancel={giveUp} />}</div>
            {state && 'error' in state && <ErrorBox message={state.error} />}
        </>
    );
}

function Stage({ provider, stage, onCancel }: { readonly provider: Provider; readonly stage: 'waiting' | 'blocked'; readonly onCancel: () => void }): JSX.Element {

    const name = titleOf(provider);
    return (
        <div class={stage === 'blocked' ? 'box warning' : 'box'}>
            <Icon name={stage === 'blocked' ? 'warning' : 'info'} />
            <div class="grow stack">
                <p>{t(stage, { name })}</p>
                {stage === 'blocked'
                    ? <button type="button" onClick={() => void beginProviderLogin(provider.name)}>{t('leave', { name })}</button>
                    : <button type="button" onClick={onCancel}>{t('cancel')}</button>}
            </div>
        </div>
    );
}

/** The login that runs in a window; another one, or the end of the dialog, gives it up. */
function useLoginWindow(request: LoginRequest): { readonly state: State; readonly begin: (provider: Provider) => void; readonly cancel: () => void } {

    const [state, setState] = useState<State>(null);
    const running = useRef<WindowLogin | null>(null);
    const cancel = (): void => {

        running.current?.cancel();
        running.current = null;
        setState(null);
    };

    const begin = (provider: Provider): void => {

        cancel();
        const login = logInByWindow(provider.name);
        running.current = login;
        setState({ provider, stage: login ? 'waiting' : 'blocked' });
        const show = (next: State): false | void => running.current === login && setState(next);
        login?.done.then((isOwn) => (isOwn ? request.finish(true) : show(null)), (error: unknown) => show({ error: textOf(error) }));
    };

    useEffect(() => {

        return () => running.current?.cancel();
    }, []);
    return { state, begin, cancel };
}

function titleOf({ name, title }: Provider): string {

    return title ?? name;
}
