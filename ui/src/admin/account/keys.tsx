/** API keys: those of a user, or of all. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { getJson, sendJson } from '../../api/client.js';
import { caller } from '../../api/session.js';
import { Confirm } from '../../components/confirm.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { Ago, UserName } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { say, textOf } from '../../state/messages.js';
import { NewKey } from './new-key.js';
import { t } from './texts.js';

/** An API key, without its value. Times are epoch milliseconds. */
export interface Key {
    readonly id: string;
    readonly name: string;
    readonly userId: string;
    readonly readOnly: boolean;
    readonly types?: readonly string[];
    readonly operations?: readonly string[];
    readonly createdOn: number;
    readonly expiresOn?: number;
    readonly lastUsedOn?: number;
}

/** The keys of the caller, or of another user for the administrator, with a button for a new one. */
export function KeyList({ userId }: { readonly userId?: string }): JSX.Element {

    const [isCreating, create] = useState(false);
    const query = userId === undefined ? {} : { userId };
    const { value, error, reload } = useResource((signal) => getJson<{ keys: readonly Key[] }>('/auth/keys', query, signal), [userId]);
    return (
        <section class="stack">
            <div class="admin-head">
                <h2>{t('keys')}</h2>
                <button type="button" class="small" onClick={() => create(true)}><Icon name="add" />{t('newKey')}</button>
            </div>
            {userId === undefined && <p class="muted">{t('aboutKeys')}</p>}
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && !error && <Loading />}
            {value && <KeyTable keys={value.keys} onChanged={reload} />}
            {isCreating && <NewKey userId={userId ?? caller.value.userId ?? ''} onClose={() => create(false)} onCreated={reload} />}
        </section>
    );
}

/** A table of keys. With `hasUsers` it says whose they are. */
export function KeyTable({ keys, hasUsers = false, onChanged }: {
    readonly keys: readonly Key[]; readonly hasUsers?: boolean; readonly onChanged: () => void
}): JSX.Element {

    const [revoked, revoke] = useState<Key | null>(null);
    if (keys.length === 0) {
        return <Empty title={t('noKeys')} />;
    }

    const confirm = async ({ id, name, userId }: Key): Promise<void> => {

        await sendJson('DELETE', `/auth/keys/${encodeURIComponent(id)}`, undefined, hasUsers || userId !== caller.value.userId ? { query: { userId } } : {});
        say(t('revoked', { name }));
        onChanged();
    };

    return (
        <div class="list-table">
            <table>
                <thead><tr><th>{t('name')}</th>{hasUsers && <th>{t('user')}</th>}<th>{t('restrictions')}</th><th>{t('lastUsed')}</th><th>{t('expires')}</th><th class="end"><span class="visually-hidden">{t('revoke')}</span></th></tr></thead>
                <tbody>
                    {keys.map((key) => (
                        <tr key={key.id}>
                            <td><span class="clip" dir="auto">{key.name}</span></td>
                            {hasUsers && <td><UserName id={key.userId} /></td>}
                            <td><Restrictions apiKey={key} /></td>
                            <td>{key.lastUsedOn === undefined ? t('never') : <Ago time={key.lastUsedOn} />}</td>
                            <td>{key.expiresOn === undefined ? t('never') : key.expiresOn < Date.now() ? <span class="badge off">{t('expired')}</span> : <Ago time={key.expiresOn} />}</td>
                            <td class="end"><button type="button" class="small" aria-label={t('revokeNamed', { name: key.name })} onClick={() => revoke(key)}>{t('revoke')}</button></td>
                        </tr>
                    ))}
                </tbody>
            </table>
            {revoked && (
                <Confirm title={t('revokeTitle', { name: revoked.name })} action={t('revoke')} isDangerous onConfirm={() => confirm(revoked)} onClose={() => revoke(null)}>
                    <p>{t('revokeText')}</p>
                </Confirm>
            )}
        </div>
    );
}

function Restrictions({ apiKey: { readOnly, types, operations } }: { readonly apiKey: Key }): JSX.Element {

    const parts = [...readOnly ? [t('readOnly')] : [], ...types ? [types.join(', ')] : [], ...operations ? [operations.map((id) => id.replace(/^.*\/Op\./, '')).join(', ')] : []];
    return <span dir="auto">{parts.length === 0 ? t('all') : parts.join(' · ')}</span>;
}
