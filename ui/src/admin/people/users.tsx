/** The users: all objects of types that have a property for the name of a login. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DigitalObject } from '../../../../lib/client/web/index.js';
import { deleteVersion } from '../../api/delete-version.js';
import { tagOf } from '../../api/entity-tag.js';
import { Confirm } from '../../components/confirm.js';
import { Dialog } from '../../components/dialog.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { Menu } from '../../components/menu.js';
import { Ago } from '../../components/object-link.js';
import { Pager } from '../../components/pager.js';
import { useResource } from '../../components/use-resource.js';
import { config } from '../../config.js';
import { t as ofObject } from '../../object/texts.js';
import { go, paramText, to } from '../../router.js';
import type { ScreenProps } from '../../shell/app.js';
import { design, readDesign, schemaIdOf } from '../../state/design.js';
import { say, sayError, textOf } from '../../state/messages.js';
import { KeyList } from '../account/keys.js';
import { TokenList } from '../account/tokens.js';
import { findObjects, jsonObject, PAGE_SIZE, putValue, textAt, userTypes, valueAt, type UserType } from './accounts.js';
import { ListSearch } from '../../components/list-search.js';
import { readTypeObject } from '../../types/model/type-object.js';
import { t } from './texts.js';
import { NewUser, PasswordDialog } from './user-dialogs.js';

/** What is done with a user, in a dialog. */
type Task = { readonly kind: 'password' | 'deactivate' | 'delete' | 'access'; readonly user: User } | { readonly kind: 'new' };

/** A user of the list. */
export interface User {
    readonly id: string;
    /** The version that is shown. */
    readonly etag: string | null;
    readonly name: string;
    readonly type: UserType;
    readonly isActive: boolean;
    readonly mustChange: boolean;
    readonly modifiedOn: number | undefined;
}

export function Users({ route: { params } }: ScreenProps): JSX.Element {

    const [task, setTask] = useState<Task | null>(null);
    const types = userTypes(design.value?.schemas ?? {});
    const text = params.get('q') ?? '';
    const page = Math.max(0, Number(params.get('page') ?? 1) - 1) || 0;
    const { value, error, isLoading, reload } = useResource(
        (signal) => findObjects(types.map(({ type }) => type), { text, page, sort: 'username', signal }), [text, page, design.value]);
    const show = (next: { q?: string; page?: number }): void => go(`${to.admin('users')}${paramText({ q: text, ...next })}`, { replace: true });
    const users = (value?.results ?? []).map((object) => userOf(object, types));
    const done = (message: string): void => {

        say(message);
        reload();
    };

    return (
        <>
            <div class="admin-head">
                <h1>{t('users')}</h1>
                <button type="button" class="primary" disabled={types.length === 0} onClick={() => setTask({ kind: 'new' })}><Icon name="add" />{t('newUser')}</button>
            </div>
            {design.value && types.length === 0 && <p>{t('noTypes', { role: 'username' })}</p>}
            {types.filter(({ active }) => active === undefined).map(({ type }) => <NoActive key={type} type={type} />)}
            <ListSearch label={t('search')} text={text} onSearch={(q) => show({ q })} />
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && isLoading && <Loading />}
            {value && users.length === 0 && <Empty title={text === '' ? t('noneYet') : t('none')} />}
            {users.length > 0 && <UserTable users={users} hasTypes={types.length > 1} onTask={setTask} onChanged={done} />}
            {value && <Pager page={page} pageSize={PAGE_SIZE} size={value.size} onPage={(next) => show({ page: next + 1 })} />}
            {task && <TaskDialog task={task} types={types} onClose={() => setTask(null)} onDone={done} reload={reload} />}
        </>
    );
}

function userOf({ id, type, content, metadata }: DigitalObject, types: readonly UserType[]): User {

    const own = types.find((each) => each.type === type) ?? { type, username: '/username' };
    const active = own.active === undefined ? undefined : valueAt(content, own.active);
    return {
        id, etag: tagOf(metadata?.txnId), name: textAt(content, own.username) || id, type: own, modifiedOn: metadata?.modifiedOn,
        isActive: active === undefined || active === true, mustChange: own.mustChange !== undefined && valueAt(content, own.mustChange) === true
    };
}

