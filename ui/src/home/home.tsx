/** The start page: what has changed and what there is; in an empty service the first steps. */

import type { JSX } from 'preact';
import { Loading, Unreadable } from '../components/feedback.js';
import { lazy } from '../components/lazy.js';
import { Ago, ObjectLink, UserName } from '../components/object-link.js';
import { quoted } from '../components/object-query.js';
import { useCallerRound } from '../components/use-caller-round.js';
import { useResource } from '../components/use-resource.js';
import { caller, isAdmin } from '../api/session.js';
import type { DigitalObject } from '../../../lib/client/web/index.js';
import { screenClient, sendJson } from '../api/client.js';
import { config } from '../config.js';
import { formatNumber } from '../i18n/index.js';
import { to } from '../router.js';
import { SavedList } from '../search/saved/saved-list.js';
import { uiConfig } from '../state/design.js';
import { Demo, isDemoPart } from './demo.js';
import { BY_TIME, CONTENT, latestBody, overviewBody, RECENT } from './overview-request.js';
import { t } from './texts.js';

const Welcome = lazy(async () => (await import('./welcome.js')).Welcome);

interface Overview {
    readonly size: number;
    readonly recent: readonly DigitalObject[];
    readonly types: readonly { readonly value: string; readonly count: number }[];
}

interface Answer {
    readonly size: number;
    readonly results: readonly DigitalObject[];
    readonly facets?: readonly { readonly buckets: Overview['types'] }[];
}

function search(body: object, signal: AbortSignal): Promise<Answer> {

    return sendJson<Answer>('POST', '/search', body, { isRead: true, signal, client: screenClient });
}

async function readOverview(signal: AbortSignal): Promise<Overview> {

    const { size, results, facets = [] } = await search(overviewBody(), signal);
    return { size, recent: results, types: facets[0]?.buckets ?? [] };
}

/** The start page. */
export function Home(): JSX.Element {

    const { value, error, retryOn, reload } = useResource(readOverview, [useCallerRound()], { isPersistent: true });
    if (value === null) {
        return <><h1>{uiConfig.value.title ?? config.name}</h1>{error ? <Unreadable {...{ error, retryOn, reload }} /> : <Loading />}</>;
    }

    return value.size === 0 ? <Welcome onChange={reload} /> : <Full overview={value} onChange={reload} />;
}

function Full({ overview: { size, recent, types }, onChange }: { readonly overview: Overview; readonly onChange: () => void }): JSX.Element {

    return (
        <>
            <h1 dir="auto">{uiConfig.value.title ?? config.name}</h1>
            <p class="muted">{t('size', { count: size })}</p>
            {isAdmin.value && isDemoPart() && <Demo onChange={onChange} />}
            <div class="home">
                <section class="card home-recent" aria-labelledby="recent">
                    <h2 id="recent">{t('recent')}</h2>
                    <Changes objects={recent} />
                    <p><a href={to.search({ query: CONTENT, sortFields: BY_TIME })}>{t('allChanges')}</a></p>
                </section>
                <div class="stack">
                    <section class="card" aria-labelledby="types">
                        <h2 id="types">{t('types')}</h2>
                        <Types types={types} />
                    </section>
                    <SavedList class="card" />
                    {caller.value.userId !== undefined && <Mine key={caller.value.userId} userId={caller.value.userId} />}
                    <section class="card" aria-labelledby="programs">
                        <h2 id="programs">{t('programs')}</h2>
                        <p class="row"><a href={`${config.base}/docs`}>{t('docs')}</a> <a href={`${config.base}/openapi.json`}>OpenAPI</a> <a href={to.types}>{t('schemas')}</a></p>
                    </section>
                </div>
            </div>
        </>
    );
}

function Changes({ objects }: { readonly objects: readonly DigitalObject[] }): JSX.Element {

    return (
        <ul class="home-changes">
            {objects.map(({ id, type, metadata }) => (
                <li key={id}>
                    <span class="grow"><ObjectLink id={id} /></span>
                    <span class="badge" dir="auto">{type}</span>
                    <small>
                        {metadata?.modifiedOn !== undefined && <Ago time={metadata.modifiedOn} />}{' '}
                        {metadata?.modifiedBy !== undefined && <>{t('by')} <UserName id={metadata.modifiedBy} /></>}
                    </small>
                </li>
            ))}
        </ul>
    );
}

/** Types with bars, the most frequent first. */
function Types({ types }: { readonly types: Overview['types'] }): JSX.Element {

    const max = Math.max(1, ...types.map(({ count }) => count));
    return (
        <ul class="home-types">
            {types.map(({ value, count }) => (
                <li key={value}>
                    <a href={to.search({ query: `type:${quoted(value)}` })} dir="auto">{value || t('untyped')}</a>
                    <span>{formatNumber(count)}</span>
                    <meter aria-hidden="true" min={0} max={max} value={count} />
                </li>
            ))}
        </ul>
    );
}

function Mine({ userId }: { readonly userId: string }): JSX.Element | null {

    const query = `metadata/modifiedBy:${quoted(userId)} -type:Schema -type:CordraDesign`;
    const { value } = useResource((signal) => search(latestBody(query), signal), [userId]);
    return value === null || value.size === 0 ? null : (
        <section class="card" aria-labelledby="mine">
            <h2 id="mine">{t('mine')}</h2>
            <Changes objects={value.results.slice(0, RECENT / 2)} />
            <p><a href={to.search({ query: `metadata/createdBy:${quoted(userId)}`, sortFields: BY_TIME })}>{t('allMine')}</a></p>
        </section>
    );
}
