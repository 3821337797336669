/** Runs the hooks of the type, as they are in the editor, on an object: an update of it with its own content, in a dry run. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { objectPath, repository, textIn } from '../../api/client.js';
import { bodyOf, readObject } from '../../edit/object-access.js';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { textOf } from '../../state/messages.js';
import { Differences } from './conflict.js';
import { differences } from '../model/differences.js';
import type { Draft } from './draft.js';
import { t } from './texts.js';

interface Changes {
    /** Null where it is not known: code changes objects when they are read. */
    readonly before: JsonMap | null;
    readonly after: JsonMap;
    readonly ms: number;
}

/** What became of the object with this id, by a definition of the type: what the hooks have changed, or an error that says why it cannot be stored. */
type Outcome = { readonly id: string; readonly content: JsonMap } & ({ readonly changes: Changes } | { readonly error: string });

export function Rehearsal({ type, draft }: { readonly type: string; readonly draft: Draft }): JSX.Element {

    const { content, isChanged, isValidJson } = draft;
    const [id, setId] = useState('');
    const [isBusy, setBusy] = useState(false);
    const [latest, setLatest] = useState<Outcome | null>(null);
    const run = async (event: Event): Promise<void> => {

        event.preventDefault();
        setBusy(true);
        setLatest(null);
        try {
            setLatest({ id, content, changes: await rehearse(id, content, isChanged) });
        }
        catch (failure) {
            setLatest({ id, content, error: textOf(failure) });
        }

        setBusy(false);
    };

    // That of another object, or of other code, says nothing about what was chosen or typed since.
    const outcome = latest?.id === id && latest.content === content ? latest : null;

    return (
        <section class="stack">
            <h2>{t('rehearsal')}</h2>
            <p class="muted">{t('rehearsalHint')}</p>
            {isChanged && <p>{t('rehearsalUnsaved')}</p>}
            <form class="acl-add" onSubmit={(event) => void run(event)}>
                <div><label for="rehearsal-object">{t('rehearsalObject')}</label><ObjectPicker id="rehearsal-object" label={null} types={[type]} value={id} onChange={setId} /></div>
                <button type="submit" disabled={id === '' || isBusy || !isValidJson}><Icon name="play" />{t('run')}</button>
            </form>
            {outcome && 'error' in outcome && <><p>{t('ranError')}</p><ErrorBox message={outcome.error} /></>}
            {outcome && 'changes' in outcome && <Changed {...outcome.changes} />}
        </section>
    );
}

function Changed({ before, after, ms }: Changes): JSX.Element {

    const hasChanged = before !== null && differences(before, after).length > 0;
    return (
        <div class="stack" role="status">
            <p>{t('ranWell', { ms })} {t(before === null ? 'cannotCompare' : hasChanged ? 'ranChanges' : 'ranSame')}</p>
            {hasChanged && <Differences before={before} after={after} names={[t('before'), t('after')]} />}
        </div>
    );
}

/** Tries a definition, which may be the stored one. @throws RepositoryError */
async function rehearse(id: string, definition: JsonMap, isChanged: boolean): Promise<Changes> {

    const { content, isResolved } = await readObject(id);
    const started = performance.now();
    // Content that code has made when it was read is not sent back: the service takes that which is stored.
    const response = await repository.request(isChanged || isResolved ?
        { method: 'POST', path: '/rehearsal', query: { objectId: id }, body: bodyOf(writeJson(definition)), isRead: true } :
        { method: 'PUT', path: objectPath(id), query: { dryRun: true, full: true }, body: bodyOf(writeJson(content)), isRead: true });
    const after = mapOf(parseJson(await textIn(response)));
    return { before: isResolved ? null : mapOf(content), after: mapOf(after['content'] ?? null), ms: Math.round(performance.now() - started) };
}

function mapOf(value: Json): JsonMap {

    return isJsonMap(value) ? value : {};
}
