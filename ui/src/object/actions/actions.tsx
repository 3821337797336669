/** What can be done with an object: the button to edit it, and a menu. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { copyAndSay } from '../../components/copy-button.js';
import { Icon } from '../../components/icon.js';
import { Menu, type MenuItem } from '../../components/menu.js';
import { caller } from '../../api/session.js';
import { go, to } from '../../router.js';
import type { LoadedObject } from '../model/load.js';
import { DeleteDialog } from './delete-dialog.js';
import { MoveDialog } from './move-dialog.js';
import { PublishDialog } from './publish-dialog.js';
import { t } from './texts.js';

/** The actions. */
export function Actions({ object, reload }: { readonly object: LoadedObject; readonly reload: () => void }): JSX.Element {

    const [dialog, setDialog] = useState<'publish' | 'move' | 'delete' | null>(null);
    const { id, type, mayWrite, metadata } = object;
    const isTip = metadata.versionOf === undefined;
    const mayCreate = caller.value.typesPermittedToCreate?.includes(type) === true;
    const close = (): void => setDialog(null);
    const items: readonly MenuItem[] = [
        { label: t('copyId'), onSelect: () => void copyAndSay(id) },
        ...mayCreate ? [{ label: t('clone'), href: to.create(type, { from: id }) }] : [],
        ...mayWrite && isTip ? [{ label: t('publish'), onSelect: () => setDialog('publish') }, { label: t('move'), onSelect: () => setDialog('move') }] : [],
        { label: t('print'), onSelect: () => print() },
        ...mayWrite ? [{ label: t('delete'), onSelect: () => setDialog('delete'), isDangerous: true }] : []
    ];
    return (
        <div class="object-actions">
            {mayWrite && isTip && <a class="button primary" href={to.object(id, { edit: true })}><Icon name="edit" />{t('edit')}</a>}
            <Menu class="end" label={t('more')} items={items}><Icon name="more" /></Menu>
            {dialog === 'publish' && <PublishDialog object={object} onClose={close} onDone={() => go(to.object(id, { tab: 'history' }))} />}
            {dialog === 'move' && <MoveDialog object={object} onClose={close} reload={reload} />}
            {dialog === 'delete' && <DeleteDialog object={object} onClose={close} />}
        </div>
    );
}
