/** The design: title, navigation and settings by a form, all of it as JSON, and the code of the service. */

import type { JSX } from 'preact';
import { CodeEditor } from '../../code/code-editor.js';
import { Icon } from '../../components/icon.js';
import { NameList } from '../../components/name-list.js';
import { Tabs } from '../../components/tabs.js';
import { isJsonMap, isNumber, type Json, type JsonMap } from '../../json/exact-number.js';
import { withMember, withoutMember } from '../../json/pointer.js';
import { paramText, to } from '../../router.js';
import type { ScreenProps } from '../../shell/app.js';
import { typeNames } from '../../state/design.js';
import type { Draft } from '../../types/editor/draft.js';
import { JsonMember } from '../../types/editor/json-member.js';
import { effective, WithDesign } from './design-draft.js';
import { t } from './texts.js';

const TABS = ['form', 'json', 'code'] as const;

const UI_FLAGS = ['allowUserToSpecifySuffixOnCreate', 'allowUserToSpecifyHandleOnCreate', 'hideTypeInObjectEditor'] as const;

const FLAGS = [
    'isReadOnly', 'enableVersionEdits', 'enableTypeChangeViaUpdate', 'allowInsecureAuthentication', 'disableAuthenticationBackOff', 'useLegacySessionsApi',
    'useLegacySearchPageSizeZeroReturnsAll', 'useLegacyContentOnlyJavaScriptHooks', 'useLegacyAttributesAsInputForDoipGet'
] as const;

export function DesignSection({ route: { params } }: ScreenProps): JSX.Element {

    const tab = TABS.find((each) => each === params.get('tab')) ?? 'form';
    return (
        <WithDesign title={t('design')}>
            {(draft, { errors }) => (
                <>
                    <Tabs label={t('tabs')} selected={tab} tabs={TABS.map((id) => ({
                        id, label: t(id), href: `${to.admin('design')}${paramText({ tab: id })}`,
                        ...id === 'json' && draft.faultyText('') !== null ? { count: 1, errorText: t('errors', { count: 1 }) } : {}
                    }))} />
                    {tab !== 'json' && draft.faultyText('') !== null && <div class="box error"><Icon name="warning" /><p>{t('invalidJson')}</p></div>}
                    {tab === 'form' && draft.faultyText('') === null && <DesignForm draft={draft} />}
                    {tab === 'json' && <JsonMember draft={draft} place="" label={t('jsonLabel')} height="tall" value={draft.content} onChange={draft.replace} />}
                    {tab === 'code' && draft.faultyText('') === null && <CodeEditor language="javascript" label={t('codeLabel')} height="tall" value={textOf(draft.content['javascript'])}
                        diagnostics={errors.filter(({ pointer }) => pointer === '/javascript').map(({ message, line, column }) => ({ message, ...line === undefined ? {} : { line, column: column ?? 1 } }))}
                        onChange={(text) => draft.set('javascript', text === '' ? undefined : text)} />}
                </>
            )}
        </WithDesign>
    );
}

function textOf(value: Json | undefined): string {

    return typeof value === 'string' ? value : '';
}

