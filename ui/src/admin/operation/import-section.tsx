/** The import: a file is dropped or chosen, and its objects are stored, with progress and a table of those that were refused. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isStopped } from '../../api/upload.js';
import { download } from '../../components/download.js';
import { ErrorBox, ProgressBar } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { isLost } from '../../components/use-once.js';
import { useGuard } from '../../components/use-guard.js';
import { formatBytes } from '../../i18n/index.js';
import { to } from '../../router.js';
import { serverText } from '../../server-texts/index.js';
import { readDesign } from '../../state/design.js';
import { isAbort, textOf } from '../../state/messages.js';
import { Newest } from '../../state/newest.js';
import { importBatches, NOTHING, sendFile, sniff, type ImportMode, type ImportProgress, type ImportState } from './import-file.js';
import { ConfirmRemoval, countAll } from './remove-others.js';
import { findStopped, forgetStopped, hasStored, keepStopped, StoppedImports, stoppedImports, type Stopped } from './stopped-imports.js';
import { t } from './texts.js';

const MODES: readonly ImportMode[] = ['asBatch', 'asRestore', 'asUpload'];

/** Refusals that are listed on the page. */
const MAX_LISTED = 100;

function stoppedOf(file: File | null): ImportProgress | null {

    return (file && findStopped(file))?.progress ?? null;
}

/** `unknown` is a file that was sent as a whole, and whose response was lost; `stopped` is one that was cancelled after that. */
type Phase = 'idle' | 'running' | 'done' | 'cancelled' | 'unknown' | 'stopped';

