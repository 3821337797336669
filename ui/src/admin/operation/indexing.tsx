/** The search index: its state, and indexing objects again. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sendJson } from '../../api/client.js';
import { ErrorBox, ProgressBar } from '../../components/feedback.js';
import { formatNumber } from '../../i18n/index.js';
import { typeNames } from '../../state/design.js';
import { say, textOf } from '../../state/messages.js';
import { queryOfType } from '../../types/model/objects-of-type.js';
import { useServiceStatus } from './service-status.js';
import { Jobs } from './status.js';
import { t } from './texts.js';

/** Types that are suggested at a time. */
const MAX_SUGGESTED = 100;

const SCOPES = ['all', 'ofType', 'byQuery'] as const;

export function Indexing(): JSX.Element {

    const { samples } = useServiceStatus();
    const [scope, setScope] = useState<typeof SCOPES[number]>('ofType');
    const [type, setType] = useState('');
    const [query, setQuery] = useState('');
    const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: string | null }>({ isBusy: false, error: null });
    const status = samples.at(-1);
    const run = (event: Event): void => {

        event.preventDefault();
        setState({ isBusy: true, error: null });
        const parameters = scope === 'all' ? { all: true } : { query: scope === 'ofType' ? queryOfType(type) : query };
        sendJson('POST', '/reindexBatch', undefined, { query: parameters }).then(() => {

            setState({ isBusy: false, error: null });
            say(t('done'));
        }, (error: unknown) => setState({ isBusy: false, error: textOf(error) }));
    };

    const { documents, segments, pendingChanges, reindexing } = status?.index ?? {};
    return (
        <>
            <h1>{t('indexTitle')}</h1>
            {status && (
                <dl class="admin-facts card">
                    {documents !== undefined && <><dt>{t('documents')}</dt><dd>{formatNumber(documents)}</dd></>}
                    {segments !== undefined && <><dt>{t('segments')}</dt><dd>{formatNumber(segments)}</dd></>}
                    {pendingChanges !== undefined && <><dt>{t('pending')}</dt><dd>{formatNumber(pendingChanges)}</dd></>}
                </dl>
            )}
            {reindexing && <ProgressBar done={reindexing.done} total={reindexing.total} label={t('indexing')} />}
            <form class="card stack" onSubmit={run}>
                <h2>{t('reindex')}</h2>
                <p class="muted">{t('reindexHint')}</p>
                <fieldset><legend class="visually-hidden">{t('reindex')}</legend><div class="choices">{SCOPES.map((each) => <label key={each} class="inline"><input type="radio" name="scope" checked={scope === each} onChange={() => setScope(each)} />{t(each)}</label>)}</div></fieldset>
                {scope === 'ofType' && (
                    <label class="narrow">{t('type')}
                        <input list="index-types" required dir="auto" autocomplete="off" value={type} onInput={(event) => setType(event.currentTarget.value)} />
                        <datalist id="index-types">
                            {typeNames.value.filter((name) => name.toLowerCase().includes(type.toLowerCase())).slice(0, MAX_SUGGESTED)
                                .map((name) => <option key={name} value={name} />)}
                        </datalist>
                    </label>
                )}
                {scope === 'byQuery' && <label class="narrow">{t('query')}<input required dir="auto" value={query} onInput={(event) => setQuery(event.currentTarget.value)} /></label>}
                {state.error !== null && <ErrorBox message={state.error} />}
                {state.isBusy && <><ProgressBar done={0} total={null} label={t('running')} /><small>{t('runHint')}</small></>}
                <div><button type="submit" class="primary" disabled={state.isBusy}>{t('run')}</button></div>
            </form>
            {status && <Jobs jobs={status.jobs.filter((job) => /index/i.test(job.type))} />}
        </>
    );
}
