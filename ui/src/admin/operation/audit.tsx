/** The audit log: who did what, the newest first. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { requestJson } from '../../api/client.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { ObjectLink, UserName } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { formatTime } from '../../i18n/index.js';
import { go, paramText, to } from '../../router.js';
import type { ScreenProps } from '../../shell/app.js';
import { say, sayError, textOf } from '../../state/messages.js';
import { getOperation, operationQuery } from './doip.js';
import { methodName, ruleName } from './names.js';
import { t } from './texts.js';

const OUTCOMES = ['created', 'changed', 'deleted', 'performed', 'denied', 'purged'] as const;

/** An entry; see the documentation of the audit log. */
interface Entry {
    readonly id: number;
    readonly at: number;
    readonly outcome: typeof OUTCOMES[number];
    readonly operation?: string;
    readonly object?: string;
    readonly type?: string;
    readonly parts?: readonly string[];
    readonly user: string | null;
    readonly actor?: string | null;
    readonly method?: string;
    readonly rule?: string;
    readonly address?: string;
    readonly protocol?: string;
    readonly count?: number;
}

interface Page {
    readonly entries: readonly Entry[];
    readonly next?: number;
}

const PAGE_SIZE = 100;

export function Audit({ route: { params } }: ScreenProps): JSX.Element {

    const filter = { userId: params.get('user') ?? '', objectId: params.get('object') ?? '', outcome: params.get('outcome') ?? '', from: params.get('from') ?? '', to: params.get('to') ?? '' };
    const key = JSON.stringify(filter);
    const read = (before: number | undefined, signal?: AbortSignal): Promise<Page> => getOperation('gateway/Op.Audit.List', {
        userId: filter.userId, objectId: filter.objectId, outcome: filter.outcome, pageSize: PAGE_SIZE, before,
        from: filter.from === '' ? undefined : Date.parse(filter.from), to: filter.to === '' ? undefined : Date.parse(filter.to)
    }, signal);
    const [older, setOlder] = useState<Page & { readonly key: string }>({ entries: [], key });
    const { value: latest, error, reload } = useResource(async (signal) => ({ key, page: await read(undefined, signal) }), [key]);
    // Entries of another filter are none of this one.
    const value = latest?.key === key ? latest.page : null;
    const further = older.key === key ? older : { entries: [], key };
    const next = 'next' in further || further.entries.length > 0 ? (further as Page).next : value?.next;
    const entries = [...value?.entries ?? [], ...further.entries];
    const readOlder = (): void => {

        read(next).then((page) => setOlder({
            key, entries: [...further.entries, ...page.entries], ...page.next === undefined ? { next: undefined as unknown as number } : { next: page.next }
        }), sayError);
    };

    return (
        <>
            <div class="admin-head"><h1>{t('audit')}</h1><button type="button" onClick={() => void verify().catch(sayError)}><Icon name="check" />{t('verify')}</button></div>
            <AuditFilter params={params} />
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && !error && <Loading />}
            {value && entries.length === 0 && next === undefined && <div class="box"><Icon name="info" /><p>{t('off')}</p></div>}
            {value && entries.length === 0 && next !== undefined && <p class="muted">{t('searching')}</p>}
            {entries.length > 0 && <EntryTable entries={entries} />}
            {next !== undefined && <p><button type="button" onClick={readOlder}>{t('more')}</button></p>}
        </>
    );
}

function AuditFilter({ params }: { readonly params: URLSearchParams }): JSX.Element {

    const [entered, setEntered] = useState({ user: params.get('user') ?? '', object: params.get('object') ?? '', outcome: params.get('outcome') ?? '', from: params.get('from') ?? '', to: params.get('to') ?? '' });
    const show = (next: typeof entered): void => {

        setEntered(next);
        go(`${to.admin('audit')}${paramText(next)}`, { replace: true });
    };

    return (
        <form class="audit-filter" onSubmit={(event) => {

            event.preventDefault();
            show(entered);
        }}>
            <label>{t('user')}<input dir="auto" autocomplete="off" value={entered.user} onChange={(event) => show({ ...entered, user: event.currentTarget.value.trim() })} /></label>
            <label>{t('object')}<input dir="auto" autocomplete="off" value={entered.object} onChange={(event) => show({ ...entered, object: event.currentTarget.value.trim() })} /></label>
            <label>{t('outcome')}
                <select value={entered.outcome} onChange={(event) => show({ ...entered, outcome: event.currentTarget.value })}>
                    <option value="">{t('any')}</option>{OUTCOMES.map((each) => <option key={each} value={each}>{t(each === 'created' ? 'created_' : each)}</option>)}
                </select>
            </label>
            <label>{t('from')}<input type="datetime-local" value={entered.from} onChange={(event) => show({ ...entered, from: event.currentTarget.value })} /></label>
            <label>{t('to')}<input type="datetime-local" value={entered.to} onChange={(event) => show({ ...entered, to: event.currentTarget.value })} /></label>
        </form>
    );
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {

    return (
        <div class="list-table" role="region" aria-label={t('audit')} tabIndex={0}>
            <table>
                <thead><tr><th>{t('time')}</th><th>{t('outcome')}</th><th>{t('what')}</th><th>{t('who')}</th><th>{t('where')}</th></tr></thead>
                <tbody>
                    {entries.map((entry) => (
                        <tr key={entry.id}>
                            <td><time dateTime={new Date(entry.at).toISOString()}>{formatTime(entry.at)}</time></td>
                            <td><span class={`badge ${entry.outcome === 'denied' ? 'off' : entry.outcome === 'created' ? 'on' : 'plain'}`}>{t(entry.outcome === 'created' ? 'created_' : entry.outcome)}</span></td>
                            <td>
                                {entry.object !== undefined && <ObjectLink id={entry.object} />}
                                <small dir="auto">{[entry.operation?.replace(/^.*\/Op\./, ''), entry.type, entry.parts?.join(', '), entry.count === undefined ? undefined : t('times', { count: entry.count })].filter((part) => part !== undefined && part !== '').join(' · ')}</small>
                            </td>
                            <td>
                                {entry.user === null ? t('anonymous') : <UserName id={entry.user} />}
                                <small dir="auto">{howText(entry)}</small>
                            </td>
                            <td><small>{entry.address} {entry.protocol}</small></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

/** How the user has logged in, or who acted for the user, and the rule that decided. */
function howText({ user, actor, method, rule }: Entry): string {

    const isOther = actor !== undefined && actor !== null && actor !== user;
    return [isOther ? t('asWhom', { actor, user: user ?? '' }) : method === undefined ? undefined : methodName(method), rule === undefined ? undefined : t('rule', { rule: ruleName(rule) })].filter((part) => part !== undefined).join(' · ');
}

interface Verification {
    readonly seals: number;
    readonly entries: number;
    readonly next?: number;
    readonly problem?: string;
}

/** Verifies all seals, some hundred at a time. @throws RepositoryError */
async function verify(): Promise<void> {

    let [seals, entries, from] = [0, 0, 0 as number | undefined];
    while (from !== undefined) {
        const part: Verification = await requestJson<Verification>({ method: 'POST', path: '/doip', query: operationQuery('gateway/Op.Audit.Verify', from === 0 ? {} : { from }), isRead: true });
        if (part.problem !== undefined) {
            say(t('broken', { problem: part.problem }), 'error');
            return;
        }

        seals += part.seals;
        entries += part.entries;
        from = part.next;
    }

    say(t('verified', { seals, entries }));
}
