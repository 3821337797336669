/** A group and its members. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import { Confirm } from '../../components/confirm.js';
import { Icon } from '../../components/icon.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { UserName } from '../../components/object-link.js';
import { useLongList } from '../../components/use-long-list.js';
import { isLost } from '../../components/use-once.js';
import { useResource } from '../../components/use-resource.js';
import { readObject } from '../../edit/object-access.js';
import { isEqual, type Json } from '../../json/exact-number.js';
import { t as ofObject } from '../../object/texts.js';
import { to } from '../../router.js';
import { labelOf } from '../../state/labels.js';
import { textOf } from '../../state/messages.js';
import { contentOf, putValue, textAt, valueAt, type GroupType } from './accounts.js';
import { useCreateOnce } from './create-once.js';
import { PersonPicker } from './person-picker.js';
import { t } from './texts.js';
import { short } from './users.js';
import type { Group } from './groups.js';

interface GroupDialogProps {
    readonly types: readonly GroupType[];
    /** Null for a new one. */
    readonly group: Group | null;
    readonly onClose: () => void;
    readonly onDone: (message: string) => void;
}

const CHANGED = 412;

type Ids = readonly string[];

/** Makes a group, or changes its members. */
export function GroupDialog({ group, ...props }: GroupDialogProps): JSX.Element | null {

    return group ? <Members {...props} group={group} /> : <NewGroup {...props} />;
}

function NewGroup({ types, onClose, onDone }: Omit<GroupDialogProps, 'group'>): JSX.Element {

    const [typeName, setType] = useState(types[0]?.type ?? '');
    const [name, setName] = useState('');
    const [description, setDescription] = useState('');
    const [members, setMembers] = useState<readonly string[]>([]);
    const type = types.find((each) => each.type === typeName) ?? types[0];
    const createOnce = useCreateOnce();
    const create = async (): Promise<void> => {

        if (type) {
            const values = {
                ...type.name === undefined ? {} : { [type.name]: name }, ...type.description === undefined ? {} : { [type.description]: description },
                [type.members]: members.map((id) => memberOf(type, id))
            };
            const content = contentOf(values);
            await createOnce({ type: type.type, content, readable: content });
            onDone(t('created', { name: short(name) }));
        }
    };

    return (
        <Confirm title={t('newGroup')} action={t('create')} onConfirm={create} onClose={onClose}>
            {types.length > 1 && (
                <label>{t('type')}
                    <select value={typeName} onChange={(event) => setType(event.currentTarget.value)}>
                        {types.map((each) => <option key={each.type}>{each.type}</option>)}
                    </select>
                </label>
            )}
            {type?.name !== undefined && <label>{t('name')}<input required dir="auto" autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>}
            {type?.description !== undefined && <label>{t('description')}<textarea rows={2} dir="auto" value={description} onInput={(event) => setDescription(event.currentTarget.value)} /></label>}
            <MemberList members={members} prefix={type?.prefix ?? ''} onChange={setMembers} />
            <p><a href={to.create(typeName)} onClick={onClose}>{t('moreFields')}</a></p>
        </Confirm>
    );
}

/** The value that stands for a member. @throws Error for an id that the type has no value for */
function memberOf({ prefix }: GroupType, id: string): string {

    if (!id.startsWith(prefix)) {
        throw new Error(t('otherPrefix', { prefix, id }));
    }

    return id.slice(prefix.length);
}

function Members({ group: { id, name, type }, onClose, onDone }: GroupDialogProps & { readonly group: Group }): JSX.Element {

    const [changed, setChanged] = useState<readonly string[] | null>(null);
    const { value, error, reload } = useResource(async (signal) => {

        const { content, etag, isResolved } = await readObject(id, signal);
        const members: Json | undefined = valueAt(content, type.members);
        const ids = Array.isArray(members) ? members.filter((member): member is string => typeof member === 'string').map((member) => type.prefix + member) : [];
        return { etag, isResolved, ids, name: textAt(content, type.name) };
    }, [id]);
    // Members that were sent, and may be stored although no response arrived.
    const unanswered = useRef<readonly Ids[]>([]);
    const put = async (members: Ids, etag: string | null): Promise<void> => {

        try {
            await putValue(id, type.members, [...members], etag);
        }
        catch (failure) {
            if (isLost(failure)) {
                unanswered.current = [...unanswered.current, members];
            }

            if (!(failure instanceof RepositoryError) || failure.status !== CHANGED) {
                throw failure;
            }

            const stored = await readObject(id);
            const found = valueAt(stored.content, type.members) ?? null;
            const isOwn = unanswered.current.some((each) => isEqual(found, each));
            unanswered.current = [];
            if (!isOwn) {
                throw new Error(t('conflict'), { cause: failure });
            }

            if (!isEqual(found, members)) {
                await put(members, stored.etag);
            }
        }
    };

    const save = async (): Promise<void> => {

        if (changed && value) {
            await put(changed.map((member) => memberOf(type, member)), value.etag);

            onDone(t('saved', { name: short(name) }));
        }
    };

    return (
        <Confirm title={`${t('members')}: ${short(name)}`} action={t('save')} isReady={value !== null && !value.isResolved} onConfirm={save} onClose={onClose}>
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {value?.isResolved && <p class="box warning"><Icon name="warning" />{ofObject('resolved')}</p>}
            {value ? <MemberList members={changed ?? value.ids} prefix={type.prefix} onChange={setChanged} /> : <Loading />}
        </Confirm>
    );
}

/** Members, with a search for further ones. */
function MemberList({ members, prefix, onChange }: {
    readonly members: readonly string[]; readonly prefix: string; readonly onChange: (members: readonly string[]) => void
}): JSX.Element {

    const { shown, filter, more } = useLongList(members);
    return (
        <fieldset class="stack">
            <legend>{t('members')}</legend>
            {members.length === 0 && <p class="muted">{t('noMembers')}</p>}
            {filter}
            {shown.length > 0 && (
                <ul class="member-list">
                    {shown.map((id) => (
                        <li key={id}>
                            <span><UserName id={id} /></span>
                            <button type="button" class="quiet icon-button" aria-label={t('remove', { name: labelOf(id).value?.label ?? id })} onClick={() => onChange(members.filter((each) => each !== id))}><Icon name="close" /></button>
                        </li>
                    ))}
                </ul>
            )}
            {more}
            <PersonPicker label={t('addMember')} without={members} prefix={prefix} onChoose={(id) => onChange([...members, id])} />
            {prefix !== '' && <small>{t('prefixHint', { prefix })}</small>}
        </fieldset>
    );
}
