/** The dialog that makes a new object with the same content, and opens it in the editor. */

import type { JSX } from 'preact';
import { Confirm } from '../../components/confirm.js';
import { requestJson } from '../../api/client.js';
import { writeJson } from '../../json/write-json.js';
import { go, to } from '../../router.js';
import { say } from '../../state/messages.js';
import type { LoadedObject } from '../model/load.js';
import { t } from './texts.js';

/** The dialog. */
export function CloneDialog({ object, onClose }: { readonly object: LoadedObject; readonly onClose: () => void }): JSX.Element {

    const clone = async (): Promise<void> => {

        const text = writeJson(object.content);
        const { id } = await requestJson<{ readonly id: string }>({
            method: 'POST', path: '/objects', query: { type: object.type, full: true }, body: { mediaType: 'application/json', open: () => text, isReplayable: true }
        });
        say(t('cloned', { id }));
        go(to.object(id, { edit: true }));
    };

    return <Confirm title={t('clone')} action={t('cloneAction')} onConfirm={clone} onClose={onClose}><p>{t('cloneText')}</p></Confirm>;
}
