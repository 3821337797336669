/** Says that somebody else has saved the type, and shows both versions. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import type { JsonMap } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import { differences } from '../model/differences.js';
import type { TypeObject } from '../model/type-object.js';
import { t } from './texts.js';

interface ConflictProps {
    readonly mine: JsonMap;
    readonly theirs: TypeObject;
    readonly onTake: (theirs: TypeObject) => void;
    readonly onOverwrite: (theirs: TypeObject) => void;
}

export function Conflict({ mine, theirs, onTake, onOverwrite }: ConflictProps): JSX.Element {

    const [isShown, show] = useState(false);
    return (
        <div class="box warning" role="alert">
            <Icon name="warning" />
            <div class="grow stack">
                <p>{t('conflict')}</p>
                <div class="row">
                    <button type="button" aria-expanded={isShown} onClick={() => show(!isShown)}>{t('showDifference')}</button>
                    <button type="button" onClick={() => onTake(theirs)}>{t('takeTheirs')}</button>
                    <button type="button" class="danger" onClick={() => onOverwrite(theirs)}>{t('overwrite')}</button>
                </div>
                {isShown && <Differences before={theirs.content} after={mine} names={[t('theirs'), t('mine')]} />}
            </div>
        </div>
    );
}

/** What differs between two values, as a table of pointers. */
export function Differences({ before, after, names }: {
    readonly before: JsonMap; readonly after: JsonMap; readonly names: readonly [string, string]
}): JSX.Element {

    return (
        <div class="list-table" role="region" aria-label={`${names[0]}, ${names[1]}`} tabIndex={0}>
            <table>
                <thead><tr><td /><th>{names[0]}</th><th>{names[1]}</th></tr></thead>
                <tbody>
                    {differences(before, after).map(({ pointer, before: old, after: next }) => (
                        <tr key={pointer}>
                            <th scope="row"><code>{pointer}</code></th>
                            <td><code class="removed-text">{old === undefined ? '–' : writeJson(old)}</code></td>
                            <td><code class="added-text">{next === undefined ? '–' : writeJson(next)}</code></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
