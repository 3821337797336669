/** The dialog that publishes a version. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Version } from '../../../../lib/client/web/index.js';
import { Confirm } from '../../components/confirm.js';
import { repository, RepositoryError, screenClient } from '../../api/client.js';
import { caller } from '../../api/session.js';
import { sinceOf, useOnce, type Sent } from '../../components/use-once.js';
import { say } from '../../state/messages.js';
import { t as versions } from '../history/texts.js';
import { tagOfLoaded, type LoadedObject } from '../model/load.js';
import { t } from './texts.js';

const CHANGED = 412;

/** The dialog. */
export function PublishDialog({ object, onClose, onDone }: {
    readonly object: LoadedObject; readonly onClose: () => void; readonly onDone: () => void;
}): JSX.Element {

    const [versionId, setVersionId] = useState('');
    const [withFiles, setWithFiles] = useState(true);
    const hasFiles = object.payloads.length > 0;
    const once = useOnce(({ sent, began }: Sent<string>) => findPublished(object.id, sent, began));
    const publish = async (): Promise<void> => {

        const own = versionId.trim();
        const options = { ...own === '' ? {} : { versionId: own }, clonePayloads: hasFiles && withFiles, ifMatch: tagOfLoaded(object) };
        const { made: { id } } = await once(own, () => repository.publish(object.id, options)).catch((error: unknown) => {

            throw error instanceof RepositoryError && error.status === CHANGED ? new Error(t('changed'), { cause: error }) : error;
        });
        say(versions('published', { id }));
        onDone();
    };

    return (
        <Confirm title={t('publishTitle')} action={t('publishAction')} onConfirm={publish} onClose={onClose}>
            <p>{versions('publishText')}</p>
            {hasFiles && (
                <label class="inline"><input type="checkbox" checked={withFiles} onChange={(event) => setWithFiles(event.currentTarget.checked)} />{versions('withFiles')}</label>
            )}
            <label>{versions('versionId')}<input value={versionId} autocomplete="off" spellcheck={false} onInput={(event) => setVersionId(event.currentTarget.value)} /></label>
        </Confirm>
    );
}

/** The version that a request has published, of which the response was lost: by its id if the user has given one, else by its time. @throws RepositoryError */
async function findPublished(objectId: string, versionId: string, began: number): Promise<Version | null> {

    const response = await screenClient.request({ method: 'GET', path: '/versions', query: { objectId } });
    const since = sinceOf(response, began);
    const found = await response.json() as readonly Version[];
    const own = found.filter(({ publishedBy, publishedOn = 0 }) => publishedBy === caller.value.userId && publishedOn >= since);
    return (versionId === '' ? own.at(-1) : own.find(({ id }) => id === versionId)) ?? null;
}
