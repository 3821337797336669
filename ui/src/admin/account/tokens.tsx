/** The sessions of a user, which can be ended one by one or all. */

import type { JSX } from 'preact';
import { getJson, RepositoryError, sendJson } from '../../api/client.js';
import { fewAtATime } from '../../api/few-at-a-time.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { Ago } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { formatTime } from '../../i18n/index.js';
import { say, sayError, textOf } from '../../state/messages.js';
import { t } from './texts.js';

/** An access token, as the service describes it. Times are epoch milliseconds. */
interface Token {
    readonly id: string;
    readonly createdOn?: number;
    readonly lastUsedOn?: number;
    readonly expiresOn: number;
    readonly kind: string;
    readonly current: boolean;
}

const NOT_FOUND = 404;

function nameOf(kind: string): string {

    return kind === 'session' ? t('ofCookie') : kind === 'token' ? t('ofToken') : kind;
}

/** Sessions of the caller, or of another user for the administrator. */
export function TokenList({ userId }: { readonly userId?: string }): JSX.Element {

    const query = userId === undefined ? {} : { userId };
    const { value, error, reload } = useResource((signal) => getJson<{ tokens: readonly Token[] }>('/auth/tokens', query, signal), [userId]);
    const end = (path: string, message: string): void => {

        sendJson('DELETE', path, undefined, { query }).then(() => {

            say(message);
            reload();
        }, sayError);
    };

    const endOne = (id: string): Promise<unknown> => sendJson('DELETE', `/auth/tokens/${encodeURIComponent(id)}`, undefined, { query }).catch((failure: unknown) => {

        // One that has ended by itself meanwhile is no failure.
        if (!(failure instanceof RepositoryError) || failure.status !== NOT_FOUND) {
            throw failure;
        }
    });

    const endAll = (): void => {

        // Those of the caller end one by one, so that the session in use stays.
        const others = (value?.tokens ?? []).filter(({ current }) => !current);
        fewAtATime(others, ({ id }) => endOne(id)).then(() => say(t('allEnded')), sayError).finally(reload);
    };

    const others = (value?.tokens ?? []).filter(({ current }) => !current).length;
    return (
        <section class="stack">
            <div class="admin-head">
                <h2>{t('sessions')}</h2>
                {others > 0 && (userId === undefined ?
                    <button type="button" class="small" onClick={endAll}>{t('endAll')}</button> :
                    <button type="button" class="small" onClick={() => end('/auth/tokens', t('allEnded'))}>{t('endAllFor')}</button>)}
            </div>
            {error && (error instanceof RepositoryError && error.status === NOT_FOUND ? <p class="muted">{t('noTokens')}</p> : <ErrorBox message={textOf(error)} onRetry={reload} />)}
            {!value && !error && <Loading />}
            {value?.tokens.length === 0 && <Empty title={t('noSessions')} />}
            {value && value.tokens.length > 0 && (
                <div class="list-table" role="region" aria-label={t('sessions')} tabIndex={0}>
                    <table>
                        <thead><tr><th>{t('created')}</th><th>{t('lastUsed')}</th><th>{t('expires')}</th><th>{t('kind')}</th><th class="end"><span class="visually-hidden">{t('end')}</span></th></tr></thead>
                        <tbody>
                            {value.tokens.map(({ id, createdOn, lastUsedOn, expiresOn, kind, current }) => (
                                <tr key={id}>
                                    <td>{createdOn === undefined ? '–' : <Ago time={createdOn} />}</td>
                                    <td>{lastUsedOn === undefined ? '–' : <Ago time={lastUsedOn} />}</td>
                                    <td><Ago time={expiresOn} /></td>
                                    <td>{nameOf(kind)}</td>
                                    <td class="end">{current ? <span class="badge on">{t('thisOne')}</span> : (
                                        <button type="button" class="small" aria-label={t('endNamed', { time: formatTime(createdOn ?? expiresOn) })} onClick={() => end(`/auth/tokens/${encodeURIComponent(id)}`, t('ended'))}>{t('end')}</button>
                                    )}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}
