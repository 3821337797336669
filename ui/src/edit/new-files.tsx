/** Files that are sent with the object when it is saved. */

import type { JSX } from 'preact';
import { ProgressBar } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { formatBytes } from '../i18n/index.js';
import type { NewFile } from './save-object.js';
import { t } from './texts.js';

/** Progress of saving. */
export interface Saving {
    readonly sent: number;
    readonly total: number | null;
    readonly controller: AbortController;
}

interface NewFilesProps {
    readonly files: readonly NewFile[];
    /** Names of the files that the object has. */
    readonly stored: readonly string[];
    /** Null while nothing is saved. */
    readonly saving: Saving | null;
    readonly onChange: (files: readonly NewFile[]) => void;
    /** Sends the files that were not stored. */
    readonly onRetry: () => void;
}

/** The list, a button to add files, a place to drop them, and the progress of sending them. */
export function NewFiles({ files, stored, saving, onChange, onRetry }: NewFilesProps): JSX.Element {

    const isDisabled = saving !== null;
    const failed = files.filter(({ problem }) => problem !== undefined);
    const add = (list: FileList | null): void => {

        const names = new Set([...stored, ...files.map(({ name }) => name)]);
        const added = [...list ?? []].map((file) => ({ name: unusedName(file.name, names), file }));
        onChange([...files, ...added]);
    };

    const drop = (event: DragEvent): void => {

        event.preventDefault();
        if (!isDisabled) {
            add(event.dataTransfer?.files ?? null);
        }
    };

    return (
        <section class="edit-files" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
            <h2>{t('files')}</h2>
            {files.length > 0 && (
                <ul class="form-chips">
                    {files.map(({ name, file, problem }, i) => (
                        <li key={name} class={`form-chip ${problem === undefined ? '' : 'edit-failed'}`}>
                            <bdi>{name}</bdi>&nbsp;<small>{formatBytes(file.size)}</small>
                            <button type="button" class="quiet" disabled={isDisabled} aria-label={t('removeFile', { name })}
                                onClick={() => onChange(files.filter((_, j) => j !== i))}><Icon name="close" /></button>
                        </li>
                    ))}
                </ul>
            )}
            {saving && files.length > 0 && (
                <div class="row">
                    <ProgressBar done={saving.sent} total={saving.total}
                        label={t('sent', { sent: formatBytes(saving.sent), total: formatBytes(saving.total ?? 0) })} />
                    <button type="button" onClick={() => saving.controller.abort(new DOMException('stopped by the user', 'AbortError'))}>{t('stop')}</button>
                </div>
            )}
            {!saving && failed.length > 0 && (
                <div class="box error">
                    <ul class="grow">{failed.map(({ name, problem }) => <li key={name}><strong><bdi>{name}</bdi></strong>: <span dir="auto">{problem}</span></li>)}</ul>
                    <button type="button" onClick={onRetry}>{t('sendAgain')}</button>
                </div>
            )}
            <label>{t('addFiles')}
                <input type="file" multiple disabled={isDisabled} onChange={({ currentTarget }) => {

                    add(currentTarget.files);
                    currentTarget.value = '';
                }} />
            </label>
        </section>
    );
}

/** A payload with the name of another one would replace it. */
function unusedName(name: string, used: Set<string>): string {

    let unused = name;
    for (let i = 2; used.has(unused); ++i) {
        unused = `${i}-${name}`;
    }

    used.add(unused);
    return unused;
}
