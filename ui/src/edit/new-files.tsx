/** Files that are sent with the object when it is saved. */

import type { JSX } from 'preact';
import { Icon } from '../components/icon.js';
import { formatBytes } from '../i18n/index.js';
import type { NewFile } from './object-access.js';
import { t } from './texts.js';

interface NewFilesProps {
    readonly files: readonly NewFile[];
    readonly isDisabled: boolean;
    readonly onChange: (files: readonly NewFile[]) => void;
}

/** The list, a button to add files, and a place to drop them. */
export function NewFiles({ files, isDisabled, onChange }: NewFilesProps): JSX.Element {

    const add = (list: FileList | null): void => {

        const names = new Set(files.map(({ name }) => name));
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
                    {files.map(({ name, file }, i) => (
                        <li key={name} class="form-chip">
                            <bdi>{name}</bdi>&nbsp;<small>{formatBytes(file.size)}</small>
                            <button type="button" class="quiet" disabled={isDisabled} aria-label={t('removeFile', { name })} onClick={() => onChange(files.filter((_, j) => j !== i))}><Icon name="close" /></button>
                        </li>
                    ))}
                </ul>
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
