/** The dialog for other names of a file. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Payload } from '../../../../lib/client/web/index.js';
import { Confirm } from '../../components/confirm.js';
import { say } from '../../state/messages.js';
import type { LoadedObject } from '../model/load.js';
import { renameFile } from './change-files.js';
import { t } from './texts.js';

/** The dialog. */
export function RenameDialog({ object, payload, reload, onClose }: {
    readonly object: LoadedObject; readonly payload: Payload; readonly reload: () => void; readonly onClose: () => void;
}): JSX.Element {

    const [name, setName] = useState(payload.name);
    const [filename, setFilename] = useState(payload.filename ?? payload.name);
    const rename = async (): Promise<void> => {

        const to = name.trim();
        if (to !== payload.name && object.payloads.some((each) => each.name === to)) {
            throw new Error(t('taken', { name: to }));
        }

        await renameFile(object, { from: payload.name, to, filename: filename.trim() });
        say(t('renamed'));
        reload();
    };

    return (
        <Confirm title={t('renameTitle', { name: payload.name })} action={t('save')} onConfirm={rename} onClose={onClose}>
            <label>{t('newName')}<input value={name} required pattern=".*\S.*" dir="auto" onInput={(event) => setName(event.currentTarget.value)} /></label>
            <label>{t('filename')}<input value={filename} required pattern=".*\S.*" dir="auto" onInput={(event) => setFilename(event.currentTarget.value)} /></label>
            <p class="muted">{t('renameText')}</p>
        </Confirm>
    );
}
