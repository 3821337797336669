/** The dialog that deletes an object, after it has said what refers to it. */

import type { JSX } from 'preact';
import { Confirm } from '../../components/confirm.js';
import { ErrorBox } from '../../components/feedback.js';
import { ObjectLink } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { getJson, objectPath } from '../../api/client.js';
import { deleteVersion } from '../../api/delete-version.js';
import { go, to } from '../../router.js';
import { say, textOf } from '../../state/messages.js';
import { tagOfLoaded, type LoadedObject } from '../model/load.js';
import type { Relationships } from '../relations/relationships.js';
import { t } from './texts.js';

/** Objects that are named. */
const MAX_NAMED = 10;

/** The dialog. */
export function DeleteDialog({ object, onClose }: { readonly object: LoadedObject; readonly onClose: () => void }): JSX.Element {

    const { id, metadata } = object;
    const { versionOf } = metadata;
    const remove = async (): Promise<void> => {

        await deleteVersion(id, tagOfLoaded(object), t('changed'));
        say(t('deleted', { id }));
        go(versionOf === undefined ? to.search({ query: '*:*' }) : to.object(versionOf, { tab: 'history' }));
    };

    return (
        <Confirm title={t('deleteTitle')} action={t('deleteAction')} isDangerous onConfirm={remove} onClose={onClose}>
            <p dir="auto">{t(versionOf === undefined ? 'deleteText' : 'deleteVersionText', { id })}</p>
            {versionOf === undefined && <Pointing id={id} />}
        </Confirm>
    );
}

function Pointing({ id }: { readonly id: string }): JSX.Element {

    const { value, error } = useResource((signal) => getJson<Relationships>(objectPath(id, '/relationships'), {}, signal), [id]);
    if (error) {
        return <ErrorBox message={textOf(error)} />;
    }

    if (!value) {
        return <p role="status">{t('checking')}</p>;
    }

    const ids = [...new Set(value.edges.filter((edge) => edge.to === id && edge.from !== id).map(({ from }) => from))];
    return ids.length === 0 ? <p role="status">{t('notPointing')}</p> : (
        <div class="box warning" role="status">
            <div>
                <p>{t('pointing', { count: ids.length })}</p>
                <ul>
                    {ids.slice(0, MAX_NAMED).map((each) => <li key={each}><ObjectLink id={each} /></li>)}
                    {(ids.length > MAX_NAMED || value.truncated === true) && <li>{t('atLeast')}</li>}
                </ul>
            </div>
        </div>
    );
}
