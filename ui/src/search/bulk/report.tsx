/** What has become of a change of many objects: its progress, and in the end what was done and what not. */

import type { JSX } from 'preact';
import { ProgressBar } from '../../components/feedback.js';
import { download } from '../../components/download.js';
import { Icon } from '../../components/icon.js';
import { to } from '../../router.js';
import { doneIn, type BulkProgress } from './outcomes.js';
import type { Change, Run } from './run.js';
import { t } from './texts.js';
import { cell } from '../export/csv.js';

/** Failures that are shown. */
const MAX_SHOWN = 200;

/** The progress. */
export function Running({ run }: { readonly run: Run }): JSX.Element {

    const { state, total, collected, isCancelled } = run;
    const done = state === 'collecting' ? collected : doneIn(run);
    return <ProgressBar done={done} total={total} label={t(isCancelled ? 'stopping' : state === 'collecting' ? 'collecting' : 'progress', { done, total })} />;
}

/** The report in the end. */
export function Report({ run, kind }: { readonly run: Run; readonly kind: Change['kind'] }): JSX.Element {

    const { changed, unchanged, failed, rest, isCancelled, total } = run;
    const untouched = total - doneIn(run);
    const isComplete = failed.length === 0 && untouched === 0;
    const sentences = [
        t(kind === 'delete' ? 'deleted' : 'changed', { count: changed.length }), ...unchanged.length > 0 ? [t('unchanged', { count: unchanged.length })] : [],
        ...failed.length > 0 ? [t('failed', { count: failed.length })] : [],
        ...untouched > 0 ? [t(isCancelled ? 'cancelled' : 'ended', { count: untouched })] : []
    ];
    return (
        <div class="stack" role="status">
            <p class={`box ${isComplete ? 'success' : 'warning'}`}><Icon name={isComplete ? 'check' : 'warning'} /><span>{sentences.join(' ')}</span></p>
            {failed.length > 0 && (
                <div class="report" role="region" tabIndex={0} aria-label={t('failures')}>
                    <table>
                        <thead><tr><th scope="col">{t('object')}</th><th scope="col">{t('reason')}</th></tr></thead>
                        <tbody>
                            {failed.slice(0, MAX_SHOWN).map(({ id, message }) => (
                                <tr key={id}><td><a href={to.object(id)} target="_blank" dir="auto">{id}</a></td><td dir="auto">{message}</td></tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {(doneIn(run) > 0 || rest.length > 0) && (
                <p><button type="button" class="link" onClick={() => download(new Blob([reportText(run, kind)], { type: 'text/csv' }), 'report.csv')}>{t('report')}</button></p>
            )}
        </div>
    );
}

/** The report as CSV: each object with its outcome. */
export function reportText({ changed, unchanged, failed, rest }: BulkProgress, kind: Change['kind']): string {

    const rows: readonly (readonly string[])[] = [
        ['id', 'outcome', 'reason'], ...changed.map((id) => [id, kind === 'delete' ? 'deleted' : 'changed', '']), ...unchanged.map((id) => [id, 'unchanged', '']),
        ...failed.map(({ id, message }) => [id, 'failed', message]), ...rest.map((id) => [id, 'not touched', ''])
    ];
    return `\ufeff${rows.map((row) => `${row.map((each) => cell(each, true)).join(',')}\r\n`).join('')}`;
}