export function ImportSection(): JSX.Element {

    const ownStopped = stoppedImports();
    const [file, setFile] = useState<File | null>(() => ownStopped.at(-1)?.file ?? null);
    const [mode, setMode] = useState<ImportMode>('asBatch');
    const [removeOthers, setRemoveOthers] = useState(false);
    // The number of objects of which those that are not in the file are deleted.
    const [confirmed, setConfirmed] = useState<number | null>(null);
    const isRemoval = mode === 'asUpload' && removeOthers;
    const [phase, setPhase] = useState<Phase>(() => (stoppedOf(file) ? 'cancelled' : 'idle'));
    const [state, setState] = useState<ImportState>(() => stoppedOf(file)?.state ?? NOTHING);
    const [error, setError] = useState<string | null>(null);
    const controller = useRef<AbortController | null>(null);
    const canGoOn = stoppedOf(file) !== null;
    const isUnknown = phase === 'unknown' || phase === 'stopped';
    const isShown = ({ file: { name, size, lastModified } }: Stopped): boolean =>
        name === file?.name && size === file.size && lastModified === file.lastModified;
    useGuard(phase === 'running' || ownStopped.length > 0, phase === 'running' ? () => confirm(t('leaveImport')) : null);
    useEffect(() => {

        return () => controller.current?.abort(new DOMException('the section is left', 'AbortError'));
    }, []);
    const chooseRemoval = (isChosen: boolean): void => {

        setRemoveOthers(isChosen);
        setConfirmed(null);
    };

    const sniffed = useRef(new Newest());
    const choose = (chosen: File | null | undefined): void => {

        const before = stoppedOf(chosen ?? null);
        const isNewest = sniffed.current.ask();
        setFile(chosen ?? null);
        setPhase(before ? 'cancelled' : 'idle');
        setState(before?.state ?? NOTHING);
        setError(null);
        // What was decided about another file is not meant for this one.
        chooseRemoval(false);
        if (before) {
            isNewest();
            setMode('asBatch');
        }
        else if (chosen) {
            sniff(chosen).then(({ isExport }) => isNewest() && setMode(isExport ? 'asRestore' : 'asBatch'), () => undefined);
        }
    };

    const chooseMode = (next: ImportMode): void => {

        // What a file looks like does not replace what was chosen for it.
        sniffed.current.ask();
        setMode(next);
        setConfirmed(null);
    };

    const run = async (event: Event): Promise<void> => {

        event.preventDefault();
        if (!file) {
            return;
        }

        const own = new AbortController();
        controller.current = own;
        setPhase('running');
        // It is entered again for another import.
        setConfirmed(null);
        setError(null);
        try {
            if (mode === 'asBatch') {
                const progress = stoppedOf(file) ?? { state: NOTHING, answered: 0, lostSince: null, lately: [] };
                keepStopped(file, progress);
                setState(progress.state);
                for await (const step of importBatches(file, (await sniff(file)).isLines, progress, own.signal)) {
                    setState(step);
                }

                forgetStopped(file);
            }
            else {
                setState(NOTHING);
                if (isRemoval && await countAll(own.signal) !== confirmed) {
                    chooseRemoval(false);
                    throw new Error(t('otherCount'));
                }

                setState(await sendFile(file, { mode, removeOthers, signal: own.signal, onProgress: (bytes) => setState({ ...NOTHING, bytes }) }));
            }

            setPhase('done');
        }
        catch (failure) {
            if (mode === 'asBatch' && !hasStored(stoppedOf(file))) {
                // There is nothing to go on with.
                forgetStopped(file);
            }

            const isUnsure = mode !== 'asBatch' && isLost(failure);
            setPhase(isAbort(failure) ? 'cancelled' : !isUnsure ? 'idle' : isStopped(failure) ? 'stopped' : 'unknown');
            setError(isAbort(failure) || isUnsure ? null : textOf(failure));
        }

        await readDesign().catch(() => undefined);
    };

    const discarded = (gone: Stopped): void => {

        forgetStopped(gone.file);
        if (isShown(gone)) {
            choose(null);
        }
    };

    return (
        <section class="stack">
            <h2>{t('import')}</h2>
            <form class="stack" onSubmit={(event) => void run(event)}>
                <DropZone file={file} isDisabled={phase === 'running'} onChoose={choose} />
                {file && (
                    <fieldset disabled={phase === 'running' || isUnknown}>
                        <legend>{t('mode')}</legend>
                        <div class="stack choices-down">
                            {MODES.map((each) => <label key={each} class="inline"><input type="radio" name="import-mode" checked={mode === each} onChange={() => chooseMode(each)} />{t(each)}</label>)}
                            {mode === 'asUpload' && <label class="inline"><input type="checkbox" checked={removeOthers} onChange={(event) => chooseRemoval(event.currentTarget.checked)} />{t('removeOthers')}</label>}
                        </div>
                    </fieldset>
                )}
                {isRemoval && phase !== 'running' && !isUnknown && <ConfirmRemoval onCount={setConfirmed} />}
                {file && phase === 'running' && <Progress file={file} state={state} mode={mode} />}
                {error !== null && <ErrorBox message={error} />}
                {isUnknown && <Unknown isStopped={phase === 'stopped'} isRemoval={isRemoval} onSeen={() => choose(file)} />}
                {file && !isUnknown && <div class="row">
                    <button type="submit" class={isRemoval ? 'danger' : 'primary'} disabled={phase === 'running' || isRemoval && confirmed === null}>{t(mode === 'asBatch' && canGoOn && phase !== 'running' ? 'goOn' : 'start')}</button>
                    {phase === 'running' && <button type="button" onClick={() => controller.current?.abort(new DOMException('the user cancelled it', 'AbortError'))}>{t('cancel')}</button>}
                </div>}
            </form>
            <StoppedImports imports={ownStopped.filter((each) => phase !== 'running' || !isShown(each))} isBusy={phase === 'running'}
                isShown={isShown} onChoose={choose} onDiscard={discarded} />
            {phase === 'cancelled' && <p role="status">{t(mode === 'asBatch' ? 'cancelledBatch' : 'cancelled')}</p>}
            {(phase === 'done' || state.refusedCount > 0) && <Outcome state={state} mode={mode} isDone={phase === 'done'} />}
        </section>
    );
}

