/** The frame and the screen that the address names. */

import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Boundary } from '../components/boundary.js';
import { Empty, Messages } from '../components/feedback.js';
import { lazy } from '../components/lazy.js';
import { loginRequest, person } from '../api/session.js';
import { language } from '../i18n/index.js';
import { openedAs, route, to, type Route } from '../router.js';
import { Header } from './header.js';
import { LoginDialog } from './login-dialog.js';
import { t } from './texts.js';

/** Properties of every screen. */
export interface ScreenProps {
    readonly route: Route;
}

const SCREENS: Readonly<Record<Route['screen'], ComponentType<ScreenProps>>> = {
    home: lazy(async () => (await import('../home/home.js')).Home),
    search: lazy(async () => (await import('../search/search.js')).Search),
    object: lazy(async () => (await import('../object/object.js')).ObjectScreen),
    create: lazy(async () => (await import('../edit/edit.js')).Create),
    types: lazy(async () => (await import('../types/types.js')).Types),
    type: lazy(async () => (await import('../types/types.js')).TypeScreen),
    admin: lazy(async () => (await import('../admin/admin.js')).Admin),
    callback: Unknown,
    unknown: Unknown
};

/** An object is edited at its own address. */
const EditObject = lazy(async () => (await import('../edit/edit.js')).EditObject);

/** The whole page. */
export function App(): JSX.Element {

    const current = route.value;
    const isEdited = current.screen === 'object' && current.params.has('edit');
    const Screen = isEdited ? EditObject : SCREENS[current.screen];
    // A new object that begins with the content of another is not the one that begins empty.
    const original = current.screen === 'create' ? current.params.get('from') ?? '' : '';
    const main = useRef<HTMLElement>(null);
    const isFirst = useRef(true);
    useEffect(() => {

        // A new screen is read from its beginning; the first one is where the browser put the focus.
        if (isFirst.current) {
            isFirst.current = false;
        }
        else {
            main.current?.focus({ preventScroll: true });
            scrollTo(0, 0);
        }
    }, [current.screen, openedAs.value, isEdited]);
    useEffect(() => {

        document.documentElement.lang = language.value;
    }, [language.value]);

    return (
        <>
            <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>{t('skip')}</a>
            <Header />
            <main id="main" ref={main} tabIndex={-1} class={`screen-${current.screen}`}>
                <Boundary address={location.hash}>
                    <Screen key={`${person.value} ${current.screen} ${openedAs.value} ${isEdited} ${original}`} route={current} />
                </Boundary>
            </main>
            <Messages />
            {loginRequest.value && <LoginDialog request={loginRequest.value} />}
        </>
    );
}

/** The fragment of the address is the route, so the link must not change it. */
function skip(event: Event, main: HTMLElement | null): void {

    event.preventDefault();
    main?.focus();
}

function Unknown({ route: { name } }: ScreenProps): JSX.Element {

    return <Empty isPage title={t('unknown', { name })}><p><a href={to.home}>{t('toHome')}</a></p></Empty>;
}
