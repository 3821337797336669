/** The administration: the sections beside each other, and the one that the address names. */

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Empty } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import type { ScreenProps } from '../shell/app.js';
import { askForLogin, caller, isAdmin } from '../api/session.js';
import { to } from '../router.js';
import { findSection, SECTIONS, type Section } from './sections.js';
import { t } from './texts.js';

const GROUPS = ['people', 'repository', 'operation', 'programs'] as const;

export function Admin({ route }: ScreenProps): JSX.Element {

    const section = findSection(route.name);
    if (!caller.value.active && section?.id !== 'api') {
        return (
            <Empty isPage title={t('loggedOut')}>
                <p><button type="button" class="primary" onClick={() => void askForLogin()}>{t('logIn')}</button></p>
            </Empty>
        );
    }

    if (route.name !== '' && !section) {
        return <Empty isPage title={t('unknown', { name: route.name })}><p><a href={to.admin()}>{t('overview')}</a></p></Empty>;
    }

    if (!isAdmin.value && !section?.isForAll) {
        return <Empty isPage title={t('forbidden')}><p><a href={to.admin('account')}>{t('account')}</a></p></Empty>;
    }

    const shown = SECTIONS.filter(({ isForAll }) => isAdmin.value || isForAll && caller.value.active);
    return (
        <div class="admin">
            {shown.length > 0 && <SectionNavigation sections={shown} selected={section} />}
            <div class="admin-content">
                {section ? <section.Screen route={route} /> : <Overview sections={shown} />}
            </div>
        </div>
    );
}

function SectionNavigation({ sections, selected }: { readonly sections: readonly Section[]; readonly selected: Section | undefined }): JSX.Element {

    const nav = useRef<HTMLElement>(null);
    useEffect(() => {

        // On narrow screens the sections are one line, which may be longer than the screen.
        const { current } = nav;
        const link = current?.querySelector<HTMLElement>('[aria-current]');
        if (current && link && current.scrollWidth > current.clientWidth) {
            current.scrollLeft = link.offsetLeft - current.offsetLeft - 16;
        }
    }, [selected]);
    return (
        <nav ref={nav} class="admin-nav" aria-label={t('sections')}>
            {GROUPS.map((group) => {

                const members = sections.filter((section) => section.group === group);
                return members.length > 0 && (
                    <div key={group} role="group" aria-label={t(group)}>
                        <p class="admin-nav-group" aria-hidden="true">{t(group)}</p>
                        {members.map(({ id, icon }) => (
                            <a key={id} href={to.admin(id)} aria-current={id === selected?.id ? 'page' : undefined}><Icon name={icon} />{t(id)}</a>
                        ))}
                    </div>
                );
            })}
        </nav>
    );
}

function Overview({ sections }: { readonly sections: readonly Section[] }): JSX.Element {

    return (
        <>
            <h1>{t('title')}</h1>
            <ul class="admin-cards">
                {sections.map(({ id, about, icon }) => (
                    <li key={id}>
                        <a class="card" href={to.admin(id)}>
                            <Icon name={icon} /><span><strong>{t(id)}</strong><small>{t(about)}</small></span>
                        </a>
                    </li>
                ))}
            </ul>
        </>
    );
}
