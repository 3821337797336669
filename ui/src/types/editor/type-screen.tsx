/** The editor of a type: its fields, schema, code and rights, and a preview of the form. */

import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { lazy } from '../../components/lazy.js';
import { Menu } from '../../components/menu.js';
import { Tabs, type Tab } from '../../components/tabs.js';
import { useGuard } from '../../components/use-guard.js';
import { useResource } from '../../components/use-resource.js';
import { caller } from '../../api/session.js';
import { ResolvedBox } from '../../edit/resolved-box.js';
import type { JsonMap } from '../../json/exact-number.js';
import { parseRoute, to } from '../../router.js';
import type { ScreenProps } from '../../shell/app.js';
import { design, schemaIdOf, schemaOf } from '../../state/design.js';
import { textOf } from '../../state/messages.js';
import { countObjects } from '../model/objects-of-type.js';
import { readTypeObject, type TypeObject } from '../model/type-object.js';
import { useDiagnosis, useDraft, type Diagnosis, type Draft } from './draft.js';
import { DeleteType } from './delete-type.js';
import { AsideBoxes } from './aside-boxes.js';
import { SaveBar } from './save-bar.js';
import { t } from './texts.js';
import { useSetAside } from './use-set-aside.js';

/** What each tab is given. */
export interface TabProps {
    readonly name: string;
    readonly draft: Draft;
    readonly diagnosis: Diagnosis;
    readonly isReadOnly: boolean;
}

const TABS = ['fields', 'schema', 'code', 'rights', 'preview'] as const;

type TabId = typeof TABS[number];

const SCREENS: Readonly<Record<TabId, ComponentType<TabProps>>> = {
    fields: lazy(async () => (await import('./fields-tab.js')).FieldsTab),
    schema: lazy(async () => (await import('./schema-tab.js')).SchemaTab),
    code: lazy(async () => (await import('./code-tab.js')).CodeTab),
    rights: lazy(async () => (await import('./rights-tab.js')).RightsTab),
    preview: lazy(async () => (await import('./preview-tab.js')).PreviewTab)
};

export function TypeScreen({ route: { name, params } }: ScreenProps): JSX.Element {

    // A type that was renamed is shown by its former name until the address follows.
    const known = useRef<{ readonly name: string; readonly id: string } | null>(null);
    const id = schemaIdOf(name) ?? (known.current?.name === name ? known.current.id : null);
    known.current = id === null ? null : { name, id };
    const isKnown = design.value !== null;
    const { value, error, reload } = useResource(async (signal) => {

        const schema = schemaOf(name);
        return id !== null ? readTypeObject(id, signal) : schema ? builtIn(name, schema) : null;
    }, [id, isKnown, caller.value.userId]);
    if (!isKnown || !value && !error && schemaOf(name)) {
        return <Loading />;
    }

    if (error) {
        return <><h1 dir="auto">{name}</h1><ErrorBox message={textOf(error)} onRetry={reload} /></>;
    }

    const tab = TABS.find((each) => each === params.get('tab')) ?? 'fields';
    return value && (id !== null || schemaOf(name)) ? <Editor key={value.id} name={name} stored={value} tab={tab} /> :
        <Empty isPage title={t('unknown', { name })}><p><a href={to.types}>{t('types')}</a></p></Empty>;
}

/** A type that is no object. */
function builtIn(name: string, schema: JsonMap): TypeObject {

    return { id: '', content: { name, schema }, etag: null, isResolved: false, mayWrite: false };
}

function Editor({ name, stored, tab }: { readonly name: string; readonly stored: TypeObject; readonly tab: TabId }): JSX.Element {

    const draft = useDraft(stored);
    const diagnosis = useDiagnosis(draft);
    const aside = useSetAside(draft);
    const [isDeleting, setDeleting] = useState(false);
    const count = useResource((signal) => countObjects(name, signal), [name]);
    const { base: { mayWrite, isResolved, id }, isChanged } = draft;
    const [isAgreed, setAgreed] = useState(false);
    // Other tabs of the type lose nothing.
    useGuard(isChanged || aside.isOnlyHere, () => {

        const next = parseRoute(location.hash);
        return next.screen === 'type' && next.name === name || confirm(t('leave'));
    });
    // With the caller, rights change, but not what was typed.
    useEffect(() => {

        if (stored.mayWrite !== mayWrite) {
            draft.reset({ ...draft.base, mayWrite: stored.mayWrite, isResolved: stored.isResolved }, { keep: true });
        }
    }, [stored.mayWrite]);
    const Screen = SCREENS[tab];
    return (
        <div class="type-editor">
            <header class="admin-head">
                <div>
                    <p class="crumb"><a href={to.types}>{t('types')}</a></p>
                    <h1 dir="auto">{name}</h1>
                    {count.value !== null && <p><a href={to.search({ query: `type:"${name.replace(/["\\]/g, '\\$&')}"` })}>{t('objects', { count: count.value })}</a></p>}
                </div>
                <div class="row">
                    {(caller.value.typesPermittedToCreate ?? []).includes(name) && <a class="button" href={to.create(name)}><Icon name="add" />{t('create')}</a>}
                    {id !== '' && <Menu class="end" label={t('actions')} items={[
                        { label: t('openObject'), href: to.object(id) }, ...mayWrite ? [{ label: t('delete'), isDangerous: true, onSelect: () => setDeleting(true) }] : []
                    ]}><Icon name="more" /></Menu>}
                </div>
            </header>
            {!mayWrite && <div class="box"><Icon name="info" /><p>{id === '' ? t('builtIn') : t('readOnly')}</p></div>}
            {isResolved && <ResolvedBox isAgreed={isAgreed} onAgree={setAgreed} />}
            {mayWrite && <AsideBoxes aside={aside} etag={draft.base.etag} />}
            <Tabs label={t('tabs')} selected={tab} tabs={TABS.map((each) => tabOf(name, each, errorsOf(draft, diagnosis, each)))} />
            <Screen name={name} draft={draft} diagnosis={diagnosis} isReadOnly={!mayWrite} />
            {mayWrite && <SaveBar {...{ name, draft, diagnosis, aside }} mustAgree={isResolved && !isAgreed} onSaved={count.reload} />}
            {isDeleting && <DeleteType name={name} id={id} etag={draft.base.etag} onClose={() => setDeleting(false)} />}
        </div>
    );
}

function tabOf(name: string, id: TabId, errors: number): Tab {

    return { id, label: t(id), href: to.type(name, { tab: id }), ...errors === 0 ? {} : { count: errors, errorText: t('errorCount', { count: errors }) } };
}

/** Number of errors that a tab can show: a text that is no JSON is one, of which the service cannot say anything yet. */
function errorsOf({ isValidSchema, faultyText }: Draft, { errors }: Diagnosis, tab: TabId): number {

    const prefix = { schema: '/schema', code: '/javascript', rights: '/authConfig', fields: '/name', preview: '?' }[tab];
    const isFaulty = tab === 'schema' && !isValidSchema || faultyText(prefix) !== null;
    return errors.filter(({ pointer }) => pointer === prefix || pointer.startsWith(`${prefix}/`)).length + (isFaulty ? 1 : 0);
}
