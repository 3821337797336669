/** Effective rights with the rules that give them, the access control list, and what somebody may do. */

import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { ObjectLink } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { RepositoryError } from '../../api/client.js';
import { uiConfig } from '../../state/design.js';
import { textOf } from '../../state/messages.js';
import type { LoadedObject, TabProps } from '../model/load.js';
import { RightEditor } from './right-editor.js';
import { readRights, sourceText, type Check, type RightName, type Rights, type Rule } from './rights.js';
import { t, wordName } from './texts.js';

const RIGHTS: readonly RightName[] = ['read', 'readPayloads', 'write'];

const NOT_FOUND = 404;

/** The tab. */
export function RightsTab({ object, reload }: TabProps): JSX.Element {

    const { id, etag, acl } = object;
    const { value, error } = useResource((signal) => readRights(id, signal), [id, etag]);
    if (error instanceof RepositoryError && error.status === NOT_FOUND) {
        return <div class="stack"><p>{t('unavailable')}</p><pre>{JSON.stringify(acl ?? {}, null, 2)}</pre></div>;
    }

    if (error) {
        return <ErrorBox message={textOf(error)} onRetry={reload} />;
    }

    return value ? (
        <div class="object-columns">
            <section class="card" aria-labelledby="rights-title">
                <h2 id="rights-title">{t('title')}</h2>
                <RightsTable rights={value} object={object} reload={reload} />
                <p class="muted">{t('adminAlways')}</p>
            </section>
            {object.mayWrite && <CheckSomebody object={object} rights={value} />}
        </div>
    ) : <Loading />;
}

function RightsTable({ rights, object, reload }: { readonly rights: Rights; readonly object: LoadedObject; readonly reload: () => void }): JSX.Element {

    const [edited, edit] = useState<RightName | null>(null);
    const { rights: rules, methods = {}, labels = {} } = rights;
    return (
        <table class="rights">
            <thead>
                <tr>
                    <th scope="col">{t('right')}</th><th scope="col">{t('people')}</th><th scope="col">{t('source')}</th>
                    {object.mayWrite && <th scope="col"><span class="visually-hidden">{t('actions')}</span></th>}
                </tr>
            </thead>
            <tbody>
                {RIGHTS.map((right) => (
                    <tr key={right}>
                        <th scope="row">{t(right)}</th>
                        {edited === right ?
                            <td colSpan={3}><RightEditor right={right} rights={rights} object={object} reload={reload} onClose={() => edit(null)} /></td> :
                            <>
                                <td>{rules[right].sameAs === 'read' ?
                                    <span class="muted">{t('sameAsRead')}</span> : <Entries rule={rules[right]} labels={labels} />}</td>
                                <td class="muted">{sourceText(rules[right].source, rights.type)}</td>
                                {object.mayWrite && <td><button type="button" class="small" aria-label={t('editRight', { right: t(right) })}
                                    disabled={edited !== null} onClick={() => edit(right)}>{t('edit')}</button></td>}
                            </>}
                    </tr>
                ))}
                {Object.entries(methods).map(([name, rule]) => (
                    <tr key={`method ${name}`}>
                        <th scope="row" dir="auto">{t('method', { name })}</th>
                        <td><Entries rule={rule} labels={labels} /></td>
                        <td class="muted">{sourceText(rule.source, rights.type)}</td>
                        {object.mayWrite && <td />}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Entries({ rule: { entries, isPartial }, labels }: { readonly rule: Rule; readonly labels: NonNullable<Rights['labels']> }): JSX.Element {

    if (entries.length === 0 && isPartial !== true) {
        return <span class="muted">{t('nobody')}</span>;
    }

    const show = (entry: string): ComponentChildren =>
        wordName(entry) ?? (entry.includes('/') ? <ObjectLink id={entry} label={labels[entry]?.label ?? entry} /> : entry);
    return (
        <ul class="value-chips">
            {entries.map((entry) => <li key={entry}>{show(entry)}</li>)}
            {isPartial === true && <li class="muted">{t('others')}</li>}
        </ul>
    );
}

/** What one user may do, and why. */
function CheckSomebody({ object, rights }: { readonly object: LoadedObject; readonly rights: Rights }): JSX.Element {

    const [user, setUser] = useState('');
    const { value, error } = useResource(async (signal) => (user === '' ? null : readRights(object.id, signal, user)), [object.id, object.etag, user]);
    const { aclUiSearchTypes = ['User'] } = uiConfig.value;
    const check = value?.check;
    const labels = { ...rights.labels, ...value?.labels };
    return (
        <aside class="object-facts stack" aria-labelledby="check-title">
            <h2 id="check-title">{t('check')}</h2>
            <ObjectPicker label={t('user')} value={user} onChange={setUser} types={aclUiSearchTypes} placeholder={t('user')} />
            {error && <ErrorBox message={textOf(error)} />}
            {check && (
                <div role="status">
                    <ul class="verdicts">
                        {RIGHTS.map((right) => <Verdict key={right} right={right} check={check[right]} rule={rights.rights[right]} labels={labels} />)}
                    </ul>
                    {check.isActive === false && <p>{t('blocked')}</p>}
                    <p class="muted" dir="auto">{(check.groupIds ?? []).length === 0 ? t('noGroups') :
                        t('groups', { groups: (check.groupIds ?? []).map((id) => value?.labels?.[id]?.label ?? id).join(', ') })}</p>
                </div>
            )}
        </aside>
    );
}

function Verdict({ right, check, rule, labels }: {
    readonly right: RightName; readonly check: Check; readonly rule: Rule; readonly labels: NonNullable<Rights['labels']>;
}): JSX.Element {

    const nameOf = (entry: string): string => wordName(entry) ?? labels[entry]?.label ?? entry;
    const { allowed, by } = check;
    return (
        <li class={allowed ? 'verdict yes' : 'verdict no'}>
            <strong>{allowed ? '✓' : '✗'} {t(allowed ? 'may' : 'mayNot', { right: t(right) })}</strong>{' '}
            <small dir="auto">{allowed ? by !== undefined && t('by', { entry: nameOf(by) }) :
                rule.entries.length > 0 && t('notBy', { entries: rule.entries.map(nameOf).join(', ') })}</small>
        </li>
    );
}