/** Says what may have happened to a file whose response was lost, or not waited for, and where to look; it is not sent again before somebody has looked. */
function Unknown({ isStopped, isRemoval, onSeen }: { readonly isStopped: boolean; readonly isRemoval: boolean; readonly onSeen: () => void }): JSX.Element {

    return (
        <ErrorBox message={`${t(isStopped ? 'unknownStopped' : 'unknownOutcome')}${isRemoval ? ` ${t('unknownRemoval')}` : ''} ${t('unknownLook')}`}>
            <div class="row">
                <a href={to.admin('status')}>{t('status')}</a>
                <a href={to.admin('audit')}>{t('audit')}</a>
                <a href={to.search({ query: '*:*', sort: 'objmodified DESC' })}>{t('unknownObjects')}</a>
                <button type="button" class="small" onClick={onSeen}>{t('unknownSeen')}</button>
            </div>
        </ErrorBox>
    );
}

function Progress({ file, state, mode }: { readonly file: File; readonly state: ImportState; readonly mode: ImportMode }): JSX.Element {

    const label = state.bytes >= file.size ? t('working') : t('uploading', { sent: formatBytes(state.bytes), total: formatBytes(file.size) });
    return <ProgressBar done={state.bytes} total={state.bytes >= file.size && mode !== 'asBatch' ? null : file.size} label={label} />;
}

function DropZone({ file, isDisabled, onChoose }: {
    readonly file: File | null; readonly isDisabled: boolean; readonly onChoose: (file: File | null | undefined) => void
}): JSX.Element {

    const input = useRef<HTMLInputElement>(null);
    const [isOver, setOver] = useState(false);
    const drop = (event: DragEvent): void => {

        event.preventDefault();
        setOver(false);
        if (!isDisabled) {
            onChoose(event.dataTransfer?.files[0]);
        }
    };

    return (
        <div class={`drop${isOver ? ' over' : ''}`} onDrop={drop} onDragLeave={() => setOver(false)} onDragOver={(event) => {

            event.preventDefault();
            setOver(true);
        }}>
            <Icon name="upload" />
            <p>{t('drop')} <button type="button" class="link" disabled={isDisabled} onClick={() => input.current?.click()}>{t('choose')}</button></p>
            <input ref={input} type="file" hidden disabled={isDisabled} accept=".json,.ndjson,.jsonl,application/json,application/x-ndjson" onChange={({ currentTarget }) => {

                const [chosen] = currentTarget.files ?? [];
                // The same file can be chosen again.
                currentTarget.value = '';
                onChoose(chosen);
            }} />
            {file ? <p><strong dir="auto">{file.name}</strong> · {formatBytes(file.size)}</p> : <small>{t('formats')}</small>}
        </div>
    );
}

function Outcome({ state: { stored, counts, refusals, refusedCount }, mode, isDone }: {
    readonly state: ImportState; readonly mode: ImportMode; readonly isDone: boolean
}): JSX.Element {

    const save = (): void => download(new Blob(refusals.map((refusal) => `${JSON.stringify(refusal)}\n`), { type: 'application/x-ndjson' }), 'refused.ndjson');
    return (
        <div class="stack" role="status">
            {isDone && (
                <div class={`box ${refusedCount === 0 ? 'success' : 'warning'}`}>
                    <Icon name={refusedCount === 0 ? 'check' : 'warning'} />
                    <p>{counts ? t('restored', counts) : mode === 'asUpload' ? refusedCount === 0 ? t('uploaded') : t('allRefused') : t('stored', { count: stored })}</p>
                </div>
            )}
            {refusedCount > 0 && (
                <>
                    <div class="admin-head"><h3>{t('refused', { count: refusedCount })}</h3><button type="button" class="small" onClick={save}>{t('saveRefused')}</button></div>
                    <div class="list-table" role="region" aria-label={t('refused', { count: refusedCount })} tabIndex={0}>
                        <table>
                            <thead><tr><th>{t('position')}</th><th>{t('message')}</th></tr></thead>
                            <tbody>{refusals.slice(0, MAX_LISTED).map(({ position, message }) => <tr key={position}><td>{position}</td><td dir="auto">{serverText(message.slice(0, 2000))}</td></tr>)}</tbody>
                        </table>
                    </div>
                    {refusedCount > MAX_LISTED && <p class="muted">{t('firstOf', { count: MAX_LISTED })}</p>}
                </>
            )}
        </div>
    );
}
