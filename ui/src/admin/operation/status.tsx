/** The status of the service: load, storage, index and jobs. */

import type { ComponentChildren, JSX } from 'preact';
import { RepositoryError } from '../../api/client.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Ago } from '../../components/object-link.js';
import { formatBytes, formatNumber } from '../../i18n/index.js';
import { serverText } from '../../server-texts/index.js';
import { textOf } from '../../state/messages.js';
import { Chart } from './chart.js';
import { jobName } from './names.js';
import { type Job, type ServiceStatus, useServiceStatus } from './service-status.js';
import { t } from './texts.js';

const NOT_FOUND = 404;

export function Status(): JSX.Element {

    const { samples, error } = useServiceStatus();
    const latest = samples.at(-1);
    return (
        <>
            <h1>{t('status')}</h1>
            {error && (error instanceof RepositoryError && error.status === NOT_FOUND ? <p>{t('missing')}</p> : <ErrorBox message={textOf(error)} />)}
            {!latest && !error && <Loading />}
            {latest && <Figures latest={latest} samples={samples} />}
            {latest && <Jobs jobs={latest.jobs} />}
        </>
    );
}

function Figures({ latest, samples }: { readonly latest: ServiceStatus; readonly samples: readonly ServiceStatus[] }): JSX.Element {

    const { version, node, startedOn, database, payloads, index, memory, eventLoop, handles, sessions } = latest;
    return (
        <div class="figures">
            <section class="card"><h2>{t('service')}</h2><dl class="admin-facts">
                <Fact name={t('version')}>{version}</Fact><Fact name={t('node')}>{node}</Fact><Fact name={t('started')}><Ago time={startedOn} /></Fact>
                {sessions !== undefined && <Fact name={t('sessions')}>{formatNumber(sessions)}</Fact>}
            </dl></section>
            <section class="card"><h2>{t('storage')}</h2><dl class="admin-facts">
                <Fact name={t('database')}>{database.kind}</Fact>
                {database.bytes !== undefined && <Fact name={t('size')}>{formatBytes(database.bytes)}</Fact>}
                {database.freeBytes !== undefined && <Fact name={t('free')}>{formatBytes(database.freeBytes)}</Fact>}
                {payloads && <Fact name={t('payloads')}>
                    {payloads.hasMore === true && '> '}{formatNumber(payloads.count)} · {payloads.hasMore === true && '> '}{formatBytes(payloads.bytes)}
                </Fact>}
            </dl></section>
            <section class="card"><h2>{t('index')}</h2><dl class="admin-facts">
                {index.isUp !== undefined && <Fact name={t('state')}><span class={`badge ${index.isUp ? 'on' : 'off'}`}>{index.isUp ? t('up') : t('down')}</span></Fact>}
                {index.documents !== undefined && <Fact name={t('documents')}>{formatNumber(index.documents)}</Fact>}
                {index.segments !== undefined && <Fact name={t('segments')}>{formatNumber(index.segments)}</Fact>}
                {index.reindexing && <Fact name={t('indexing')}>{formatNumber(index.reindexing.done)} / {formatNumber(index.reindexing.total)}</Fact>}
                {index.pendingChanges !== undefined && <Fact name={t('pending')}>{formatNumber(index.pendingChanges)}</Fact>}
            </dl></section>
            {handles && <section class="card"><h2>{t('handles')}</h2><HandleFacts handles={handles} /></section>}
            <Measure name={t('memory')} value={formatBytes(memory.rssBytes)} values={samples.map((sample) => sample.memory.rssBytes)} />
            <Measure name={t('heap')} value={formatBytes(memory.heapBytes)} values={samples.map((sample) => sample.memory.heapBytes)} />
            {eventLoop.p99Ms !== undefined && <Measure name={t('loop')} value={`${formatNumber(eventLoop.p99Ms)} ms`} values={samples.map((sample) => sample.eventLoop.p99Ms ?? 0)} />}
        </div>
    );
}

function HandleFacts({ handles: { outbox, errors } }: { readonly handles: NonNullable<ServiceStatus['handles']> }): JSX.Element {

    return <dl class="admin-facts"><Fact name={t('handlesOut')}>{formatNumber(outbox)}</Fact><Fact name={t('handleErrors')}>{formatNumber(errors)}</Fact></dl>;
}

/** Handles whose records the handle server has not taken yet, counted again and again. */
export function HandleOutbox(): JSX.Element | null {

    const { samples, error } = useServiceStatus();
    const latest = samples.at(-1);
    if (error) {
        return error instanceof RepositoryError && error.status === NOT_FOUND ? null : <ErrorBox message={textOf(error)} />;
    }

    return latest ? latest.handles ? <HandleFacts handles={latest.handles} /> : <p>{t('noHandleServer')}</p> : <Loading />;
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {

    return <><dt>{name}</dt><dd>{children}</dd></>;
}

function Measure({ name, value, values }: { readonly name: string; readonly value: string; readonly values: readonly number[] }): JSX.Element {

    return <section class="card measure"><h2>{name}</h2><p>{value}</p><Chart values={values} label={`${name}, ${t('since')}`} /></section>;
}

/** Progress, which each kind of job describes in its own way. */
function progressText(progress: unknown): string {

    if (typeof progress !== 'object' || progress === null) {
        return typeof progress === 'number' ? formatNumber(progress) : '';
    }

    const { total, progress: done, after } = progress as { readonly total?: unknown; readonly progress?: unknown; readonly after?: unknown };
    return typeof total === 'number' && typeof done === 'number' ? `${formatNumber(done)} / ${formatNumber(total)}` : typeof after === 'string' ? `… ${after}` : '';
}

function stateName(state: string): string {

    return state === 'waiting' || state === 'running' || state === 'done' || state === 'failed' ? t(({ waiting: 'jobWaiting', running: 'jobRunning', done: 'jobDone', failed: 'jobFailed' } as const)[state]) : state;
}

/** The newest jobs. */
export function Jobs({ jobs }: { readonly jobs: readonly Job[] }): JSX.Element {

    return (
        <section class="stack">
            <h2>{t('jobs')}</h2>
            {jobs.length === 0 && <Empty title={t('noJobs')} />}
            {jobs.length > 0 && (
                <div class="list-table" role="region" aria-label={t('jobs')} tabIndex={0}>
                    <table>
                        <thead><tr><th>{t('type')}</th><th>{t('state')}</th><th>{t('created')}</th><th>{t('progress')}</th></tr></thead>
                        <tbody>
                            {jobs.map(({ type, state, createdOn, progress, error }, at) => (
                                <tr key={at}>
                                    <td>{jobName(type)}</td>
                                    <td><span class={`badge ${state === 'failed' ? 'off' : state === 'done' ? 'on' : 'plain'}`}>{stateName(state)}</span></td>
                                    <td><Ago time={createdOn} /></td>
                                    <td>{error !== undefined ? <span class="danger-text" dir="auto">{serverText(error)}</span> : <small>{progressText(progress)}</small>}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}
