/** The dialog that gives an object another type, after a rehearsal. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { Icon } from '../../components/icon.js';
import { useResource } from '../../components/use-resource.js';
import { objectPath, repository, RepositoryError } from '../../api/client.js';
import { caller } from '../../api/session.js';
import { writeJson } from '../../json/write-json.js';
import { serverText } from '../../server-texts/index.js';
import { say, textOf } from '../../state/messages.js';
import { ifMatch, type LoadedObject } from '../model/load.js';
import { t as ofObject } from '../texts.js';
import { t } from './texts.js';

/** Errors that are named. */
const MAX_ERRORS = 10;

/** The dialog. */
export function MoveDialog({ object, onClose, reload }: {
    readonly object: LoadedObject; readonly onClose: () => void; readonly reload: () => void;
}): JSX.Element {

    const { typesPermittedToCreate = [] } = caller.value;
    const types = typesPermittedToCreate.filter((each) => each !== object.type && each !== 'CordraDesign').sort((a, b) => a.localeCompare(b));
    const [type, setType] = useState('');
    const { value, error } = useResource(async (signal) => (type === '' ? null : changeType(object, type, { dryRun: true, signal })), [type]);
    const details = error instanceof RepositoryError ? error.errors : [];
    return (
        <Confirm title={t('moveTitle')} action={t('moveAction')} isReady={object.etag !== null} onClose={onClose} onConfirm={async () => {

            await changeType(object, type);
            say(t('moved', { type }));
            reload();
        }}>
            {object.etag === null && <p class="box warning"><Icon name="warning" />{ofObject('resolved')}</p>}
            <p>{types.length === 0 ? t('noTypes') : t('moveText')}</p>
            <label>{t('newType')}
                <select value={type} required onChange={(event) => setType(event.currentTarget.value)}>
                    <option value="" />
                    {types.map((each) => <option key={each} value={each}>{each}</option>)}
                </select>
            </label>
            <div role="status">
                {error && type !== '' && (
                    <div class="box warning">
                        <div>
                            <p>{t('notValid', { type })}</p>
                            <ul>
                                {details.length === 0 && <li>{textOf(error)}</li>}
                                {details.slice(0, MAX_ERRORS).map(({ pointer, message }) => (
                                    <li key={pointer}><code>{pointer}</code> {serverText(message)}</li>
                                ))}
                            </ul>
                        </div>
                    </div>
                )}
                {!error && value === type && type !== '' && <p class="box success">{t('fits', { type })}</p>}
            </div>
        </Confirm>
    );
}

/** Changes the type, or only tries. Returns the type. @throws RepositoryError */
async function changeType(object: LoadedObject, type: string, { dryRun, signal }: { dryRun?: boolean; signal?: AbortSignal } = {}): Promise<string> {

    const text = writeJson(object.content);
    await repository.request({
        method: 'PUT', path: objectPath(object.id), query: { type, dryRun }, headers: ifMatch(object), signal,
        body: { mediaType: 'application/json', open: () => text, isReplayable: true }
    });
    return type;
}
