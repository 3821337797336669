/** The files of an object: preview, download, add by drag and drop, replace, rename, delete. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Payload } from '../../../../lib/client/web/index.js';
import { Confirm } from '../../components/confirm.js';
import { Icon } from '../../components/icon.js';
import { Menu, type MenuItem } from '../../components/menu.js';
import { usePages } from '../../components/use-pages.js';
import { payloadUrl, RepositoryError } from '../../api/client.js';
import { formatBytes } from '../../i18n/index.js';
import { say, sayError, textOf } from '../../state/messages.js';
import type { LoadedObject, TabProps } from '../model/load.js';
import { deleteFile, storeFiles, type NamedFile } from './change-files.js';
import { namesForFiles, previewKind } from './kinds.js';
import { Preview } from './preview.js';
import { RenameDialog } from './rename-dialog.js';
import { t } from './texts.js';

const CHANGED = 412;

/** Files that are shown at first, and how many come with each request for more. */
const PAGE = 100;

interface Running {
    readonly name: string;
    readonly sent: number;
    readonly total: number;
    readonly cancel: () => void;
}

/** The tab. */
export function FilesTab({ object, reload, params }: TabProps): JSX.Element {

    const { payloads } = object;
    const wanted = params.get('file');
    const [shown, more] = usePages(payloads.length, Math.max(PAGE, payloads.findIndex(({ name }) => name === wanted) + 1), PAGE);
    const mayChange = object.mayWrite && object.etag !== null;
    const [running, setRunning] = useState<Running | null>(null);
    const [replaced, askToReplace] = useState<readonly NamedFile[] | null>(null);
    const store = async (files: readonly NamedFile[]): Promise<void> => {

        const controller = new AbortController();
        const name = files.map(({ file }) => file.name).join(', ');
        const cancel = (): void => controller.abort(new DOMException('cancelled', 'AbortError'));
        setRunning({ name, sent: 0, total: files.reduce((sum, { file }) => sum + file.size, 0), cancel });
        try {
            await storeFiles(object, files, { signal: controller.signal, onProgress: (sent, total) => setRunning({ name, sent, total, cancel }) });
            say(t('added', { count: files.length }));
            reload();
        }
        catch (error) {
            if (error instanceof RepositoryError && error.mayHaveChanged && controller.signal.aborted) {
                // The service had received everything.
                say(textOf(error), 'info');
                reload();
            }
            else if (controller.signal.aborted) {
                say(t('cancelled'), 'info');
            }
            else {
                reportChange(error, reload);
            }
        }
        finally {
            setRunning(null);
        }
    };

    const add = (files: readonly File[]): void => {

        const names = namesForFiles(files.map(({ name }) => name));
        const named = files.map((file, i) => ({ name: names[i] ?? file.name, file }));
        if (named.some(({ name }) => payloads.some((each) => each.name === name))) {
            askToReplace(named);
        }
        else if (named.length > 0) {
            void store(named);
        }
    };

    return (
        <div class="stack">
            {object.mayWrite && !mayChange && <p class="box warning"><Icon name="warning" />{t('dynamic')}</p>}
            {mayChange && (running ? <Progress running={running} /> : <DropZone onFiles={add} />)}
            {payloads.length === 0 ? <p class="muted">{t('none')}</p> : (
                <ul class="file-list" aria-label={t('title')}>
                    {payloads.slice(0, shown).map((payload) => (
                        <FileEntry key={payload.name} payload={payload} object={object} reload={reload} mayChange={mayChange && !running}
                            isFirst={wanted === payload.name || payloads.length === 1} onReplace={(file) => void store([{ name: payload.name, file }])} />
                    ))}
                </ul>
            )}
            {more}
            {replaced && (
                <Confirm title={t('replaceTitle', { name: replaced.map(({ name }) => name).join(', ') })} action={t('replaceAction')} onClose={() => askToReplace(null)}
                    onConfirm={() => void store(replaced)}>
                    <p>{t('replaceText')}</p>
                </Confirm>
            )}
        </div>
    );
}

/** Says what failed; after somebody else's change the object is read again. */
function reportChange(error: unknown, reload: () => void): void {

    if (error instanceof RepositoryError && error.status === CHANGED) {
        say(t('changed'), 'error');
        reload();
    }
    else {
        sayError(error);
    }
}

