/** The start page of an empty service: the first steps, and data to look at. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorBox, ProgressBar } from '../components/feedback.js';
import { askForLogin, caller, isAdmin } from '../api/session.js';
import { config } from '../config.js';
import { go, to } from '../router.js';
import { readDesign, uiConfig } from '../state/design.js';
import { say, textOf } from '../state/messages.js';
import { readCaller } from '../api/session.js';
import { t } from './texts.js';

/** The page; `onChange` reads again what there is. */
export function Welcome({ onChange }: { readonly onChange: () => void }): JSX.Element {

    return (
        <div class="home-welcome stack">
            <header>
                <h1 dir="auto">{uiConfig.value.title ?? config.name}</h1>
                <p>{t('welcome')}. {caller.value.active ? t('empty') : t('hidden')}</p>
            </header>
            {caller.value.active ? <Steps /> : <LoginHint />}
            {isAdmin.value && <Demo onChange={onChange} />}
        </div>
    );
}

function LoginHint(): JSX.Element {

    const [before, command, after] = t('adminHint').split('`');
    return (
        <section class="card stack">
            <p>{before}<code>{command}</code>{after}</p>
            <p><button type="button" class="primary" onClick={() => void askForLogin()}>{t('logIn')}</button></p>
        </section>
    );
}

function Steps(): JSX.Element {

    const types = caller.value.typesPermittedToCreate ?? [];
    const first = types.includes('Document') ? 'Document' : types.find((type) => type !== 'Schema' && type !== 'CordraDesign');
    const steps: readonly (readonly [title: string, text: string, link: string, href: string | null])[] = [
        [t('typeTitle'), t('typeText'), t('typeLink'), types.includes('Schema') || isAdmin.value ? to.types : null],
        [t('objectTitle'), t('objectText'), t('objectLink'), first === undefined ? null : to.create(first)],
        [t('peopleTitle'), t('peopleText'), t('peopleLink'), isAdmin.value ? to.admin('users') : null]
    ];
    return (
        <section aria-labelledby="steps">
            <h2 id="steps">{t('steps')}</h2>
            <ol class="home-steps">
                {steps.map(([title, text, link, href]) => (
                    <li key={title} class="card">
                        <h3>{title}</h3>
                        <p>{text}</p>
                        {href !== null && <a class="button" href={href}>{link}</a>}
                    </li>
                ))}
            </ol>
        </section>
    );
}

function Demo({ onChange }: { readonly onChange: () => void }): JSX.Element {

    const [state, setState] = useState<{ readonly done: number; readonly total: number } | null>(null);
    const [error, setError] = useState<string | null>(null);
    const load = async (): Promise<void> => {

        setError(null);
        setState({ done: 0, total: 1 });
        try {
            const { loadDemo } = await import('./demo-data.js');
            await loadDemo((done, total) => setState({ done, total }));
            await Promise.all([readDesign(), readCaller()]);
            say(t('demoDone'));
            go(to.search({ query: 'type:Work' }));
        }
        catch (thrown) {
            setState(null);
            setError(textOf(thrown));
            onChange();
        }
    };

    return (
        <section class="card stack" aria-labelledby="demo">
            <h2 id="demo">{t('demoTitle')}</h2>
            <p>{t('demoText')}</p>
            {error !== null && <ErrorBox message={error} />}
            {state === null ?
                <p><button type="button" onClick={() => void load()}>{t('demo')}</button></p> :
                <ProgressBar done={state.done} total={state.total} label={t('demoLoading')} />}
        </section>
    );
}
