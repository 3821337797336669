/** Dialogs about a user: a new one, and a new password. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { to } from '../../router.js';
import { textOf } from '../../state/messages.js';
import { contentOf, putValue, putValues, type UserType } from './accounts.js';
import { useCreateOnce } from './create-once.js';
import { PasswordField } from './password-field.js';
import { t } from './texts.js';
import { short, type User } from './users.js';

/** Makes a user. Types with further required properties have a form of their own, which the dialog links to. */
export function NewUser({ types, onClose, onDone }: {
    readonly types: readonly UserType[]; readonly onClose: () => void; readonly onDone: (name: string) => void
}): JSX.Element {

    const [typeName, setType] = useState(types[0]?.type ?? '');
    const [name, setName] = useState('');
    const [password, setPassword] = useState('');
    const [mustChange, setMustChange] = useState(true);
    const type = types.find((each) => each.type === typeName);
    const createOnce = useCreateOnce();
    const create = async (): Promise<void> => {

        if (type) {
            const { username, password: secret, active, mustChange: change } = type;
            const values = { [username]: name, ...active === undefined ? {} : { [active]: true }, ...change === undefined ? {} : { [change]: mustChange } };
            const content = contentOf({ ...values, ...secret === undefined ? {} : { [secret]: password } });
            await createOnce({ type: type.type, content, readable: contentOf(values) });
            onDone(short(name));
        }
    };

    return (
        <Confirm title={t('newUser')} action={t('create')} onConfirm={create} onClose={onClose}>
            {types.length > 1 && (
                <label>{t('type')}
                    <select value={typeName} onChange={(event) => setType(event.currentTarget.value)}>
                        {types.map((each) => <option key={each.type}>{each.type}</option>)}
                    </select>
                </label>
            )}
            <label>{t('name')}
                <input required autocomplete="off" autocapitalize="off" spellcheck={false} dir="auto" value={name} onInput={(event) => setName(event.currentTarget.value)} />
            </label>
            {type?.password !== undefined && <PasswordField label={t('password')} value={password} onChange={setPassword} canGenerate />}
            {type?.mustChange !== undefined && <MustChange value={mustChange} onChange={setMustChange} />}
            <p><a href={to.create(typeName)} onClick={onClose}>{t('moreFields')}</a></p>
        </Confirm>
    );
}

/** Sets the password of somebody. */
export function PasswordDialog({ user, onClose, onDone }: {
    readonly user: User; readonly onClose: () => void; readonly onDone: () => void
}): JSX.Element {

    const { name, type } = user;
    const [password, enter] = useState('');
    const [mustChange, setMustChange] = useState(true);
    const save = async (): Promise<void> => {

        await setPassword(user, password, mustChange);
        onDone();
    };

    return (
        <Confirm title={`${t('setPassword').replace(' …', '')}: ${short(name)}`} action={t('save')} onConfirm={save} onClose={onClose}>
            <PasswordField label={t('newPassword')} value={password} onChange={enter} canGenerate />
            {type.mustChange !== undefined && <MustChange value={mustChange} onChange={setMustChange} />}
        </Confirm>
    );
}

/** Stores a password with whether it must be changed, together where that is possible: a password that is refused changes nothing else. */
async function setPassword({ id, type: { password = '', mustChange } }: User, value: string, isTemporary: boolean): Promise<void> {

    if (mustChange !== undefined && await putValues(id, { [password]: value, [mustChange]: isTemporary })) {
        return;
    }

    await putValue(id, password, value);
    if (mustChange !== undefined) {
        await putValue(id, mustChange, isTemporary).catch((failure: unknown) => {

            throw new Error(t('onlyPassword', { error: textOf(failure) }), { cause: failure });
        });
    }
}

function MustChange({ value, onChange }: { readonly value: boolean; readonly onChange: (value: boolean) => void }): JSX.Element {

    return <label class="inline"><input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />{t('mustChangeLabel')}</label>;
}
