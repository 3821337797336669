/** The content of an object by the schema of its type, and beside it what the service knows about it. */

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.js';
import { Empty } from '../../components/feedback.js';
import { Ago, UserName } from '../../components/object-link.js';
import { useResource } from '../../components/use-resource.js';
import { config } from '../../config.js';
import { defineTexts } from '../../i18n/index.js';
import { isJsonMap } from '../../json/exact-number.js';
import { to } from '../../router.js';
import { schemaOf } from '../../state/design.js';
import { isRightsPublic, readRights, sourceText, type Rights } from '../rights/rights.js';
import type { LoadedObject, TabProps } from '../model/load.js';
import { SchemaView } from '../model/schema.js';
import { t as values } from './texts.js';
import { Properties, Value } from './value.js';

const t = defineTexts({
    en: {
        facts: 'About this object', created: 'Created', modified: 'Modified', published: 'Published', by: 'by', type: 'Type', id: 'Id', copyId: 'Copy the id', handle: 'Handle', readable: 'Readable by',
        everyone: 'everyone', writable: 'May be changed by', permission: 'You may', mayWrite: 'read and change it', mayRead: 'read it', admin: 'admin only', record: 'handle record'
    },
    de: {
        facts: 'Über dieses Objekt', created: 'Angelegt', modified: 'Geändert', published: 'Veröffentlicht', by: 'von', type: 'Typ', id: 'Id', copyId: 'Id kopieren', handle: 'Handle', readable: 'Lesbar für',
        everyone: 'alle', writable: 'Änderbar durch', permission: 'Sie dürfen', mayWrite: 'es lesen und ändern', mayRead: 'es lesen', admin: 'nur admin', record: 'Handle-Eintrag'
    },
    fr: {
        facts: 'À propos de cet objet', created: 'Créé', modified: 'Modifié', published: 'Publié', by: 'par', type: 'Type', id: 'Identifiant', copyId: 'Copier l’identifiant', handle: 'Handle', readable: 'Lisible par',
        everyone: 'tous', writable: 'Modifiable par', permission: 'Vous pouvez', mayWrite: 'le lire et le modifier', mayRead: 'le lire', admin: 'admin seulement', record: 'enregistrement du handle'
    }
});

/** The tab. */
export function ContentTab({ object }: TabProps): JSX.Element {

    const { content, userMetadata, type } = object;
    const schema = schemaOf(type);
    const view = useMemo(() => new SchemaView(schema, config.keyword), [schema]);
    return (
        <div class="object-columns">
            <section class="card object-content" aria-label={values('hidden')}>
                {isJsonMap(content) && Object.keys(content).length === 0 ? <Empty title={values('noContent')} /> :
                    isJsonMap(content) ? <Properties value={content} schema={view.root} parent={{}} view={view} level={0} /> :
                        <Value value={content} schema={view.root} parent={{}} view={view} level={0} />}
                {userMetadata && (
                    <details class="part">
                        <summary>{values('userMetadata')}</summary>
                        <Properties value={userMetadata} schema={{}} parent={{}} view={new SchemaView(null, config.keyword)} level={0} />
                    </details>
                )}
            </section>
            <Facts object={object} />
        </div>
    );
}

function Facts({ object }: { readonly object: LoadedObject }): JSX.Element {

    const { id, type, metadata, mayWrite, etag } = object;
    const { createdOn, createdBy, modifiedOn, modifiedBy, publishedOn, publishedBy } = metadata;
    const rights = useResource((signal) => readRights(id, signal), [id, etag]).value;
    return (
        <aside class="object-facts" aria-label={t('facts')}>
            <dl>
                <Event name={t('created')} time={createdOn} user={createdBy} />
                {(modifiedOn !== createdOn || modifiedBy !== createdBy) && <Event name={t('modified')} time={modifiedOn} user={modifiedBy} />}
                <Event name={t('published')} time={publishedOn} user={publishedBy} />
                <dt>{t('type')}</dt>
                <dd><a href={to.type(type)} dir="auto">{type}</a></dd>
                <dt>{t('id')}</dt>
                <dd><span class="mono" dir="auto">{id}</span> <CopyButton text={id} label={t('copyId')} /></dd>
                <dt>{t('handle')}</dt>
                <dd><a href={`${config.base}/api/handles/${encodeURI(id).replaceAll('?', '%3F').replaceAll('#', '%23')}?pretty`}>{t('record')}</a></dd>
                {rights && <Who name={t('readable')} rule={rights.rights.read} rights={rights} />}
                {rights && <Who name={t('writable')} rule={rights.rights.write} rights={rights} />}
                <dt>{t('permission')}</dt>
                <dd>{mayWrite ? t('mayWrite') : t('mayRead')}</dd>
            </dl>
        </aside>
    );
}

function Event({ name, time, user }: { readonly name: string; readonly time: number | undefined; readonly user: string | undefined }): JSX.Element | null {

    return time === undefined ? null : (
        <>
            <dt>{name}</dt>
            <dd><Ago time={time} />{user !== undefined && <> {t('by')} <UserName id={user} /></>}</dd>
        </>
    );
}

function Who({ name, rule, rights }: { readonly name: string; readonly rule: Rights['rights']['read']; readonly rights: Rights }): JSX.Element {

    const { entries } = rule;
    const names = entries.map((entry) => rights.labels?.[entry]?.label ?? entry);
    return (
        <>
            <dt>{name}</dt>
            <dd dir="auto">
                {isRightsPublic(rule) ? t('everyone') : entries.length === 0 ? t('admin') : names.slice(0, 5).join(', ')}{names.length > 5 && ' …'}
                {' '}<small>({sourceText(rule.source, rights.type)})</small>
            </dd>
        </>
    );
}