function Progress({ running: { name, sent, total, cancel } }: { readonly running: Running }): JSX.Element {

    const label = sent >= total && total > 0 ? t('uploadDone') : t('uploading', { name, sent: formatBytes(sent), total: formatBytes(total) });
    return (
        <div class="card upload" role="status">
            <progress aria-label={name} value={sent} max={Math.max(total, 1)} />
            <span class="grow" dir="auto">{label}</span>
            <button type="button" class="small" onClick={cancel}>{t('cancel')}</button>
        </div>
    );
}

function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): JSX.Element {

    const input = useRef<HTMLInputElement>(null);
    const [isOver, setOver] = useState(false);
    const drop = (event: DragEvent): void => {

        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer?.files ?? []]);
    };

    return (
        <div class={isOver ? 'drop-zone over' : 'drop-zone'} onDragOver={(event) => event.preventDefault()} onDragEnter={() => setOver(true)}
            onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)} onDrop={drop}>
            <Icon name="upload" /><span>{t('drop')}</span>
            <button type="button" class="link" onClick={() => input.current?.click()}>{t('choose')}</button>
            <FileInput inputRef={input} isMultiple onFiles={onFiles} />
        </div>
    );
}

function FileInput({ inputRef, isMultiple = false, onFiles }: {
    readonly inputRef: { readonly current: HTMLInputElement | null }; readonly isMultiple?: boolean; readonly onFiles: (files: readonly File[]) => void;
}): JSX.Element {

    return (
        <input ref={inputRef} type="file" hidden multiple={isMultiple} onChange={({ currentTarget }) => {

            const files = [...currentTarget.files ?? []];
            // The same file can be chosen again.
            currentTarget.value = '';
            onFiles(files);
        }} />
    );
}

interface FileEntryProps {
    readonly payload: Payload;
    readonly object: LoadedObject;
    readonly reload: () => void;
    readonly mayChange: boolean;
    /** True to show the preview at once. */
    readonly isFirst: boolean;
    readonly onReplace: (file: File) => void;
}

function FileEntry({ payload, object, reload, mayChange, isFirst, onReplace }: FileEntryProps): JSX.Element {

    const { name, filename, mediaType, size } = payload;
    const [isOpen, setOpen] = useState(isFirst && previewKind(payload) !== 'none');
    const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null);
    const input = useRef<HTMLInputElement>(null);
    const items: readonly MenuItem[] = [
        { label: t('replace'), onSelect: () => input.current?.click() }, { label: t('rename'), onSelect: () => setDialog('rename') },
        { label: t('delete'), onSelect: () => setDialog('delete'), isDangerous: true }
    ];
    return (
        <li class="card file">
            <div class="file-head">
                <Icon name="file" />
                <div class="grow">
                    <strong dir="auto">{name}</strong>
                    {filename !== undefined && filename !== name && <span class="muted" dir="auto"> {filename}</span>}
                    <div><small>{formatBytes(size)} · {mediaType ?? t('unknownType')}</small></div>
                </div>
                {previewKind(payload) !== 'none' && (
                    <button type="button" class="small" aria-expanded={isOpen} aria-label={`${isOpen ? t('close') : t('preview')}: ${name}`} onClick={() => setOpen(!isOpen)}>
                        {isOpen ? t('close') : t('preview')}
                    </button>
                )}
                <a class="button small" href={payloadUrl(object.id, name, { isDownload: true })} download={filename ?? name} aria-label={`${t('download')}: ${name}`}>
                    <Icon name="download" /><span class="wide">{t('download')}</span>
                </a>
                {mayChange && <Menu class="end" label={t('more', { name })} items={items}><Icon name="more" /></Menu>}
                <FileInput inputRef={input} onFiles={([file]) => file && onReplace(file)} />
            </div>
            {isOpen && <div class="file-preview"><Preview object={object} payload={payload} /></div>}
            {dialog === 'rename' && <RenameDialog object={object} payload={payload} reload={reload} onClose={() => setDialog(null)} />}
            {dialog === 'delete' && (
                <Confirm title={t('deleteTitle', { name })} action={t('deleteAction')} isDangerous onClose={() => setDialog(null)} onConfirm={async () => {

                    await deleteFile(object, name);
                    say(t('deleted'));
                    reload();
                }}>
                    <p>{t('deleteText')}</p>
                </Confirm>
            )}
        </li>
    );
}
