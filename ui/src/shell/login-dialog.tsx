/** The login: by password, by a private key, or at a login provider. It is a dialog over what the user was doing, which stays as it is. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { ErrorBox } from '../components/feedback.js';
import { RepositoryError } from '../api/client.js';
import { becomeOther, caller, logIn, other, type Caller, type LoginRequest } from '../api/session.js';
import { changePassword } from '../api/with-password.js';
import { signAssertion } from '../api/key-login.js';
import { textOf } from '../state/messages.js';
import { defineTexts } from '../i18n/index.js';
import { ProviderLogins } from './provider-logins.js';

const t = defineTexts({
    en: {
        title: 'Log in', renewal: 'Your session has ended', renewalText: 'Log in again: everything you entered is still there.',
        isOther: 'On another page of this browser {name} has logged in.', goOn: 'Go on as {name}, without what you entered', leave: 'Go on without a login, and without what you entered', username: 'Name or id', password: 'Password', submit: 'Log in',
        byKey: 'Log in with a private key', byPassword: 'Log in with a password', id: 'Id of the user', key: 'Private key (JWK)', keyHint: 'The key stays in this browser: it signs the login and is not sent.',
        wrong: 'Name or password is wrong.', mustChange: 'Choose a new password: the present one must be changed before you can go on.', newPassword: 'New password', change: 'Change password and log in', changedOnly: 'Your password is changed, but the login with the new one has failed: {reason}'
    },
    de: {
        title: 'Anmelden', renewal: 'Ihre Sitzung ist beendet', renewalText: 'Melden Sie sich wieder an: Alles Eingegebene ist noch da.',
        isOther: 'Auf einer anderen Seite dieses Browsers hat sich {name} angemeldet.', goOn: 'Als {name} weitermachen, ohne das Eingegebene', leave: 'Ohne Anmeldung weitermachen, und ohne das Eingegebene', username: 'Name oder Id', password: 'Passwort', submit: 'Anmelden',
        byKey: 'Mit privatem Schlüssel anmelden', byPassword: 'Mit Passwort anmelden', id: 'Id des Benutzers', key: 'Privater Schlüssel (JWK)', keyHint: 'Der Schlüssel bleibt in diesem Browser: Er unterschreibt die Anmeldung und wird nicht gesendet.',
        wrong: 'Name oder Passwort ist falsch.', mustChange: 'Wählen Sie ein neues Passwort: Das jetzige muss geändert werden, bevor es weitergeht.', newPassword: 'Neues Passwort', change: 'Passwort ändern und anmelden', changedOnly: 'Ihr Passwort ist geändert, aber die Anmeldung mit dem neuen ist gescheitert: {reason}'
    },
    fr: {
        title: 'Se connecter', renewal: 'Votre session est terminée', renewalText: 'Reconnectez-vous : tout ce que vous avez saisi est conservé.',
        isOther: '{name} s’est connecté sur une autre page de ce navigateur.', goOn: 'Continuer en tant que {name}, sans ce que vous avez saisi', leave: 'Continuer sans connexion, et sans ce que vous avez saisi', username: 'Nom ou identifiant', password: 'Mot de passe', submit: 'Se connecter',
        byKey: 'Se connecter avec une clé privée', byPassword: 'Se connecter avec un mot de passe', id: 'Identifiant de l’utilisateur', key: 'Clé privée (JWK)', keyHint: 'La clé reste dans ce navigateur : elle signe la connexion et n’est pas envoyée.',
        wrong: 'Le nom ou le mot de passe est incorrect.', mustChange: 'Choisissez un nouveau mot de passe : l’actuel doit être changé avant de continuer.', newPassword: 'Nouveau mot de passe', change: 'Changer le mot de passe et se connecter', changedOnly: 'Votre mot de passe est changé, mais la connexion avec le nouveau a échoué : {reason}'
    }
});

const UNAUTHENTICATED = 401;

/** The password is changed, but the login with it has failed. */
class ChangedOnly extends Error {}

/** The dialog for one login that is waited for. */
export function LoginDialog({ request }: { readonly request: LoginRequest }): JSX.Element {

    const [isByKey, setByKey] = useState(false);
    return (
        <Dialog title={request.isRenewal ? t('renewal') : t('title')} onClose={() => request.finish(false)}>
            {request.isRenewal && <p>{other.value?.active === true && `${t('isOther', { name: nameOf(other.value) })} `}{t('renewalText')}</p>}
            {isByKey ? <KeyForm request={request} /> : <PasswordForm request={request} />}
            <div class="login-others stack">
                <button type="button" class="link" onClick={() => setByKey(!isByKey)}>{isByKey ? t('byPassword') : t('byKey')}</button>
                <ProviderLogins request={request} />
                {other.value && (
                    <button type="button" class="link" onClick={becomeOther}>{other.value.active ? t('goOn', { name: nameOf(other.value) }) : t('leave')}</button>
                )}
            </div>
        </Dialog>
    );
}

