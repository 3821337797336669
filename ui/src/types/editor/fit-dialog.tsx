/** Checks the stored objects against the new schema, with progress, before it is saved or at any time. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorBox, ProgressBar } from '../../components/feedback.js';
import { ObjectLink } from '../../components/object-link.js';
import type { Json } from '../../json/exact-number.js';
import { serverText } from '../../server-texts/index.js';
import { isAbort, textOf } from '../../state/messages.js';
import { checkObjects, MAX_MISFITS, type FitProgress } from '../model/objects-of-type.js';
import { t } from './texts.js';

interface FitDialogProps {
    readonly type: string;
    readonly schema: Json;
    /** True when the schema is to be saved if all objects fit. */
    readonly isBeforeSave: boolean;
    readonly onSave: () => void;
    readonly onClose: () => void;
}

const NOT_FOUND = 404;

type State = 'running' | 'done' | 'stopped' | 'missing';

export function FitDialog({ type, schema, isBeforeSave, onSave, onClose }: FitDialogProps): JSX.Element {

    const [progress, setProgress] = useState<FitProgress | null>(null);
    const [state, setState] = useState<State>('running');
    const [error, setError] = useState<string | null>(null);
    const controller = useRef(new AbortController());
    const run = async (): Promise<void> => {

        let latest: FitProgress | null = null;
        try {
            for await (const step of checkObjects(type, schema, controller.current.signal)) {
                latest = step;
                setProgress(step);
            }

            setState('done');
            if (isBeforeSave && latest?.invalid === 0) {
                onSave();
            }
        }
        catch (failure) {
            if (failure instanceof RepositoryError && failure.status === NOT_FOUND) {
                setState('missing');
                if (isBeforeSave) {
                    onSave();
                }
            }
            else if (!isAbort(failure)) {
                setError(textOf(failure));
                setState('stopped');
            }
        }
    };

    useEffect(() => {

        void run();
        return () => controller.current.abort(new DOMException('the dialog is closed', 'AbortError'));
    }, []);
    const stop = (): void => {

        controller.current.abort(new DOMException('the user stopped it', 'AbortError'));
        setState('stopped');
    };

    return (
        <Dialog title={t('fitTitle')} onClose={onClose}>
            <div class="stack">
                {state === 'running' && <ProgressBar done={progress?.checked ?? 0} total={progress?.total ?? null} label={t('fitProgress', { checked: progress?.checked ?? 0, total: progress?.total ?? 0 })} />}
                {state === 'missing' && <p>{t('fitMissing')}</p>}
                {error !== null && <ErrorBox message={error} />}
                {progress && state !== 'running' && <Outcome progress={progress} isStopped={state === 'stopped'} />}
                {progress && progress.invalid > 0 && <Misfits progress={progress} />}
                {isBeforeSave && progress && progress.invalid > 0 && <p>{t('fitConsequence')}</p>}
                <div class="actions">
                    {state === 'running' && <button type="button" onClick={stop}>{t('stop')}</button>}
                    <button type="button" onClick={onClose}>{isBeforeSave ? t('cancel') : t('close')}</button>
                    {isBeforeSave && (state !== 'running' || (progress?.invalid ?? 0) > 0) && <button type="button" class="primary" onClick={onSave}>{t('saveAnyway')}</button>}
                </div>
            </div>
        </Dialog>
    );
}

function Outcome({ progress: { total, checked, invalid }, isStopped }: { readonly progress: FitProgress; readonly isStopped: boolean }): JSX.Element {

    if (isStopped) {
        return <p role="status">{t('stopped', { checked, total })}</p>;
    }

    return <p role="status">{checked === 0 ? t('fitNone') : invalid === 0 ? t('fitAll', { count: checked }) : t('fitSome', { good: checked - invalid, total: checked, bad: invalid })}</p>;
}

function Misfits({ progress: { samples, invalid } }: { readonly progress: FitProgress }): JSX.Element {

    return (
        <>
            <ul class="misfits">
                {samples.map(({ id, errors }) => (
                    <li key={id}>
                        <ObjectLink id={id} />
                        {errors.slice(0, 3).map(({ pointer, message }, at) => <small key={at} dir="auto"><code>{pointer}</code> {serverText(message)}</small>)}
                    </li>
                ))}
            </ul>
            {invalid > samples.length && <p class="muted">{t('fitMore', { count: Math.min(samples.length, MAX_MISFITS) })}</p>}
        </>
    );
}
