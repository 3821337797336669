/** The head of every screen: title, search, new objects, navigation, account. */

import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.js';
import { quoted } from '../components/object-query.js';
import { Menu, type MenuItem } from '../components/menu.js';
import { askForLogin, caller, isAdmin, logOut } from '../api/session.js';
import { LANGUAGES, language, setLanguage, type Language } from '../i18n/index.js';
import { hasGuard, route, to } from '../router.js';
import { inOrder, uiConfig, typeNames, type NavLink } from '../state/design.js';
import { say, sayError } from '../state/messages.js';
import { setTheme, theme, type Theme } from '../state/theme.js';
import { config } from '../config.js';
import { CreateDialog } from './create-dialog.js';
import { isSafeUrl } from './links.js';
import { SearchBox } from './search-box.js';
import { t } from './texts.js';

/** The head. */
export function Header(): JSX.Element {

    const head = useRef<HTMLElement>(null);
    useLayoutEffect(() => {

        // What stays below it, while the page is scrolled, needs its height.
        const observer = new ResizeObserver(([entry]) =>
            document.documentElement.style.setProperty('--shell-head', `${entry?.target.getBoundingClientRect().height ?? 0}px`));
        if (head.current) {
            observer.observe(head.current);
        }

        return () => observer.disconnect();
    }, []);
    return (
        <header class="shell-head" ref={head}>
            <div class="shell-bar">
                <a class="brand" href={to.home}><Icon name="type" /><span dir="auto">{uiConfig.value.title ?? config.name}</span></a>
                <SearchBox />
                <CreateMenu />
                <AccountMenu />
            </div>
            <Navigation />
        </header>
    );
}

function CreateMenu(): JSX.Element | null {

    const [isChoosing, choose] = useState(false);
    const { typesPermittedToCreate } = caller.value;
    const types = useMemo(() => inOrder((typesPermittedToCreate ?? []).filter((type) => type !== 'CordraDesign')), [typesPermittedToCreate]);
    const { numTypesForCreateDropdown: limit = 15 } = uiConfig.value;
    if (types.length === 0) {
        return null;
    }

    return (
        <>
            {types.length <= limit ?
                <Menu class="create-menu" label={t('create')} items={types.map((type) => ({ label: type, href: to.create(type) }))}><Icon name="add" /><span class="wide">{t('create')}</span></Menu> :
                <button type="button" class="quiet" aria-label={t('create')} onClick={() => choose(true)}><Icon name="add" /><span class="wide">{t('create')}</span></button>}
            {isChoosing && <CreateDialog types={types} onClose={() => choose(false)} />}
        </>
    );
}

function AccountMenu(): JSX.Element {

    const { active, username = '', userId = '' } = caller.value;
    const themes: readonly (readonly [Theme, string])[] = [['system', t('system')], ['light', t('light')], ['dark', t('dark')]];
    const settings: readonly MenuItem[] = [
        ...themes.map(([value, label]) => ({ label: `${t('theme')}: ${label}`, isSelected: theme.value === value, onSelect: () => setTheme(value) })),
        ...(Object.entries(LANGUAGES) as [Language, string][]).map(([value, label]) => ({
            label, isSelected: language.value === value, onSelect: () => setLanguage(value)
        })),
        { label: t('api'), href: `${config.base}/docs` }
    ];
    const leave = (): void => {

        if (!hasGuard() || confirm(t('unsaved'))) {
            logOut().then(() => say(t('loggedOut'), 'info'), sayError);
        }
    };

    const own: readonly MenuItem[] = [
        { label: t('myObjects'), href: to.search({ query: `metadata/createdBy:${quoted(userId)}` }) }, { label: t('account'), href: to.admin('account') },
        { label: t('logOut'), onSelect: leave }
    ];
    return (
        <>
            {!active && <button type="button" class="primary" onClick={() => void askForLogin()}>{t('logIn')}</button>}
            <Menu class="account-menu end" label={active ? username : t('theme')} items={active ? [...own, ...settings] : settings}>
                <Icon name={active ? 'user' : 'more'} />{active && <span class="wide" dir="auto">{username}</span>}
            </Menu>
        </>
    );
}

/** The links that the design defines, those to types and to the administration. */
function Navigation(): JSX.Element {

    const { navBarLinks } = uiConfig.value;
    const links: readonly NavLink[] = Array.isArray(navBarLinks) ? navBarLinks as readonly NavLink[] : [];
    return (
        <nav class="shell-nav" aria-label={t('menu')}>
            {links.map((link, index) => <DesignLink key={index} link={link} />)}
            <span class="grow" />
            <NavigationLink href={to.types} screens={['types', 'type']}>{t('types')}</NavigationLink>
            {isAdmin.value && <NavigationLink href={to.admin()} screens={['admin']}>{t('admin')}</NavigationLink>}
        </nav>
    );
}

function NavigationLink({ href, screens, children }: { readonly href: string; readonly screens: readonly string[]; readonly children: string }): JSX.Element {

    return <a href={href} aria-current={screens.includes(route.value.screen) ? 'page' : undefined}>{children}</a>;
}

function DesignLink({ link }: { readonly link: NavLink }): JSX.Element | null {

    const { type, title, query = '*:*', sortFields, url, maxItems = 15 } = link;
    switch (type) {
        case 'query': {
            return <a href={to.search({ query, sortFields })} dir="auto">{title ?? query}</a>;
        }

        case 'url': {
            return isSafeUrl(url) ? <a href={url} dir="auto">{title ?? url}</a> : null;
        }

        case 'typeDropdown':
        case 'typeObjectsDropdown': {
            const shown = typeNames.value.slice(0, maxItems).map((name) => ({
                label: name, href: to.search({ query: `type:${quoted(name)}` })
            }));
            const more = typeNames.value.length > maxItems ? [{ label: t('allTypes'), href: to.types }] : [];
            return <Menu items={[...shown, ...more]}><span dir="auto">{title ?? t('types')}</span></Menu>;
        }

        case 'menu': {
            const links = Array.isArray(link.links) ? link.links as readonly NavLink[] : [];
            const items = links.map(({ title: label, query: own, url: target, sortFields: order }) => ({
                label: label ?? target ?? '', href: isSafeUrl(target) ? target : to.search({ query: own ?? '*:*', sortFields: order })
            }));
            return <Menu items={items}><span dir="auto">{title ?? ''}</span></Menu>;
        }

        default: {
            return null;
        }
    }
}