function nameOf({ username, userId = '' }: Caller): string {

    return username ?? userId;
}

/** A login that may be running. */
interface LoginState {
    /** Message of the last failure. */
    readonly error: string | null;
    readonly isBusy: boolean;
    /** True when the password was right, but must be changed. */
    readonly mustChange: boolean;
    readonly run: (event: Event, work: () => Promise<void>) => void;
}

function useLogin(request: LoginRequest): LoginState {

    const [state, setState] = useState<Omit<LoginState, 'run'>>({ error: null, isBusy: false, mustChange: false });
    const run = (event: Event, work: () => Promise<void>): void => {

        event.preventDefault();
        setState({ ...state, error: null, isBusy: true });
        work().then(() => request.finish(true), (error: unknown) => {

            const mustChange = error instanceof RepositoryError && error.details['passwordChangeRequired'] === true;
            const isWrong = error instanceof RepositoryError && error.status === UNAUTHENTICATED && !mustChange;
            setState({ error: mustChange ? null : isWrong ? t('wrong') : textOf(error), isBusy: false, mustChange: mustChange || state.mustChange && !(error instanceof ChangedOnly) });
        });
    };

    return { ...state, run };
}

function PasswordForm({ request }: { readonly request: LoginRequest }): JSX.Element {

    const { error, isBusy, mustChange, run } = useLogin(request);
    const [next, setNext] = useState('');
    const [username, setUsername] = useState(request.isRenewal ? caller.value.username ?? '' : '');
    const [password, setPassword] = useState('');
    const submit = async (): Promise<void> => {

        if (!mustChange) {
            await logIn({ username, password });
            return;
        }

        await changePassword({ username, password }, next);
        // From here on only that counts.
        setPassword(next);
        setNext('');
        await logIn({ username, password: next }).catch((error: unknown) => {

            throw new ChangedOnly(t('changedOnly', { reason: textOf(error) }), { cause: error });
        });
    };

    return (
        <form class="stack" onSubmit={(event) => run(event, submit)}>
            {mustChange && <p role="status">{t('mustChange')}</p>}
            <label>{t('username')}
                <input name="username" autocomplete="username" autocapitalize="off" spellcheck={false} required autofocus={username === ''}
                    value={username} onInput={(event) => setUsername(event.currentTarget.value)} />
            </label>
            <label>{t('password')}
                <input name="password" type="password" autocomplete="current-password" required autofocus={username !== ''}
                    value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
            </label>
            {mustChange && (
                <label>{t('newPassword')}
                    <input name="new-password" type="password" autocomplete="new-password" required ref={focusFirst} value={next} onInput={(event) => setNext(event.currentTarget.value)} />
                </label>
            )}
            {error !== null && <ErrorBox message={error} />}
            <div class="actions"><button type="submit" class="primary" disabled={isBusy}>{mustChange ? t('change') : t('submit')}</button></div>
        </form>
    );
}

/** Focuses a field when it appears. */
function focusFirst(field: HTMLInputElement | null): void {

    if (field?.value === '') {
        field.focus();
    }
}

function KeyForm({ request }: { readonly request: LoginRequest }): JSX.Element {

    const { error, isBusy, run } = useLogin(request);
    const [id, setId] = useState(request.isRenewal ? caller.value.userId ?? '' : '');
    const [key, setKey] = useState('');
    return (
        <form class="stack" onSubmit={(event) => run(event, async () => logIn({ assertion: await signAssertion(id, key) }))}>
            <label>{t('id')}
                <input name="id" autocomplete="username" autocapitalize="off" spellcheck={false} required value={id} onInput={(event) => setId(event.currentTarget.value)} />
            </label>
            <label>{t('key')}
                <textarea name="key" rows={6} spellcheck={false} autocomplete="off" required value={key} onInput={(event) => setKey(event.currentTarget.value)} />
                <small>{t('keyHint')}</small>
            </label>
            {error !== null && <ErrorBox message={error} />}
            <div class="actions"><button type="submit" class="primary" disabled={isBusy}>{t('submit')}</button></div>
        </form>
    );
}
