/** All types, with the number of their objects. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { repository } from '../api/client.js';
import { caller, isAdmin } from '../api/session.js';
import { Empty, Loading } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { Pager } from '../components/pager.js';
import { useResource } from '../components/use-resource.js';
import { isJsonMap, type JsonMap } from '../json/exact-number.js';
import { go, paramText, to } from '../router.js';
import type { ScreenProps } from '../shell/app.js';
import { design, schemaOf, typeNames } from '../state/design.js';
import { ListSearch } from '../components/list-search.js';
import { LoadDialog } from './create/load-dialog.js';
import { NewType } from './create/new-type.js';
import { t } from './texts.js';

const PAGE_SIZE = 50;

/** Types whose objects are counted at once. */
const MAX_COUNTED = 20_000;

export function Types({ route: { params } }: ScreenProps): JSX.Element {

    const [dialog, open] = useState<'new' | 'load' | null>(null);
    const text = params.get('q') ?? '';
    const page = Math.max(0, Number(params.get('page') ?? 1) - 1) || 0;
    const counts = useResource(async (signal) => readCounts(signal), [caller.value.userId]);
    const found = typeNames.value.filter((name) => name.toLowerCase().includes(text.trim().toLowerCase()));
    const shown = found.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
    const mayCreate = caller.value.typesPermittedToCreate?.includes('Schema') ?? false;
    const show = (next: { q?: string; page?: number }): void => go(`${to.types}${paramText({ q: text, ...next })}`, { replace: true });
    return (
        <div class="types">
            <div class="admin-head">
                <h1>{t('types')}</h1>
                {mayCreate && (
                    <div class="row">
                        {isAdmin.value && <button type="button" onClick={() => open('load')}><Icon name="upload" />{t('load')}</button>}
                        <button type="button" class="primary" onClick={() => open('new')}><Icon name="add" />{t('newType')}</button>
                    </div>
                )}
            </div>
            <ListSearch label={t('filter')} text={text} onSearch={(q) => show({ q })} />
            {!design.value && <Loading />}
            {design.value && found.length === 0 && <Empty title={t('none')} />}
            {shown.length > 0 && <TypeTable names={shown} counts={counts.value} />}
            <Pager page={page} pageSize={PAGE_SIZE} size={found.length} onPage={(next) => show({ page: next + 1 })} />
            {dialog === 'new' && <NewType onClose={() => open(null)} />}
            {dialog === 'load' && <LoadDialog onClose={() => open(null)} onLoaded={counts.reload} />}
        </div>
    );
}

function TypeTable({ names, counts }: { readonly names: readonly string[]; readonly counts: ReadonlyMap<string, number> | null }): JSX.Element {

    const stored = new Set(Object.values(design.value?.schemaIds ?? {}));
    return (
        <div class="list-table">
            <table class="type-table">
                <thead><tr><th>{t('name')}</th><th class="wide-cell">{t('fields')}</th><th class="end">{t('objects')}</th></tr></thead>
                <tbody>
                    {names.map((name) => (
                        <tr key={name}>
                            <td><a class="clip" href={to.type(name)} dir="auto">{name}</a>{!stored.has(name) && <small>{t('builtIn')}</small>}</td>
                            <td class="wide-cell">{t('fieldCount', { count: fieldCount(schemaOf(name)) })}</td>
                            <td class="end">{counts && <a href={to.search({ query: `type:"${name.replace(/["\\]/g, '\\$&')}"` })}>{t('count', { count: counts.get(name) ?? 0 })}</a>}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function fieldCount(schema: JsonMap | null): number {

    const properties = schema?.['properties'];
    return isJsonMap(properties) ? Object.keys(properties).length : 0;
}

/** The number of objects that the caller may find, by type. @throws RepositoryError */
async function readCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {

    const { facets = [] } = await repository.searchPage('*:*', { pageSize: 0, facets: [{ field: 'type', maxBuckets: MAX_COUNTED }], signal });
    const buckets = (facets[0]?.['buckets'] ?? []) as unknown as readonly { readonly value: string; readonly count: number }[];
    return new Map(buckets.map(({ value, count }) => [value, count]));
}