function UserTable({ users, hasTypes, onTask, onChanged }: {
    readonly users: readonly User[]; readonly hasTypes: boolean; readonly onTask: (task: Task) => void; readonly onChanged: (message: string) => void;
}): JSX.Element {

    return (
        <div class="list-table has-menu">
            <table>
                <thead><tr><th>{t('name')}</th>{hasTypes && <th class="wide-cell">{t('type')}</th>}<th>{t('state')}</th><th class="wide-cell">{t('changed')}</th><th class="end"><span class="visually-hidden">{t('edit')}</span></th></tr></thead>
                <tbody>
                    {users.map((user) => (
                        <tr key={user.id}>
                            <td><a class="clip" href={to.object(user.id)} dir="auto">{user.name}</a><small class="clip" dir="auto">{user.id}</small></td>
                            {hasTypes && <td class="wide-cell" dir="auto">{user.type.type}</td>}
                            <td>
                                <span class={`badge ${user.isActive ? 'on' : 'off'}`}>{user.isActive ? t('active') : t('inactive')}</span>
                                {user.mustChange && <> <span class="badge plain">{t('mustChange')}</span></>}
                            </td>
                            <td class="wide-cell">{user.modifiedOn !== undefined && <Ago time={user.modifiedOn} />}</td>
                            <td class="end"><UserMenu user={user} onTask={onTask} onChanged={onChanged} /></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function UserMenu({ user, onTask, onChanged }: {
    readonly user: User; readonly onTask: (task: Task) => void; readonly onChanged: (message: string) => void
}): JSX.Element {

    const { id, name, type: { password, active }, isActive } = user;
    const activate = (): void => {

        putValue(id, active ?? '', true).then(() => onChanged(t('activated', { name })), sayError);
    };

    return (
        <Menu class="end" label={t('actions', { name: short(name) })} items={[
            ...password === undefined ? [] : [{ label: t('setPassword'), onSelect: () => onTask({ kind: 'password', user }) }],
            { label: t('access'), onSelect: () => onTask({ kind: 'access', user }) },
            ...active === undefined ? [] : [isActive ? { label: t('deactivate'), onSelect: () => onTask({ kind: 'deactivate', user }) } : { label: t('activate'), onSelect: activate }],
            { label: t('edit'), href: to.object(id, { edit: true }) },
            { label: t('delete'), isDangerous: true, onSelect: () => onTask({ kind: 'delete', user }) }
        ]}><Icon name="more" /></Menu>
    );
}

/** A name that is not too long for a title. */
export function short(name: string): string {

    return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

function TaskDialog({ task, types, onClose, onDone, reload }: {
    readonly task: Task; readonly types: readonly UserType[]; readonly onClose: () => void;
    readonly onDone: (message: string) => void; readonly reload: () => void;
}): JSX.Element {

    if (task.kind === 'new') {
        return <NewUser types={types} onClose={onClose} onDone={(name) => onDone(t('created', { name }))} />;
    }

    const { kind, user: { id, etag, name: full, type } } = task;
    const name = short(full);
    switch (kind) {
        case 'password': {
            return <PasswordDialog user={task.user} onClose={onClose} onDone={() => onDone(t('passwordSet', { name }))} />;
        }

        case 'deactivate': {
            const deactivate = async (): Promise<void> => {

                await putValue(id, type.active ?? '', false);
                onDone(t('deactivated', { name }));
            };

            return <Confirm title={t('deactivateTitle', { name })} action={t('deactivate').replace(' …', '')} isDangerous onConfirm={deactivate} onClose={onClose}><p>{t('deactivateText')}</p></Confirm>;
        }

        case 'access': {
            return (
                <Dialog title={t('accessTitle', { name })} size="large" onClose={onClose}>
                    <div class="stack"><TokenList userId={id} /><KeyList userId={id} /></div>
                </Dialog>
            );
        }

        default: {
            const remove = async (): Promise<void> => {

                await deleteVersion(id, etag, t('changedMeanwhile', { name })).finally(reload);
                onDone(t('deleted', { name }));
            };

            return <Confirm title={t('deleteTitle', { name })} action={t('delete').replace(' …', '')} isDangerous onConfirm={remove} onClose={onClose}><p>{t('deleteText')}</p></Confirm>;
        }
    }
}

/** Says that accounts of a type cannot be deactivated, and adds the property for it. */
function NoActive({ type }: { readonly type: string }): JSX.Element {

    const [isBusy, setBusy] = useState(false);
    const add = async (): Promise<void> => {

        setBusy(true);
        try {
            const { id, content, etag, isResolved } = await readTypeObject(schemaIdOf(type) ?? '');
            if (isResolved) {
                // A property of any of these names may be stored, and not shown.
                throw new Error(ofObject('resolved'));
            }

            const properties = jsonObject(valueAt(content, '/schema/properties'));
            const name = ['accountActive', 'active', 'isActive', 'isAccountActive'].find((each) => !Object.hasOwn(properties, each)) ?? 'accountIsActive';
            await putValue(id, `/schema/properties/${name}`, { type: 'boolean', title: 'Active', default: true, [config.keyword]: { auth: 'accountActive' } }, etag);
            await readDesign();
            say(t('activeAdded', { type }));
        }
        catch (error) {
            sayError(error);
            setBusy(false);
        }
    };

    return (
        <div class="box">
            <Icon name="info" /><p class="grow">{t('noActive', { type })}</p>
            <button type="button" class="small" disabled={isBusy} onClick={() => void add()}>{t('addActive')}</button>
        </div>
    );
}
