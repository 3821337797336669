/** The dialog that restores a version, after it has said what is restored and what stays. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Version } from '../../../../lib/client/web/index.js';
import { Confirm } from '../../components/confirm.js';
import { ErrorBox, Loading, ProgressBar } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { useResource } from '../../components/use-resource.js';
import { RepositoryError } from '../../api/client.js';
import { isSameVersion } from '../../api/entity-tag.js';
import { formatBytes } from '../../i18n/index.js';
import { isAbort, say, textOf } from '../../state/messages.js';
import { loadObject, type LoadedObject } from '../model/load.js';
import { hasOtherRights, restore, surplusFiles } from './restore.js';
import { t as ofObject } from '../texts.js';
import { t } from './texts.js';

const CHANGED = 412;

interface RestoreDialogProps {
    readonly versionId: string;
    /** The object whose history is shown: the tip, or one of its versions. */
    readonly object: LoadedObject;
    /** The tip, as the list of versions has it. */
    readonly listed: Version;
    readonly onClose: () => void;
    /** Reads the object and its versions again. */
    readonly onChanged: () => void;
}

interface Both {
    readonly version: LoadedObject;
    readonly tip: LoadedObject;
}

/** True for the state of the object that was shown with its history. On the screen of a version that is the one of the list. */
function isAsShown({ id, etag, metadata: { modifiedOn } }: LoadedObject, { object, listed }: Pick<RestoreDialogProps, 'object' | 'listed'>): boolean {

    return id === object.id ? isSameVersion(etag, object.etag) : modifiedOn === listed.modifiedOn;
}

/** Why a version is not restored; null if it can be. */
function obstacleTo({ version, tip }: Both, shown: Pick<RestoreDialogProps, 'object' | 'listed'>): string | null {

    // What has no tag is made by type code, that of the type at the time of the version, or is not all that is stored.
    if (tip.etag === null || version.etag === null) {
        return tip.etag === null || version.mayWrite ? ofObject('resolved') : t('hidden');
    }

    return isAsShown(tip, shown) ? null : t('changed');
}

/** The dialog. */
export function RestoreDialog({ versionId, object, listed, onClose, onChanged }: RestoreDialogProps): JSX.Element {

    const tipId = listed.id;
    const { value, error, reload } = useResource<Both>(async (signal) => {

        const [version, tip] = await Promise.all([loadObject(versionId, signal), loadObject(tipId, signal)]);
        return { version, tip };
    }, [versionId, tipId]);
    const [withFiles, setWithFiles] = useState<boolean | null>(null);
    const [withRights, setWithRights] = useState(false);
    const [progress, setProgress] = useState<readonly [done: number, total: number] | null>(null);
    const controller = useRef(new AbortController());
    useEffect(() => {

        return () => controller.current.abort(new DOMException('closed', 'AbortError'));
    }, []);
    const obstacle = value && obstacleTo(value, { object, listed });
    // Versions are often published without files: then those of the object stay, unless the user wants them deleted.
    const files = withFiles ?? (value !== null && value.version.payloads.length > 0);

    const run = async ({ version, tip }: Both): Promise<void> => {

        const parts = { files, rights: withRights };
        try {
            await restore({ version, tip, parts, signal: controller.current.signal, onProgress: (done, total) => setProgress([done, total]) });
        }
        catch (failure) {
            setProgress(null);
            if (isAbort(failure)) {
                return;
            }

            throw failure instanceof RepositoryError && failure.status === CHANGED ? new Error(t('changed')) : failure;
        }

        say(t('restored'));
        onChanged();
    };

    const close = (): void => {

        onClose();
        if (obstacle === t('changed')) {
            onChanged();
        }
    };

    return (
        <Confirm title={t('restoreTitle')} action={t('restore')} isReady={value !== null && obstacle === null} onClose={close} onConfirm={() => (value ? run(value) : undefined)}>
            <p dir="auto">{t('restoreText', { id: versionId })}</p>
            {obstacle !== null && <p class="box warning" role="alert"><Icon name="warning" />{obstacle}</p>}
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && !error && <Loading />}
            {value && <FilesChoice both={value} isChosen={files} onChange={setWithFiles} />}
            {value && (hasOtherRights(value.version, value.tip) ? (
                <label class="inline"><input type="checkbox" checked={withRights} onChange={(event) => setWithRights(event.currentTarget.checked)} />{t('restoreRights')}</label>
            ) : <p class="muted">{t('sameRights')}</p>)}
            {progress && progress[1] > 0 && (
                <ProgressBar done={progress[0]} total={progress[1]} label={t('restoring', { done: formatBytes(progress[0]), total: formatBytes(progress[1]) })} />
            )}
        </Confirm>
    );
}

function FilesChoice({ both: { version, tip }, isChosen, onChange }: {
    readonly both: Both; readonly isChosen: boolean; readonly onChange: (isChosen: boolean) => void;
}): JSX.Element {

    const surplus = surplusFiles(version, tip);
    const count = version.payloads.length;
    if (count === 0 && surplus.length === 0) {
        return <p class="muted">{t('noFiles')}</p>;
    }

    return (
        <div>
            <label class="inline">
                <input type="checkbox" checked={isChosen} onChange={(event) => onChange(event.currentTarget.checked)} />
                {count === 0 ? t('deleteFiles', { count: surplus.length }) : t('restoreFiles', { count })}
            </label>
            <p class="muted" dir="auto">
                {!isChosen ? t('filesStay', { count: tip.payloads.length }) : surplus.length > 0 ? t('filesGo', { names: surplus.join(', ') }) : ''}
            </p>
        </div>
    );
}
