/** Handles: the settings of their records, and the update of all of them. */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { getJson, sendJson } from '../../api/client.js';
import { isUnavailable } from '../../api/unavailable.js';
import { ErrorBox, ProgressBar } from '../../components/feedback.js';
import { formatAgo } from '../../i18n/index.js';
import { withMember, withoutMember } from '../../json/pointer.js';
import { isAbort, textOf } from '../../state/messages.js';
import type { Draft } from '../../types/editor/draft.js';
import { JsonMember } from '../../types/editor/json-member.js';
import { HandleOutbox } from '../operation/status.js';
import { effective, WithDesign } from './design-draft.js';
import { t } from './texts.js';

export function Handles(): JSX.Element {

    return (
        <WithDesign title={t('handles')}>
            {(draft) => <div class="stack"><p class="muted">{t('handlesHint')}</p><HandleSettings draft={draft} /><Outbox /><HandleUpdate /></div>}
        </WithDesign>
    );
}

function HandleSettings({ draft }: { readonly draft: Draft }): JSX.Element {

    const settings = effective(draft, 'handleMintingConfig');
    const text = (member: 'prefix' | 'baseUri'): string => (typeof settings[member] === 'string' ? settings[member] : '');
    const isFaulty = draft.faultyText('/handleMintingConfig') !== null;
    const [isOpen, setOpen] = useState(isFaulty);
    const set = (member: string, value: string): void => draft.set('handleMintingConfig', value === '' ? withoutMember(settings, member) : withMember(settings, member, value));
    return (
        <section class="card stack">
            <div class="form-grid">
                <label>{t('prefix')}<input value={text('prefix')} readOnly={isFaulty} onInput={(event) => set('prefix', event.currentTarget.value)} /></label>
                <label>{t('baseUri')}<input type="url" value={text('baseUri')} readOnly={isFaulty} onInput={(event) => set('baseUri', event.currentTarget.value)} /><small>{t('baseUriHint')}</small></label>
            </div>
            <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}><summary>{t('otherConfig')}</summary><JsonMember draft={draft} place="/handleMintingConfig" label={t('otherConfig')} value={settings} onChange={(next) => draft.set('handleMintingConfig', next)} /></details>
        </section>
    );
}

function Outbox(): JSX.Element {

    return <section class="card stack"><h2>{t('outbox')}</h2><p class="muted">{t('outboxHint')}</p><HandleOutbox /></section>;
}

/** Progress of the update, as the service describes it. */
interface UpdateState {
    readonly inProgress: boolean;
    readonly total: number;
    readonly progress: number;
    /** Epoch milliseconds; 0 before the first update. */
    readonly startTime: number;
    readonly exceptionCount: number;
}

const POLL_MS = 1000;

/** The same after a request that has failed, in milliseconds. */
const RETRY_MS = 5000;

function HandleUpdate(): JSX.Element {

    const [state, setState] = useState<UpdateState | null>(null);
    const [round, setRound] = useState(0);
    const [error, setError] = useState<string | null>(null);
    useEffect(() => {

        const controller = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        let hasFailed = false;
        const read = (): void => {

            getJson<UpdateState>('/updateHandles', {}, controller.signal).then((next) => {

                setState(next);
                if (hasFailed) {
                    hasFailed = false;
                    setError(null);
                }

                if (next.inProgress) {
                    timer = setTimeout(read, POLL_MS);
                }
            }, (failure: unknown) => {

                if (controller.signal.aborted || isAbort(failure)) {
                    return;
                }

                setError(textOf(failure));
                // The update goes on, and nobody could begin another one.
                if (isUnavailable(failure)) {
                    hasFailed = true;
                    timer = setTimeout(read, RETRY_MS);
                }
            });
        };

        read();
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the section is left', 'AbortError'));
        };
    }, [round]);
    const start = (): void => {

        setError(null);
        sendJson('POST', '/updateHandles').then(() => setRound(round + 1), (failure: unknown) => setError(textOf(failure)));
    };

    return (
        <section class="card stack">
            <h2>{t('update')}</h2>
            <p class="muted">{t('updateHint')}</p>
            {error !== null && <ErrorBox message={error} />}
            {state?.inProgress && <ProgressBar done={state.progress} total={state.total} label={t('updating', { done: state.progress, total: state.total })} />}
            {state && !state.inProgress && state.startTime > 0 && (
                <p role="status">{t('updated', { done: state.progress, total: state.total })} <small>{t('started', { time: formatAgo(state.startTime) })}</small></p>
            )}
            {state && state.exceptionCount > 0 && <p class="danger-text">{t('exceptions', { count: state.exceptionCount })}</p>}
            <div><button type="button" disabled={state?.inProgress === true} onClick={start}>{t('updateRun')}</button></div>
        </section>
    );
}
