/** The screen of one object: its head, and a tab for each side of it. The editor is another screen at the same address, with `edit`. */

import type { ComponentType, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { CopyButton } from '../components/copy-button.js';
import { Empty, Loading, Unreadable } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { lazy } from '../components/lazy.js';
import { Ago, ObjectLink, UserName } from '../components/object-link.js';
import { Tabs, type Tab } from '../components/tabs.js';
import { useCallerRound } from '../components/use-caller-round.js';
import { useResource, type Resource } from '../components/use-resource.js';
import { RepositoryError } from '../api/client.js';
import { askForLogin } from '../api/session.js';
import { isUnavailable } from '../api/unavailable.js';
import { config } from '../config.js';
import { language } from '../i18n/index.js';
import { to } from '../router.js';
import { schemaOf, uiConfig } from '../state/design.js';
import { rememberLabel } from '../state/labels.js';
import type { ScreenProps } from '../shell/app.js';
import { Actions } from './actions/actions.js';
import { ContentTab } from './content/content-tab.js';
import { loadObject, type LoadedObject, type TabProps } from './model/load.js';
import { SchemaView } from './model/schema.js';
import { titleOf } from './model/title.js';
import { useFreshness } from './model/freshness.js';
import { t } from './texts.js';

const TABS = {
    content: ContentTab,
    files: lazy(async () => (await import('./files/files-tab.js')).FilesTab),
    relations: lazy(async () => (await import('./relations/relations-tab.js')).RelationsTab),
    rights: lazy(async () => (await import('./rights/rights-tab.js')).RightsTab),
    history: lazy(async () => (await import('./history/history-tab.js')).HistoryTab),
    methods: lazy(async () => (await import('./methods/methods-tab.js')).MethodsTab),
    json: lazy(async () => (await import('./json/json-tab.js')).JsonTab)
} as const satisfies Readonly<Record<string, ComponentType<TabProps>>>;

type TabName = keyof typeof TABS;

const NAMES = Object.keys(TABS) as TabName[];

/** The editor of objects. */
const Editor = lazy(async () => (await import('../edit/edit.js')).EditObject);

/** The screen. */
export function ObjectScreen(props: ScreenProps): JSX.Element {

    return props.route.params.has('edit') ? <Editor {...props} /> : <ObjectView {...props} />;
}

function ObjectView({ route: { name: id, params } }: ScreenProps): JSX.Element {

    const { value, error, retryOn, reload } = useResource((signal) => loadObject(id, signal), [id, useCallerRound()], { isPersistent: true });
    if (error && !(value && isUnavailable(error))) {
        return <Failure {...{ id, error, retryOn, reload }} />;
    }

    // While it cannot be read again, what was entered in a tab, or is shown there as a result, stays.
    return value ? <>{error && <Unreadable {...{ error, retryOn, reload }} />}<Page object={value} reload={reload} params={params} /></> : <Loading />;
}

const [UNAUTHENTICATED, FORBIDDEN, NOT_FOUND] = [401, 403, 404];

/** Why there is nothing to see. */
function Failure({ id, error, retryOn, reload }: Pick<Resource<unknown>, 'retryOn' | 'reload'> & { readonly id: string; readonly error: Error }): JSX.Element {

    const status = error instanceof RepositoryError ? error.status : 0;
    switch (status) {
        case NOT_FOUND: {
            return <Empty isPage title={t('missing', { id: id.slice(0, 200) })}><p>{t('missingText')}</p><p><a href={to.search({ query: id })}>{t('search')}</a></p></Empty>;
        }

        case UNAUTHENTICATED: {
            return <Empty isPage title={t('login')}><button type="button" class="primary" onClick={() => void askForLogin()}>{t('logIn')}</button></Empty>;
        }

        case FORBIDDEN: {
            return <Empty isPage title={t('forbidden')}><p>{t('forbiddenText')}</p></Empty>;
        }

        default: {
            return <><h1 class="empty-title">{t('away')}</h1><Unreadable {...{ error, retryOn, reload }} /></>;
        }
    }
}

function Page({ object, reload, params }: TabProps): JSX.Element {

    const { id, type, content, metadata, payloads } = object;
    const schema = schemaOf(type);
    const title = useMemo(() => titleOf(content, new SchemaView(schema, config.keyword), id), [content, schema, id]);
    const wanted = params.get('tab') ?? 'content';
    const selected = NAMES.find((name) => name === wanted) ?? 'content';
    const Selected: ComponentType<TabProps> = TABS[selected];
    useEffect(() => rememberLabel({ id, type, label: title }), [id, type, title]);
    // The page gets the name in the address again with another tab, language or design.
    useEffect(() => {

        const screen = document.title;
        document.title = `${title} · ${screen.split(' · ').at(-1) ?? ''}`;
    }, [title, params, language.value, uiConfig.value]);
    const tabs = NAMES.map((name): Tab => ({
        id: name, label: name === 'relations' ? relationsText() : t(name), href: to.object(id, name === 'content' ? {} : { tab: name }), count: name === 'files' && payloads.length > 0 ? payloads.length : null
    }));
    return (
        <article class="object">
            <header class="object-head">
                <div class="grow">
                    <h1 dir="auto">{title}</h1>
                    <p class="object-line">
                        <a class="badge" href={to.type(type)} dir="auto">{type}</a>
                        <span class="mono muted" dir="auto">{id}</span><CopyButton text={id} label={t('copyId')} />
                    </p>
                </div>
                <Actions object={object} reload={reload} />
            </header>
            {metadata.versionOf !== undefined && <VersionNote object={object} />}
            <Freshness object={object} reload={reload} />
            <Tabs tabs={tabs} selected={selected} label={t('tabs')} />
            <Selected object={object} reload={reload} params={params} />
        </article>
    );
}

/** What the service has where the design does not name the relations. */
const USUAL_TEXT = 'Show Relationships';

/** The name of the tab for relations: as the design has it, else in the language of the user. */
function relationsText(): string {

    const { relationshipsButtonText: text } = uiConfig.value;
    return typeof text !== 'string' || text.trim() === '' || text === USUAL_TEXT ? t('relations') : text;
}

function VersionNote({ object: { metadata } }: { readonly object: LoadedObject }): JSX.Element {

    const { versionOf = '', publishedOn, publishedBy } = metadata;
    return (
        <div class="box object-note">
            <Icon name="history" />
            <span>
                {t('version')} <ObjectLink id={versionOf} />{publishedBy !== undefined && <>, {t('publishedBy')} <UserName id={publishedBy} /></>}{' '}
                {publishedOn !== undefined && <Ago time={publishedOn} />}
            </span>
        </div>
    );
}

/** Says that the object has changed, or is gone, since it was read. */
function Freshness({ object, reload }: { readonly object: LoadedObject; readonly reload: () => void }): JSX.Element | null {

    const state = useFreshness(object);
    return state === 'fresh' ? null : (
        <div class="box warning object-note" role="alert">
            <Icon name="warning" /><p class="grow">{t(state)}</p>
            {state === 'changed' && <button type="button" class="small" onClick={reload}>{t('show')}</button>}
        </div>
    );
}
