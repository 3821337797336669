/** The API keys of all users. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { getJson } from '../../api/client.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { useResource } from '../../components/use-resource.js';
import { sayError, textOf } from '../../state/messages.js';
import { PersonPicker } from '../people/person-picker.js';
import { KeyTable, type Key } from './keys.js';
import { NewKey } from './new-key.js';
import { t } from './texts.js';

interface KeyPage {
    readonly keys: readonly Key[];
    readonly next?: string;
}

const PAGE_SIZE = 100;

export function AllKeys(): JSX.Element {

    const [userId, setUserId] = useState<string | null>(null);
    const [creating, create] = useState<string | null>(null);
    // Pages after the first one; null before they are read.
    const [further, setFurther] = useState<KeyPage | null>(null);
    const [isReading, setReading] = useState(false);
    // Counts the lists that were begun: a page of a former one is no part of this one.
    const round = useRef(0);
    const { value, error, reload } = useResource(async (signal) => {

        ++round.current;
        setReading(false);
        setFurther(null);
        return getJson<KeyPage>('/auth/keys', userId === null ? { all: true, pageSize: PAGE_SIZE } : { userId }, signal);
    }, [userId]);
    // The last page may be empty, when its keys were revoked meanwhile: there is none after it all the same.
    const next = (further ?? value)?.next;
    const readMore = (): void => {

        const asked = round.current;
        setReading(true);
        getJson<KeyPage>('/auth/keys', { all: true, pageSize: PAGE_SIZE, after: next ?? '' }).then((page) => {

            if (asked === round.current) {
                setFurther({ ...page, keys: [...further?.keys ?? [], ...page.keys] });
            }
        }, sayError).finally(() => asked === round.current && setReading(false));
    };

    return (
        <>
            <div class="admin-head">
                <h1>{t('allKeys')}</h1>
                <button type="button" class="primary" onClick={() => create(userId ?? 'admin')}><Icon name="add" />{t('newKey')}</button>
            </div>
            <div class="list-toolbar">
                <div class="grow"><PersonPicker label={t('filterUser')} isUsersOnly onChoose={setUserId} /></div>
                {userId !== null && <button type="button" onClick={() => setUserId(null)}>{t('showAll')}</button>}
            </div>
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && !error && <Loading />}
            {value && <KeyTable keys={[...value.keys, ...further?.keys ?? []]} hasUsers onChanged={reload} />}
            {next !== undefined && <p><button type="button" disabled={isReading} onClick={readMore}>{t('more')}</button></p>}
            {creating !== null && <NewKey userId={creating} onClose={() => create(null)} onCreated={reload} />}
        </>
    );
}
