/** The dialog for a new API key, which it shows once. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { RepositoryError, screenClient, sendJson } from '../../api/client.js';
import { caller, isAdmin } from '../../api/session.js';
import { sendWithPassword } from '../../api/with-password.js';
import { Confirm } from '../../components/confirm.js';
import { copyAndSay } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { NameList } from '../../components/name-list.js';
import { useGuard } from '../../components/use-guard.js';
import { sinceOf, useOnce, type Sent } from '../../components/use-once.js';
import { typeNames } from '../../state/design.js';
import { PasswordField } from '../people/password-field.js';
import type { Key } from './keys.js';
import { t } from './texts.js';

interface NewKeyProps {
    readonly userId: string;
    readonly onClose: () => void;
    readonly onCreated: () => void;
}

const UNAUTHENTICATED = 401;

export function NewKey({ userId, onClose, onCreated }: NewKeyProps): JSX.Element {

    const [name, setName] = useState('');
    const [isReadOnly, setReadOnly] = useState(false);
    const [types, setTypes] = useState<readonly string[]>([]);
    const [days, setDays] = useState('');
    const [password, setPassword] = useState('');
    const [key, setKey] = useState<string | null>(null);
    const once = useOnce(async ({ sent, began }: Sent<string>): Promise<{ key: string } | null> => {

        await revokeLost(userId, sent, began);
        return null;
    });
    const create = async (): Promise<void> => {

        const body = {
            name, ...isReadOnly ? { readOnly: true } : {}, ...types.length > 0 ? { types } : {}, ...days === '' ? {} : { expiresInDays: Number(days) },
            ...userId === caller.value.userId ? {} : { userId }
        };
        const { made: { key: value } } = await once(name, () => (isAdmin.value ? sendJson<{ key: string }>('POST', '/auth/keys', body) : createWithPassword(body, password)));
        setKey(value);
        onCreated();
    };

    if (key !== null) {
        return <KeyShown value={key} onClose={onClose} />;
    }

    return (
        <Confirm title={t('newKey')} action={t('create')} onConfirm={create} onClose={onClose} staysOpen>
            <label>{t('purpose')}<input required maxLength={100} dir="auto" autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} /><small>{t('purposeHint')}</small></label>
            <label class="inline"><input type="checkbox" checked={isReadOnly} onChange={(event) => setReadOnly(event.currentTarget.checked)} />{t('readOnlyLabel')}</label>
            <NameList label={t('types')} hint={t('typesHint')} values={types} suggestions={typeNames.value} onChange={setTypes} />
            <label>{t('days')}<input type="number" min={1} step={1} value={days} onInput={(event) => setDays(event.currentTarget.value)} /><small>{t('daysHint')}</small></label>
            {!isAdmin.value && <div><PasswordField label={t('yourPassword')} value={password} onChange={setPassword} autoComplete="current-password" /><small>{t('yourPasswordHint')}</small></div>}
        </Confirm>
    );
}

/** Revokes the keys that a request has made whose response was lost: nobody has seen them. @throws RepositoryError */
async function revokeLost(userId: string, name: string, began: number): Promise<void> {

    const query = userId === caller.value.userId ? {} : { userId };
    const response = await screenClient.request({ method: 'GET', path: '/auth/keys', query });
    const since = sinceOf(response, began);
    const { keys } = await response.json() as { readonly keys: readonly Key[] };
    for (const key of keys.filter((each) => each.name === name && each.createdOn >= since && each.lastUsedOn === undefined)) {
        await sendJson('DELETE', `/auth/keys/${encodeURIComponent(key.id)}`, undefined, { query });
    }
}

async function createWithPassword(body: object, password: string): Promise<{ key: string }> {

    try {
        const response = await sendWithPassword({ username: caller.value.userId ?? '', password }, '/auth/keys', { method: 'POST', mediaType: 'application/json', body: JSON.stringify(body) });
        return await response.json() as { key: string };
    }
    catch (error) {
        throw error instanceof RepositoryError && error.status === UNAUTHENTICATED ? new Error(t('wrong')) : error;
    }
}

function KeyShown({ value, onClose }: { readonly value: string; readonly onClose: () => void }): JSX.Element {

    const [isCopied, setCopied] = useState(false);
    useGuard(!isCopied, () => confirm(t('keyLost')));
    const close = (): void => {

        if (isCopied || confirm(t('keyLost'))) {
            onClose();
        }
    };

    const copy = async (): Promise<void> => setCopied(await copyAndSay(value) || isCopied);

    return (
        <Dialog title={t('keyTitle')} onClose={close}>
            <div class="stack">
                <p>{t('keyText')}</p>
                <code class="secret" onCopy={() => setCopied(true)}>{value}</code>
                <div class="actions">
                    <button type="button" onClick={() => void copy()}>{t('copy')}</button>
                    <button type="button" class="primary" onClick={onClose}>{t('close')}</button>
                </div>
            </div>
        </Dialog>
    );
}