function DesignForm({ draft }: { readonly draft: Draft }): JSX.Element {

    const ui = effective(draft, 'uiConfig');
    const search = effective(draft, 'search');
    const setUi = (member: string, value: Json | undefined): void => draft.set('uiConfig', value === undefined ? withoutMember(ui, member) : withMember(ui, member, value));
    const setLanguage = (value: string): void => {

        const next = value === '' ? withoutMember(search, 'language') : withMember(search, 'language', value);
        draft.set('search', isJsonMap(next) && Object.keys(next).length === 0 ? undefined : next);
    };

    const text = (member: 'title' | 'initialQuery' | 'initialFragment'): JSX.Element => (
        <label>{t(member)}<input dir="auto" value={textOf(ui[member])} onInput={(event) => setUi(member, event.currentTarget.value || undefined)} /></label>
    );
    const { numTypesForCreateDropdown: count, aclUiSearchTypes: types } = ui;
    return (
        <div class="stack">
            <section class="card stack">
                <h2>{t('appearance')}</h2>
                <div class="form-grid">
                    {text('title')}{text('initialQuery')}{text('initialFragment')}
                    <label>{t('numTypesForCreateDropdown')}<input type="number" min={0} value={isNumber(count) ? String(count) : ''} onInput={({ currentTarget: { value } }) => setUi('numTypesForCreateDropdown', /^\d+$/.test(value) ? Number(value) : undefined)} /></label>
                </div>
                <NameList label={t('aclUiSearchTypes')} values={Array.isArray(types) ? (types as readonly Json[]).filter((each): each is string => typeof each === 'string') : []} suggestions={typeNames.value} onChange={(next) => setUi('aclUiSearchTypes', next)} />
                {UI_FLAGS.map((flag) => <Flag key={flag} label={t(flag)} value={ui[flag] === true} onChange={(value) => setUi(flag, value)} />)}
            </section>
            <section class="card stack">
                <h2>{t('navigation')}</h2>
                <Links links={Array.isArray(ui['navBarLinks']) ? (ui['navBarLinks'] as readonly Json[]) : []} onChange={(links) => setUi('navBarLinks', links)} />
            </section>
            <section class="card stack">
                <h2>{t('service')}</h2>
                {FLAGS.map((flag) =>
                    <Flag key={flag} label={t(flag)} value={draft.content[flag] === true} onChange={(value) => draft.set(flag, value || undefined)} />)}
                <label class="narrow">{t('language')}<input maxLength={10} value={textOf(search['language'])} onInput={({ currentTarget: { value } }) => setLanguage(value)} /></label>
            </section>
        </div>
    );
}

function Flag({ label, value, onChange }: { readonly label: string; readonly value: boolean; readonly onChange: (value: boolean) => void }): JSX.Element {

    return <label class="inline"><input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />{label}</label>;
}

const LINK_KINDS = ['query', 'url', 'typeDropdown', 'menu'] as const;

/** The links of the navigation. Those of further kinds, and further members of each, stay as they are. */
function Links({ links, onChange }: { readonly links: readonly Json[]; readonly onChange: (links: readonly Json[]) => void }): JSX.Element {

    const set = (at: number, member: string, value: Json): void =>
        onChange(links.map((link, index) => (index === at ? withMember(link, member, value) : link)));
    const swap = (at: number, other: number): void =>
        onChange(links.map((link, index) => (index === at ? links[other] ?? null : index === other ? links[at] ?? null : link)));
    return (
        <>
            {links.map((link, at) => {

                const { type = 'query', title, query, url } = isJsonMap(link) ? link : {} as JsonMap;
                const name = textOf(title) || String(at + 1);
                return (
                    <div key={at} class="link-row" role="group" aria-label={name}>
                        <label>{t('linkKind')}
                            <select value={textOf(type)} onChange={(event) => set(at, 'type', event.currentTarget.value)}>
                                {LINK_KINDS.map((kind) => <option key={kind} value={kind}>{t(kind)}</option>)}
                                {!LINK_KINDS.some((kind) => kind === type) && <option>{textOf(type)}</option>}
                            </select>
                        </label>
                        <label>{t('linkTitle')}<input dir="auto" value={textOf(title)} onInput={(event) => set(at, 'title', event.currentTarget.value)} /></label>
                        {(type === 'query' || type === 'url') && (
                            <label>{t('linkTarget')}<input value={textOf(type === 'url' ? url : query)} onInput={(event) => set(at, type, event.currentTarget.value)} /></label>
                        )}
                        <div class="link-actions">
                            <button type="button" class="quiet icon-button" aria-label={t('up', { name })} disabled={at === 0} onClick={() => swap(at, at - 1)}><Icon name="up" /></button>
                            <button type="button" class="quiet icon-button" aria-label={t('down', { name })} disabled={at === links.length - 1} onClick={() => swap(at, at + 1)}><Icon name="down" /></button>
                            <button type="button" class="quiet icon-button" aria-label={t('remove', { name })} onClick={() => onChange(links.filter((_, index) => index !== at))}><Icon name="delete" /></button>
                        </div>
                    </div>
                );
            })}
            <div><button type="button" onClick={() => onChange([...links, { type: 'query', title: '', query: '*:*' }])}><Icon name="add" />{t('addLink')}</button></div>
        </>
    );
}
