/** The question before a type is deleted, with the number of its objects. */

import type { JSX } from 'preact';
import { deleteVersion } from '../../api/delete-version.js';
import { Confirm } from '../../components/confirm.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { useMounted } from '../../components/use-mounted.js';
import { useResource } from '../../components/use-resource.js';
import { go, guardLeaving, to } from '../../router.js';
import { readDesign } from '../../state/design.js';
import { say, textOf } from '../../state/messages.js';
import { countObjects } from '../model/objects-of-type.js';
import { t } from './texts.js';

export function DeleteType({ name, id, etag, onClose }: {
    readonly name: string; readonly id: string; readonly etag: string | null; readonly onClose: () => void
}): JSX.Element {

    const { value, error } = useResource((signal) => countObjects(name, signal), [name]);
    const isMounted = useMounted();
    const remove = async (): Promise<void> => {

        await deleteVersion(id, etag, t('conflict'));
        say(t('deleted', { name }));
        if (isMounted()) {
            guardLeaving(null);
            go(to.types);
        }

        await readDesign();
    };

    return (
        <Confirm title={t('deleteTitle', { name })} action={t('deleteAction')} isDangerous isReady={value !== null || error !== null} onConfirm={remove} onClose={onClose}>
            {error && <ErrorBox message={textOf(error)} />}
            {value === null ? !error && <Loading /> : <p>{value === 0 ? t('deleteNone') : t('deleteSome', { count: value })}</p>}
        </Confirm>
    );
}
