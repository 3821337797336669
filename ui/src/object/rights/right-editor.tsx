/** The editor of the entries of one right. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { useGuard } from '../../components/use-guard.js';
import { useLongList } from '../../components/use-long-list.js';
import { t as ofEdit } from '../../edit/texts.js';
import { objectPath, RepositoryError, sendJson } from '../../api/client.js';
import { caller, isAdmin } from '../../api/session.js';
import { labelOf } from '../../state/labels.js';
import { uiConfig } from '../../state/design.js';
import { say, textOf } from '../../state/messages.js';
import { ifMatch, type LoadedObject } from '../model/load.js';
import { mergedEntries } from './merged-entries.js';
import { changedAcl, ENTRY_WORDS, METHOD_WORDS, type Rights, type Rule, type Subject } from './rights.js';
import { t, wordName } from './texts.js';

const CHANGED = 412;

/** Types of those who have rights, where the design names none. */
const USUAL_TYPES = ['User', 'Group'];

interface RightEditorProps {
    readonly right: Subject;
    /** The list that is in force. */
    readonly rule: Rule;
    readonly rights: Rights;
    readonly object: LoadedObject;
    readonly reload: () => void;
    readonly onClose: () => void;
}

/** The editor. Nothing is stored before it is saved. */
export function RightEditor({ right, rule: { entries: initial, source, isPartial }, rights, object, reload, onClose }: RightEditorProps): JSX.Element {

    const [entries, setEntries] = useState(initial);
    const base = useRef(initial);
    useEffect(() => {

        // What somebody else has changed meanwhile is kept beside the own change.
        const before = base.current;
        base.current = initial;
        setEntries((own) => mergedEntries(before, own, initial));
    }, [initial]);
    useGuard(entries.length !== initial.length || entries.some((each) => !initial.includes(each)), () => confirm(ofEdit('leave')));
    const [error, setError] = useState<string | null>(null);
    const [isBusy, setBusy] = useState(false);
    const { aclUiSearchTypes = USUAL_TYPES } = uiConfig.value;
    const fixed = (typeof right === 'object' ? METHOD_WORDS : ENTRY_WORDS).map((id) => ({ id, label: t(id), hint: id }));
    const nameOf = (entry: string): string => wordName(entry) ?? rights.labels?.[entry]?.label ?? labelOf(entry).value?.label ?? entry;
    const { shown, filter, more } = useLongList(entries, nameOf);
    const save = async (next: readonly string[] | null): Promise<void> => {

        setBusy(true);
        setError(null);
        try {
            const acl = changedAcl(object.acl, right, next);
            await sendJson('PUT', objectPath(object.id, '/acls'), acl, { headers: ifMatch(object) });
            say(t('saved'));
            onClose();
            reload();
        }
        catch (failure) {
            const isChanged = failure instanceof RepositoryError && failure.status === CHANGED;
            setError(isChanged ? t('changedMeanwhile') : textOf(failure));
            setBusy(false);
            if (isChanged) {
                reload();
            }
        }
    };

    return (
        <form class="stack" onSubmit={(event) => {

            event.preventDefault();
            void save(entries);
        }}>
            {filter}
            <ul class="value-chips editable">
                {entries.length === 0 && <li class="muted">{t('nobody')}</li>}
                {shown.map((entry) => (
                    <li key={entry}>
                        <span dir="auto">{nameOf(entry)}</span>
                        <button type="button" class="quiet icon-button small" aria-label={t('remove', { name: nameOf(entry) })}
                            onClick={() => setEntries(entries.filter((each) => each !== entry))}><Icon name="close" /></button>
                    </li>
                ))}
            </ul>
            {more}
            <ObjectPicker label={t('add')} placeholder={t('add')} value="" types={aclUiSearchTypes} fixed={fixed.filter(({ id }) => !entries.includes(id))} autofocus
                onChange={(id) => id !== '' && !entries.includes(id) && setEntries([...entries, id])} />
            {isPartial === true && <p class="box warning"><Icon name="warning" />{t('partial')}</p>}
            {right === 'write' && isLost(entries, object) && <p class="box warning"><Icon name="warning" />{t('lost')}</p>}
            {error !== null && <ErrorBox message={error} />}
            <div class="row">
                <button type="submit" class="primary small" disabled={isBusy}>{t('save')}</button>
                <button type="button" class="small" onClick={onClose}>{t('cancel')}</button>
                {source === 'object' && <button type="button" class="link" disabled={isBusy} onClick={() => void save(null)}>{t('restore')}</button>}
            </div>
        </form>
    );
}

/** True if the caller is in none of the entries. Members of groups are known by their ids. */
function isLost(entries: readonly string[], { metadata, id }: LoadedObject): boolean {

    const { userId = '', groupIds = [] } = caller.value;
    const isOne = (entry: string): boolean => entry === 'public' || entry === 'authenticated' || entry === userId || groupIds.includes(entry) ||
        entry === 'creator' && metadata.createdBy === userId || entry === 'self' && id === userId;
    return !isAdmin.value && !entries.some(isOne);
}
