/** Effective rights with the rules that give them, the access control list, and what somebody may do. */

import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { Menu } from '../../components/menu.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { ObjectLink } from '../../components/object-link.js';
import { usePages } from '../../components/use-pages.js';
import { useResource } from '../../components/use-resource.js';
import { repository, RepositoryError } from '../../api/client.js';
import { focusSoon } from '../../form/focus.js';
import { uiConfig } from '../../state/design.js';
import { textOf } from '../../state/messages.js';
import type { LoadedObject, TabProps } from '../model/load.js';
import { listMethods } from '../methods/methods.js';
import { RightEditor } from './right-editor.js';
import { readRights, sourceText, type Check, type RightName, type Rights, type Rule, type Subject } from './rights.js';
import { t, wordName } from './texts.js';

const RIGHTS: readonly RightName[] = ['read', 'readPayloads', 'write'];

const NOT_FOUND = 404;

/** Number of entries of a right that are shown at first, and with each step. */
const FIRST = 50;
const STEP = 200;

const NO_RULE: Rule = { entries: [], source: 'default' };

/** The tab. */
export function RightsTab({ object, reload }: TabProps): JSX.Element {

    const { id, acl } = object;
    // A change of what is shown is one of the version that was read before it.
    const { value, error } = useResource(async (signal) => ({ object: await withOwnTag(object, signal), rights: await readRights(id, signal) }), [object]);
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
                <RightsTable {...value} reload={reload} />
                <p class="muted">{t('adminAlways')}</p>
            </section>
            {object.mayWrite && <CheckSomebody {...value} />}
        </div>
    ) : <Loading />;
}

/** An object that type code changes when it is read has no version for a change; its access control list, which is read as it is stored, has one. */
async function withOwnTag(object: LoadedObject, signal: AbortSignal): Promise<LoadedObject> {

    if (object.etag !== null || !object.mayWrite) {
        return object;
    }

    const found = await repository.getAcl(object.id, { signal });
    return found ? { ...object, acl: found.acl, etag: found.etag } : object;
}

/** A row of the table. */
interface Line {
    readonly key: string;
    /** What somebody may do. */
    readonly name: string;
    readonly rule: Rule;
    /** Null where the list cannot be changed here. */
    readonly subject: Subject | null;
}

function linesOf({ rights, methods = {}, otherMethods }: Rights, added: string | null): readonly Line[] {

    const named = Object.entries(methods);
    const all = added === null || !otherMethods || Object.hasOwn(methods, added) ? named : [...named, [added, otherMethods] as const];
    return [
        ...RIGHTS.map((right): Line => ({ key: right, name: t(right), rule: rights[right], subject: right })),
        ...all.map(([method, rule]): Line => ({ key: `method ${method}`, name: t('method', { name: method }), rule, subject: { method } })),
        ...otherMethods ? [{ key: 'others', name: t(all.length === 0 ? 'anyMethod' : 'otherMethods'), rule: otherMethods, subject: null }] : []
    ];
}

function RightsTable({ rights, object, reload }: { readonly rights: Rights; readonly object: LoadedObject; readonly reload: () => void }): JSX.Element {

    const [edited, edit] = useState<string | null>(null);
    const [added, add] = useState<string | null>(null);
    const { labels = {} } = rights;
    const lines = linesOf(rights, added);
    const table = useRef<HTMLTableElement>(null);
    const close = (): void => {

        const at = lines.findIndex(({ key }) => key === edited);
        focusSoon(() => table.current?.querySelectorAll<HTMLElement>('tbody tr')[at]?.querySelector('button'));
        edit(null);
        add(null);
    };

    return (
        <>
            <table class="rights" ref={table}>
                <thead>
                    <tr>
                        <th scope="col">{t('right')}</th><th scope="col">{t('people')}</th><th scope="col">{t('source')}</th>
                        {object.mayWrite && <th scope="col"><span class="visually-hidden">{t('actions')}</span></th>}
                    </tr>
                </thead>
                <tbody>
                    {lines.map(({ key, name, rule, subject }) => (
                        <tr key={key}>
                            <th scope="row" dir="auto">{name}</th>
                            {subject !== null && edited === key ?
                                <td colSpan={3}><RightEditor right={subject} rule={rule} rights={rights} object={object} reload={reload} onClose={close} /></td> :
                                <>
                                    <td>{rule.sameAs === 'read' ? <span class="muted">{t('sameAsRead')}</span> : <Entries rule={rule} labels={labels} />}</td>
                                    <td class="muted">{sourceText(rule.source, rights.type)}</td>
                                    {object.mayWrite && <td>{subject !== null && <button type="button" class="small" aria-label={t('editRight', { right: name })}
                                        disabled={edited !== null} onClick={() => edit(key)}>{t('edit')}</button>}</td>}
                                </>}
                        </tr>
                    ))}
                </tbody>
            </table>
            {object.mayWrite && edited === null && <MethodMenu rights={rights} onChoose={(method) => {

                add(method);
                edit(`method ${method}`);
            }} />}
        </>
    );
}

