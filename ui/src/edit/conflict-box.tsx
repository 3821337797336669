/** What is shown when somebody else has saved the object meanwhile: the difference, and ways to go on. */

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Ago, UserName } from '../components/object-link.js';
import { changesBetween, merged } from '../json/changes.js';
import type { Json } from '../json/exact-number.js';
import { writeJson } from '../json/write-json.js';
import type { EditedObject } from './object-access.js';
import { t } from './texts.js';

/** Differences that are shown. */
const MAX_SHOWN = 30;

/** Characters of a value that are shown. */
const MAX_TEXT = 300;

/** How to go on: with their content, with one's own, which is saved at once, or with both. */
export type Way = 'take' | 'overwrite' | 'merge';

interface ConflictProps {
    /** Undefined if it is not known; nothing is merged then. */
    readonly base: Json | undefined;
    readonly mine: Json;
    readonly theirs: EditedObject;
    readonly onKeep: () => void;
    readonly onTake: (way: Way) => void;
}

/** The box. */
export function ConflictBox({ base, mine, theirs, onKeep, onTake }: ConflictProps): JSX.Element {

    const changes = changesBetween(theirs.content, mine);
    const isMergeable = merged(base, mine, theirs.content) !== null;
    const box = useRef<HTMLElement>(null);
    useEffect(() => box.current?.focus(), []);
    return (
        <section class="box warning edit-conflict" role="alertdialog" aria-label={t('conflict')} tabIndex={-1} ref={box}>
            <div class="grow stack">
                <div>
                    <h2>{t('conflict')}</h2>
                    <Who theirs={theirs} />
                </div>
                {changes.length === 0 ? <p>{t('same')}</p> : (
                    <div class="scroll-x" tabIndex={0} role="group" aria-label={t('conflict')}>
                        <table>
                            <thead><tr><th scope="col">{t('place')}</th><th scope="col">{t('theirs')}</th><th scope="col">{t('yours')}</th></tr></thead>
                            <tbody>
                                {changes.slice(0, MAX_SHOWN).map(({ pointer, before, after }) => (
                                    <tr key={pointer}>
                                        <th scope="row"><bdi>{pointer === '' ? t('whole') : pointer}</bdi></th>
                                        <td class="edit-removed"><bdi>{shown(before)}</bdi></td>
                                        <td class="edit-added"><bdi>{shown(after)}</bdi></td>
                                    </tr>
                                ))}
                            </tbody>
                        </table>
                        {changes.length > MAX_SHOWN && <p>{t('more', { count: changes.length - MAX_SHOWN })}</p>}
                    </div>
                )}
                <div class="actions">
                    <button type="button" onClick={onKeep}>{t('keep')}</button>
                    <button type="button" onClick={() => onTake('take')}>{t('take')}</button>
                    <button type="button" onClick={() => onTake('overwrite')}>{t('overwrite')}</button>
                    {isMergeable && <button type="button" class="primary" onClick={() => onTake('merge')}>{t('merge')}</button>}
                </div>
            </div>
        </section>
    );
}

function Who({ theirs: { modifiedBy, modifiedOn } }: { readonly theirs: EditedObject }): JSX.Element {

    const [before = '', between = '', after = ''] = t('conflictText', { who: '\0', ago: '\0' }).split('\0');
    return <p>{before}{modifiedBy === null ? t('somebody') : <UserName id={modifiedBy} />}{between}{modifiedOn !== null && <Ago time={modifiedOn} />}{after}</p>;
}

function shown(value: Json | undefined): string {

    const text = value === undefined ? t('nothing') : typeof value === 'string' ? value : writeJson(value);
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
