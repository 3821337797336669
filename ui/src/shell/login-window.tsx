/** The window in which somebody has logged in at a provider, for the page that has opened it: it hands over what it brings, and closes itself. */

import { render, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { handOver, type ReturnedWindow } from '../api/login-window.js';
import { Loading } from '../components/feedback.js';
import { defineTexts, language } from '../i18n/index.js';

const t = defineTexts({
    en: {
        title: 'Login', taken: 'The login goes on in the page where you began it. You can close this window.',
        alone: 'The page where you began this login does not wait for it any more. Nobody was logged in. Close this window, and log in again there.', start: 'Go to the start page'
    },
    de: {
        title: 'Anmeldung', taken: 'Die Anmeldung geht auf der Seite weiter, auf der Sie sie begonnen haben. Sie können dieses Fenster schließen.',
        alone: 'Die Seite, auf der Sie diese Anmeldung begonnen haben, wartet nicht mehr darauf. Niemand wurde angemeldet. Schließen Sie dieses Fenster, und melden Sie sich dort noch einmal an.', start: 'Zur Startseite'
    },
    fr: {
        title: 'Connexion', taken: 'La connexion se poursuit sur la page où vous l’avez commencée. Vous pouvez fermer cette fenêtre.',
        alone: 'La page où vous avez commencé cette connexion ne l’attend plus. Personne n’a été connecté. Fermez cette fenêtre et reconnectez-vous sur cette page.', start: 'Aller à l’accueil'
    }
});

/** Time after which nobody seems to wait, in milliseconds. A page that was asleep may still answer. */
const PATIENCE_MS = 3000;

type State = 'waiting' | 'taken' | 'alone';

/** Shows the window in place of the user interface. */
export function showLoginWindow(root: Element, returned: ReturnedWindow): void {

    document.documentElement.lang = language.value;
    render(<LoginWindow returned={returned} />, root);
}

function LoginWindow({ returned }: { readonly returned: ReturnedWindow }): JSX.Element {

    const [state, setState] = useState<State>('waiting');
    useEffect(() => {

        const timer = setTimeout(() => setState('alone'), PATIENCE_MS);
        void handOver(returned).then(() => {

            clearTimeout(timer);
            setState('taken');
            // A browser that does not let the window close itself shows what is to be done.
            close();
        });
    }, []);
    return (
        <main class="empty" tabIndex={-1}>
            <h1 class="empty-title">{t('title')}</h1>
            {state === 'waiting' ? <Loading /> : <p role="status">{t(state)}</p>}
            {state === 'alone' && <p><a href={location.pathname}>{t('start')}</a></p>}
        </main>
    );
}