/** Chooses a method that gets a list of its own. */
function MethodMenu({ rights: { id, methods = {}, otherMethods }, onChoose }: { readonly rights: Rights; readonly onChoose: (method: string) => void }): JSX.Element | null {

    const all = useResource(async (signal) => listMethods({ objectId: id }, signal), [id]).value ?? [];
    const items = all.filter(({ name }) => !Object.hasOwn(methods, name)).map(({ name }) => ({ label: name, onSelect: () => onChoose(name) }));
    return !otherMethods || items.length === 0 ? null : <Menu label={t('addMethod')} items={items}>{t('addMethod')}</Menu>;
}

function Entries({ rule: { entries, isPartial }, labels }: { readonly rule: Rule; readonly labels: NonNullable<Rights['labels']> }): JSX.Element {

    const [shown, more] = usePages(entries.length, FIRST, STEP);
    if (entries.length === 0 && isPartial !== true) {
        return <span class="muted">{t('nobody')}</span>;
    }

    const show = (entry: string): ComponentChildren =>
        wordName(entry) ?? (entry.includes('/') ? <ObjectLink id={entry} label={labels[entry]?.label ?? entry} /> : entry);
    return (
        <ul class="value-chips">
            {entries.slice(0, shown).map((entry) => <li key={entry}>{show(entry)}</li>)}
            {isPartial === true && <li class="muted">{t('others')}</li>}
            {more && <li>{more}</li>}
        </ul>
    );
}

/** What one user may do, and why. */
function CheckSomebody({ object, rights }: { readonly object: LoadedObject; readonly rights: Rights }): JSX.Element {

    const [user, setUser] = useState('');
    const found = useResource(async (signal) => (user === '' ? null : { user, rights: await readRights(object.id, signal, user) }), [object, user]);
    const { error } = found;
    // While those of another user are read, or cannot be read, nothing is said about this one.
    const value = found.value?.user === user && !error ? found.value.rights : null;
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
                        {RIGHTS.map((right) => <Verdict key={right} right={t(right)} check={check[right]} rule={rights.rights[right]} labels={labels} />)}
                        {Object.entries(check.methods ?? {}).map(([name, answer]) => (
                            <Verdict key={`method ${name}`} right={t('method', { name })} check={answer} rule={rights.methods?.[name] ?? NO_RULE} labels={labels} />
                        ))}
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
    readonly right: string; readonly check: Check; readonly rule: Rule; readonly labels: NonNullable<Rights['labels']>;
}): JSX.Element {

    const nameOf = (entry: string): string => wordName(entry) ?? labels[entry]?.label ?? entry;
    const { allowed, by } = check;
    return (
        <li class={allowed ? 'verdict yes' : 'verdict no'}>
            <strong>{allowed ? '✓' : '✗'} {t(allowed ? 'may' : 'mayNot', { right })}</strong>{' '}
            <small dir="auto">{allowed ? by !== undefined && t('by', { entry: nameOf(by) }) :
                rule.entries.length > 0 && t('notBy', { entries: rule.entries.map(nameOf).join(', ') })}</small>
        </li>
    );
}
