/** The versions of an object: publish, compare, restore. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Version } from '../../../../lib/client/web/index.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { Ago, ObjectLink, UserName } from '../../components/object-link.js';
import { usePages } from '../../components/use-pages.js';
import { useResource } from '../../components/use-resource.js';
import { getJson } from '../../api/client.js';
import { textOf } from '../../state/messages.js';
import { PublishDialog } from '../actions/publish-dialog.js';
import type { LoadedObject, TabProps } from '../model/load.js';
import { Comparison } from './comparison.js';
import { RestoreDialog } from './restore-dialog.js';
import { t } from './texts.js';

/** Versions that are shown at first, and how many come with each request for more. */
const PAGE = 100;

/** The tab. */
export function HistoryTab({ object, reload }: TabProps): JSX.Element {

    const { id, etag, metadata } = object;
    const { value, error, reload: again } = useResource((signal) => getJson<readonly Version[]>('/versions', { objectId: id }, signal), [id, etag]);
    const [isPublishing, publish] = useState(false);
    const isTip = metadata.versionOf === undefined;
    if (error) {
        return <ErrorBox message={textOf(error)} onRetry={again} />;
    }

    // The newest first: the tip is the last of the response.
    const versions = value === null ? null : [...value].reverse();
    const reloadAll = (): void => {

        reload();
        again();
    };

    return versions === null ? <Loading /> : (
        <div class="stack">
            <div class="row">
                <p class="muted grow">{versions.length <= 1 && `${t('none')} `}{t('explain')}</p>
                {object.mayWrite && isTip && <button type="button" onClick={() => publish(true)}><Icon name="add" />{t('publish')}</button>}
            </div>
            {versions.length > 1 && <Versions versions={versions} object={object} reload={reloadAll} />}
            {isPublishing && <PublishDialog object={object} onClose={() => publish(false)} onDone={again} />}
        </div>
    );
}

interface VersionsProps {
    readonly versions: readonly Version[];
    readonly object: LoadedObject;
    readonly reload: () => void;
}

function Versions({ versions, object, reload }: VersionsProps): JSX.Element {

    const [from, setFrom] = useState(versions[1]?.id ?? '');
    const [to, setTo] = useState(versions[0]?.id ?? '');
    const [restored, restore] = useState<Version | null>(null);
    const [shown, more] = usePages(versions.length, PAGE);
    const tip = versions.find(({ isTip }) => isTip);
    return (
        <>
            <section class="card" aria-labelledby="versions-title">
                <h2 id="versions-title">{t('title')}</h2>
                <div class="scroll-x" tabIndex={0} role="group" aria-labelledby="versions-title">
                    <table class="versions">
                        <thead><tr>
                            <th scope="col">{t('older')}</th><th scope="col">{t('newer')}</th><th scope="col">{t('version')}</th><th scope="col">{t('when')}</th><th scope="col">{t('who')}</th>
                            <th scope="col"><span class="visually-hidden">{t('actions')}</span></th>
                        </tr></thead>
                        <tbody>
                            {versions.slice(0, shown).map((version) => (
                                <tr key={version.id}>
                                    <td><input type="radio" name="from" aria-label={`${t('older')}: ${version.id}`} checked={from === version.id} onChange={() => setFrom(version.id)} /></td>
                                    <td><input type="radio" name="to" aria-label={`${t('newer')}: ${version.id}`} checked={to === version.id} onChange={() => setTo(version.id)} /></td>
                                    <td>{version.isTip ? t('current') : <ObjectLink id={version.id} label={version.id} />}</td>
                                    <td><When version={version} /></td>
                                    <td>{version.publishedBy !== undefined && <UserName id={version.publishedBy} />}</td>
                                    <td>{!version.isTip && tip && object.mayWrite && (
                                        <button type="button" class="small" onClick={() => restore(version)}>{t('restore')}</button>
                                    )}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
                {more}
            </section>
            <section class="card" aria-labelledby="comparison-title">
                <h2 id="comparison-title">{t('comparison')}</h2>
                {from !== '' && to !== '' && <Comparison from={from} to={to} state={`${object.etag} ${tip?.modifiedOn}`} />}
            </section>
            {restored && tip && (
                <RestoreDialog versionId={restored.id} object={object} listed={tip} onClose={() => restore(null)} onChanged={reload} />
            )}
        </>
    );
}

function When({ version: { publishedOn, modifiedOn } }: { readonly version: Version }): JSX.Element | null {

    const time = publishedOn ?? modifiedOn;
    return time === undefined ? null : <Ago time={time} />;
}
