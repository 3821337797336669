/** The account of the caller: password, sessions, API keys. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import { caller, isAdmin, logIn } from '../../api/session.js';
import { changePassword } from '../../api/with-password.js';
import { ErrorBox } from '../../components/feedback.js';
import { ObjectLink } from '../../components/object-link.js';
import { to } from '../../router.js';
import { say, textOf } from '../../state/messages.js';
import { PasswordField } from '../people/password-field.js';
import { KeyList } from './keys.js';
import { t } from './texts.js';
import { TokenList } from './tokens.js';

const UNAUTHENTICATED = 401;

export function Account(): JSX.Element {

    const { username = '', userId = '', groupIds = [] } = caller.value;
    return (
        <>
            <h1>{t('account')}</h1>
            <dl class="admin-facts card">
                <dt>{t('name')}</dt><dd dir="auto">{username}</dd>
                <dt>{t('id')}</dt><dd dir="auto">{isAdmin.value ? userId : <a href={to.object(userId)}>{userId}</a>}</dd>
                {groupIds.length > 0 && <><dt>{t('groups')}</dt><dd class="row">{groupIds.map((id) => <ObjectLink key={id} id={id} />)}</dd></>}
            </dl>
            <PasswordSection />
            <TokenList />
            <KeyList />
        </>
    );
}

function PasswordSection(): JSX.Element {

    const [current, setCurrent] = useState('');
    const [next, setNext] = useState('');
    const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: string | null }>({ isBusy: false, error: null });
    // True when it is changed, and the login with it has failed.
    const [isChanged, setChanged] = useState(false);
    const change = async (event: Event): Promise<void> => {

        event.preventDefault();
        setState({ isBusy: true, error: null });
        try {
            const { userId: username = '' } = caller.value;
            if (!isChanged) {
                await changePassword({ username, password: current }, next);
                setChanged(true);
                setCurrent(next);
                setNext('');
            }

            // All tokens ended with the old password, also that of this session.
            await logIn({ username, password: isChanged ? current : next }).catch((error: unknown) => {

                throw new Error(t('changedOnly', { reason: textOf(error) }), { cause: error });
            });
            setCurrent('');
            setChanged(false);
            setState({ isBusy: false, error: null });
            say(t('passwordChanged'));
        }
        catch (error) {
            setState({ isBusy: false, error: error instanceof RepositoryError && error.status === UNAUTHENTICATED ? t('wrong') : textOf(error) });
        }
    };

    return (
        <section class="stack">
            <h2>{t('password')}</h2>
            <form class="stack narrow" onSubmit={(event) => void change(event)}>
                <input type="text" hidden autocomplete="username" readOnly value={caller.value.username ?? ''} aria-label={t('name')} />
                <PasswordField label={t(isChanged ? 'next' : 'current')} value={current} onChange={setCurrent} autoComplete="current-password" />
                {!isChanged && <PasswordField label={t('next')} value={next} onChange={setNext} canGenerate />}
                {state.error !== null && <ErrorBox message={state.error} />}
                <div><button type="submit" class="primary" disabled={state.isBusy}>{t(isChanged ? 'logIn' : 'change')}</button></div>
            </form>
        </section>
    );
}
