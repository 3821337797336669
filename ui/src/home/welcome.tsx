/** The start page of an empty service: the first steps, and data to look at. */

import type { JSX } from 'preact';
import { askForLogin, caller, isAdmin } from '../api/session.js';
import { config } from '../config.js';
import { to } from '../router.js';
import { uiConfig } from '../state/design.js';
import { Demo } from './demo.js';
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
