/** The groups: all objects of types that have a property for members. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DigitalObject } from '../../../../lib/client/web/index.js';
import { deleteVersion } from '../../api/delete-version.js';
import { tagOf } from '../../api/entity-tag.js';
import { Confirm } from '../../components/confirm.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { Menu } from '../../components/menu.js';
import { Ago } from '../../components/object-link.js';
import { Pager } from '../../components/pager.js';
import { useResource } from '../../components/use-resource.js';
import { go, paramText, to } from '../../router.js';
import type { ScreenProps } from '../../shell/app.js';
import { design } from '../../state/design.js';
import { say, textOf } from '../../state/messages.js';
import { findObjects, groupTypes, jsonObject, PAGE_SIZE, textAt, valueAt, type GroupType } from './accounts.js';
import { GroupDialog } from './group-dialog.js';
import { ListSearch } from '../../components/list-search.js';
import { t } from './texts.js';
import { short } from './users.js';

/** A group of the list. */
export interface Group {
    readonly id: string;
    /** The version that is shown. */
    readonly etag: string | null;
    readonly name: string;
    readonly type: GroupType;
    readonly description: string;
    readonly memberCount: number;
    readonly modifiedOn: number | undefined;
}

export function Groups({ route: { params } }: ScreenProps): JSX.Element {

    const [task, setTask] = useState<{ readonly kind: 'edit' | 'delete'; readonly group: Group | null } | null>(null);
    const types = groupTypes(design.value?.schemas ?? {}, textAt(jsonObject(design.value?.['handleMintingConfig']), '/prefix'));
    const text = params.get('q') ?? '';
    const page = Math.max(0, Number(params.get('page') ?? 1) - 1) || 0;
    const { value, error, isLoading, reload } = useResource((signal) => {

        const [first] = types;
        const sort = types.length === 1 && first?.name !== undefined ? { sort: first.name } : {};
        return findObjects(types.map(({ type }) => type), { text, page, ...sort, signal });
    }, [text, page, design.value]);
    const show = (next: { q?: string; page?: number }): void => go(`${to.admin('groups')}${paramText({ q: text, ...next })}`, { replace: true });
    const groups = (value?.results ?? []).map((object) => groupOf(object, types));
    const done = (message: string): void => {

        say(message);
        reload();
    };

    const remove = async (): Promise<void> => {

        const { id = '', etag = null, name = '' } = task?.group ?? {};
        await deleteVersion(id, etag, t('changedMeanwhile', { name: short(name) })).finally(reload);
        done(t('deleted', { name: short(name) }));
    };

    return (
        <>
            <div class="admin-head">
                <h1>{t('groups')}</h1>
                <button type="button" class="primary" disabled={types.length === 0} onClick={() => setTask({ kind: 'edit', group: null })}><Icon name="add" />{t('newGroup')}</button>
            </div>
            {design.value && types.length === 0 && <p>{t('noTypes', { role: 'usersList' })}</p>}
            <ListSearch label={t('search')} text={text} onSearch={(q) => show({ q })} />
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && isLoading && <Loading />}
            {value && groups.length === 0 && <Empty title={text === '' ? t('noGroups') : t('noGroupsFound')} />}
            {groups.length > 0 && <GroupTable groups={groups} onTask={(kind, group) => setTask({ kind, group })} />}
            {value && <Pager page={page} pageSize={PAGE_SIZE} size={value.size} onPage={(next) => show({ page: next + 1 })} />}
            {task?.kind === 'edit' && <GroupDialog types={types} group={task.group} onClose={() => setTask(null)} onDone={done} />}
            {task?.kind === 'delete' && task.group && (
                <Confirm title={t('deleteTitle', { name: short(task.group.name) })} action={t('delete').replace(' …', '')} isDangerous
                    onConfirm={remove} onClose={() => setTask(null)}><p>{t('deleteGroupText')}</p></Confirm>
            )}
        </>
    );
}

function groupOf({ id, type, content, metadata }: DigitalObject, types: readonly GroupType[]): Group {

    const own = types.find((each) => each.type === type) ?? { type, members: '/users', prefix: '' };
    const members = valueAt(content, own.members);
    return {
        id, etag: tagOf(metadata?.txnId), type: own, name: textAt(content, own.name) || id, description: textAt(content, own.description),
        memberCount: Array.isArray(members) ? members.length : 0, modifiedOn: metadata?.modifiedOn
    };
}

function GroupTable({ groups, onTask }: { readonly groups: readonly Group[]; readonly onTask: (kind: 'edit' | 'delete', group: Group) => void }): JSX.Element {

    return (
        <div class="list-table has-menu">
            <table>
                <thead><tr><th>{t('name')}</th><th>{t('members')}</th><th class="wide-cell">{t('changed')}</th><th class="end"><span class="visually-hidden">{t('edit')}</span></th></tr></thead>
                <tbody>
                    {groups.map((group) => (
                        <tr key={group.id}>
                            <td><a class="clip" href={to.object(group.id)} dir="auto">{group.name}</a><small class="clip" dir="auto">{group.description || group.id}</small></td>
                            <td><button type="button" class="link" aria-label={`${t('memberCount', { count: group.memberCount })}: ${short(group.name)}`} onClick={() => onTask('edit', group)}>{t('memberCount', { count: group.memberCount })}</button></td>
                            <td class="wide-cell">{group.modifiedOn !== undefined && <Ago time={group.modifiedOn} />}</td>
                            <td class="end">
                                <Menu class="end" label={t('actions', { name: short(group.name) })} items={[
                                    { label: `${t('members')} …`, onSelect: () => onTask('edit', group) }, { label: t('edit'), href: to.object(group.id, { edit: true }) },
                                    { label: t('delete'), isDangerous: true, onSelect: () => onTask('delete', group) }
                                ]}><Icon name="more" /></Menu>
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
